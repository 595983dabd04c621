#!/usr/bin/env python3
"""Hand-written files stay under 800 lines; above 500 there is a warning."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import CXX_SUFFIXES, read_lines, run_check, source_files

SUFFIXES = CXX_SUFFIXES + (".py", ".sh", ".cmake", "CMakeLists.txt", "Makefile", ".def", ".fbs", ".mlir")
WARN_LINES = 500
MAX_LINES = 800


def check(root):
    for path in source_files(root, SUFFIXES):
        lines = len(read_lines(root, path))
        if lines > MAX_LINES:
            yield f"{path}: {lines} lines, at most {MAX_LINES} are allowed: split it by idea"
        elif lines > WARN_LINES:
            print(f"warning: {path}: {lines} lines, above {WARN_LINES} needs a reason", file=sys.stderr)


if __name__ == "__main__":
    run_check(check, __doc__)
