#!/usr/bin/env python3
"""The time of convolutions and products in generated C beside the host target's, in turns: medians, and the ratio of the best.
Each answer is compared with the reference first. `build/venv/bin/python backends/csource/bench/conv_bench.py --tool TESSERA`."""

import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# channels, filters, size, kernel, stride, groups
CONVOLUTIONS = {
    "3x3 64 @56": (64, 64, 56, 3, 1, 1),
    "3x3 512 @7": (512, 512, 7, 3, 1, 1),
    "1x1 256 -> 64 @56": (256, 64, 56, 1, 1, 1),
    "3x3 stride 2 128 @56": (128, 128, 56, 3, 2, 1),
    "7x7 stride 2 3 -> 64 @224": (3, 64, 224, 7, 2, 1),
    "depthwise 3x3 144 @56": (144, 144, 56, 3, 1, 144),
}


def write_model(path, channels, filters, size, kernel, stride, groups):
    weights = np.random.default_rng(1).standard_normal((filters, channels // groups, kernel, kernel)).astype(np.float32)
    output = (size + 2 * (kernel // 2) - kernel) // stride + 1
    node = helper.make_node("Conv", ["x", "w"], ["y"], group=groups, strides=[stride] * 2, pads=[kernel // 2] * 4)
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, channels, size, size])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, filters, output, output])], [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def median_ms(tool, model, target, threads):
    text = run(tool, "bench", model, "--targets", target, "--threads", str(threads))
    return float(re.search(r"median ([\d.]+) ms", text).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{'convolution':28} {'csource ms':>12} {'host ms':>10} {'host / csource':>15}")
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.onnx")
        for name, sizes in CONVOLUTIONS.items():
            write_model(model, *sizes)
            run(options.tool, "compare", model, "--targets", "csource,reference", "--rtol", "1e-3", "--atol", "1e-3")
            times = {"csource": [], "native": []}
            for _ in range(options.rounds):
                for target, found in times.items():
                    found.append(median_ms(options.tool, model, target, options.threads))
            ours, hosts = (sorted(found) for found in times.values())
            print(f"{name:28} {ours[len(ours) // 2]:12.3f} {hosts[len(hosts) // 2]:10.3f} {hosts[0] / ours[0]:15.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
