#!/usr/bin/env python3
"""--isolate changes who compiles and nothing else: the artifact has the same bytes with every backend of the tool."""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from backends import backends_of
from owned_regions import Graph

OPTIONS = argparse.Namespace()


class IsolateTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.model, self.artifact = (os.path.join(scratch.name, name) for name in ("model.onnx", "model.tsr"))
        graph = Graph()
        value = graph.add("Relu", graph.add("Conv", graph.input(1, 8, 12, 12), graph.weights(32, 8, 3, 3), pads=[1, 1, 1, 1]))
        value = graph.add("Flatten", graph.add("GlobalAveragePool", value), axis=1)
        graph.output(graph.add("Softmax", graph.add("MatMul", value, graph.weights(32, 1000)), axis=-1))
        graph.model(self.model)

    def compiled(self, *options):
        command = [OPTIONS.tool, "compile", self.model, "-o", self.artifact, *options]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.artifact, "rb") as file:
            return file.read()

    def test_the_bytes_are_the_same(self):
        for name in backends_of(OPTIONS.tool):
            if name == "reference":
                continue
            with self.subTest(backend=name):
                self.assertEqual(self.compiled("--targets", name, "--isolate"), self.compiled("--targets", name))

    def test_no_pass_is_left_out(self):
        command = [OPTIONS.tool, "compile", self.model, "-o", self.artifact, "--isolate", "--disable-pass", "cse"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("pass 'cse' cannot be left out where targets compile in processes of their own", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
