#!/usr/bin/env python3
"""How much of real networks a backend owns in front of the host target, at the sizes of their recorded inputs: its regions, those of
others, its share of the FLOPs. All is in the offload.txt of its folder, so that a pattern that silently stops matching fails here.
--write writes that file anew.

The models lie outside the repository (TESSERA_MODELS, default ../shared/models); without them, or without the plugin, the test is
skipped."""

import argparse
import concurrent.futures
import os
import sys
import time

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from backends import why_not
from junit import SKIP_EXIT_CODE, Report
from models_test import ALL, model_folder, recorded_sizes
from offload import FILE_NAME, offload_files, offload_of, placed_regions, read_offload
from process import default_models_folder

# What it leaves to the host target is cut as for one CPU, whichever this machine has.
HOST = "native -mcpu=x86-64-v4"
HEADER = """# What this backend owns of real networks in front of the host target (tests/e2e/offload_test.py): its regions, those of others,
# its share of the FLOPs in percent.
"""


def offload(arguments, name):
    """(what the backend owns of a network or None, why it is not known)."""
    folder = model_folder(arguments, name)
    options = recorded_sizes(folder, "test_data_set_0")
    regions, reason = placed_regions(arguments.tool, os.path.join(folder, "model.onnx"), f"{arguments.backend},{HOST}", options,
                                     arguments.timeout)
    return (None if regions is None else offload_of(regions, arguments.backend)), reason


def check_all(arguments, expected):
    """(Report of all networks, {network: what is owned})."""
    report, found = Report(f"{arguments.backend}_offload"), {}
    names = [name for name in ALL if arguments.filter in name]
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, (owned, reason) in zip(names, pool.map(lambda name: offload(arguments, name), names)):
            seconds, start = time.monotonic() - start, time.monotonic()
            if owned is not None:
                found[name] = owned
            is_right = owned is not None and owned == expected.get(name)
            message = reason or f"regions, regions of others, share: {owned}, expected {expected.get(name)}"
            report.add(name, "passed" if is_right else "failed", message, seconds)
            print(f"{'ok' if is_right else 'FAILED'}: {name}: {message}", flush=True)
    return report, found


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--backend", required=True)
    parser.add_argument("--models", default=default_models_folder(SOURCE_DIR))
    parser.add_argument("--cache", required=True, help="where arch/ models are materialised")
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one model")
    parser.add_argument("--results", help="JUnit file to write")
    parser.add_argument("--write", metavar="FOLDER", help="write the file to this folder instead of comparing with it")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    reason = why_not([arguments.backend], arguments.tool)
    if not os.path.isdir(arguments.models):
        reason = f"no models at {arguments.models}; set TESSERA_MODELS"
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIP_EXIT_CODE)
    report, found = check_all(arguments, {} if arguments.write else read_offload(offload_files(SOURCE_DIR)[arguments.backend]))
    if arguments.write:
        with open(os.path.join(arguments.write, FILE_NAME), "w", encoding="utf-8") as file:
            file.write(HEADER + "".join(f"{name} {owned}\n" for name, owned in sorted(found.items())))
        sys.exit(0 if len(found) == len(report.cases) else 1)
    if arguments.results:
        report.write(arguments.results)
    sys.exit(0 if report.count("failed") == 0 and report.count("passed") > 0 else 1)


if __name__ == "__main__":
    main()
