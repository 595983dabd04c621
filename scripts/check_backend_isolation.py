#!/usr/bin/env python3
"""A backend's name never occurs outside its folder; documentation and tests are the exceptions."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import read_lines, run_check, source_files

SUFFIXES = (".c", ".cpp", ".h", ".hpp", ".td", ".cmake", "CMakeLists.txt", ".in", ".fbs")
EXEMPT = ("docs/", "tests/", "examples/", "bench/", "scripts/", "plugins/")
# Names that are ordinary words: only their uses as a name in code count, not "the native format".
WORDS = {"native", "null", "cpu", "host", "c"}
# LLVM's word for the CPU of the machine that compiles; no backend's name.
THIS_CPU = re.compile(r'-mcpu=native|\bcpuName == "native"')


def patterns_for(name):
    """Regular expressions of which one matches a line that names the backend."""
    as_name = [rf'"{name}"', rf'"{name} ', rf"backends/{name}\b", rf"backend_{name}\b", rf"\b{name}_backend\b"]
    return as_name if name in WORDS else as_name + [rf"(?i:\b{re.escape(name)}\b)", rf"(?i:{re.escape(name)})_"]


def backend_names(root):
    folder = os.path.join(root, "backends")
    if not os.path.isdir(folder):
        return []
    return sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))


def is_exempt(path):
    return path.startswith(EXEMPT) or "_test." in path or "/test/" in path or "/bench/" in path


def check(root):
    patterns = {name: [re.compile(text) for text in patterns_for(name)] for name in backend_names(root)}
    for path in source_files(root, SUFFIXES):
        if is_exempt(path):
            continue
        for number, line in enumerate(read_lines(root, path), 1):
            for name, regexes in patterns.items():
                code = THIS_CPU.sub("", line.split("//")[0]) if name in WORDS else line
                if not path.startswith(f"backends/{name}/") and any(regex.search(code) for regex in regexes):
                    yield f"{path}:{number}: names the backend '{name}' outside backends/{name}: {line.strip()}"


if __name__ == "__main__":
    run_check(check, __doc__)
