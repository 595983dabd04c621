#!/usr/bin/env python3
"""No operator behind a contraction costs that its emitter: what cannot be computed beside the accumulators is a pass of its own. `inspect`
counts no FLOP of a contraction in plain loops, and the answers are those of the reference."""

import argparse
import json
import os
import sys
import unittest

import numpy as np

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from owned_regions import Graph, run_tool, why_wrong
from scratch import ScratchTest

OPTIONS = argparse.Namespace()


def parts_of(size, rank):
    """All shapes that broadcast to sizes of `size`, each dimension whole or 1."""
    return [[size[d] if number >> d & 1 else 1 for d in range(rank)] for number in range(1 << rank)]


def add_operands(graph, product, shape):
    """Behind a product each: operators with an operand of every shape that broadcasts to `shape`, of the run or constant."""
    shapes = parts_of(shape, len(shape)) + [shape[1:], shape[-1:], [1, *shape[2:]]]
    for number, operand in enumerate(shapes):
        op = ("Mul", "Add", "Sub", "Max")[number % 4]
        other = graph.input(*operand) if number % 3 == 0 else graph.weights(*operand)
        graph.output(graph.add(op, product(), other))
    graph.output(graph.add("PRelu", product(), graph.weights(*shape[1:])))


def add_elements(graph, product):
    """Behind a product each: what ends in other elements than f32, or passes through them."""
    half = graph.constant(np.float32(0.3))
    graph.output(graph.add("Greater", graph.add("Sigmoid", product()), half), dtype=bool)
    graph.output(graph.add("Cast", graph.add("Less", product(), half), to=7), dtype=np.int64)
    graph.output(graph.add("Cast", graph.add("Greater", product(), half), to=1))
    graph.output(graph.add("IsNaN", product()), dtype=bool)
    graph.output(graph.add("Cast", product(), to=11), dtype=np.float64)
    value = product()
    graph.output(graph.add("Where", graph.add("Greater", value, half), value, half))


