#!/usr/bin/env python3
"""Which kernels networks and building blocks get. Regions that run in plain loops although there is a contraction in them: none of a
block or a network as it is, open sizes open, nor of a network compiled for the sizes of its data. Regions that only move
elements, by relayout or transpose: as many in each network as are listed here, compiled for the sizes of its data.

The models lie outside the repository (TESSERA_MODELS, default ../shared/models), and so does the program that writes the
building blocks (TESSERA_BLOCKS, default ../shared/tools/blocks.py); what is absent is skipped."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from junit import SKIP_EXIT_CODE, Report
from models_test import ALL, ANSWERS_ALONE, data_sets, materialise, recorded_sizes
from process import BLOCKS_OF_LATER, default_models_folder, run_tool

# Calls of regions with a relayout and of those with a transpose, in networks compiled for the sizes of their data, on vectors of 16 lanes; (0, 0) where
# one is not listed.
MOVES = {
    "arch/style_transfer": (1, 0),
    "arch/tv_convnext_tiny": (23, 41),
    "arch/tv_efficientnet_b0": (1, 0),
    "arch/tv_inception_v3": (1, 0),
    "arch/tv_mobilenet_v2": (1, 0),
    "arch/tv_mobilenet_v3_large": (1, 0),
    "arch/tv_resnet18_bn": (1, 0),
    "arch/tv_vit_b_16_op17": (1, 1),
    "arch/zoo_bvlc_alexnet": (1, 0),
    "arch/zoo_densenet121": (1, 0),
    "arch/zoo_inception_v1": (1, 0),
    "arch/zoo_resnet50": (1, 0),
    "arch/zoo_shufflenet": (1, 0),
    "arch/zoo_squeezenet": (1, 0),
    "arch/zoo_vgg19": (1, 0),
    "arch/zoo_zfnet512": (1, 0),
    "trained/autoencoder1d": (4, 0),
    "trained/fastestdet": (2, 2),
    "trained/micro_kws_fp32": (1, 1),
    "trained/mlperf_tiny_kws_fp32": (1, 0),
    "trained/mlperf_tiny_resnet8_fp32": (1, 0),
    "trained/mlperf_tiny_vww_fp32": (1, 0),
    "trained/mnist_cnn": (1, 0),
    "trained/ppocrv3_det_ch": (1, 0),
    "trained/speech_embedding": (1, 0),
    "trained/super_resolution_10": (1, 1),
    "trained/tinyvit_demo": (10, 11),
    "trained/ultraface_rfb320": (8, 8),
    "trained/yunet_n_320": (11, 6),
}
# Those that differ on vectors of 8.
MOVES_OF_8 = {
    "trained/yunet_n_320": (12, 6),
}
CALL = re.compile(r' call @(\w+)\(')
FUNCTION = re.compile(r'func\.func private @(\w+)\(')
REMARK = re.compile(r'func\.func private @\w+\(.*tessera\.remark = "plain loops: ([^"]*)"')


def lowered_lines(arguments, model, *options):
    """(lines of the lowered module of `model`, what went wrong or None)."""
    with tempfile.TemporaryDirectory() as scratch:
        lowered = os.path.join(scratch, "lowered.mlir")
        command = [arguments.tool, "compile", model, "--targets", f"native -mcpu={arguments.mcpu}", "--stop-after", "lower", "--emit", "mlir",
                   "-o", lowered, *options]
        status, _, reason = run_tool(command, arguments.timeout)
        if status != 0:
            return [], reason
        with open(lowered, encoding="utf-8") as file:
            return file.readlines(), None


def plain_loops(arguments, model):
    """(reasons of the regions of `model` that have plain loops, what went wrong or None)."""
    lines, problem = lowered_lines(arguments, model)
    return sorted(match.group(1) for match in map(REMARK.search, lines) if match), problem


def moves(lines):
    """
    Calls of regions with a relayout, and of regions with a transpose that have no product: those read what they transpose in other
    steps.
    """
    regions, products, region, calls = {"tsr.relayout": set(), "tsr.transpose": set()}, set(), None, Counter()
    for line in lines:
        start = FUNCTION.search(line)
        region = start.group(1) if start else region
        calls.update(CALL.findall(line))
        if " tsr.matmul " in line:
            products.add(region)
        for operator, found in regions.items():
            if f" {operator} " in line:
                found.add(region)
    return sum(calls[name] for name in regions["tsr.relayout"]), sum(calls[name] for name in regions["tsr.transpose"] - products)


def remarked_regions(arguments, model, *options):
    """(regions with a remark that `inspect` counts, what went wrong or None)."""
    with tempfile.TemporaryDirectory() as scratch:
        artifact = os.path.join(scratch, "model.tsr")
        status, _, reason = run_tool([arguments.tool, "compile", model, "--targets", f"native -mcpu={arguments.mcpu}", "-o", artifact, *options],
                                     arguments.timeout)
        if status != 0:
            return 0, reason
        inspected = subprocess.run([arguments.tool, "inspect", artifact, "--json"], check=True, capture_output=True, text=True)
        return json.loads(inspected.stdout)["remarked_regions"], None


def check_moves(arguments, report, name, folder):
    lines, problem = lowered_lines(arguments, os.path.join(folder, "model.onnx"), *recorded_sizes(folder, data_sets(folder)[0]))
    loops = [match.group(1) for match in map(REMARK.search, lines) if match]
    if loops:
        problem = f"of known sizes, yet in plain loops: {'; '.join(loops)}"
    expected = MOVES.get(name, (0, 0))
    if arguments.mcpu == "x86-64-v3":
        expected = MOVES_OF_8.get(name, expected)
    found = moves(lines)
    outcome = "failed" if problem or found != expected else "passed"
    message = problem or f"calls of relayouts, of transposes: {found}, expected {expected}"
    print(f"{outcome.upper():7} {name:40} {message}", flush=True)
    report.add(f"{name} moves", outcome, message)


def check(arguments, report, name, model, inspects=False):
    found, problem = plain_loops(arguments, model)
    outcome = "failed" if problem or found else "passed"
    if problem and "no target takes" in problem and name in BLOCKS_OF_LATER:
        outcome = "skipped"
    elif outcome == "passed" and inspects:
        regions, problem = remarked_regions(arguments, model)
        outcome = "failed" if problem or regions else "passed"
        found = [f"{regions} by inspect"] if regions else found
    message = problem or f"{len(found)} regions in plain loops: {'; '.join(found)}"
    print(f"{outcome.upper():7} {name:40} {message if outcome == 'failed' else ''}", flush=True)
    report.add(name, outcome, message)


def check_networks(arguments, report):
    if not os.path.isdir(arguments.models):
        print(f"no models at {arguments.models}; set TESSERA_MODELS")
        return
    for name in (name for name in ALL + ANSWERS_ALONE if arguments.filter in name):
        folder = os.path.join(arguments.models, name)
        if name.startswith("arch/"):
            folder = materialise(arguments.models, name, arguments.cache)
        check(arguments, report, name, os.path.join(folder, "model.onnx"))
        check_moves(arguments, report, name, folder)


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
            check(arguments, report, name, os.path.join(folder, f"{name}.onnx"), inspects=arguments.mcpu == "x86-64-v3")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--models", default=default_models_folder(SOURCE_DIR))
    parser.add_argument("--blocks", default=os.path.abspath(
        os.environ.get("TESSERA_BLOCKS", os.path.join(SOURCE_DIR, "..", "shared", "tools", "blocks.py"))))
    parser.add_argument("--cache", required=True, help="where arch/ models are materialised")
    parser.add_argument("--filter", default="", help="only models and blocks whose name contains this")
    parser.add_argument("--mcpu", default="x86-64-v4", choices=["x86-64-v3", "x86-64-v4"])
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one model")
    parser.add_argument("--results", help="JUnit file to write")
    arguments = parser.parse_args()
    report = Report(f"network_kernels {arguments.mcpu}")
    check_networks(arguments, report)
    check_blocks(arguments, report)
    if arguments.results:
        report.write(arguments.results)
    if report.count("passed") + report.count("failed") == 0:
        sys.exit(SKIP_EXIT_CODE)
    sys.exit(1 if report.count("failed") else 0)


if __name__ == "__main__":
    main()
