#!/usr/bin/env python3
"""Real networks are one region of generated C each, with nothing left for others. A rule that silently stops taking an operator
fails here.

The models lie outside the repository (TESSERA_MODELS, default ../shared/models); without them the test is skipped."""

import argparse
import os
import sys
import tempfile

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(SOURCE_DIR, "tests", folder) for folder in ("harness", "e2e")]
from junit import SKIP_EXIT_CODE
from models_test import materialise
from owned_regions import regions_of
from process import default_models_folder

MODELS = {
    "arch/zoo_squeezenet": [],
    "arch/zoo_resnet50": [],
    "arch/zoo_inception_v1": [],
    "arch/tv_resnet18_bn": [],
    "arch/tv_mobilenet_v2": [],
    "arch/tv_mobilenet_v3_large": [],
    "arch/zoo_vgg19": [],
    "arch/bert_base": ["--dim", "batch=1", "--dim", "seq=32"],
    "arch/gpt2_small": ["--dim", "batch=1", "--dim", "seq=32"],
    "trained/super_resolution_10": ["--dim", "batch_size=1"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--models", default=default_models_folder(SOURCE_DIR))
    parser.add_argument("--cache", required=True, help="where models are materialised")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.models):
        print(f"skipped: there are no models in {arguments.models}")
        return SKIP_EXIT_CODE
    failed = 0
    for name, dims in MODELS.items():
        folder = os.path.join(arguments.models, name)
        if name.startswith("arch/"):
            folder = materialise(arguments.models, name, arguments.cache)
        with tempfile.TemporaryDirectory() as scratch:
            # What is owned does not depend on how well it is compiled.
            regions = regions_of(arguments.tool, os.path.join(folder, "model.onnx"), "csource -cflags=-O0,native", scratch, *dims)
        left = sorted(ops for backend, ops in regions if backend != "csource")
        is_right = len(regions) == 1 and not left
        failed += not is_right
        print(f"{'ok' if is_right else 'FAILED'}: {name}: {len(regions)} regions, others run {left}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
