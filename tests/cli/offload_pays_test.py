#!/usr/bin/env python3
"""Can run is not should run: a device that is measured, with copies and calls that cost time, gets what pays for both, and its attributes say what
does. What the sums should be for costs that are made up is in mock_costs_test.py."""

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
SIZE = 256  # Of square matrices: some 0.1 ms for a product on the host, far less on the device.
FAST = "-gflops=20000"
SLOW_COPIES, FAST_COPIES = "-copy_gbps=0.01", "-copy_gbps=1000"  # 26 ms for a matrix; nothing.


class OffloadPaysTest(ScratchTest):
    def setUp(self):
        super().setUp()
        self.needs(OPTIONS.tool, "testdevice")

    def assert_owners(self, model, device, expected):
        """The plan that wins gives the regions, in order, to these. Where others use the machine as hard as we do another may win by chance: it is
        searched again."""
        for attempt in range(3):
            owners = self.owners(model, device, f"costs_{attempt}.db")
            if owners == expected:
                return
        self.assertEqual(owners, expected)

    def owners(self, model, device, store):
        artifact, plan = self.path("model.tsr"), self.path("plan.json")
        command = [OPTIONS.tool, "compile", model, "-o", artifact, "--placement", "measured", "--targets", f"testdevice {device},native", "--costs",
                   self.path(store), "--patience", "0s", "--save-plan", plan]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        inspected = subprocess.run([OPTIONS.tool, "inspect", artifact, "--json"], capture_output=True, text=True, timeout=60, check=True)
        return [region["backend"] for region in json.loads(inspected.stdout)["regions"]]

    def model(self, make):
        graph = Graph()
        graph.output(make(graph, graph.input(SIZE, SIZE)))
        return graph.model(self.path("model.onnx"))

    @staticmethod
    def chain(graph, value, length=6):
        for _ in range(length):
            value = graph.add("MatMul", value, graph.weights(SIZE, SIZE, scale=1 / 16))
        return value

    def test_a_lone_sum_stays_on_the_host(self):
        model = self.model(lambda graph, value: graph.add("Add", value, value))
        self.assert_owners(model, f"{FAST} {SLOW_COPIES}", ["native"])
        self.assert_owners(model, f"{FAST} {FAST_COPIES} -launch_us=2000", ["native"])

    def test_a_chain_of_products_goes_over_where_copies_and_calls_cost_less(self):
        model = self.model(self.chain)
        self.assert_owners(model, f"{FAST} {FAST_COPIES}", ["testdevice"])
        native = ["native"] * 6
        self.assert_owners(model, f"{FAST} {SLOW_COPIES}", native)
        self.assert_owners(model, f"{FAST} {FAST_COPIES} -launch_us=20000", native)
        self.assert_owners(model, f"-gflops=1 {FAST_COPIES}", native)

    def test_a_gather_in_its_midst_comes_back_where_two_copies_cost_less(self):
        def make(graph, value):
            rows = graph.constant(np.arange(SIZE)[::-1].astype(np.int64))
            return self.chain(graph, graph.add("Gather", self.chain(graph, value), rows, axis=0))
        model = self.model(make)
        self.assert_owners(model, f"{FAST} {FAST_COPIES}", ["testdevice", "native", "testdevice"])
        self.assert_owners(model, f"{FAST} {SLOW_COPIES}", ["native"] * 13)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--results", help="JUnit file to write")
    OPTIONS, rest = parser.parse_known_args()
    run_unittests("offload_pays", OPTIONS.results, rest)
