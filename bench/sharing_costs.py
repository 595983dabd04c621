#!/usr/bin/env python3
"""What sharing a machine costs: two backends in turns inside of one artifact beside the same parts alone, and two contexts at once
beside one. Everything is interleaved in one process; figures are medians over the rounds.

  bench/sharing_costs.py --build-dir build/release --owner onednn
  bench/sharing_costs.py --build-dir build/release --owner native
  bench/sharing_costs.py --build-dir build/release --owner openvino --plugin libtessera_compile_openvino.so

The network is a chain of parts, each two convolutions with their activations; parts belong to `native` and to the other owner in
turns (`--pins`). With `--owner native` all are its own, and only two contexts at once are of interest."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from runtime_library import Runtime

PARTS, CHANNELS, SIZE = 4, 64, 56


def nodes_of(part, x, y):
    """The nodes and weights of one part, from value `x` to value `y`."""
    nodes, weights = [], []
    for layer, (source, result) in enumerate([(x, f"{y}_middle"), (f"{y}_middle", y)]):
        name = f"part{part}_layer{layer}"
        values = np.random.default_rng(10 * part + layer).standard_normal((CHANNELS, CHANNELS, 3, 3)).astype(np.float32)
        weights.append(numpy_helper.from_array(values / np.float32(np.sqrt(CHANNELS * 9)), f"{name}_w"))
        nodes.append(helper.make_node("Conv", [source, f"{name}_w"], [f"{name}_c"], f"{name}_conv", pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"{name}_c"], [result], f"{name}_relu"))
    return nodes, weights


def save_chain(path, parts):
    nodes, weights = [], []
    for i, part in enumerate(parts):
        more = nodes_of(part, "x" if i == 0 else f"v{i}", "y" if i + 1 == len(parts) else f"v{i + 1}")
        nodes, weights = nodes + more[0], weights + more[1]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, CHANNELS, SIZE, SIZE]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "chain", ports[:1], ports[1:], weights)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def owner_of(part, owner):
    return "native" if part % 2 == 0 else owner


class Chains:
    """Artifacts of chains of parts, and contexts to run them."""

    def __init__(self, arguments, scratch):
        self.arguments, self.scratch = arguments, scratch
        self.runtime = Runtime(os.path.join(arguments.build_dir, "lib", "libtessera_runtime.so"))
        self.x = np.random.default_rng(99).standard_normal((1, CHANNELS, SIZE, SIZE)).astype(np.float32)

    def load(self, parts):
        stem = os.path.join(self.scratch, "_".join(map(str, parts)))
        save_chain(f"{stem}.onnx", parts)
        rules = [{"node": f"part{part}_.*", "must": owner_of(part, self.arguments.owner)} for part in parts]
        with open(f"{stem}.json", "w", encoding="utf-8") as file:
            json.dump(rules, file)
        command = [os.path.join(self.arguments.build_dir, "bin", "tessera"), "compile", f"{stem}.onnx", "-o", f"{stem}.tsr",
                   "--targets", ",".join(dict.fromkeys([self.arguments.owner, "native"])), "--pins", f"{stem}.json"]
        subprocess.run(command + (["--plugin", self.arguments.plugin] if self.arguments.plugin else []), check=True)
        return self.runtime.load(f"{stem}.tsr")


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def in_turns(chains, arguments):
    """Medians of the whole chain and of the sum of its parts."""
    together = chains.load(range(PARTS)).context(arguments.threads)
    alone = [chains.load([part]).context(arguments.threads) for part in range(PARTS)]
    for context in [together, *alone]:
        for _ in range(20):
            context.run(chains.x)
    whole, parts = [], []
    for _ in range(arguments.rounds):
        whole.append(statistics.median(seconds(lambda: together.run(chains.x)) for _ in range(10)))
        parts.append(sum(statistics.median(seconds(lambda c=context: c.run(chains.x)) for _ in range(10)) for context in alone))
    return statistics.median(whole), statistics.median(parts)


def at_once(chains, arguments):
    """Medians of so many runs of one context, and of two contexts that run as many each at the same time."""
    executable = chains.load(range(PARTS))
    contexts = [executable.context(arguments.threads) for _ in range(2)]

    def runs(context):
        for _ in range(20):
            context.run(chains.x)

    def both():
        threads = [threading.Thread(target=runs, args=[context]) for context in contexts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    both()
    one, two = [], []
    for _ in range(arguments.rounds):
        one.append(seconds(lambda: runs(contexts[0])))
        two.append(seconds(both))
    return statistics.median(one), statistics.median(two)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", default=os.path.join(SOURCE_DIR, "build", "release"))
    parser.add_argument("--owner", required=True, help="the target beside native, or native alone")
    parser.add_argument("--plugin", help="the library that it comes from")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        chains = Chains(arguments, scratch)
        if arguments.owner != "native":
            whole, parts = in_turns(chains, arguments)
            print(f"in turns {1e3 * whole:.3f} ms, the parts alone {1e3 * parts:.3f} ms, ratio {whole / parts:.3f}")
        one, two = at_once(chains, arguments)
    print(f"one context {1e3 * one:.1f} ms, two at once {1e3 * two:.1f} ms, ratio {two / one:.3f}")


if __name__ == "__main__":
    main()
