#!/usr/bin/env python3
"""Writes the files that a document shows: each block whose first line says file=PATH is the whole file of that name."""

import argparse
import os
import re

BLOCK = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def write_files(document, folder):
    """Files that are there as they should be are left alone, so that nothing is built again for them."""
    with open(document, encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    for name, content in blocks:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read() == content:
                    continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    return [name for name, _ in blocks]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document")
    parser.add_argument("--to", required=True, help="folder")
    arguments = parser.parse_args()
    write_files(arguments.document, arguments.to)
