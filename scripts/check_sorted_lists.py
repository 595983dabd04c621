#!/usr/bin/env python3
"""Source lists of the tessera_add_* calls are sorted, so that two additions rarely collide."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import run_check, source_files

CALL = re.compile(r"\btessera_add_\w+\(([^()]*)\)", re.DOTALL)


def sources_in(arguments):
    """The entries after SOURCES, up to the next keyword."""
    entries, inside = [], False
    for word in re.sub(r"#[^\n]*", "", arguments).split():
        if word.isupper() and word.isidentifier():
            inside = word == "SOURCES"
        elif inside and "$" not in word:
            entries.append(word)
    return entries


def check(root):
    for path in source_files(root, ("CMakeLists.txt",)):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        for call in CALL.finditer(text):
            line = text.count("\n", 0, call.start()) + 1
            entries = sources_in(call.group(1))
            for before, after in zip(entries, entries[1:]):
                if before > after:
                    yield f"{path}:{line}: SOURCES is not sorted: {after} comes after {before}"


if __name__ == "__main__":
    run_check(check, __doc__)
