#!/usr/bin/env python3
"""`tessera compile --emit onnx`: the module as a model that other tools read, with who runs each node and why."""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]
import backends
import make_models
from junit import run_unittests

OPTIONS = argparse.Namespace()


def notes(node):
    return {entry.key: entry.value for entry in node.metadata_props}


class EmitOnnxTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        make_models.make_all(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def tessera(self, *arguments, code=0):
        result = subprocess.run([OPTIONS.tool, *arguments], cwd=self.scratch.name, capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr

    def emit(self, source, *options):
        self.tessera("compile", self.path(source), "--emit", "onnx", "-o", self.path("out.onnx"), *options)
        model = onnx.load(self.path("out.onnx"))
        onnx.checker.check_model(model, full_check=True)
        return model

    def outputs(self, model):
        self.tessera("run", self.path(model), "--input", "x=random:3", "--output", self.path("out.npz"))
        with np.load(self.path("out.npz")) as file:
            return dict(file)

    def test_a_placed_model_says_who_runs_what(self):
        model = self.emit("conv.onnx")
        for node in model.graph.node:
            self.assertIn("tessera.target", notes(node), node.name)
            self.assertTrue(notes(node)["tessera.reason"], node.name)
        owned = [notes(node) for node in model.graph.node if "tessera.region" in notes(node)]
        self.assertTrue(owned)
        for entry in owned:
            self.assertTrue(entry["tessera.target"].startswith("native"), entry)
            self.assertEqual(entry["tessera.reason"], "takes it, and nobody declined")
        fused = [notes(node).get("tessera.source_nodes", "") for node in model.graph.node]
        self.assertTrue(any("stem" in text and "norm" in text for text in fused), fused)

    def test_others_are_named_with_their_reasons(self):
        if "null" not in backends.backends_of(OPTIONS.tool):
            self.skipTest("the backend null is not built")
        found = [notes(node) for node in self.emit("conv.onnx", "--targets", "null,native").graph.node]
        by_null = [entry for entry in found if entry["tessera.target"].startswith("null")]
        by_native = [entry for entry in found if entry["tessera.target"].startswith("native")]
        self.assertTrue(by_null and by_native, found)
        for entry in by_null:
            self.assertTrue(entry["tessera.willing"].startswith("native"), entry)
        for entry in by_native:
            self.assertRegex(entry["tessera.reason"], "^null .*: .+")

    def test_it_computes_what_the_model_computed(self):
        expected = self.outputs("whole.onnx")
        for options in ([], ["--opset", "13"], ["--stop-after", "import"], ["--stop-after", "post_partition", "--opset", "15"]):
            with self.subTest(options=options):
                model = self.emit("whole.onnx", *options)
                self.assertEqual(model.opset_import[0].version, int(options[-1]) if "--opset" in options else 23)
                found = self.outputs("out.onnx")
                self.assertEqual(list(found), list(expected))
                for name, array in expected.items():
                    np.testing.assert_array_equal(found[name], array)

    def test_before_partition_nobody_is_named(self):
        for node in self.emit("conv.onnx", "--stop-after", "pre_partition").graph.node:
            self.assertNotIn("tessera.target", notes(node))

    def test_names_and_open_sizes_are_the_models(self):
        model = self.emit("dynamic.onnx", "--stop-after", "import")
        self.assertEqual([node.name for node in model.graph.node], ["product", "act", "softmax"])
        shape = model.graph.input[0].type.tensor_type.shape
        self.assertEqual((model.graph.input[0].name, shape.dim[0].dim_param, shape.dim[1].dim_value), ("x", "batch", 8))

    def test_a_saved_module_becomes_a_model(self):
        self.tessera("compile", self.path("conv.onnx"), "--emit", "mlir", "--stop-after", "partition", "-o", self.path("p.mlir"))
        direct = self.emit("conv.onnx").SerializeToString()
        self.assertEqual(self.emit("p.mlir").SerializeToString(), direct)

    def test_a_module_without_operators_is_refused(self):
        sentence = "the module is at phase 'lower'; ONNX is written of modules up to phase 'post_partition'"
        self.assertIn(sentence, self.tessera("compile", self.path("conv.onnx"), "--emit", "onnx", "--stop-after", "lower", "-o",
                                             self.path("none.onnx"), code=2))
        self.tessera("compile", self.path("conv.onnx"), "--emit", "mlir", "-o", self.path("linked.mlir"))
        self.assertIn("the module is at phase 'link'",
                      self.tessera("compile", self.path("linked.mlir"), "--emit", "onnx", "-o", self.path("none.onnx"), code=2))
        self.assertFalse(os.path.exists(self.path("none.onnx")))

    def test_bad_options_are_refused(self):
        self.tessera("compile", self.path("conv.onnx"), "--emit", "onnx", "--opset", "12", code=2)
        # Without -o the result has the model's name, which is the model itself here.
        self.assertIn("the result would replace", self.tessera("compile", "conv.onnx", "--emit", "onnx", code=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--results", help="JUnit file to write")
    OPTIONS, rest = parser.parse_known_args()
    run_unittests("emit_onnx", OPTIONS.results, rest)
