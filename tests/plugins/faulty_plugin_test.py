#!/usr/bin/env python3
"""Measured placement beside a plugin whose runtime half does not load, fails, crashes, hangs or is wrong, from the first run on or later: it is tried,
avoided, and the plan says why."""

import argparse
import json
import os
import shutil
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "harness"))
from junit import run_unittests
from owned_regions import Graph
from scratch import ScratchTest

OPTIONS = None
FAULTS = {"crash:load": "crashed", "fail:load": "failed", "hang:load": "timed_out", "crash:1": "crashed", "fail:1": "failed",
          "hang:1": "timed_out", "wrong:1": "wrong", "crash:3": "crashed", "fail:3": "failed", "hang:3": "timed_out", "wrong:2": "wrong",
          "idle:1": "wrong", "idle:4": "wrong"}


class FaultyPluginTest(ScratchTest):
    def setUp(self):
        super().setUp()
        for name in ("compile", "backend"):
            shutil.copy(os.path.join(OPTIONS.halves, f"libtessera_{name}_example.so"), self.folder)
        graph = Graph()
        value = graph.add("Relu", graph.add("Mul", graph.input(4096), graph.input(4096)))
        graph.output(graph.add("Tanh", graph.add("Sub", value, "x1")))
        self.model = graph.model(self.path("model.onnx"))

    def run_tool(self, *arguments, fault=""):
        environment = {**os.environ, "TESSERA_WORKER_TIME_LIMIT": "2", "TESSERA_TEST_FAULT": fault, "TESSERA_PLUGIN_PATH": self.folder}
        result = subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=300, env=environment, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def measured(self, fault):
        """What was told about the plugin, and who owns the regions."""
        store, plan, artifact = self.path(f"{fault}.db"), self.path("plan.json"), self.path("model.tsr")
        self.run_tool("compile", self.model, "-o", artifact, "--placement", "measured", "--targets", "example,native", "--costs", store,
                      "--patience", "0s", "--save-plan", plan, fault=fault)
        with open(plan, encoding="utf-8") as file:
            answers = json.load(file)["answers"]
        regions = json.loads(self.run_tool("inspect", artifact, "--json"))["regions"]
        return [answer for answer in answers if answer["target"] == "example"], {region["backend"] for region in regions}

    def assert_right(self):
        for name, arguments in (("a.npz", [self.path("model.tsr")]), ("b.npz", [self.model, "--targets", "reference"])):
            self.run_tool("run", *arguments, "--input", "x0=random:7", "--input", "x1=random:8", "--output", self.path(name))
        with np.load(self.path("a.npz")) as actual, np.load(self.path("b.npz")) as expected:
            for name in expected.files:
                np.testing.assert_allclose(actual[name], expected[name], rtol=1e-5, atol=1e-6)

    def test_without_a_fault_it_takes_part(self):
        answers, _ = self.measured("none")
        self.assertTrue(any("cost" in answer for answer in answers), answers)
        self.assert_right()

    def test_who_is_faulty_is_avoided_and_told(self):
        for fault, outcome in FAULTS.items():
            with self.subTest(fault=fault):
                answers, owners = self.measured(fault)
                self.assertEqual(owners, {"native"})
                told = {kind for answer in answers for kind in answer}
                # Who crashes or hangs often is given up, and the answers may be about what was not tried any more.
                is_given_up = outcome in ("crashed", "timed_out") and any("in too many trials" in answer.get("failed", "") for answer in answers)
                self.assertTrue(outcome in told or is_given_up, answers)
                self.assert_right()

    def test_what_other_code_took_does_not_count(self):
        """Either half is another one by a byte behind its end; the host target is the same all along."""
        for count, half in enumerate(("", "compile", "backend"), start=1):
            if half:
                with open(self.path(f"libtessera_{half}_example.so"), "ab") as file:
                    file.write(b"!")
            self.measured("none")
            records = [json.loads(line) for line in self.run_tool("costs", "export", "--costs", self.path("none.db")).splitlines()]
            versions = {kind: {record["version"] for record in records if record["target"].split(" ")[0] == kind} for kind in ("example", "native")}
            self.assertEqual({kind: len(all) for kind, all in versions.items()}, {"example": count, "native": 1})

    def test_a_runtime_half_that_is_not_there_is_told(self):
        os.remove(self.path("libtessera_backend_example.so"))
        answers, owners = self.measured("none")
        self.assertEqual(owners, {"native"})
        self.assertTrue(any("libtessera_backend_example.so" in answer.get("failed", "") for answer in answers), answers)
        self.assert_right()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--halves", required=True, help="folder with both halves")
    parser.add_argument("--results", help="JUnit file to write")
    OPTIONS, rest = parser.parse_known_args()
    run_unittests("faulty_plugin", OPTIONS.results, rest)
