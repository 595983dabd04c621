#!/usr/bin/env python3
"""Operators that Tessera does not know and a plugin does: their types while the model is read, their nodes as the file has them
when it is asked, and what it computes."""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPTIONS = None
UNKNOWN = "which Tessera does not know, and the file does not declare it"


def write_model(path, rows, declared=None):
    """softmax(scale(relu(x)) + x): nothing but the graph's ends has a type."""
    nodes = [helper.make_node("Relu", ["x"], ["r"], "relu"),
             helper.make_node("Scale", ["r"], ["s"], "scale", domain="com.example", factor=2.5, label="kept"),
             helper.make_node("Add", ["s", "x"], ["a"], "sum"), helper.make_node("Softmax", ["a"], ["y"], "softmax", axis=-1)]
    graph = helper.make_graph(nodes, "unknown", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, 8])],
                              value_info=[helper.make_tensor_value_info("s", declared, [rows, 8])] if declared else [])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.example", 3)])
    model.ir_version = 8
    onnx.save(model, path)


def expected(x):
    a = np.maximum(x, 0) * np.float32(2.5) + x
    e = np.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class UnknownOperatorsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.model, self.artifact, self.input, self.out = (
            os.path.join(self.folder, name) for name in ("model.onnx", "model.tsr", "x.npy", "out.npz"))
        write_model(self.model, 4)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_tool(self, *arguments, **environment):
        return subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=300, check=False,
                              env={**os.environ, **environment})

    def compile(self, *flags, **environment):
        return self.run_tool("compile", self.model, "--plugin", OPTIONS.plugin, "--targets", "scale,native", *flags, **environment)

    def expect_answer(self, rows):
        x = np.random.default_rng(rows).standard_normal((rows, 8)).astype(np.float32)
        np.save(self.input, x)
        result = self.run_tool("run", self.artifact, "--plugin", OPTIONS.plugin, "--input", f"x={self.input}", "--output", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_allclose(np.load(self.out)["y"], expected(x), rtol=1e-5, atol=1e-7)

    def test_nobody_knows_it(self):
        for targets in ([], ["--plugin", OPTIONS.plugin, "--targets", "native"]):
            result = self.run_tool("compile", self.model, "-o", self.artifact, *targets)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(f"node 'sum (Add)': the type of input 's' is not known: it comes from operator 'Scale', {UNKNOWN}\n",
                          result.stderr)

    def test_the_plugin_answers_its_type_and_runs_it(self):
        result = self.compile("-o", self.artifact)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        regions = json.loads(self.run_tool("inspect", self.artifact, "--json").stdout)["regions"]
        self.assertEqual([region["ops"] for region in regions if region["target"].split()[0] == "scale"], ["custom"])
        self.expect_answer(4)

    def test_it_sees_constants_while_types_are_inferred(self):
        shape = numpy_helper.from_array(np.array([4, 8], np.int64), "shape")
        nodes = [helper.make_node("Like", ["shape"], ["l"], "like", domain="com.example"), helper.make_node("Relu", ["l"], ["y"], "relu")]
        graph = helper.make_graph(nodes, "like", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 8])], [shape])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)])
        model.ir_version = 8
        onnx.save(model, self.model)
        result = self.compile("--emit", "mlir", "--stop-after", "import", "-o", saved := os.path.join(self.folder, "like.mlir"))
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(saved, encoding="utf-8") as file:
            self.assertRegex(file.read(), r'tsr.custom "Like".*-> tensor<4x8xf32>')

    def test_its_node_is_written_as_it_was(self):
        path = os.path.join(self.folder, "placed.onnx")
        result = self.compile("--emit", "onnx", "-o", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        placed = onnx.load(path)
        scale = next(node for node in placed.graph.node if node.op_type == "Scale")
        self.assertEqual((scale.domain, scale.name), ("com.example", "scale"))
        self.assertEqual({each.name: helper.get_attribute_value(each) for each in scale.attribute}, {"factor": 2.5, "label": b"kept"})
        self.assertIn(("com.example", 3), [(each.domain, each.version) for each in placed.opset_import])

    def test_sizes_that_are_known_at_run_time(self):
        write_model(self.model, "rows")
        result = self.compile("-o", self.artifact)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for rows in (1, 5):
            self.expect_answer(rows)

    def test_a_saved_module_knows_the_type(self):
        saved = os.path.join(self.folder, "saved.mlir")
        result = self.compile("--emit", "mlir", "--stop-after", "import", "-o", saved)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(saved, encoding="utf-8") as file:
            self.assertRegex(file.read(), r'tsr.custom "Scale".*-> tensor<4x8xf32>')
        result = self.run_tool("compile", saved, "--plugin", OPTIONS.plugin, "-o", self.artifact)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.expect_answer(4)

    def test_what_it_says_wrong(self):
        """The model is refused with what it said, unless the file declares the type: then that stands."""
        for told, why in (("crash", r"target 'scale' was asked: it crashed \(signal 11, Segmentation fault\) in infer_types"),
                          ("fail", "target 'scale' was asked: its licence has no types"), ("huge", ""), ("deep", ""), ("code", ""),
                          ("nothing", "")):
            write_model(self.model, 4)
            result = self.compile("-o", self.artifact, TESSERA_TEST_INFER=told)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, re.escape(UNKNOWN) + ("; " if why else "") + why + "\n")
            write_model(self.model, 4, TensorProto.FLOAT)
            result = self.compile("-o", self.artifact, TESSERA_TEST_INFER=told)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.expect_answer(4)
        result = self.compile("-o", self.artifact, TESSERA_TEST_INFER="integer")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("node 'scale (Scale)': output 0 is declared as f32, but inferred as i64", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--plugin", required=True, help="the library made of scale.c")
    OPTIONS, remaining = parser.parse_known_args()
    unittest.main(argv=["unknown_operators_test.py", *remaining])
