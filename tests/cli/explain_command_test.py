#!/usr/bin/env python3
"""tessera explain, tune and compare --placement, as a user meets them, over costs that are made up where times matter."""

import argparse
import json
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
# testdevice takes products and is fast at them; all else is the host's.
COSTS = [{"operator": "copy", "seconds": 1e-6}, {"target": "testdevice", "operator": "matmul", "seconds": 1e-3},
         {"operator": "matmul", "seconds": 5e-3}, {"target": "testdevice", "operator": ".*", "seconds": 4e-3},
         {"operator": ".*", "seconds": 2e-3}]


class ExplainCommandTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if "testdevice" not in backends_of(OPTIONS.tool):
            raise unittest.SkipTest("this build has no backend 'testdevice'")

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.model = self.path("model.onnx")
        graph = Graph()
        value = graph.add("MatMul", graph.input(16, 16), graph.weights(16, 16))
        value = graph.add("Softmax", graph.add("Relu", value), axis=-1)
        graph.output(graph.add("MatMul", value, graph.weights(16, 16)))
        graph.model(self.model)
        self.write("costs.json", json.dumps(COSTS))
        self.mocked = ["--targets", "testdevice,native", "--costs", "mock:" + self.path("costs.json")]

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_tool(self, *arguments, code=0):
        result = subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def fails(self, *arguments, code):
        """The one sentence of an error."""
        result = self.run_tool(*arguments, code=code)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("error: "), result.stderr)
        return result.stderr

    def tune(self):
        return self.run_tool("tune", self.model, *self.mocked, "--save-plan", self.path("plan.json")).stdout

    def test_tune_tells_what_it_found_and_writes_no_artifact(self):
        text = self.tune()
        self.assertIn("winner: search", text)
        self.assertEqual(sorted(os.listdir(self.folder)), ["costs.json", "model.onnx", "plan.json"])
        self.run_tool("compile", self.model, "-o", self.path("a.tsr"), "--plan", self.path("plan.json"))
        self.assertEqual(self.run_tool("explain", self.path("plan.json")).stdout, text)

    def test_tune_fills_the_store(self):
        store = self.path("costs.db")
        self.run_tool("tune", self.model, "--targets", "native", "--costs", store, "--patience", "0s")
        stat = json.loads(self.run_tool("costs", "stat", "--json", "--costs", store).stdout)
        self.assertGreater(stat["records"], 0)

    def test_tune_refuses_what_measures_nothing(self):
        self.assertIn("--save-plan writes what --placement measured finds",
                      self.fails("tune", self.model, "--placement", "greedy", "--save-plan", "plan.json", code=2))
        self.assertIn("nothing to measure", self.fails("tune", self.model, "--plan", "p.json", code=2))
        self.write("a.tsr", "")
        self.assertIn("is no .onnx", self.fails("tune", self.path("a.tsr"), code=2))

    def test_a_node_has_every_target_with_its_reason(self):
        self.tune()
        text = self.run_tool("explain", self.path("plan.json"), "--node", "n0").stdout
        self.assertIn("run by testdevice", text)
        self.assertIn("native would have to run this in", text)
        answers = json.loads(self.run_tool("explain", self.path("plan.json"), "--node", "n2", "--json").stdout)
        self.assertEqual(answers[0]["part"]["target"].split()[0], "native")
        self.assertEqual({answer["target"].split()[0] for answer in answers[0]["answers"]}, {"testdevice", "native"})
        for answer in answers[0]["answers"]:
            self.assertTrue(answer["answer"] == "takes" or answer["reason"], answer)

    def test_a_model_is_explained_by_measuring_by_a_plan_or_greedily(self):
        self.tune()
        by_plan = self.run_tool("explain", self.model, "--plan", self.path("plan.json")).stdout
        measured = self.run_tool("explain", self.model, "--placement", "measured", *self.mocked).stdout
        self.assertEqual(by_plan, measured)
        greedy = json.loads(self.run_tool("explain", self.model, "--targets", "testdevice,native", "--json").stdout)
        self.assertEqual(greedy["plan"], "greedy")
        self.assertEqual([part["target"].split()[0] for part in greedy["parts"]][0], "testdevice")
        self.assertTrue(all(len(node["answers"]) == 2 for node in greedy["nodes"]))

    def test_page_and_graph_are_written(self):
        self.tune()
        self.run_tool("explain", self.path("plan.json"), "--html", self.path("plan.html"), "--dot", self.path("plan.dot"))
        page = self.read("plan.html")
        self.assertIn("<title>plan: ", page)
        for reference in ("src=", "href=", "@import", "url(", "fetch("):
            self.assertNotIn(reference, page)
        self.assertIn("-> ", self.read("plan.dot"))

    def test_plans_are_small_and_stay_plans_without_answers(self):
        self.tune()
        plan = json.loads(self.read("plan.json"))
        del plan["answers"], plan["operators"]
        self.write("old.json", json.dumps(plan))
        self.assertIn("winner: search", self.run_tool("explain", self.path("old.json")).stdout)
        self.run_tool("compile", self.model, "-o", self.path("a.tsr"), "--plan", self.path("old.json"))

    def test_bad_input_ends_in_one_sentence(self):
        self.tune()
        plan = self.path("plan.json")
        self.assertIn("there are 'n0', 'n1', 'n2', 'n3'", self.fails("explain", plan, "--node", "n9", code=2))
        self.assertIn("--node is about one node", self.fails("explain", plan, "--node", "n0", "--html", "x.html", code=2))
        self.assertIn("--targets is for models", self.fails("explain", plan, "--targets", "native", code=2))
        self.assertIn("no/x.html: cannot create a temporary file beside it", self.fails("explain", plan, "--html", self.path("no/x.html"), code=1))
        self.assertIn("there is no such file", self.fails("explain", self.path("no.json"), code=1))
        self.write("bad.json", "{}")
        self.assertIn("bad.json: it is no plan", self.fails("explain", self.path("bad.json"), code=1))
        self.write("a.tsr", "")
        self.assertIn(".mlirbc or .json", self.fails("explain", self.path("a.tsr"), code=2))
        self.run_tool("compile", self.model, "-o", self.path("placed.mlir"), "--emit", "mlir", "--stop-after", "partition")
        self.assertIn("already partitioned", self.fails("explain", self.path("placed.mlir"), code=2))

    def test_placements_are_compared_in_turns(self):
        self.tune()
        arguments = ["compare", self.model, "--duration", "0.05", "--placement", self.path("plan.json") + ",greedy"]
        text = self.run_tool(*arguments).stdout
        self.assertIn("by greedy", text)
        results = json.loads(self.run_tool(*arguments, "--json").stdout)
        self.assertEqual([result["placement"] for result in results], [self.path("plan.json"), "greedy"])
        self.assertEqual(results[0]["rounds"], results[1]["rounds"])
        self.assertEqual(results[1]["ratio"]["median"], 1)
        self.assertTrue(results[0]["within_tolerance"])

    def test_placements_that_are_none_are_refused(self):
        self.assertIn("names 1 placement, expected at least two", self.fails("compare", self.model, "--placement", "greedy", code=2))
        self.assertIn("placement 'fast', expected", self.fails("compare", self.model, "--placement", "greedy,fast", code=2))
        self.assertIn("--per-node compares targets",
                      self.fails("compare", self.model, "--placement", "greedy,measured", "--per-node", code=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
