#!/usr/bin/env python3
"""Every entry of every pattern table is hit: each has a model, test/patterns/<entry>.mlir in its backend's folder, where the backend owns
what the entry matched and computes it as the reference does. A table is what `tessera backends --json` lists, so that an entry without a
model fails here, as do one that stopped matching and a model without an entry. What may vary within an entry is tested by its backend."""

import argparse
import glob
import os
import re
import sys
import tempfile

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from backends import backends_of
from junit import Report
from process import run_tool

TIMEOUT = 120


def models_of(backend):
    """{entry: path} of what the folder of a backend has."""
    paths = glob.glob(os.path.join(SOURCE_DIR, "backends", backend, "test", "patterns", "*.mlir"))
    return {os.path.splitext(os.path.basename(path))[0]: path for path in paths}


def owned_composites(text, backend):
    """The names of composites in the functions of a placed module that are a backend's."""
    functions = [part for part in text.split("func.func ") if f'#tsr.target<"{backend}"' in part.partition("\n")[0]]
    return {name for part in functions for name in re.findall(r'tsr\.composite "([^"]+)"', part)}


def why_missed(tool, backend, host, entry, path):
    """Why the model does not show that the entry is matched and right; empty when it does."""
    if path is None:
        return f"the entry has no model: backends/{backend}/test/patterns/{entry}.mlir"
    targets = backend if backend == host else f"{backend},{host}"
    with tempfile.TemporaryDirectory() as scratch:
        placed = os.path.join(scratch, "placed.mlir")
        # Owners' own passes on regions may make something else of composites.
        whole = ["--disable-pass", "tessera-optimize-regions"]
        status, _, reason = run_tool([tool, "partition", path, "--targets", targets, "-o", placed, *whole], TIMEOUT)
        if status != 0:
            return reason
        with open(placed, encoding="utf-8") as file:
            found = owned_composites(file.read(), backend)
    if f"{backend}.{entry}" not in found:
        return f"the entry matches nothing: {backend} owns {', '.join(sorted(found)) or 'no composite'}"
    status, _, reason = run_tool([tool, "compare", path, "--targets", f"{backend},reference"], TIMEOUT)
    return "" if status == 0 else reason


def check_all(tool):
    report = Report("patterns")
    backends = backends_of(tool)
    host = next(name for name, backend in backends.items() if backend["host"])
    for name, backend in backends.items():
        models = models_of(name)
        for entry in backend["patterns"]:
            reason = why_missed(tool, name, host, entry, models.pop(entry, None))
            report.add(f"{name}.{entry}", "failed" if reason else "passed", reason)
        for entry, path in models.items():
            report.add(f"{name}.{entry}", "failed", f"{os.path.relpath(path, SOURCE_DIR)}: the pattern table has no such entry")
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--results", help="JUnit file to write")
    arguments = parser.parse_args()
    report = check_all(arguments.tool)
    for case, outcome, message, _ in report.cases:
        print(f"{outcome}: {case}{': ' if message else ''}{message}")
    if arguments.results:
        report.write(arguments.results)
    sys.exit(1 if report.count("failed") else 0)


if __name__ == "__main__":
    main()
