#!/usr/bin/env python3
"""Regions that run in plain loops although there is a contraction in them: none of a network or a building block falls to
them but those listed here, with the reason that the compiler gives.

The models lie outside the repository (TESSERA_MODELS, default ../shared/models), and so does the program that writes the
building blocks (TESSERA_BLOCKS, default ../shared/tools/blocks.py); what is absent is skipped."""

import argparse
import os
import re
import subprocess
import sys
import tempfile

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from junit import SKIP_EXIT_CODE, Report
from models_test import ALL, materialise
from process import default_models_folder, run_tool

# What is known to fall to plain loops: the reasons, as often as they occur. Models are compiled as they are, open sizes open.
OPEN_CONV = "conv has sizes known at run time only"
OPEN_MATMUL = "sizes of the second operand of matmul are known at run time only"
NETWORKS = {
    "arch/bert_base": [OPEN_MATMUL] * 13,
    "arch/gpt2_small": [OPEN_MATMUL] * 24,
    "trained/bert_toy": [OPEN_MATMUL] * 10,
    "trained/ppocrv3_det_ch": [OPEN_CONV] * 44 + ["conv_transpose has sizes known at run time only"] * 2,
    "trained/speech_embedding": [OPEN_CONV] * 20,
    "trained/stories260k_prefill": [OPEN_MATMUL] * 6,
    "trained/super_resolution_10": [OPEN_CONV] * 4,
}
BLOCKS = {
    "shape_chatter_open": [OPEN_CONV],
}
REMARK = re.compile(r'func\.func private @\w+\(.*tessera\.remark = "plain loops: ([^"]*)"')


def plain_loops(arguments, model):
    """(reasons of the regions of `model` that have plain loops, what went wrong or None)."""
    with tempfile.TemporaryDirectory() as scratch:
        lowered = os.path.join(scratch, "lowered.mlir")
        command = [arguments.tool, "compile", model, "--targets", arguments.target, "--stop-after", "lower", "--emit", "mlir",
                   "-o", lowered]
        status, _, reason = run_tool(command, arguments.timeout)
        if status != 0:
            return [], reason
        with open(lowered, encoding="utf-8") as file:
            return sorted(match.group(1) for match in map(REMARK.search, file) if match), None


def check(arguments, report, name, model, expected):
    found, problem = plain_loops(arguments, model)
    outcome = "failed" if problem or found != sorted(expected) else "passed"
    if problem and "no target takes" in problem:
        outcome = "skipped"  # Blocks hold operators that nobody has.
    message = problem or f"{len(found)} regions, expected {len(expected)}: {'; '.join(found)}"
    print(f"{outcome.upper():7} {name:40} {message if outcome == 'failed' or found else ''}", flush=True)
    report.add(name, outcome, message)


def check_networks(arguments, report):
    if not os.path.isdir(arguments.models):
        print(f"no models at {arguments.models}; set TESSERA_MODELS")
        return
    for name in (name for name in ALL if arguments.filter in name):
        folder = os.path.join(arguments.models, name)
        if name.startswith("arch/"):
            folder = materialise(arguments.models, name, arguments.cache)
        check(arguments, report, name, os.path.join(folder, "model.onnx"), NETWORKS.get(name, []))


def check_blocks(arguments, report):
    if not os.path.isfile(arguments.blocks):
        print(f"no building blocks at {arguments.blocks}; set TESSERA_BLOCKS")
        return
    with tempfile.TemporaryDirectory() as folder:
        only = subprocess.run([sys.executable, arguments.blocks, "--list"], check=True, capture_output=True, text=True).stdout
        names = [line.split()[0] for line in only.splitlines() if line.split() and arguments.filter in line.split()[0]]
        if not names:
            return
        subprocess.run([sys.executable, arguments.blocks, folder, "--only", ",".join(names)], check=True, stdout=subprocess.DEVNULL)
        for name in names:
            check(arguments, report, name, os.path.join(folder, f"{name}.onnx"), BLOCKS.get(name, []))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--models", default=default_models_folder(SOURCE_DIR))
    parser.add_argument("--blocks", default=os.path.abspath(
        os.environ.get("TESSERA_BLOCKS", os.path.join(SOURCE_DIR, "..", "shared", "tools", "blocks.py"))))
    parser.add_argument("--cache", required=True, help="where arch/ models are materialised")
    parser.add_argument("--filter", default="", help="only models and blocks whose name contains this")
    parser.add_argument("--target", default="native -mcpu=x86-64-v4")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one model")
    parser.add_argument("--results", help="JUnit file to write")
    arguments = parser.parse_args()
    report = Report("plain_loops")
    check_networks(arguments, report)
    check_blocks(arguments, report)
    if arguments.results:
        report.write(arguments.results)
    if report.count("passed") + report.count("failed") == 0:
        sys.exit(SKIP_EXIT_CODE)
    sys.exit(1 if report.count("failed") else 0)


if __name__ == "__main__":
    main()
