#!/usr/bin/env python3
"""Layouts at the borders of regions."""

import json
import os

import numpy as np
from onednn_case import OPTIONS, Graph, OnednnCase, main, run_tool


class BordersTest(OnednnCase):
    def setUp(self):
        super().setUp()
        self.native = f"native{self.library_cpu()}"
        self.pins = os.path.join(self.folder, "pins.json")
        with open(self.pins, "w", encoding="utf-8") as file:
            json.dump([{"node": "native.*", "must": "native"}, {"must": "onednn"}], file)

    def library_cpu(self):
        """What makes blocks of native those of the library, which may be kept from what the machine has (ONEDNN_MAX_CPU_ISA)."""
        graph = Graph()
        graph.output(graph.add("Tanh", graph.input(1)))
        graph.model(self.model)
        said = run_tool("env", "ONEDNN_VERBOSE=1", OPTIONS.tool, "run", self.model, "--targets", "onednn", "--input", "x0=random").stdout
        return "" if "isa:Intel AVX-512" in said else " -mcpu=x86-64-v3"

    def run_with(self, *options):
        """What oneDNN executed, each line cut at its commas, and the first output."""
        file = os.path.join(self.folder, "outputs.npz")
        result = run_tool("env", "ONEDNN_VERBOSE=1", OPTIONS.tool, "run", self.model, "--input", "x0=random", "--output", file, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        with np.load(file) as outputs:
            return [line.split(",") for line in result.stdout.splitlines() if ",exec," in line], outputs[outputs.files[0]]

    def compare(self):
        """What oneDNN executed, where the answer is right."""
        executed, actual = self.run_with("--targets", f"onednn,{self.native}", "--pins", self.pins)
        np.testing.assert_allclose(actual, self.run_with("--targets", "reference")[1], rtol=1e-4, atol=1e-4)
        return executed

    def conversions(self, *options):
        """Regions of others than onednn that have a relayout."""
        placed = self.model + ".mlir"
        result = run_tool(OPTIONS.tool, "partition", self.model, *options, "-o", placed)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(placed, encoding="utf-8") as file:
            regions = file.read().split("func.func private ")
        return sum("tsr.relayout" in region for region in regions if not region.startswith("@onednn"))

    def between(self, channels, dims, add):
        """What `add` adds to the graph and a blocked value, between convolutions of native."""
        graph = Graph()
        def conv(x, inputs, outputs):
            name = graph.add("Conv", x, graph.weights(outputs, inputs, *(3,) * dims, scale=0.1))
            graph.nodes[-1].name = "native" + graph.nodes[-1].name
            return name
        y = add(graph, conv(graph.input(1, channels, *(12,) * dims), channels, channels))
        graph.output(conv(y, channels, 48))
        graph.model(self.model)

    def test_no_reorder_beside_a_neighbour_that_works_on_blocks_of_channels(self):
        """A region of onednn takes and gives what native has; as many conversions as native alone has at the model's own borders."""
        def conv(graph, x, dims):
            return graph.add("Conv", x, graph.weights(32, 32, *(3,) * dims, scale=0.1), pads=[1] * 2 * dims)
        for dims, add in [(1, lambda g, x: conv(g, x, 1)), (2, lambda g, x: conv(g, x, 2)), (2, lambda g, x: g.add("Relu", conv(g, x, 2))),
                          (2, lambda g, x: g.add("MaxPool", x, kernel_shape=[2, 2])), (2, lambda g, x: g.add("Sigmoid", x))]:
            with self.subTest(dims=dims):
                self.between(32, dims, lambda graph, x, add=add: add(graph, x))
                self.assertEqual(self.conversions("--targets", f"onednn,{self.native}", "--pins", self.pins), self.conversions("--targets", self.native))
                executed = self.compare()
                self.assertEqual(len([line for line in executed if line[3] != "reorder"]), 1, executed)
                self.assertEqual([line for line in executed if line[3] == "reorder" and line[-2].startswith("1x32")], [])

    def test_what_lies_in_blocks_is_read_by_all(self):
        def depthwise(graph, x):
            return graph.add("Conv", x, graph.weights(32, 1, 3, 3), group=32)
        def transposed(graph, x):
            return graph.add("ConvTranspose", x, graph.weights(32, 32, 2, 2, scale=0.1), strides=[2, 2])
        def concat(graph, x):
            halves = graph.add("Split", x, outputs=2, axis=1, num_outputs=2)
            return graph.add("Concat", halves[1], graph.add("Tanh", halves[0]), axis=1)
        def resize(graph, x):
            return graph.add("Resize", x, "", graph.constant(np.array([1, 1, 2, 2], np.float32)), mode="nearest")
        def gate(graph, x):
            return graph.add("Mul", x, graph.add("Sigmoid", graph.add("GlobalAveragePool", x)))
        def residual(graph, x):
            return graph.add("Add", graph.add("Conv", x, graph.weights(32, 32, 1, 1, scale=0.1)), x)
        def product(graph, x):
            return graph.add("Transpose", graph.add("MatMul", graph.add("Transpose", x, perm=[0, 2, 3, 1]), graph.weights(32, 32, scale=0.1)), perm=[0, 3, 1, 2])
        def softmax(graph, x):
            return graph.add("Softmax", graph.add("Max", x, graph.weights(32, 1, 1)), axis=1)
        for add in (depthwise, transposed, concat, resize, gate, residual, product, softmax):
            with self.subTest(add.__name__):
                self.between(32, 2, add)
                self.compare()

    def test_channels_that_do_not_fill_blocks(self):
        self.between(24, 2, lambda graph, x: graph.add("Relu", graph.add("Conv", x, graph.weights(24, 24, 1, 1, scale=0.1))))
        self.compare()


if __name__ == "__main__":
    main()
