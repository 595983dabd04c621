#!/usr/bin/env python3
"""How much of real networks the backend onednn owns: so many regions of its own, and these of others. A rule that silently stops
taking an operator fails here.

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

# Regions of onednn at most, and operators of the regions of others.
EXPECTED = {
    "arch/zoo_squeezenet": (1, []),
    "arch/zoo_resnet50": (1, []),
    "arch/zoo_vgg19": (1, []),
    "arch/tv_mobilenet_v2": (1, []),
    "arch/bert_base": (4, ["cast+sub", "gather", "gather", "gather"]),
}
DIMS = {"arch/bert_base": ["--dim", "batch=1", "--dim", "seq=32"]}


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
    for name, (most, others) in EXPECTED.items():
        model = os.path.join(materialise(arguments.models, name, arguments.cache), "model.onnx")
        with tempfile.TemporaryDirectory() as folder:
            regions = regions_of(arguments.tool, model, "onednn,native", folder, *DIMS.get(name, []))
        owned = sum(backend == "onednn" for backend, _ in regions)
        left = sorted(ops for backend, ops in regions if backend != "onednn")
        is_right = 0 < owned <= most and left == others
        failed += not is_right
        print(f"{'ok' if is_right else 'FAILED'}: {name}: {owned} regions of onednn, others run {left}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
