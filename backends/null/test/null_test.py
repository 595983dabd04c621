#!/usr/bin/env python3
"""What the backend null owns, that its regions run next to the host's and with the right answers, and what it refuses."""

import argparse
import json
import os
import re
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper

OPTIONS = argparse.Namespace()


def write_model(path):
    """y = softmax(relu(x w) * s + b): a product and three elementwise operators, then one that it declines."""
    def value(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    random = np.random.default_rng(1)
    weights = [onnx.numpy_helper.from_array(random.standard_normal(shape).astype(np.float32), name)
               for name, shape in (("w", (6, 4)), ("b", (3, 4)), ("s", (3, 4)))]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"], name="product"),
             helper.make_node("Relu", ["m"], ["r"], name="act"),
             helper.make_node("Mul", ["r", "s"], ["a"], name="scale"),
             helper.make_node("Add", ["a", "b"], ["t"], name="bias"),
             helper.make_node("Softmax", ["t"], ["y"], name="softmax", axis=-1)]
    graph = helper.make_graph(nodes, "g", [value("x", [3, 6])], [value("y", [3, 4])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class NullTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.model = os.path.join(scratch.name, "model.onnx")
        self.artifact = os.path.join(scratch.name, "model.tsr")
        write_model(self.model)

    def succeed(self, *arguments):
        result = subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout + result.stderr

    def test_owns_what_it_takes_as_one_region(self):
        self.succeed("compile", self.model, "--targets", "null", "-o", self.artifact)
        regions = json.loads(self.succeed("inspect", self.artifact, "--json"))["regions"]
        owned = [region["ops"] for region in regions if region["backend"] == "null"]
        self.assertEqual(owned, ["matmul+relu+mul+add"])
        self.assertEqual(len(regions), 2)

    def test_computes_what_the_reference_computes(self):
        self.assertIn(": ok", self.succeed("compare", self.model, "--targets", "null,reference"))

    def test_its_pass_saw_its_region(self):
        self.succeed("compile", self.model, "--targets", "null", "--stop-after", "post_partition", "--emit", "mlir", "-o",
                     self.artifact + ".mlir")
        with open(self.artifact + ".mlir", encoding="utf-8") as file:
            self.assertIn("null.steps = 4", file.read())

    def test_its_pass_is_known_by_name(self):
        name = "tessera-null-number-steps"
        compiled = ("compile", self.model, "--targets", "null", "--stop-after", "post_partition", "--emit", "mlir", "-o",
                    self.artifact + ".mlir")
        self.assertIn("null.steps = 4", self.succeed(*compiled, "--print-after", name))
        self.succeed(*compiled, "--disable-pass", name)
        with open(self.artifact + ".mlir", encoding="utf-8") as file:
            self.assertNotIn("null.steps", file.read())

    def test_its_code_says_which_runtime_half_reads_it(self):
        self.succeed("compile", self.model, "--targets", "null", "--stop-after", "emit", "--emit", "mlir", "-o",
                     self.artifact + ".mlir")
        with open(self.artifact + ".mlir", encoding="utf-8") as file:
            self.assertRegex(file.read(), r'tsr.code @null_code for <"null"[^>]*> abi 1 version "2" =')

    def test_a_device_that_is_not_there_is_refused_when_compiling(self):
        result = subprocess.run([OPTIONS.tool, "compile", self.model, "--targets", "null:1", "-o", self.artifact],
                                capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("target 'null:1 -refuse=nothing -trace=false': there is one device, number 0", result.stderr)
        self.assertFalse(os.path.exists(self.artifact))

    def test_what_it_refuses_others_run(self):
        for what, reason in (("region", "it refuses every region (-refuse=region)"), ("code", "it has no code for it (-refuse=code)")):
            with self.subTest(what=what):
                out = self.succeed("compile", self.model, "--targets", f"null -refuse={what}", "-o", self.artifact)
                self.assertRegex(out, rf"note: target 'null [^']*' refused a region \(node '\w+'\), others run it: {re.escape(reason)}")
                regions = json.loads(self.succeed("inspect", self.artifact, "--json"))["regions"]
                self.assertNotIn("null", [region["backend"] for region in regions])
                self.assertIn(": ok", self.succeed("compare", self.model, "--targets", f"null -refuse={what},reference"))

    def test_strictly_what_it_refuses_is_an_error(self):
        for what, message in (("region", "refuses a region: it refuses"), ("code", "has no code for region")):
            with self.subTest(what=what):
                result = subprocess.run([OPTIONS.tool, "compile", self.model, "--targets", f"null -refuse={what}", "--strict", "-o",
                                         self.artifact + ".strict"], capture_output=True, text=True, timeout=120)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertRegex(result.stderr, rf"node '\w+'.*{message}|{message}.*node '\w+'")
                self.assertFalse(os.path.exists(self.artifact + ".strict"))

    def test_the_interpreter_runs_its_regions_as_they_run(self):
        answers = []
        for executor in ("artifact", "interpreter"):
            folder = os.path.join(os.path.dirname(self.model), executor)
            self.succeed("run", self.model, "--targets", "null,native", "--executor", executor, "--input", "x=random:7", "--output",
                         folder)
            with open(os.path.join(folder, "output_0.pb"), "rb") as file:
                answers.append(onnx.numpy_helper.to_array(TensorProto.FromString(file.read())))
        np.testing.assert_allclose(*answers, rtol=1e-6)
        # Code that it has not got cannot have been run.
        result = subprocess.run([OPTIONS.tool, "run", self.model, "--targets", "null -refuse=code,native", "--executor", "interpreter",
                                 "--input", "x=zeros"], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("it has no code for it", result.stderr)

    def test_is_nobodys_choice_unless_asked_for(self):
        self.succeed("compile", self.model, "-o", self.artifact)
        self.assertNotIn('"null', self.succeed("inspect", self.artifact, "--json"))
        listed = {backend["name"]: backend for backend in json.loads(self.succeed("backends", "--json"))}
        self.assertTrue(listed["null"]["test"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=["null_test", *rest])
