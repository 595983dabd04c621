#!/usr/bin/env python3
"""A target that takes everything gets a whole network as one region, reshapes and all.

The models lie outside the repository (TESSERA_MODELS, default ../shared/models); without them the test is skipped."""

import argparse
import os
import subprocess
import sys
import tempfile

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(SOURCE_DIR, "tests", folder) for folder in ("harness", "e2e")]
from junit import SKIP_EXIT_CODE
from models_test import materialise
from process import default_models_folder

NETWORKS = ["arch/bert_base", "arch/zoo_resnet50", "arch/zoo_shufflenet", "trained/mnist_cnn"]


def count_regions(arguments, name, folder):
    """How many regions the network has, or what went wrong."""
    with tempfile.TemporaryDirectory() as scratch:
        module = os.path.join(scratch, "module.mlir")
        command = [arguments.tool, "compile", os.path.join(folder, "model.onnx"), "-o", module,
                   "--stop-after", "pre_partition", "--emit", "mlir"]
        for step in (command, [arguments.placer, module]):
            result = subprocess.run(step, capture_output=True, text=True, check=False)
            if result.returncode != 0:
                return f"{os.path.basename(step[0])}: {result.stderr.strip()}"
        return int(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--placer", required=True, help="the program place_whole")
    parser.add_argument("--models", default=default_models_folder(SOURCE_DIR))
    parser.add_argument("--cache", required=True, help="where arch/ models are materialised")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.models):
        print(f"no models at {arguments.models}; set TESSERA_MODELS")
        sys.exit(SKIP_EXIT_CODE)
    failures = 0
    for name in NETWORKS:
        folder = os.path.join(arguments.models, name)
        if name.startswith("arch/"):
            folder = materialise(arguments.models, name, arguments.cache)
        found = count_regions(arguments, name, folder)
        print(f"{name}: {found} region(s), expected 1", flush=True)
        failures += found != 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
