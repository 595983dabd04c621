#!/usr/bin/env python3
"""Functions have at most 60 lines, from their first line to the closing brace; tests and benchmarks may have more."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import read_lines, run_check, source_files

MAX_LINES = 60
# What opens a brace at the left margin and holds functions instead of being one.
HOLDER = re.compile(r"\s*(template\s*<.*>\s*)?(namespace|struct|class|union|enum|extern)\b[^()]*$")
TABLE = re.compile(r"=\s*\{?$")


def is_test(path):
    return path.startswith(("tests/", "bench/")) or "/test/" in path or re.search(r"(_test|_for_test)\.\w+$|/op_cases/", path)


def functions(lines):
    """(first line, last line, the first one's text) of every function, found by the margins that clang-format leaves: what
    begins at the margin of its block ends with a brace at the same margin."""
    openers = {}  # By margin: the line where the present construct begins.
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith(("//", "#", "/*", "*")):
            continue
        margin = len(line) - len(line.lstrip())
        if text.startswith("}"):
            first, opener = openers.pop(margin, (None, None))
            if first and not HOLDER.match(opener) and not TABLE.search(opener.rstrip("{ ")) and text in ("}", "};"):
                yield first, number, opener
        elif margin not in openers or openers[margin][1].endswith((";", "}")) or margin == 0:
            openers[margin] = (number, text)
        for deeper in [other for other in openers if other > margin]:
            del openers[deeper]
        if margin in openers and text.endswith((";", "}", ":")) and not text.startswith("}"):
            openers.pop(margin, None)


def check(root):
    for path in source_files(root, (".c", ".cpp", ".h", ".hpp")):
        if is_test(path):
            continue
        for first, last, text in functions(read_lines(root, path)):
            if last - first + 1 > MAX_LINES and "(" in text:
                yield f"{path}:{first}: {last - first + 1} lines, at most {MAX_LINES} are allowed: {text}"


if __name__ == "__main__":
    run_check(check, __doc__)
