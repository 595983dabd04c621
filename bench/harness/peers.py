#!/usr/bin/env python3
"""What a run of a model in ONNX Runtime or OpenVINO takes, f32: peers.py KIND MODEL.onnx DATA THREADS SECONDS. Prints JSON: the median of
seconds in this process, and by how many bytes loading and running raised its peak of memory."""

import json
import os
import statistics
import sys
import time

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from tensors import numbered, read_tensor


def onnxruntime(model, threads):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return [value.name for value in session.get_inputs()], lambda feed: lambda: session.run(None, feed)


def openvino(model, threads):
    import openvino as ov
    core = ov.Core()
    read = core.read_model(model)

    def prepare(feed):
        read.reshape({name: value.shape for name, value in feed.items()})
        compiled = core.compile_model(read, "CPU", {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
                                                    "INFERENCE_PRECISION_HINT": "f32"})
        request = compiled.create_infer_request()
        for name, value in feed.items():
            request.set_tensor(name, ov.Tensor(value))
        return request.infer
    return [value.get_any_name() for value in read.inputs], prepare


def peak_bytes():
    """Of this process: what getrusage tells includes that of the one that started it."""
    with open("/proc/self/status", encoding="utf-8") as file:
        return 1024 * next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


def main():
    kind, model, data, threads, seconds = sys.argv[1:]
    inputs = list(map(read_tensor, numbered(data, "input")))
    __import__(kind)
    before = peak_bytes()
    names, prepare = {"onnxruntime": onnxruntime, "openvino": openvino}[kind](model, int(threads))
    run = prepare(dict(zip(names, inputs)))
    for _ in range(5):
        run()
    times, end = [], time.perf_counter() + float(seconds)
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    print(json.dumps({"seconds": statistics.median(times), "added_bytes": peak_bytes() - before}))


if __name__ == "__main__":
    main()