class EpiloguesTest(ScratchTest):
    def check(self, graph, tolerance=1e-4):
        model, artifact = graph.model(self.path("model.onnx")), self.path("model.tsr")
        compiled = run_tool(OPTIONS.tool, "compile", model, "--targets", "native", "-o", artifact)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        inspected = json.loads(run_tool(OPTIONS.tool, "inspect", artifact, "--json").stdout)
        self.assertTrue(any(op in region["ops"] for region in inspected["regions"] for op in ("conv", "matmul", "pool")))
        self.assertEqual(inspected["remarked_flops"], 0)
        self.assertEqual([], [region["fields"] for region in inspected["regions"] if region["fields"].get("remark")])
        self.assertIsNone(why_wrong(OPTIONS.tool, model, "native", "--atol", str(tolerance)))

    def convolution(self, x, weights, op="Conv", **attributes):
        graph = Graph()
        image = graph.input(*x)
        return graph, lambda: graph.add(op, image, graph.weights(*weights, scale=0.05), **attributes)

    def test_3x3(self):
        graph, product = self.convolution((2, 16, 9, 8), (24, 16, 3, 3), pads=[1, 1, 1, 1])
        add_operands(graph, product, [2, 24, 9, 8])
        add_elements(graph, product)
        self.check(graph)

    def test_1x1_of_odd_channels(self):
        graph, product = self.convolution((2, 16, 6, 7), (19, 16, 1, 1))
        add_operands(graph, product, [2, 19, 6, 7])
        self.check(graph)

    def test_depthwise(self):
        graph, product = self.convolution((1, 24, 9, 8), (24, 1, 3, 3), group=24, pads=[1, 1, 1, 1])
        add_operands(graph, product, [1, 24, 9, 8])
        self.check(graph)

    def test_groups(self):
        graph, product = self.convolution((1, 32, 7, 7), (32, 16, 3, 3), group=2, pads=[1, 1, 1, 1])
        add_operands(graph, product, [1, 32, 7, 7])
        self.check(graph)

    def test_lines(self):
        graph, product = self.convolution((2, 16, 40), (32, 16, 5), pads=[2, 2])
        add_operands(graph, product, [2, 32, 40])
        add_elements(graph, product)
        self.check(graph)

    def test_volumes(self):
        graph, product = self.convolution((1, 16, 4, 5, 6), (16, 16, 3, 3, 3), pads=[1] * 6)
        add_operands(graph, product, [1, 16, 4, 5, 6])
        self.check(graph)

    def test_transposed(self):
        graph, product = self.convolution((1, 16, 5, 6), (16, 24, 2, 2), "ConvTranspose", strides=[2, 2])
        add_operands(graph, product, [1, 24, 10, 12])
        self.check(graph)

    def test_few_channels(self):
        graph, product = self.convolution((1, 3, 16, 17), (32, 3, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1])
        add_operands(graph, product, [1, 32, 8, 9])
        self.check(graph)

    def test_open_batch(self):
        graph, product = self.convolution(("n", 16, 9, 8), (24, 16, 3, 3), pads=[1, 1, 1, 1])
        for operand in [("n", 24, 1, 1), ("n", 1, 9, 8), ("n", 1, 1, 1), (1, 1, 9, 8), (24, 1, 8)]:
            graph.output(graph.add("Mul", product(), graph.input(*operand)))
        self.check(graph)

    def test_matrices(self):
        graph = Graph()
        x = graph.input(2, 20, 32)
        product = lambda: graph.add("MatMul", x, graph.weights(32, 24, scale=0.1))
        add_operands(graph, product, [2, 20, 24])
        add_elements(graph, product)
        self.check(graph)

    def test_quantized(self):
        step, zero = 0.25, 3
        for name in ("conv", "matmul"):
            graph = Graph()
            x, weights = {"conv": ((1, 16, 9, 8), (24, 16, 3, 3)), "matmul": ((20, 32), (32, 24))}[name]
            product = graph.add({"conv": "Conv", "matmul": "MatMul"}[name], graph.input(*x), graph.weights(*weights, scale=0.1))
            grid = graph.constant(np.float32(step)), graph.constant(np.int8(zero))
            graph.output(graph.add("DequantizeLinear", graph.add("QuantizeLinear", graph.add("Relu", product), *grid), *grid))
            self.check(graph, tolerance=1.01 * step)  # An element may fall to either side of a border.

    def test_pools(self):
        graph = Graph()
        x = graph.add("Conv", graph.input(1, 16, 9, 9), graph.weights(32, 16, 1, 1))
        pool = lambda: graph.add("AveragePool", graph.add("Abs", x), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        add_operands(graph, pool, [1, 32, 9, 9])
        self.check(graph)

    def test_what_pads_channels_stays_finite(self):
        """47 channels, of which the next convolution reads 48: the last one times 0. Each value has two readers, or none but the next."""
        infinity = np.float32(np.inf)
        graph = Graph()
        image = graph.input(1, 16, 6, 7)
        wide = lambda: graph.add("Conv", image, graph.weights(47, 16, 1, 1))
        operands = [graph.constant(infinity)] + [graph.constant(np.full(shape, infinity, np.float32))
                                                 for shape in ([1, 1, 1, 1], [1, 1, 6, 7], [6, 1], [7])]
        for operand in operands:
            for readers in (1, 2):
                value = wide()
                bounded = graph.add("Sigmoid", graph.add("Mul", value, operand))
                graph.output(graph.add("Conv", bounded, graph.weights(8, 47, 1, 1)))
                if readers == 2:
                    graph.output(graph.add("Conv", value, graph.weights(8, 47, 1, 1)))
        parameters = [graph.add("Abs", graph.input(47)) for _ in range(4)]
        normal = graph.add("BatchNormalization", wide(), *parameters, epsilon=0.0)
        graph.output(graph.add("Conv", normal, graph.weights(8, 47, 1, 1)))
        self.check(graph)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
