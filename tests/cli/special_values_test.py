#!/usr/bin/env python3
"""`tessera run --data` and `tessera compare` tell NaN and infinities from numbers and from each other."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

OPTIONS = argparse.Namespace()
INF, NAN = np.inf, np.nan


def write(path, values, name):
    with open(path, "wb") as file:
        file.write(numpy_helper.from_array(np.array(values, np.float32), name).SerializeToString())


class SpecialValuesTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.model = os.path.join(self.scratch.name, "log.onnx")
        graph = helper.make_graph([helper.make_node("Log", ["x"], ["y"], "log")], "g",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])])
        save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.model)

    def run_expecting(self, expected, target):
        """Log of inf, 0, -1 and 1: inf, -inf, NaN, 0."""
        write(os.path.join(self.scratch.name, "input_0.pb"), [INF, 0, -1, 1], "x")
        write(os.path.join(self.scratch.name, "output_0.pb"), expected, "y")
        command = [OPTIONS.tool, "run", self.model, "--data", self.scratch.name, "--targets", target]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    def test_each_is_equal_to_itself_alone(self):
        right = [INF, -INF, NAN, 0]
        for target in ("native", "reference"):
            result = self.run_expecting(right, target)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            for at, wrong in ((0, -INF), (0, NAN), (0, 3e38), (1, INF), (1, NAN), (1, 0), (2, INF), (2, 0), (3, INF), (3, NAN)):
                with self.subTest(target=target, at=at, wrong=wrong):
                    result = self.run_expecting([*right[:at], wrong, *right[at + 1:]], target)
                    self.assertEqual(result.returncode, 4, result.stdout + result.stderr)
                    self.assertIn("max abs diff 0, relative error 0: differs at element", result.stdout)
                    self.assertIn(", 1 elements by a NaN or an infinity", result.stdout)

    def test_figures_of_compare_stay_numbers(self):
        write(os.path.join(self.scratch.name, "input_0.pb"), [INF, 0, -1, 1], "x")
        command = [OPTIONS.tool, "compare", self.model, "--targets", "native,reference", "--data", self.scratch.name,
                   "--per-node", "--json"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        for entry in json.loads(result.stdout)[0]["outputs"] + json.loads(result.stdout)[0]["nodes"]:
            self.assertEqual((entry["not_finite"], entry["max_abs_diff"], entry["within"]), (0, 0, True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
