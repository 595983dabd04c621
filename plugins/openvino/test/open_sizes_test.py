#!/usr/bin/env python3
"""bert_base with open sizes runs from one artifact at three of them, and that artifact is no larger than native's. What was built by
openvino_test.py is used.

The models lie outside the repository (TESSERA_MODELS, default ../shared/models); without them, or without the wheel openvino, the
test is skipped."""

import argparse
import os
import sys
import tempfile

PLUGIN_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(PLUGIN_DIR))
sys.path[:0] = [os.path.join(ROOT, "tests", folder) for folder in ("harness", "e2e")]
from junit import SKIP_EXIT_CODE
from models_test import compare_recorded, materialise, run_model
from open_sizes import write_inputs
from process import default_models_folder, run_tool

NETWORK = "arch/bert_base"
SIZES = [(1, 8), (1, 32), (4, 128)]
MAX_ARTIFACT = 1.05  # of the artifact of native alone
MAX_RELATIVE_ERROR = 1e-4


def check(is_right, message):
    print(f"{'ok' if is_right else 'FAILED'}: {message}", flush=True)
    return is_right


def compile_model(arguments, model, result, targets):
    status, _, reason = run_tool([arguments.tool, "compile", model, "-o", result, "--targets", targets], arguments.timeout)
    if status != 0:
        raise AssertionError(f"{model}: {reason}")
    return result


def error_at(arguments, folder, artifacts, batch, seq):
    """The relative error of the first artifact against the second, or why there is none."""
    with tempfile.TemporaryDirectory() as run:
        inputs, actual, expected = (os.path.join(run, part) for part in ("inputs", "actual", "expected"))
        sizes = {"batch": batch, "seq": seq}
        write_inputs(os.path.join(folder, "model.onnx"), os.path.join(folder, "test_data_set_0"), sizes, inputs)
        for artifact, outputs in zip(artifacts, (actual, expected)):
            status, reason = run_model(arguments, artifact, inputs, outputs)
            if status != 0:
                return reason
        return compare_recorded(actual, expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--models", default=default_models_folder(ROOT))
    parser.add_argument("--cache", required=True, help="where models are materialised")
    parser.add_argument("--plugins", required=True, help="folder of the plugin's libraries")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.models) or not os.path.isdir(arguments.plugins):
        print(f"skipped: there are no models in {arguments.models}, or no plugin in {arguments.plugins}")
        return SKIP_EXIT_CODE
    os.environ["TESSERA_PLUGIN_PATH"] = arguments.plugins
    folder = materialise(arguments.models, NETWORK, arguments.cache)
    with tempfile.TemporaryDirectory() as scratch:
        model = os.path.join(folder, "model.onnx")
        artifacts = [compile_model(arguments, model, os.path.join(scratch, f"{len(targets)}.tsr"), targets)
                     for targets in ("openvino,native", "native")]
        share = os.path.getsize(artifacts[0]) / os.path.getsize(artifacts[1])
        is_right = check(share <= MAX_ARTIFACT, f"the artifact is {share:.3f} of native's")
        for batch, seq in SIZES:
            error = error_at(arguments, folder, artifacts, batch, seq)
            is_good = not isinstance(error, str) and error <= MAX_RELATIVE_ERROR
            is_right = check(is_good, f"{batch}x{seq}: relative error {error}") and is_right
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
