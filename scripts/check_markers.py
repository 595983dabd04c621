#!/usr/bin/env python3
"""No unfinished or private text: merge conflicts, do-not-submit marks, TODOs without an issue, machine paths."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import read_lines, run_check, source_files

# The patterns are written so that they do not match themselves.
MARKERS = [
    (re.compile(r"DO[ _-]NOT[ _-]SUBMIT"), "a mark that forbids submitting"),
    (re.compile(r"^(<{7} |>{7} |={7}$)"), "a merge conflict"),
    (re.compile(r"\b(TODO(?!\(#\d+\):)|FIXME\b|XX[X]\b)"), "unfinished work without an issue, write TODO" + "(#123): ..."),
    (re.compile(r"(^|[\s\"'=(])/(home/\w+|root/\w+|work/\w+)"), "a path of one machine"),
]
ABOUT_MARKERS = {"scripts/check_markers.py", "scripts/test/lint_test.py"}
LICENSE_START = "Apache License"


def check(root):
    license_path = os.path.join(root, "LICENSE")
    if not os.path.isfile(license_path) or LICENSE_START not in "".join(read_lines(root, "LICENSE")[:3]):
        yield "LICENSE: is not the Apache License"
    for path in source_files(root):
        if path in ABOUT_MARKERS or path.endswith((".onnx", ".npz", ".npy", ".pb", ".tsr", ".png")):
            continue
        for number, line in enumerate(read_lines(root, path), 1):
            for regex, what in MARKERS:
                if regex.search(line):
                    yield f"{path}:{number}: {what}: {line.strip()[:100]}"


if __name__ == "__main__":
    run_check(check, __doc__)
