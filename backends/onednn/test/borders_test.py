#!/usr/bin/env python3
"""Layouts at the borders of regions."""

import json
import os

import numpy as np
from onednn_case import OPTIONS, Graph, OnednnCase, main, run_tool


class BordersTest(OnednnCase):
    def test_no_reorder_beside_a_neighbour_that_works_on_blocks_of_channels(self):
        """Convolutions of native, and between them a region of onednn, which takes and gives what native has."""
        pins = os.path.join(self.folder, "pins.json")
        with open(pins, "w", encoding="utf-8") as file:
            json.dump([{"node": "n0|n2", "must": "native"}, {"must": "onednn"}], file)
        for dims, op, attributes in ((1, "Conv", {"pads": [1, 1]}), (2, "Conv", {"pads": [1] * 4}), (2, "MaxPool", {"kernel_shape": [2, 2]}),
                                     (2, "Sigmoid", {})):
            with self.subTest(dims=dims, op=op):
                graph = Graph()
                x = graph.add("Conv", graph.input(1, 32, *(12,) * dims), graph.weights(32, 32, *(3,) * dims, scale=0.1))
                more = [graph.weights(32, 32, *(3,) * dims, scale=0.1)] if op == "Conv" else []
                y = graph.add(op, x, *more, **attributes)
                graph.output(graph.add("Conv", y, graph.weights(48, 32, *(3,) * dims, scale=0.1)))
                graph.model(self.model)
                conversions = []
                for options in (["--targets", "native"], ["--targets", "onednn,native", "--pins", pins]):
                    placed = self.model + ".mlir"
                    result = run_tool(OPTIONS.tool, "partition", self.model, *options, "-o", placed)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    with open(placed, encoding="utf-8") as file:
                        regions = file.read().split("func.func private ")
                    conversions.append(sum("tsr.relayout" in region for region in regions if not region.startswith("@onednn")))
                self.assertEqual(conversions[1], conversions[0], "as many as native alone has, at the model's own borders")
                def run(file, *options):
                    result = run_tool("env", "ONEDNN_VERBOSE=1", OPTIONS.tool, "run", self.model, "--input", "x0=random", "--output",
                                      os.path.join(self.folder, file), *options)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    with np.load(os.path.join(self.folder, file)) as outputs:
                        return result, outputs[outputs.files[0]]
                verbose, actual = run("actual.npz", "--targets", "onednn,native", "--pins", pins)
                np.testing.assert_allclose(actual, run("expected.npz", "--targets", "reference")[1], rtol=1e-4, atol=1e-4)
                executed = [line.split(",") for line in verbose.stdout.splitlines() if ",exec," in line]
                self.assertEqual(len([line for line in executed if line[3] != "reorder"]), 1, verbose.stdout)
                self.assertEqual([line for line in executed if line[3] == "reorder" and line[-2].startswith("1x32")], [])


if __name__ == "__main__":
    main()
