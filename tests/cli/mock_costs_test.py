#!/usr/bin/env python3
"""--costs mock:FILE: plans by costs of one's own; can run is not should run."""

import argparse
import json
import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]
from junit import run_unittests
from owned_regions import Graph
from scratch import ScratchTest

OPTIONS = argparse.Namespace()
SIZE = 64  # Of square matrices.


def chain(path, middle, length=4):
    """`length` products, the operator in the middle, as many products."""
    graph = Graph()
    value = graph.input(SIZE, SIZE)
    for _ in range(length):
        value = graph.add("MatMul", value, graph.weights(SIZE, SIZE, scale=0.1))
    value = middle(graph, value)
    for _ in range(length):
        value = graph.add("MatMul", value, graph.weights(SIZE, SIZE, scale=0.1))
    graph.output(value)
    return graph.model(path)


class MockCostsTest(ScratchTest):
    def setUp(self):
        super().setUp()
        self.needs(OPTIONS.tool, "testdevice")
        self.model = self.path("model.onnx")

    def compile(self, costs, *options, code=0, targets="testdevice,native"):
        with open(self.path("costs.json"), "w", encoding="utf-8") as file:
            file.write(costs if isinstance(costs, str) else json.dumps(costs))
        result = subprocess.run(
            [OPTIONS.tool, "compile", self.model, "-o", self.path("model.tsr"), "--placement", "measured", "--targets", targets,
             "--costs", "mock:" + self.path("costs.json"), "--save-plan", self.path("plan.json"), *options],
            capture_output=True, text=True, timeout=300, check=False)
        if code is None:
            self.assertNotEqual(result.returncode, 0)
        else:
            self.assertEqual(result.returncode, code, result.stderr)
        return result

    def plan(self, costs, *options):
        self.compile(costs, *options)
        with open(self.path("plan.json"), encoding="utf-8") as file:
            return json.load(file)

    def winner(self, costs, *options):
        """Seconds of the best plan, and who runs its regions."""
        plan = self.plan(costs, *options)
        inspected = subprocess.run([OPTIONS.tool, "inspect", self.path("model.tsr"), "--json"], capture_output=True, text=True,
                                   timeout=60, check=True)
        regions = [region["backend"] for region in json.loads(inspected.stdout)["regions"]]
        return plan["contestants"][0]["measured"]["seconds"], regions

    def test_a_lone_sum_stays_on_the_host(self):
        graph = Graph()
        graph.output(graph.add("Add", graph.input(SIZE, SIZE), graph.weights(SIZE, SIZE)))
        graph.model(self.model)
        costs = [{"operator": "copy", "seconds": 3}, {"target": "testdevice", "operator": ".*", "seconds": 1},
                 {"operator": ".*", "seconds": 6}]
        self.assertEqual(self.winner(costs), (6, ["native"]))
        costs[0]["seconds"] = 2
        self.assertEqual(self.winner(costs), (5, ["testdevice"]))

    def sweep(self, middle, on_device):
        """The best plan is what the sum says, at every cost of a copy and of a call."""
        chain(self.model, middle)
        product, own_product, other = 1, 5, 2
        for copy, call in [(copy, call) for copy in (0, 1, 3, 8, 17) for call in (0, 2)]:
            costs = [{"operator": "copy", "seconds": copy}, {"target": "testdevice", "call": call},
                     {"target": "testdevice", "operator": "matmul", "seconds": product},
                     {"operator": "matmul", "seconds": own_product},
                     {"target": "testdevice", "operator": ".*", "seconds": on_device or 0},
                     {"operator": ".*", "seconds": other}]
            half = call + 4 * product
            here = 4 * own_product
            sums = {"native": 2 * here + other,
                    "there and back and there": 2 * (half + 2 * copy) + other,
                    "one half there": half + 2 * copy + other + here}
            if on_device is not None:
                sums["all there"] = call + 8 * product + on_device + 2 * copy
                sums["one half and the middle there"] = half + on_device + 2 * copy + here
            seconds, _ = self.winner(costs)
            self.assertEqual(seconds, min(sums.values()), (copy, call, sums))

    def test_a_gather_in_a_chain_that_the_device_does_not_take(self):
        def gather(graph, value):
            return graph.add("Gather", value, graph.constant(np.arange(SIZE)[::-1].astype(np.int64)), axis=0)
        self.sweep(gather, None)

    def test_a_middle_that_is_slow_on_the_device_comes_back_when_two_copies_cost_less(self):
        self.sweep(lambda graph, value: graph.add("Exp", value), 9)

    def test_rules_about_placing_are_honoured_or_named(self):
        chain(self.model, lambda graph, value: graph.add("Exp", value), 2)
        costs = [{"operator": "copy", "seconds": 5}, {"operator": ".*", "seconds": 1}]
        pins = self.path("pins.json")
        self.assertEqual(set(self.winner(costs)[1]), {"native"})
        for rule, fits in (({"op": "Exp", "must": "testdevice"}, lambda owners: "testdevice" in owners),
                           ({"op": "Exp", "prefer": "testdevice"}, lambda owners: "testdevice" in owners),
                           ({"op": "MatMul", "forbid": "native"}, lambda owners: "testdevice" in owners)):
            with open(pins, "w", encoding="utf-8") as file:
                json.dump([rule], file)
            seconds, owners = self.winner(costs, "--pins", pins)
            self.assertTrue(fits(owners), (rule, owners))
            self.assertGreater(seconds, 5)  # It costs more than without.
            with open(self.path("model.tsr"), "rb") as file:
                direct = file.read()
            subprocess.run([OPTIONS.tool, "compile", self.model, "-o", self.path("model.tsr"), "--plan", self.path("plan.json"),
                            "--pins", pins], capture_output=True, timeout=60, check=True)
            with open(self.path("model.tsr"), "rb") as file:
                self.assertEqual(file.read(), direct)
        for rule, error in (({"op": "Exp", "must": "gpu"}, "rule 1 (op 'Exp' must gpu) names target 'gpu'"),
                            ({"op": "Gather", "must": "gpu"}, "rule 1 (op 'Gather' must gpu) names target 'gpu'")):
            with open(pins, "w", encoding="utf-8") as file:
                json.dump([rule], file)
            self.assertIn(error, self.compile(costs, "--pins", pins, code=None).stderr)

    def test_rules_that_a_plan_contradicts_are_honoured_with_a_word(self):
        chain(self.model, lambda graph, value: graph.add("Exp", value), 1)
        _, owners = self.winner([{"target": "testdevice", "operator": ".*", "seconds": 1}, {"operator": "copy"},
                                 {"operator": ".*", "seconds": 5}])
        self.assertEqual(set(owners), {"testdevice"})
        with open(self.path("pins.json"), "w", encoding="utf-8") as file:
            json.dump([{"op": "MatMul", "forbid": "testdevice"}], file)
        replay = [OPTIONS.tool, "compile", self.model, "-o", self.path("model.tsr"), "--plan", self.path("plan.json")]
        for more, note in (([], ""), (["--pins", self.path("pins.json")],
                                      "note: rules about placing keep 2 of the plan's operators from its targets: rule 1 (op 'MatMul' forbid")):
            result = subprocess.run([*replay, *more], capture_output=True, text=True, timeout=60, check=True)
            self.assertEqual(result.stderr[:len(note) or None], note)

    def test_a_rule_that_nobody_can_follow_fails_by_name(self):
        graph = Graph()
        graph.output(graph.add("Gather", graph.input(SIZE, SIZE), graph.constant(np.arange(4)), axis=0))
        graph.model(self.model)
        with open(self.path("pins.json"), "w", encoding="utf-8") as file:
            json.dump([{"op": "Gather", "must": "testdevice"}], file)
        error = self.compile([{"operator": ".*"}], "--pins", self.path("pins.json"), code=None).stderr
        self.assertIn("rule 1 (op 'Gather' must testdevice)", error)

    def test_the_same_costs_give_the_same_bytes(self):
        chain(self.model, lambda graph, value: graph.add("Add", graph.add("Exp", value), graph.add("Neg", value)), 6)
        plans = set()
        for number in range(12):
            costs = [{"operator": "copy", "seconds": number % 4},
                     {"target": "testdevice", "operator": "matmul", "seconds": 3}, {"target": "native", "call": number % 3},
                     {"operator": "matmul", "seconds": 3 + number % 5}, {"operator": ".*", "seconds": 1}]
            outcomes = set()
            for _ in range(3):
                self.compile(costs)
                with open(self.path("model.tsr"), "rb") as model, open(self.path("plan.json"), "rb") as plan:
                    outcomes.add((model.read(), plan.read()))
            self.assertEqual(len(outcomes), 1, costs)
            plans |= {plan for _, plan in outcomes}
        self.assertGreater(len(plans), 6)

    def test_a_wrong_file_is_refused_and_what_no_row_fits_is_named(self):
        chain(self.model, lambda graph, value: graph.add("Exp", value), 1)
        error = self.compile([{"operator": ".*", "seconds": -1}], code=1).stderr
        self.assertIn("costs.json: row 1: field 'seconds', expected a number from 0", error)
        self.assertIn("costs.json", self.compile("no list", code=1).stderr)
        error = self.compile([{"operator": "matmul", "seconds": 1}], code=3, targets="native").stderr
        self.assertIn("what exp costs on target 'native", error)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--results", help="JUnit file to write")
    OPTIONS, rest = parser.parse_known_args()
    run_unittests("mock_costs", OPTIONS.results, rest)
