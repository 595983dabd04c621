#!/usr/bin/env python3
"""Measured placement has no rules for operators or models: its code names no operator but those that the IR is put together with, and no
network that its results are measured on. What may run where is said by backends."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import CXX_SUFFIXES, read_lines, run_check, source_files

FOLDER = "compiler/placement/"
# Constants, composites and conversions are how placing itself is expressed.
STRUCTURE = {"ConstantOp", "CompositeOp", "RelayoutOp", "CopyOp", "YieldOp"}
CLASS = re.compile(r"\bir::(\w+Op)\b")
STRUCTURE_TABLES = ("structural_ops.td", "host_ops.td")
DEFINITION = re.compile(r'^def Tsr_\w+Op : \w+<"(\w+)"')
NETWORK = re.compile(r'"(?:arch|trained)/(\w+)"')
RESULTS = "bench/placement/results.py"


def mnemonics(root):
    """Of the operators that compute, as their tables say."""
    for path in source_files(root, ("_ops.td",)):
        if path.startswith("compiler/ir/") and os.path.basename(path) not in STRUCTURE_TABLES:
            yield from (found[1] for found in map(DEFINITION.match, read_lines(root, path)) if found)


def networks(root):
    if os.path.exists(os.path.join(root, RESULTS)):
        for line in read_lines(root, RESULTS):
            yield from NETWORK.findall(line)


def check(root):
    texts = [f'"{name}"' for name in mnemonics(root)] + sorted(set(networks(root)))
    for path in source_files(root, CXX_SUFFIXES):
        if not path.startswith(FOLDER) or "/test/" in path:
            continue
        for number, line in enumerate(read_lines(root, path), 1):
            code = line.split("//")[0]
            named = [name for name in CLASS.findall(code) if name not in STRUCTURE] + [text for text in texts if text in code]
            if named:
                yield f"{path}:{number}: placement has a rule about {named[0]}: {line.strip()}"


if __name__ == "__main__":
    run_check(check, __doc__)
