#!/usr/bin/env python3
"""The table of docs/offload.md says what the offload.txt of each backend says. --fix writes it anew."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "harness"))
from offload import offload_files, read_offload

DOCUMENT = os.path.join(ROOT, "docs", "offload.md")
FIRST = "| network |"


def cell(offload):
    return f"{offload.regions} of {offload.regions + offload.others}, {offload.share:.1f} %"


def table(files):
    """Lines of the table of these files."""
    rows = {backend: read_offload(path) for backend, path in files.items()}
    names = sorted({name for row in rows.values() for name in row})
    lines = [f"{FIRST} {' | '.join(f'`{backend}`' for backend in rows)} |", "|---" * (len(rows) + 1) + "|"]
    for name in names:
        cells = [cell(row[name]) if name in row else "" for row in rows.values()]
        lines.append(f"| {name.partition('/')[2]} | {' | '.join(cells)} |")
    return lines


def without(lines, absent):
    """A table without the columns of these backends."""
    head = [word.strip(" `") for word in lines[0].split("|")]
    kept = [i for i, name in enumerate(head) if name not in absent]
    return ["|".join(line.split("|")[i] for i in kept) for line in lines]


def main():
    with open(DOCUMENT, encoding="utf-8") as file:
        lines = file.read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(FIRST))
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
    files = offload_files(ROOT)
    if "--fix" in sys.argv[1:]:
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write("\n".join(lines[:start] + table(files) + lines[end:]) + "\n")
        return 0
    # A backend's folder may be absent; no document changes for that.
    absent = {word.strip(" `") for word in lines[start].split("|")[2:-1]} - set(files)
    if without(lines[start:end], absent) == table(files):
        return 0
    print(f"docs/offload.md:{start + 1}: the table is not that of the offload.txt files; run {sys.argv[0]} --fix")
    return 1


if __name__ == "__main__":
    sys.exit(main())
