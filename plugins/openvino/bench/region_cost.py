#!/usr/bin/env python3
"""One network as one region of OpenVINO, through the artifact and the runtime, beside OpenVINO called directly: in one process, in
turns, medians over the rounds.

  plugins/openvino/bench/region_cost.py --build-dir build/release --plugins FOLDER --model model.onnx --data test_data_set_0

Directly: as many threads, f32, outputs left where OpenVINO puts them; the call is made from Python on both sides."""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from runtime_library import Runtime
from tensors import numbered, read_tensor

WARM_UP, RUNS = 10, 10


def median_seconds(run):
    samples = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples)


def direct_run(arguments, inputs):
    """A call of OpenVINO on these inputs."""
    import openvino
    core = openvino.Core()
    options = {"INFERENCE_NUM_THREADS": arguments.threads, "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1}
    request = core.compile_model(core.read_model(arguments.model), "CPU", options).create_infer_request()
    for index, array in enumerate(inputs):
        request.set_input_tensor(index, openvino.Tensor(array, shared_memory=True))
    return request.infer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", default=os.path.join(SOURCE_DIR, "build", "release"))
    parser.add_argument("--plugins", required=True, help="the folder with both halves")
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True, help="the folder of its inputs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    os.environ["TESSERA_PLUGIN_PATH"] = arguments.plugins
    inputs = [read_tensor(path).copy() for path in numbered(arguments.data, "input")]
    with tempfile.TemporaryDirectory() as scratch:
        artifact = os.path.join(scratch, "model.tsr")
        tool = os.path.join(arguments.build_dir, "bin", "tessera")
        subprocess.run([tool, "compile", arguments.model, "--targets", "openvino,native", "-o", artifact], check=True)
        context = Runtime(os.path.join(arguments.build_dir, "lib", "libtessera_runtime.so")).load(artifact).context(arguments.threads)
    calls = {"as a region": lambda: context.run(*inputs), "directly": direct_run(arguments, inputs)}
    samples = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(WARM_UP):
            call()
    for turn in range(arguments.rounds):
        for name in sorted(calls, reverse=turn % 2 == 0):
            samples[name].append(median_seconds(calls[name]))
    region, direct = (statistics.median(samples[name]) for name in calls)
    ratios = [a / b for a, b in zip(*samples.values())]
    print(f"as a region {1e3 * region:.3f} ms, directly {1e3 * direct:.3f} ms, {1e6 * (region - direct):+.0f} us, "
          f"median of paired ratios {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
