#!/usr/bin/env python3
"""Memory after load and one run, less arena and inputs, is at most 1.15 times the bytes of the distinct weights: constants
are stored once for each content and, where kernels read them packed, only packed. The networks are made here, large enough for code to be
nothing beside them (network_memory_test.py measures real ones); with --model the figures of any ONNX file are printed instead,
further options go to `tessera compile`."""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MAX_RATIO = 1.15
OPTIONS = argparse.Namespace()


def weight(name, *shape, seed=1):
    values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return numpy_helper.from_array(values / np.float32(np.sqrt(np.prod(shape[1:]))), name)


def save_graph(path, nodes, x, y, weights):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, y)], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def conv(x, w, y):
    return helper.make_node("Conv", [x, w], [y], f"{y}_conv", pads=[1, 1, 1, 1])


def packed(path):
    """Convolutions and a product whose kernels read their weights in blocks: 43 MB, no padding."""
    weights = [weight(f"w{i}", 512, 512, 3, 3, seed=i) for i in range(4)] + [weight("fc", 2048, 640, seed=9)]
    weights.append(numpy_helper.from_array(np.array([1, 2048], np.int64), "flat"))
    nodes = [conv("x", "w0", "a"), conv("a", "w1", "b"), conv("b", "w2", "c"), conv("c", "w3", "d"),
             helper.make_node("Reshape", ["d", "flat"], ["e"], "flatten"),
             helper.make_node("MatMul", ["e", "fc"], ["y"], "classifier")]
    save_graph(path, nodes, [1, 512, 2, 2], [1, 640], weights)


def shared(path):
    """One weight of 38 MB that two convolutions use, and its copy under another name, which a third one uses."""
    w = weight("w", 1024, 1024, 3, 3)
    copy = numpy_helper.from_array(numpy_helper.to_array(w), "copy")
    nodes = [conv("x", "w", "a"), conv("a", "w", "b"), conv("b", "copy", "y")]
    save_graph(path, nodes, [1, 1024, 2, 2], [1, 1024, 2, 2], [w, copy])


def uneven(path):
    """Channel counts that are no multiple of a vector: packing pads, by 5 % here."""
    nodes = [conv("x", "w0", "a"), conv("a", "w1", "b"), conv("b", "w2", "y")]
    save_graph(path, nodes, [1, 500, 2, 2], [1, 500, 2, 2], [weight(f"w{i}", 500, 500, 3, 3, seed=i) for i in range(3)])


def winograd(path):
    """Convolutions whose weights are transformed at load, four times as large (compiler/lowering/contraction/winograd/winograd.h): 28 MB."""
    nodes = [conv("x", "w0", "a"), conv("a", "w1", "b"), conv("b", "w2", "y")]
    save_graph(path, nodes, [1, 512, 28, 28], [1, 512, 28, 28], [weight(f"w{i}", 512, 512, 3, 3, seed=i) for i in range(3)])


def weights_bytes(path):
    """Bytes of the distinct initializers and constants."""
    sizes = {}
    graph = onnx.load(path).graph
    tensors = list(graph.initializer)
    tensors += [attribute.t for node in graph.node if node.op_type == "Constant" for attribute in node.attribute]
    for tensor in tensors:
        data = numpy_helper.to_array(tensor).tobytes()
        sizes[hashlib.sha256(data).digest()] = len(data)
    return sum(sizes.values())


def transformed_bytes(path):
    """Bytes, at most, of weights that convolutions make of their constants at load: those of 3x3 and kx3x3 windows with step 1 for 4x4
    results at once, 36 numbers for 9 (Winograd, compiler/lowering/contraction/winograd/winograd.h); those of groups as matrices over all
    the channels that a vector of results reads (banded, compiler/lowering/contraction/conv_weights.cpp)."""
    graph = onnx.load(path).graph
    shapes = {tensor.name: tensor.dims for tensor in graph.initializer}
    total = 0
    for node in (node for node in graph.node if node.op_type == "Conv" and node.input[1] in shapes):
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        outputs, inputs, *window = shapes[node.input[1]]
        outputs = -(-outputs // 16) * 16
        is_whole = all(value == 1 for name in ("strides", "dilations") for value in attributes.get(name, [])[-2:])
        if attributes.get("group", 1) > 1 < inputs:
            total += 4 * outputs * (2 * inputs + 32) * int(np.prod(window))
        elif window[-2:] == [3, 3] and is_whole and attributes.get("group", 1) == 1:
            total += 4 * 36 * outputs * inputs * int(np.prod(window[:-2]))
    return total


def measure(model, scratch, compile_options=()):
    artifact = os.path.join(scratch, "model.tsr")
    command = [OPTIONS.tool, "compile", model, "-o", artifact, *compile_options]
    compiled = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert compiled.returncode == 0, compiled.stderr
    probed = subprocess.run([OPTIONS.probe, artifact], capture_output=True, text=True, timeout=300)
    assert probed.returncode == 0, probed.stderr
    figures = json.loads(probed.stdout)
    figures["weights"] = weights_bytes(model)
    figures["transformed"] = transformed_bytes(model)
    figures["held"] = figures["resident_growth"] - figures["context"] - figures["inputs"]
    return figures


class MemoryTest(unittest.TestCase):
    def check(self, make):
        with tempfile.TemporaryDirectory() as scratch:
            model = os.path.join(scratch, "model.onnx")
            make(model)
            figures = measure(model, scratch)
        self.assertGreater(figures["weights"], 20e6)
        self.assertLess(figures["context"], 0.02 * figures["weights"])  # too little to hide a copy of a weight
        self.assertGreater(figures["artifact_resident"], 0.9 * figures["constants"])  # the run reads all of it
        self.assertLessEqual(figures["held"], MAX_RATIO * figures["weights"], figures)
        return figures

    def test_packed_weights_have_no_plain_copy(self):
        figures = self.check(packed)
        self.assertLessEqual(figures["constants"], 1.001 * figures["weights"], figures)

    def test_a_weight_used_thrice_is_there_once(self):
        figures = self.check(shared)
        self.assertLessEqual(figures["constants"], 1.001 * figures["weights"], figures)

    def test_padding_stays_small(self):
        self.check(uneven)

    def test_memory_as_objective_transforms_no_weights(self):
        with tempfile.TemporaryDirectory() as scratch:
            model = os.path.join(scratch, "model.onnx")
            winograd(model)
            measured = ("--placement", "measured", "--targets", "native", "--patience", "0", "--costs", os.path.join(scratch, "costs"))
            for options, is_lean in (((), False), (("--targets", "native -lean=true"), True), ((*measured, "--objective", "memory"), True)):
                with self.subTest(options=options):
                    figures = measure(model, scratch, options)
                    self.assertEqual(figures["held"] <= MAX_RATIO * figures["weights"], is_lean, figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--probe", required=True, help="the program memory_probe")
    parser.add_argument("--model", help="an ONNX file to measure")
    OPTIONS, rest = parser.parse_known_args()
    if OPTIONS.model:
        with tempfile.TemporaryDirectory() as folder:
            result = measure(OPTIONS.model, folder, rest)
        print(json.dumps(result | {"ratio": result["held"] / result["weights"]}))
    else:
        unittest.main(argv=[sys.argv[0], *rest])
