#!/usr/bin/env python3
"""What `tessera inspect` says of artifacts and of modules that were saved."""

import argparse
import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]
import make_models
import numpy as np
from owned_regions import Graph
from scratch import ScratchTest

OPTIONS = argparse.Namespace()


class InspectTest(ScratchTest):
    def setUp(self):
        super().setUp()
        make_models.make_all(self.folder)

    def run_tool(self, *arguments):
        return subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=120)

    def succeed(self, *arguments):
        result = self.run_tool(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_checksums_are_checked(self):
        self.succeed("compile", self.path("conv.onnx"), "-o", self.path("c.tsr"))
        self.assertIn("checksums", self.succeed("inspect", self.path("c.tsr"), "--verify"))
        content = json.loads(self.succeed("inspect", self.path("c.tsr"), "--json"))
        self.assertEqual(content["memory_spaces"], [{"name": "host", "arena_bytes": content["arena_bytes"]}])
        self.assertEqual([port["name"] for port in content["inputs"] + content["outputs"]], ["x", "y"])
        with open(self.path("c.tsr"), "rb") as file:
            damaged = bytearray(file.read())
        at = next(i for i in range(len(damaged) // 2, len(damaged)) if damaged[i] != 0)  # not in padding
        damaged[at] ^= 0x40
        with open(self.path("damaged.tsr"), "wb") as file:
            file.write(damaged)
        result = self.run_tool("inspect", self.path("damaged.tsr"), "--verify")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(f"{self.path('damaged.tsr')}: ", result.stderr)

    def test_artifacts_for_other_machines_are_read(self):
        artifact = self.path("v4.tsr")
        self.succeed("compile", self.path("conv.onnx"), "--targets", "native -mcpu=x86-64-v4", "-o", artifact)
        self.assertIn("avx512f", self.succeed("inspect", artifact, "--verify", "--regions"))
        result = self.run_tool("run", artifact, "--input", "x=random")
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            has_features = "avx512f" in file.read()
        if has_features:
            self.assertEqual(result.returncode, 0, result.stderr)
        else:
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn("avx512f", result.stderr)

    def test_the_regions_of_a_placed_module_are_listed(self):
        placed, artifact = self.path("regions.mlir"), self.path("regions.tsr")
        self.succeed("compile", self.path("conv.onnx"), "--stop-after", "partition", "--emit", "mlir", "-o", placed)
        self.succeed("compile", placed, "-o", artifact)
        listed = [json.loads(self.succeed("inspect", path, "--json"))["regions"] for path in (placed, artifact)]
        flops = [sum(region["flops"] * region.get("calls", 1) for region in regions) for regions in listed]
        self.assertEqual(flops[0], flops[1])
        self.assertGreater(flops[0], 0)
        self.assertEqual(sum(region["calls"] for region in listed[0]), len(listed[1]))
        self.assertEqual({region["backend"] for region in listed[0]}, {"native"})
        self.assertIn("conv", listed[0][0]["ops"].split("+"))

    def test_what_is_computed_at_open_sizes_is_known_at_run_time_only(self):
        placed, artifact, fixed = self.path("open.mlir"), self.path("open.tsr"), self.path("fixed.tsr")
        self.succeed("compile", self.path("dynamic.onnx"), "--stop-after", "partition", "--emit", "mlir", "-o", placed)
        self.succeed("compile", placed, "-o", artifact)
        for path in (placed, artifact):
            self.assertIn(None, [region["flops"] for region in json.loads(self.succeed("inspect", path, "--json"))["regions"]])
        self.assertRegex(self.succeed("inspect", artifact), r"and what \d+ regions? computes? is known at run time only")
        self.succeed("compile", self.path("dynamic.onnx"), "--shape", "x=3x8", "-o", fixed)
        self.assertNotIn("at run time only", self.succeed("inspect", fixed))
        self.assertGreater(min(region["flops"] for region in json.loads(self.succeed("inspect", fixed, "--json"))["regions"]), 0)

    def test_flops_in_plain_loops_are_counted(self):
        artifact, graph = self.path("sums.tsr"), Graph(dtype=np.float64)
        graph.output(graph.add("MatMul", graph.input(4, 5), graph.input(5, 6)))
        self.succeed("compile", graph.model(self.path("doubles.onnx")), "--targets", "native", "-o", artifact)
        self.assertEqual(json.loads(self.succeed("inspect", artifact, "--json"))["remarked_flops"], 2 * 4 * 5 * 6)
        self.assertRegex(self.succeed("inspect", artifact), "remark .*matmul.*plain loops")
        self.succeed("compile", self.path("doubles.onnx"), "--targets", "native", "--shape", "x0=?x5", "-o", artifact)
        self.assertEqual(json.loads(self.succeed("inspect", artifact, "--json"))["remarked_regions"], 1)
        self.succeed("compile", self.path("conv.onnx"), "--targets", "native", "-o", artifact)
        inspected = json.loads(self.succeed("inspect", artifact, "--json"))
        self.assertEqual((inspected["remarked_flops"], inspected["remarked_regions"]), (0, 0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
