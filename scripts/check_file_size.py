#!/usr/bin/env python3
"""Hand-written files stay under 800 lines, above 500 there is a warning; comments of C++ stay under 100
columns, where the format does not reflow them. A folder holds at most 34 source files."""

import collections
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import CXX_SUFFIXES, read_lines, run_check, source_files

SUFFIXES = CXX_SUFFIXES + (".py", ".sh", ".cmake", "CMakeLists.txt", "Makefile", ".def", ".fbs", ".mlir")
WARN_LINES = 500
MAX_LINES = 800
MAX_COLUMNS = 100
MAX_FILES = 34
COMMENT = re.compile(r"^\s*(//|/?\*)")
FORMATTED = (".c", ".cpp", ".h", ".hpp")


def check(root):
    counts = collections.Counter(os.path.dirname(path) for path in source_files(root, CXX_SUFFIXES + (".py", ".def")))
    for folder, count in counts.items():
        if count > MAX_FILES:
            yield f"{folder}: {count} source files, at most {MAX_FILES} are allowed: divide it by role"
    for path in source_files(root, SUFFIXES):
        text = read_lines(root, path)
        lines = len(text)
        for number, line in enumerate(text if path.endswith(FORMATTED) else [], 1):
            if len(line) > MAX_COLUMNS and COMMENT.match(line) and "://" not in line:
                yield f"{path}:{number}: {len(line)} columns, at most {MAX_COLUMNS} are allowed"
        if lines > MAX_LINES:
            yield f"{path}: {lines} lines, at most {MAX_LINES} are allowed: split it by idea"
        elif lines > WARN_LINES:
            print(f"warning: {path}: {lines} lines, above {WARN_LINES} needs a reason", file=sys.stderr)


if __name__ == "__main__":
    run_check(check, __doc__)
