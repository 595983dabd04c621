#!/usr/bin/env python3
"""What real networks hold after load and one run, less arena and inputs: their constants are at most 1.15 times the bytes of
the distinct weights, and the rest is code, descriptions and the weights that convolutions transform at load. Small channel
counts, which packing pads to whole vectors, are among them.

The models lie outside the repository (TESSERA_MODELS, default ../shared/models); without them the test is skipped."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
import memory_test
from junit import SKIP_EXIT_CODE, Report
from models_test import materialise
from process import default_models_folder

# Networks whose constants are more than that in blocks of 16 (AVX-512), the bytes above the weights and why.
EXCESS = {
    # 8 input channels of the second convolution fill half of a block: 12800; 10 columns of the product fill 16: 6144.
    "trained/mnist_cnn": 20_000,
    # 2 to 8 channels everywhere, in blocks of 16; all weights together are 6 KB.
    "trained/tinyvit_demo": 23_000,
    # Six 3x3 convolutions from 1 channel to 1, in blocks of 16 x 16: 55080; heads of 1, 4 and 10 channels: 40000.
    "trained/yunet_n_320": 96_000,
}
# What is no weight: code once in the file and once loaded, what describes a region, and a process's own pages, among them those of
# the runtime library that a run touches: its code is 476 KB. From run to run the figure of one network varies by 40 KB.
CODE_COPIES = 2
REGION_BYTES = 6 << 10
FIXED_BYTES = 600 << 10

QUICK = [
    "trained/micro_kws_fp32", "trained/mlperf_tiny_vww_fp32", "trained/mnist_cnn", "trained/yunet_n_320",
    "arch/zoo_squeezenet",
]
ALL = QUICK + [
    "trained/autoencoder1d", "trained/fastestdet", "trained/mlperf_tiny_ad_fp32", "trained/mlperf_tiny_kws_fp32",
    "trained/mlperf_tiny_resnet8_fp32", "trained/tinyvit_demo", "trained/ultraface_rfb320",
    "arch/style_transfer", "arch/tv_efficientnet_b0", "arch/tv_inception_v3", "arch/tv_mobilenet_v2", "arch/tv_mobilenet_v3_large",
    "arch/tv_resnet18_bn", "arch/zoo_densenet121", "arch/zoo_inception_v1", "arch/zoo_resnet50", "arch/zoo_shufflenet", "arch/zoo_vgg19",
]
LISTS = {"quick": QUICK, "all": ALL}


def has_wide_blocks():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return "avx512f" in file.read()


def verdict(name, figures, is_wide):
    """(outcome, message); `is_wide`: whether blocks are as wide as EXCESS says, so that its entries must be needed."""
    weights, constants = figures["weights"], figures["constants"]
    limit = memory_test.MAX_RATIO * weights
    rest = figures["held"] - constants
    allowed = figures["transformed"] + FIXED_BYTES + CODE_COPIES * figures["code"] + REGION_BYTES * figures["regions"]
    message = (f"weights {weights}, constants {constants / weights:.3f} of that, {rest} beside them of which {figures['code']} are "
               f"code of {figures['regions']} regions and at most {figures['transformed']} transformed weights")
    if is_wide and name in EXCESS and constants <= limit:
        return "failed", f"{message}; it is within {memory_test.MAX_RATIO}: remove it from EXCESS"
    if constants > max(limit, weights + EXCESS.get(name, 0)):
        return "failed", f"{message}; constants of at most {int(max(limit, weights + EXCESS.get(name, 0)))} bytes expected"
    return ("passed", message) if rest <= allowed else ("failed", f"{message}; at most {allowed} expected")


def run_case(arguments, name, model):
    with tempfile.TemporaryDirectory() as scratch:
        try:
            figures = memory_test.measure(model, scratch)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return "failed", str(error)
        inspected = subprocess.run([arguments.tool, "inspect", os.path.join(scratch, "model.tsr"), "--json"], check=True,
                                   capture_output=True, text=True)
    artifact = json.loads(inspected.stdout)
    figures |= {"code": artifact["code_bytes"], "regions": len(artifact["regions"])}
    return verdict(name, figures, has_wide_blocks())


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--probe", required=True, help="the program tessera_memory_probe")
    parser.add_argument("--models", default=default_models_folder(SOURCE_DIR))
    parser.add_argument("--cache", required=True, help="where arch/ models are materialised")
    parser.add_argument("--list", choices=LISTS, default="quick")
    parser.add_argument("--results", help="JUnit file to write")
    return parser.parse_args()


def main():
    arguments = memory_test.OPTIONS = parse_arguments()
    if not os.path.isdir(arguments.models):
        print(f"no models at {arguments.models}; set TESSERA_MODELS")
        sys.exit(SKIP_EXIT_CODE)
    report = Report("network_memory")
    for name in LISTS[arguments.list]:
        folder = os.path.join(arguments.models, name)
        if name.startswith("arch/"):
            folder = materialise(arguments.models, name, arguments.cache)
        start = time.monotonic()
        outcome, message = run_case(arguments, name, os.path.join(folder, "model.onnx"))
        print(f"{outcome.upper():7} {name:33} {message}", flush=True)
        report.add(name, outcome, message, time.monotonic() - start)
    if arguments.results:
        report.write(arguments.results)
    sys.exit(0 if report.count("failed") == 0 and report.count("passed") > 0 else 1)


if __name__ == "__main__":
    main()
