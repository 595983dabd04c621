#!/usr/bin/env python3
"""What a backend in front of `native` costs beside the time of a run: the size of the artifact beside `native`'s, the memory of a
process that loaded the network beside the weights, the time to load it beside ONNX Runtime's creation of a session. Every figure
is that of a fresh process, interleaved with its peers, the median over the rounds.

  bench/offload_costs.py --build-dir build/release --targets onednn,native --targets cblas,native --models arch/zoo_resnet50

Memory: resident bytes after load and context, and after one run less the context's buffers, each less that of the same process
with a model of one small convolution and one small product: code of the libraries is not counted, but shown for itself."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for folder in ("harness", "e2e"):
    sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", folder))
from models_test import materialise
from process import default_models_folder

MODELS = ["arch/zoo_resnet50", "arch/zoo_vgg19", "arch/bert_base"]
TARGETS = ["native", "onednn,native", "cblas,native", "csource,native"]


def resident():
    with open("/proc/self/smaps_rollup", encoding="utf-8") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Rss:"))


def probe(program, model, folder, library, threads):
    """One line of JSON from a fresh process: the figures of `model`, of ONNX or ours."""
    import ctypes
    import time

    import numpy as np
    from tensors import numbered, read_tensor
    inputs = [read_tensor(path) for path in numbered(folder, "input")] if folder else [np.zeros((1, 16, 8, 8), np.float32)]
    figures = {}
    if program == "onnxruntime":
        import onnxruntime
        onnxruntime.set_default_logger_severity(3)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        start = time.perf_counter()
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        print(json.dumps({"load_ms": 1e3 * (time.perf_counter() - start)}))
        return
    from runtime_library import Runtime
    runtime = Runtime(library)
    runtime.library.tessera_context_memory_bytes.restype = ctypes.c_uint64
    before = resident()
    start = time.perf_counter()
    executable = runtime.load(model)
    context = executable.context(threads)
    figures["load_ms"] = 1e3 * (time.perf_counter() - start)
    figures["loaded"] = resident() - before
    start = time.perf_counter()
    context.run(*inputs)
    figures["first_run_ms"] = 1e3 * (time.perf_counter() - start)
    figures["ran"] = resident() - before - runtime.library.tessera_context_memory_bytes(context.handle)
    print(json.dumps(figures))


def in_fresh_process(arguments, program, model, folder):
    command = [sys.executable, __file__, "--probe", program, model, folder, arguments.library, str(arguments.threads)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def save_least(path):
    """A model with something for every backend and next to no weights."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save
    weights = [numpy_helper.from_array(np.ones(shape, np.float32), name) for name, shape in (("w", (16, 16, 3, 3)), ("b", (8, 16)))]
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("MatMul", ["c", "b"], ["y"])]
    ports = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 8, 8]),
             helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 16, 8, 16])]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], weights)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def sizes_of(model, data):
    """Options that give open sizes those of the folder's inputs."""
    import onnx
    from tensors import numbered, read_tensor
    graph = onnx.load(model, load_external_data=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    names = [port.name for port in graph.input if port.name not in weights]
    options = []
    for name, path in zip(names, numbered(data, "input")):
        options += ["--shape", f"{name}={'x'.join(map(str, read_tensor(path).shape))}"]
    return options


def compiled(arguments, model, targets, output, options=()):
    tool = os.path.join(arguments.build_dir, "bin", "tessera")
    subprocess.run([tool, "compile", model, "-o", output, "--targets", targets, *options], check=True, capture_output=True)
    return output


def measure(arguments, name, scratch):
    import memory_test
    folder = materialise(arguments.models_folder, name, arguments.cache)
    model, data = os.path.join(folder, "model.onnx"), os.path.join(folder, "test_data_set_0")
    weights = memory_test.weights_bytes(model)
    artifacts = {targets: compiled(arguments, model, targets, os.path.join(scratch, f"{i}.tsr"), sizes_of(model, data))
                 for i, targets in enumerate(arguments.targets)}
    samples = {targets: [] for targets in arguments.targets}
    peer = []
    for _ in range(arguments.rounds):
        peer.append(in_fresh_process(arguments, "onnxruntime", model, "")["load_ms"])
        for targets, artifact in artifacts.items():
            samples[targets].append(in_fresh_process(arguments, "tessera", artifact, data))
    first = os.path.getsize(artifacts[arguments.targets[0]])
    for targets, figures in samples.items():
        least = compiled(arguments, os.path.join(scratch, "least.onnx"), targets, os.path.join(scratch, "least.tsr"))
        base = in_fresh_process(arguments, "tessera", least, "")
        median = {key: statistics.median(sample[key] for sample in figures) for key in figures[0]}
        row = {"model": name, "targets": targets, "artifact": os.path.getsize(artifacts[targets]) / first,
               "loaded": (median["loaded"] - base["loaded"]) / weights, "ran": (median["ran"] - base["ran"]) / weights,
               "libraries": base["loaded"], "load_ms": median["load_ms"], "onnxruntime_load_ms": statistics.median(peer), "first_run_ms": median["first_run_ms"]}
        print(f"{name:24} {targets:20} artifact {row['artifact']:.2f}, memory {row['loaded']:.2f} loaded {row['ran']:.2f} run beside "
              f"{row['libraries'] / 1e6:.0f} MB of libraries, load {row['load_ms']:.1f} ms beside {row['onnxruntime_load_ms']:.1f} ms, first run {row['first_run_ms']:.1f} ms", flush=True)
        yield row


def main():
    if sys.argv[1:2] == ["--probe"]:
        program, model, folder, library, threads = sys.argv[2:]
        return probe(program, model, folder, library, int(threads))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", default=os.path.join(SOURCE_DIR, "build", "release"))
    parser.add_argument("--targets", action="append", help="once for each combination; the first is what sizes are compared with")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--models-folder", default=default_models_folder(SOURCE_DIR))
    parser.add_argument("--cache", default=os.path.join(SOURCE_DIR, "build", "models"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="where the figures go")
    arguments = parser.parse_args()
    arguments.targets = arguments.targets or TARGETS
    arguments.library = os.path.join(arguments.build_dir, "lib", "libtessera_runtime.so")
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        save_least(os.path.join(scratch, "least.onnx"))
        for name in arguments.models.split(","):
            rows += measure(arguments, name, scratch)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
