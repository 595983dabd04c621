#!/usr/bin/env python3
"""tessera tune learns in which way regions are compiled best, and what was learnt is a part of what is compiled later, on this machine."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from owned_regions import Graph

OPTIONS = argparse.Namespace()


class SchedulesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.model = self.path("model.onnx")
        self.store = self.path("costs.db")
        graph = Graph()
        value = graph.add("Relu", graph.add("Conv", graph.input(1, 32, 12, 12), graph.weights(48, 32, 3, 3), pads=[1, 1, 1, 1]))
        value = graph.add("Flatten", graph.add("GlobalAveragePool", value), axis=1)
        graph.output(graph.add("MatMul", value, graph.weights(48, 100)))
        graph.model(self.model)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_tool(self, *arguments, code=0):
        result = subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=300,
                                env={**os.environ, "XDG_CACHE_HOME": self.path("cache")})
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def tune(self, *options):
        return self.run_tool("tune", self.model, "--targets", "native", "--placement", "greedy", "--costs", self.store, *options)

    def records(self):
        self.run_tool("costs", "export", self.path("all.jsonl"), "--costs", self.store)
        with open(self.path("all.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def make_fastest(self, schedule, **changes):
        """As if it had been measured again, and won; `changes` are fields that are others. The target's own schedule is ""."""
        claims = [{**record, "samples": [1e-9], "date": record["date"] + 1, **changes} for record in self.records()
                  if record.get("schedule", "") == schedule]
        self.assertTrue(claims)
        with open(self.path("claims.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(claim) + "\n" for claim in claims)
        self.run_tool("costs", "import", self.path("claims.jsonl"), "--costs", self.store)
        return len(claims)

    def module(self, source, name, *options):
        self.run_tool("compile", source, "-o", self.path(name), "--emit", "mlir", "--stop-after", "post_partition", *options)
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def artifact(self, source, name, *options):
        result = self.run_tool("compile", source, "-o", self.path(name), *options)
        with open(self.path(name), "rb") as file:
            return file.read(), result.stderr

    def test_tune_measures_every_way_once(self):
        printed = self.tune().stdout
        self.assertRegex(printed, r"schedules: 2 classes of regions, [012] of them faster by another than the target's own\n")
        records = self.records()
        classes = {record["subgraph"] for record in records}
        self.assertEqual(len(classes), 2)
        self.assertTrue(any("conv images 1 channels 32x48" in name for name in classes), classes)
        for name in classes:
            schedules = [record.get("schedule", "") for record in records if record["subgraph"] == name]
            self.assertIn("", schedules)
            self.assertGreater(len(set(schedules)), 7)
        self.assertEqual(self.tune().stdout, "")
        self.assertEqual(len(self.records()), len(records))

    def test_what_is_fastest_is_compiled_and_a_saved_module_says_all(self):
        self.tune()
        claimed = self.make_fastest("outer=panels")
        options = ["--targets", "native", "--costs", self.store]
        text = self.module(self.model, "m.mlir", *options)
        self.assertEqual(re.findall(r'tessera.schedule = "(.*?)"', text), ["outer=panels"] * claimed)
        direct, _ = self.artifact(self.model, "direct.tsr", *options)
        saved, _ = self.artifact(self.path("m.mlir"), "saved.tsr")
        self.assertEqual(direct, saved)
        plain, notes = self.artifact(self.model, "plain.tsr", "--targets", "native")
        self.assertNotEqual(direct, plain)
        self.assertEqual(notes, "")
        self.assertEqual(self.artifact(self.model, "empty.tsr", "--targets", "native", "--costs", ":memory:"), (plain, ""))
        self.run_tool("run", self.path("direct.tsr"), "--input", "x0=random:1")

    @unittest.skipIf(os.cpu_count() == 1, "one thread is all cores here")
    def test_other_threads_and_targets_learn_for_themselves(self):
        self.tune()
        self.make_fastest("outer=panels")
        for options in (["--targets", "native", "--threads", "1"], ["--targets", "native -exact=true"]):
            text = self.module(self.model, "m.mlir", "--costs", self.store, *options)
            self.assertNotIn("outer=panels", text)

    def test_what_another_code_generator_learnt_does_not_count(self):
        self.tune()
        versions = {record["version"] for record in self.records()}
        self.assertEqual(len(versions), 1)
        options = ["--targets", "native", "--costs", self.store]
        self.make_fastest("", samples=[1e-8])  # What really was the fastest depends on the machine.
        self.make_fastest("outer=panels", version="0" * len(versions.pop()))
        self.assertNotIn("outer=panels", self.module(self.model, "m.mlir", *options))
        self.make_fastest("outer=panels")
        self.assertIn("outer=panels", self.module(self.model, "m.mlir", *options))

    def test_a_store_that_cannot_be_read_is_a_note(self):
        with open(self.store, "w", encoding="utf-8") as file:
            file.write("no database, but long enough to be taken for one")
        plain, _ = self.artifact(self.model, "plain.tsr", "--targets", "native")
        same, notes = self.artifact(self.model, "same.tsr", "--targets", "native", "--costs", self.store)
        self.assertEqual(plain, same)
        self.assertRegex(notes, "what was learnt about schedules is not used: .*costs.db")

    def test_ranks_may_differ_where_roundings_do(self):
        graph = Graph()
        value = graph.add("Conv", graph.input(1, 32, 40, 40), graph.weights(32, 32, 3, 3))
        value = graph.add("Reshape", value, graph.constant(np.array([1, -1], np.int64)))
        graph.output(graph.add("Cast", graph.add("ArgMax", value, axis=1), to=1))
        graph.model(self.model)
        self.tune()
        self.assertTrue(self.records())

    def test_who_measures_nothing_is_told(self):
        with open(self.path("costs.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        result = self.run_tool("tune", self.model, "--targets", "native", "--placement", "greedy", "--costs", "mock:" + self.path("costs.json"),
                               code=2)
        self.assertIn("measures nothing", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
