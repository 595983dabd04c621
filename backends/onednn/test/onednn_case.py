"""What tests of the backend onednn share: a model is compiled, placed, run and compared with the reference."""

import argparse
import os
import re
import sys
import tempfile
import unittest

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from owned_regions import Graph, regions_of, run_tool, why_wrong  # noqa: F401

OPTIONS = argparse.Namespace()


class OnednnCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.model = os.path.join(scratch.name, "model.onnx")

    def owners(self, graph, opset=20):
        graph.model(self.model, opset)
        return regions_of(OPTIONS.tool, self.model, "onednn,native", self.folder)

    def check(self, graph, *options, regions=None, opset=20, mayBeReference=False):
        """Everything is onednn's, in so many regions where given, and right, in none of the library's reference kernels."""
        owned = self.owners(graph, opset)
        self.assertEqual([region for region in owned if region[0] != "onednn"], [])
        if regions is not None:
            self.assertEqual(len(owned), regions, owned)
        self.assertIsNone(why_wrong(OPTIONS.tool, self.model, "onednn", *options))
        verbose = run_tool("env", "ONEDNN_VERBOSE=1", OPTIONS.tool, "compare", self.model, "--targets", "onednn,reference")
        slow = [line for line in verbose.stdout.splitlines() if re.match(r"onednn_verbose,exec,.*,ref(:|,)", line)]
        if not mayBeReference:
            self.assertEqual(slow, [])
        return verbose.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True, help="the tessera program")
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
