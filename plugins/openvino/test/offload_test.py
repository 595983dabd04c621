#!/usr/bin/env python3
"""Real networks are one region of OpenVINO each and leave no operator to others; bert_base with open sizes runs from one artifact
at three of them. What was built by openvino_test.py is used.

The models lie outside the repository (TESSERA_MODELS, default ../shared/models); without them, or without the wheel openvino, the
test is skipped."""

import argparse
import os
import re
import sys
import tempfile

PLUGIN_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(PLUGIN_DIR)), "tests", folder) for folder in ("harness", "e2e")]
from junit import SKIP_EXIT_CODE
from models_test import compare_recorded, materialise, run_model, run_recorded
from open_sizes import write_inputs
from process import default_models_folder, run_tool

NETWORKS = ["zoo_squeezenet", "zoo_resnet50", "zoo_vgg19", "tv_mobilenet_v2", "tv_vit_b_16_op17", "bert_base"]
RUN = ["zoo_squeezenet", "tv_mobilenet_v2"]  # The others: tests/e2e/models_test.py --targets openvino --list all
SIZES = [(1, 8), (1, 32), (4, 128)]
MAX_ARTIFACT = 1.05  # of the artifact of native alone
MAX_RELATIVE_ERROR = 1e-4


def check(name, is_right, message):
    print(f"{'ok' if is_right else 'FAILED'}: {name}: {message}", flush=True)
    return is_right


def compile_model(arguments, model, result, *options):
    status, _, reason = run_tool([arguments.tool, "compile", model, "-o", result, *options], arguments.timeout)
    if status != 0:
        raise AssertionError(f"{model}: {reason}")
    return result


def owners_of(text):
    """{function: number of operators} of a placed module; the host program is "main"."""
    counts = {}
    for part in re.split(r"^  func\.func ", text, flags=re.MULTILINE)[1:]:
        function = re.search(r"@(\w+)", part).group(1)
        counts[function] = len(re.findall(r"= tsr\.(?!constant)\w+", part))
    return counts


def check_offload(arguments, name, model, folder):
    placed = compile_model(arguments, model, os.path.join(folder, "placed.mlir"), "--targets", "openvino,native",
                           "--stop-after", "partition", "--emit", "mlir")
    with open(placed, encoding="utf-8") as file:
        counts = owners_of(file.read())
    owned = [count for function, count in counts.items() if function.startswith("openvino")]
    return check(name, len(owned) == 1 and sum(counts.values()) == owned[0] > 0,
                 f"{len(owned)} regions, {sum(owned)} of {sum(counts.values())} operators")


def check_open_sizes(arguments, name, folder, scratch):
    model, data_dir = os.path.join(folder, "model.onnx"), os.path.join(folder, "test_data_set_0")
    ours = compile_model(arguments, model, os.path.join(scratch, "ours.tsr"), "--targets", "openvino,native")
    native = compile_model(arguments, model, os.path.join(scratch, "native.tsr"), "--targets", "native")
    share = os.path.getsize(ours) / os.path.getsize(native)
    is_right = check(name, share <= MAX_ARTIFACT, f"the artifact is {share:.3f} of native's")
    for batch, seq in SIZES:
        with tempfile.TemporaryDirectory(dir=scratch) as run:
            inputs, actual, expected = (os.path.join(run, part) for part in ("inputs", "actual", "expected"))
            write_inputs(model, data_dir, {"batch": batch, "seq": seq}, inputs)
            results = [run_model(arguments, artifact, inputs, outputs) for artifact, outputs in ((ours, actual), (native, expected))]
            reasons = [reason for status, reason in results if status != 0]
            error = compare_recorded(actual, expected) if not reasons else reasons[0]
        is_good = not isinstance(error, str) and error <= MAX_RELATIVE_ERROR
        is_right = check(name, is_good, f"{batch}x{seq}: relative error {error}") and is_right
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--models", default=default_models_folder(os.path.dirname(os.path.dirname(PLUGIN_DIR))))
    parser.add_argument("--cache", required=True, help="where models are materialised")
    parser.add_argument("--plugins", required=True, help="folder of the plugin's libraries")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.models) or not os.path.isdir(arguments.plugins):
        print(f"skipped: there are no models in {arguments.models}, or no plugin in {arguments.plugins}")
        return SKIP_EXIT_CODE
    os.environ["TESSERA_PLUGIN_PATH"] = arguments.plugins
    is_right = True
    for name in NETWORKS:
        folder = materialise(arguments.models, f"arch/{name}", arguments.cache)
        model, data_dir = os.path.join(folder, "model.onnx"), os.path.join(folder, "test_data_set_0")
        with tempfile.TemporaryDirectory() as scratch:
            is_right = check_offload(arguments, name, model, scratch) and is_right
            if name in RUN:
                outcome, message = run_recorded(arguments, f"arch/{name}", model, data_dir, "--targets", "openvino,native")
                is_right = check(name, outcome == "passed", message) and is_right
            if name == "bert_base":
                is_right = check_open_sizes(arguments, name, folder, scratch) and is_right
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
