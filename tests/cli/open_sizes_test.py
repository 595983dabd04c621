#!/usr/bin/env python3
"""--shape opens a size that the file fixes: the model then runs at others, or is refused where the graph fixes it too."""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
from networks import OPEN, make_model

OPTIONS = argparse.Namespace()


def tensor(name, *shape):
    return numpy_helper.from_array(np.random.default_rng(len(name)).standard_normal(shape).astype(np.float32), name)


def make_classifier(path, flat):
    """x[1, 3, 8, 8], convolved, pooled, flattened to `flat` and multiplied."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c"], ["r"], "act"),
             helper.make_node("GlobalAveragePool", ["r"], ["p"], "pool"),
             helper.make_node("Reshape", ["p", "flat"], ["f"], "flatten"),
             helper.make_node("MatMul", ["f", "fc"], ["y"], "classify")]
    weights = [tensor("w", 16, 3, 3, 3), tensor("fc", 16, 5), numpy_helper.from_array(np.array(flat, np.int64), "flat")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])], weights)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class OpenSizesTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.model, self.fixed = (os.path.join(self.scratch.name, name) for name in ("open.onnx", "fixed.onnx"))
        make_classifier(self.model, [-1, 16])
        make_classifier(self.fixed, [1, 16])

    def run_model(self, model, x, *options):
        files = [os.path.join(self.scratch.name, name) for name in ("x.npy", "y.npz")]
        np.save(files[0], x)
        command = [OPTIONS.tool, "run", model, "--input", f"x={files[0]}", "--output", files[1], *options]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return result, np.load(files[1])["y"] if result.returncode == 0 else None

    def test_an_opened_batch_gives_each_sample_its_answer(self):
        x = np.random.default_rng(1).standard_normal((3, 3, 8, 8)).astype(np.float32)
        alone = np.concatenate([self.run_model(self.model, x[i:i + 1])[1] for i in range(3)])
        for target in ("native", "reference"):
            for shape, count in (("?x3x8x8", 3), ("?x3x?x?", 3), ("?x3x8x8", 1)):
                with self.subTest(target=target, shape=shape, count=count):
                    result, y = self.run_model(self.model, x[:count], "--shape", f"x={shape}", "--targets", target)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    np.testing.assert_allclose(y, alone[:count], rtol=1e-5, atol=1e-6)

    def test_any_number_of_images(self):
        """Networks of convolutions, whose channels lie in blocks whatever the number of images."""
        for name in ("squeezenet_batches", "mobilenet_batches", "images_batches"):
            model = os.path.join(self.scratch.name, f"{name}.onnx")
            make, inputs, _ = OPEN[name]
            save(make_model(make, inputs), model)
            x = np.random.default_rng(1).standard_normal((4, 3, 32, 32)).astype(np.float32)
            expected = self.run_model(model, x, "--targets", "reference")[1]
            for count in (4, 1, 2, 0):
                with self.subTest(name, count=count):
                    result, y = self.run_model(model, x[:count], "--dynamic", "--targets", "native")
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(y.shape[1:], expected.shape[1:])
                    np.testing.assert_allclose(y, expected[:count], rtol=2e-4, atol=2e-5)

    def test_any_number_of_images_for_weights_that_are_inputs(self):
        for sizes in ([8], [3, 5], [2, 3, 4]):
            model = os.path.join(self.scratch.name, "pointwise.onnx")
            graph = helper.make_graph(
                [helper.make_node("Conv", ["x", "w"], ["y"], "conv")], "g",
                [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, *sizes]),
                 helper.make_tensor_value_info("w", TensorProto.FLOAT, [4, 3, *[1 for _ in sizes]])],
                [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4, *sizes])])
            save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
            x = np.random.default_rng(1).standard_normal((5, 3, *sizes)).astype(np.float32)
            w = np.random.default_rng(2).standard_normal((4, 3, *[1 for _ in sizes])).astype(np.float32)
            np.save(os.path.join(self.scratch.name, "w.npy"), w)
            with self.subTest(sizes=sizes):
                result, y = self.run_model(model, x, "--input", f"w={os.path.join(self.scratch.name, 'w.npy')}", "--dynamic")
                self.assertEqual(result.returncode, 0, result.stderr)
                np.testing.assert_allclose(y, np.einsum("ni...,oi->no...", x, w.reshape(4, 3)), rtol=1e-4, atol=1e-5)

    def test_a_size_that_the_graph_fixes_is_refused(self):
        result, _ = self.run_model(self.fixed, np.zeros((2, 3, 8, 8), np.float32), "--shape", "x=?x3x8x8")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("dimension 0 of input 'x' is 1 in the model and cannot be left open", result.stderr)
        self.assertIn("node 'flatten (Reshape)'", result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        # Height and width are pooled away, so they are free.
        result, _ = self.run_model(self.fixed, np.zeros((1, 3, 5, 9), np.float32), "--shape", "x=1x3x?x?")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_size_that_differs_from_the_file_is_refused(self):
        result, _ = self.run_model(self.model, np.zeros((2, 3, 8, 8), np.float32), "--shape", "x=2x3x8x8")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("dimension 0 of input 'x' is 1 in the model, but 2 is given", result.stderr)

    def test_the_code_for_operands_that_may_broadcast_stays_small(self):
        """One loop nest, not one for each combination of sizes that may be 1."""
        shapes = {"c": [3, "a", 2, 8, 1], "x": [3, "b", "d", "e"], "y": ["f", "g", 8, "h"]}
        inputs = [helper.make_tensor_value_info(name, TensorProto.BOOL if name == "c" else TensorProto.FLOAT, shape)
                  for name, shape in shapes.items()]
        graph = helper.make_graph([helper.make_node("Where", ["c", "x", "y"], ["z"], "where")], "g", inputs,
                                  [helper.make_tensor_value_info("z", TensorProto.FLOAT, [None] * 5)])
        save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.model)
        artifact = os.path.join(self.scratch.name, "where.tsr")
        subprocess.run([OPTIONS.tool, "compile", self.model, "-o", artifact], check=True, capture_output=True, timeout=300)
        self.assertLess(os.path.getsize(artifact), 200_000)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
