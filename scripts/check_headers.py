#!/usr/bin/env python3
"""Headers begin with #pragma once after their comment; a source includes its own header first, so that each header is compiled
where nothing stands in front of it."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import read_lines, run_check, source_files

INCLUDE = re.compile(r'^#include\s+["<]([^">]+)[">]')


def first_directive(lines):
    return next((line.strip() for line in lines if line.startswith("#")), "")


def own_header(path, sources):
    """The header that a source defines the functions of, or None."""
    for suffix in (".h", ".hpp"):
        header = os.path.splitext(path)[0] + suffix
        if header in sources:
            return header
    return None


def check(root):
    sources = set(source_files(root, (".c", ".cpp", ".h", ".hpp")))
    for path in sorted(sources):
        lines = read_lines(root, path)
        if path.endswith((".h", ".hpp")):
            if path.startswith("cmake/"):
                continue  # A precompiled header is a main file.
            if first_directive(lines) != "#pragma once":
                yield f"{path}: its first directive is not #pragma once"
            continue
        header = own_header(path, sources)
        includes = [match.group(1) for match in map(INCLUDE.match, lines) if match]
        if header and includes and os.path.basename(header) in map(os.path.basename, includes) and \
                os.path.basename(includes[0]) != os.path.basename(header):
            yield f"{path}: its own header {header} is not its first include"


if __name__ == "__main__":
    run_check(check, __doc__)
