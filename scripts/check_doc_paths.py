#!/usr/bin/env python3
"""Every path that the documentation names exists, and every `make` target it mentions is in the Makefile."""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import read_lines, run_check, source_files

CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"^[A-Za-z0-9_.*][A-Za-z0-9_.*+-]*(/[A-Za-z0-9_.*+-]+)*/?$")
MAKE = re.compile(r"\bmake ((?:[a-z]+-)*[a-z]+)")
# A token is taken for a path when it begins with one of these, whether or not the folder exists.
FOLDERS = {
    "artifact", "backends", "base", "bench", "cmake", "compiler", "docs", "examples", "frontends", "include", "plugins", "python",
    "reference", "runtime", "scripts", "tests", "tools", ".ci",
}
BACKEND = re.compile(r"^backends/[a-z0-9_]+")
ROOT_FILE = re.compile(r"^(\.clang-(format|tidy)|CMakePresets\.json|Makefile|layers\.toml|LICENSE|[A-Z]+\.md)$")


def is_document(path):
    return path.endswith(".md") and not path.startswith("tests/")


def named_paths(path, line):
    """(path relative to the root) of everything in the line that means a file or folder of ours."""
    for token in CODE.findall(line):
        token = token.strip().rstrip(":,")
        if PATH.match(token) and (token.split("/")[0] in FOLDERS and "/" in token or ROOT_FILE.match(token)):
            yield token
    for target in LINK.findall(line):
        if "://" not in target and not target.startswith("mailto:"):
            yield os.path.normpath(os.path.join(os.path.dirname(path), target))


def exists(root, path, named):
    """Whether something has that name or pattern. A README of a folder may name its own files by their paths inside it; a
    backend's folder may be absent, no document changes for that."""
    if any(glob.glob(os.path.join(glob.escape(base), named)) for base in (root, os.path.join(root, os.path.dirname(path)))):
        return True
    backend = BACKEND.match(named)
    return backend is not None and not os.path.isdir(os.path.join(root, backend.group()))


def make_targets(root):
    makefile = os.path.join(root, "Makefile")
    if not os.path.isfile(makefile):
        return set()
    return {line.split(":")[0] for line in read_lines(root, "Makefile") if re.match(r"^[a-z-]+:", line)}


def check(root):
    targets = make_targets(root)
    for path in filter(is_document, source_files(root, (".md",))):
        for number, line in enumerate(read_lines(root, path), 1):
            for named in named_paths(path, line):
                if not exists(root, path, named):
                    yield f"{path}:{number}: {named} does not exist"
            for token in CODE.findall(line):
                for target in MAKE.findall(token):
                    if targets and target not in targets:
                        yield f"{path}:{number}: the Makefile has no target '{target}'"


if __name__ == "__main__":
    run_check(check, __doc__)
