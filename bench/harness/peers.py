#!/usr/bin/env python3
"""Seconds of a run of a model in ONNX Runtime or OpenVINO, f32, the median in this process: peers.py KIND MODEL.onnx DATA THREADS SECONDS."""

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


def main():
    kind, model, data, threads, seconds = sys.argv[1:]
    names, prepare = {"onnxruntime": onnxruntime, "openvino": openvino}[kind](model, int(threads))
    run = prepare(dict(zip(names, map(read_tensor, numbered(data, "input")))))
    for _ in range(5):
        run()
    times, end = [], time.perf_counter() + float(seconds)
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    print(statistics.median(times))


if __name__ == "__main__":
    main()
