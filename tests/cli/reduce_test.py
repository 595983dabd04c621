#!/usr/bin/env python3
"""tessera-reduce finds the operator to blame in a model that fails on a target or is wrong there, and writes it as an ONNX model that fails by itself."""

import argparse
import json
import os
import subprocess
import sys

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]
from junit import run_unittests
from owned_regions import Graph
from scratch import ScratchTest

OPTIONS = argparse.Namespace()


class ReduceTest(ScratchTest):
    def setUp(self):
        super().setUp()
        graph = Graph()
        value = graph.input(4, 8)
        for step in range(6):
            value = graph.add("Relu", graph.add("MatMul", value, graph.weights(8, 8)))
            value = graph.add("Add", value, graph.add("Tanh" if step == 3 else "Sigmoid", value))
        graph.output(value)
        self.pins = self.path("pins.json")
        with open(self.pins, "w", encoding="utf-8") as file:
            json.dump([{"op": "Tanh", "must": "testdevice"}], file)
        self.model = graph.model(self.path("model.onnx"))
        self.reduced = self.path("reduced")

    def reduce(self, targets, *options, code=0):
        result = subprocess.run([OPTIONS.reduce, self.model, "-o", self.reduced, "--targets", targets, *options], capture_output=True,
                                text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def operators(self):
        return [node.op_type for node in onnx.load(os.path.join(self.reduced, "model.onnx")).graph.node]

    def assert_fails_by_itself(self, targets, code):
        result = subprocess.run([OPTIONS.tool, "run", os.path.join(self.reduced, "model.onnx"), "--targets", targets, "--pins", self.pins,
                                 "--data", os.path.join(self.reduced, "test_data_set_0")], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, code, result.stderr)

    def test_wrong_values(self):
        self.needs(OPTIONS.tool, "testdevice")
        targets = "native,testdevice -fail=wrong"
        result = self.reduce(targets, "--pins", self.pins)
        self.assertEqual(self.operators(), ["Tanh"])
        self.assertIn("1 operator: results differ: tanh '", result.stdout)
        self.assert_fails_by_itself(targets, 4)

    def test_a_failing_run(self):
        self.needs(OPTIONS.tool, "testdevice")
        targets = "native,testdevice -fail=run:1"
        self.reduce(targets, "--pins", self.pins)
        self.assertEqual(self.operators(), ["Tanh"])
        self.assert_fails_by_itself(targets, 3)

    def test_a_crash(self):
        self.needs(OPTIONS.tool, "testdevice")
        result = self.reduce("native,testdevice -fail=crash", "--pins", self.pins)
        self.assertEqual(self.operators(), ["Tanh"])
        self.assertIn("crashed", result.stdout)

    def test_a_hang(self):
        self.needs(OPTIONS.tool, "testdevice")
        result = self.reduce("native,testdevice -fail=hang", "--pins", self.pins, "--time-limit", "2")
        self.assertEqual(self.operators(), ["Tanh"])
        self.assertIn("it hangs", result.stdout)

    def test_what_is_right_is_not_reduced(self):
        self.needs(OPTIONS.tool, "native")
        result = self.reduce("native", code=1)
        self.assertIn("nothing to reduce", result.stderr)

    def test_bad_options(self):
        self.assertIn("nosuch", self.reduce("nosuch", code=2).stderr)
        self.assertIn("expected a folder that is new or empty", self.reduce("native", code=2).stderr)
        result = subprocess.run([OPTIONS.reduce, self.path("none.onnx"), "-o", self.reduced, "--targets", "native"], capture_output=True, text=True,
                                timeout=60, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("none.onnx", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--reduce", required=True, help="the program tessera-reduce")
    parser.add_argument("--results", help="JUnit file to write")
    OPTIONS, rest = parser.parse_known_args()
    run_unittests("reduce", OPTIONS.results, rest)
