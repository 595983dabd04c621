#!/usr/bin/env python3
"""The tester of random graphs tells right from wrong, with a tool that stands in for tessera."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]
import numpy as np
import onnx

from evaluator import Evaluator, Refused, Value
from graphs import GENERATORS, NoGraph, make_case
from verdict import bad_refusal, difference


class VerdictTest(unittest.TestCase):
    def test_exact_value(self):
        value = Value("y", np.float32([1, np.nan, np.inf]))
        self.assertIsNone(difference(value, np.float32([1, np.nan, np.inf])))
        self.assertIn("values", difference(value, np.float32([np.nextafter(np.float32(1), 2), np.nan, np.inf])))
        self.assertIn("NaN", difference(value, np.float32([1, 0, np.inf])))
        self.assertIn("infinity", difference(value, np.float32([1, np.nan, -np.inf])))
        self.assertIn("infinity", difference(value, np.float32([1, np.nan, 7])))

    def test_sign_of_zero(self):
        self.assertIn("sign of zero", difference(Value("y", np.float32([0])), np.float32([-0.0])))
        self.assertIsNone(difference(Value("y", np.float32([0]), [np.float32([-0.0])]), np.float32([-0.0])))

    def test_shape_and_type(self):
        value = Value("y", np.float32([1, 2]))
        self.assertIn("shape", difference(value, np.float32([[1, 2]])))
        self.assertIn("element type", difference(value, np.float64([1, 2])))

    def test_samples_widen_what_is_right(self):
        value = Value("y", np.float32([1, 2]), [np.float32([1, 2.001])])
        self.assertIsNone(difference(value, np.float32([1, 2.002])))
        self.assertIsNotNone(difference(value, np.float32([1, 2.1])))
        self.assertIsNotNone(difference(value, np.float32([1.001, 2])))

    def test_rounding_that_decides(self):
        value = Value("y", np.float32([np.inf, 1]), [np.float32([3e38, 1])])
        self.assertIsNone(difference(value, np.float32([3e38, 1])))

    def test_refusals(self):
        node = onnx.helper.make_node("Add", ["a", "b"], ["c"], "Add_1")
        model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [], []))
        self.assertIsNone(bad_refusal("error: node 'Add_1': sizes 3 and 4", model, 3))
        self.assertIn("without naming", bad_refusal("error: sizes 3 and 4", model, 1))
        self.assertIn("0 sentences", bad_refusal("", model, 1))
        self.assertIn("exit code 2", bad_refusal("error: node 'Add_1'", model, 2))


class EvaluatorTest(unittest.TestCase):
    def make(self, op_type, rounding, *arrays):
        evaluator = Evaluator(17, 8, [1])
        names = [evaluator.add_source(f"x{i}", array).name for i, array in enumerate(arrays)]
        return evaluator.step(onnx.helper.make_node(op_type, names, ["y"]), rounding)[0]

    def test_copies_have_no_samples(self):
        self.assertEqual(self.make("Neg", "exact", np.float32([1, 2])).samples, [])

    def test_sums_are_disturbed_a_little(self):
        value = self.make("ReduceSum", "sum", np.full(100, 0.1, np.float32))
        spread = max(abs(sample - value.array).max() for sample in value.samples)
        self.assertTrue(0 < spread < 1e-4 * value.array.max())

    def test_types_without_a_kernel_go_to_the_reference(self):
        self.assertEqual(self.make("Erf", "approx", np.float64([0.5])).array.dtype, np.float64)

    def test_illegal_nodes_are_refused(self):
        with self.assertRaises(Refused):
            self.make("Add", "round", np.float32([1, 2]), np.float32([1, 2, 3]))


class GraphsTest(unittest.TestCase):
    def test_a_seed_makes_one_graph(self):
        first, second = make_case(7), make_case(7)
        self.assertEqual(first.model.SerializeToString(), second.model.SerializeToString())
        self.assertEqual([v.array.tobytes() for v in first.expected()], [v.array.tobytes() for v in second.expected()])

    def test_every_operator_can_be_drawn(self):
        for name in sorted(GENERATORS):
            for seed in range(60):
                try:
                    make_case(seed, {"nodes": 1}, (name,))
                    break
                except NoGraph:
                    continue
            else:
                self.fail(f"no graph of {name}")


class ToolTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.tool = os.path.join(self.scratch.name, "tool")
        with open(self.tool, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{sys.executable}" "{os.path.join(HERE, "fake_tool.py")}" "$@"\n')
        os.chmod(self.tool, 0o755)

    def run_tester(self, mode, *options):
        command = [sys.executable, os.path.join(HERE, "differential.py"), "--tool", self.tool, "--jobs", "2", "--found",
                   os.path.join(self.scratch.name, "found"), *options]
        result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "FAKE_MODE": mode})
        return result.returncode, result.stdout + result.stderr

    def test_right(self):
        status, text = self.run_tester("right", "--count", "4")
        self.assertEqual(status, 0, text)
        self.assertIn("0 findings", text)

    def test_wrong(self):
        status, text = self.run_tester("wrong", "--count", "2", "--only", "Tanh")
        self.assertEqual(status, 1)
        self.assertIn("values      Tanh", text)
        found = os.path.join(self.scratch.name, "found")
        self.assertTrue(os.path.isfile(os.path.join(found, sorted(os.listdir(found))[0], "test_data_set_0", "output_0.pb")))

    def test_crash(self):
        status, text = self.run_tester("crash", "--count", "1", "--only", "Tanh")
        self.assertEqual(status, 1)
        self.assertIn("SIGABRT", text)

    def test_refusal(self):
        status, text = self.run_tester("refuse", "--count", "1", "--only", "Tanh")
        self.assertEqual(status, 1)
        self.assertIn("without naming", text)

    def test_mismatch_refused(self):
        status, text = self.run_tester("right", "--mismatches", "--count", "6", "--only", "Concat", "--minimum", "0.3")
        self.assertEqual(status, 0, text)

    def test_mismatch_accepted(self):
        status, text = self.run_tester("accept", "--mismatches", "--count", "12", "--only", "Concat", "--minimum", "0.3")
        self.assertEqual(status, 1)
        self.assertIn("accepted", text)

    def test_no_graph(self):
        status, text = self.run_tester("right", "--count", "2", "--only", "RMSNormalization", "--minimum", "1")
        self.assertEqual(status, 1)
        self.assertIn("too few seeds", text)


if __name__ == "__main__":
    unittest.main()
