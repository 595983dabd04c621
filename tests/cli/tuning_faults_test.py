#!/usr/bin/env python3
"""--placement measured goes on whatever its trials do: a target that does not compile, load or run, that crashes, hangs or is wrong is avoided, and
what was measured before the whole is ended stays."""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]
from junit import run_unittests
from owned_regions import Graph
from scratch import ScratchTest

OPTIONS = argparse.Namespace()
# What fails each time that it is tried, and what happens then.
ALWAYS = {"compile": "declined", "crash": "crashed", "crash_in_passes": "crashed", "hang_in_compile": "timed_out", "load": "failed",
          "crash_in_load": "crashed", "run:1": "failed", "crash_in_run": "crashed", "crash_in_run:2": "crashed", "memory": "failed", "wrong": "wrong",
          "wrong:3": "wrong", "hang": "timed_out", "hang:2": "timed_out"}


class TuningFaultsTest(ScratchTest):
    def setUp(self):
        super().setUp()
        self.needs(OPTIONS.tool, "testdevice")
        graph = Graph()
        value = graph.add("Relu", graph.add("MatMul", graph.input(3, 6), graph.weights(6, 4)))
        graph.output(graph.add("Tanh", graph.add("Neg", graph.add("Softmax", value, axis=-1))))
        self.model = graph.model(self.path("model.onnx"))

    def run_tool(self, *arguments, code=0, megabytes=4096, **options):
        environment = {**os.environ, "TESSERA_WORKER_TIME_LIMIT": "5", "TESSERA_WORKER_MEMORY_LIMIT": str(megabytes)}
        result = subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=300, env=environment, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def measure(self, command, *options, code=0, targets="native", **more):
        output = ["-o", self.path("model.tsr")] if command == "compile" else []
        placement = ["--placement", "measured"] if command == "compile" else []
        return self.run_tool(command, self.model, *output, *placement, "--targets", targets, "--costs", self.path("costs.db"), "--patience", "0s",
                             *options, code=code, **more)

    def assert_right(self):
        for name, arguments in (("a.npz", [self.path("model.tsr")]), ("b.npz", [self.model, "--targets", "reference"])):
            self.run_tool("run", *arguments, "--input", "x0=random:7", "--output", self.path(name))
        with np.load(self.path("a.npz")) as actual, np.load(self.path("b.npz")) as expected:
            for name in expected.files:
                np.testing.assert_allclose(actual[name], expected[name], rtol=1e-5, atol=1e-6)

    def owners(self):
        regions = json.loads(self.run_tool("inspect", self.path("model.tsr"), "--json").stdout)["regions"]
        return {region["backend"] for region in regions}

    def test_who_always_fails_is_avoided_and_told(self):
        for memory in ("host", "own"):
            for fault, outcome in ALWAYS.items():
                if memory == "own" and "hang" in fault:
                    continue  # It takes long, and is no other one.
                with self.subTest(fault=fault, memory=memory):
                    for name in os.listdir(self.folder):
                        if name.startswith("costs.db"):
                            os.remove(self.path(name))
                    plan = self.path("plan.json")
                    self.measure("compile", "--save-plan", plan, targets=f"testdevice -fail={fault} -memory={memory},native")
                    self.assert_right()
                    self.assertEqual(self.owners(), {"native"})
                    with open(plan, encoding="utf-8") as file:
                        answers = json.load(file)["answers"]
                    told = {kind for answer in answers if answer["target"].startswith("testdevice") for kind in answer}
                    # Which trials come before it is given up depends on the machine: they may be of tiles that no answer is about.
                    is_given_up = any("hung in too many trials" in answer.get("failed", "") for answer in answers)
                    self.assertTrue(outcome in told or (outcome == "timed_out" and is_given_up), answers)

    def test_trials_have_no_weights_of_their_own(self):
        """There are more of them than a worker may have memory: it maps those of the compilation, each trial anew."""
        weights, megabytes = 256 << 20, 200
        graph = Graph()
        row = graph.add("Cast", graph.input(8), to=7)
        value = graph.add("Gather", graph.weights(weights // 4096, 1024), row, axis=0)
        packed = graph.weights(1024, weights // 4096)  # A product's weights are in another order in memory.
        graph.output(graph.add("Relu", graph.add("ReduceMean", graph.add("MatMul", value, packed))))
        self.model = graph.model(self.path("model.onnx"))
        self.measure("compile", "--save-plan", self.path("plan.json"), megabytes=megabytes)
        with open(self.path("plan.json"), encoding="utf-8") as file:
            plan = json.load(file)
        self.assertGreater(plan["search"]["measured"], 0)
        for contestant in plan["contestants"]:
            self.assertGreater(contestant["measured"]["seconds"], 0, contestant)
        self.assert_right()

    def test_who_crashes_while_it_is_asked_is_avoided(self):
        graph = Graph()  # With a view, which is in no region.
        value = graph.add("Flatten", graph.add("MatMul", graph.input(2, 3, 4), graph.weights(4, 5)), axis=1)
        graph.output(graph.add("Tanh", graph.add("MatMul", value, graph.weights(15, 3))))
        self.model = graph.model(self.path("view.onnx"))
        for fault in ("crash_in_layouts", "crash_in_query"):
            for isolation in ([], ["--isolate"]):
                with self.subTest(fault=fault, isolation=isolation):
                    targets = f"testdevice -fail={fault},native"
                    self.measure("compile", *isolation, "--save-plan", self.path("plan.json"), targets=targets)
                    self.assert_right()
                    self.assertEqual(self.owners(), {"native"})
                    with open(self.path("plan.json"), encoding="utf-8") as file:
                        answers = json.load(file)["answers"]
                    reasons = {answer.get("declined", "") for answer in answers if answer["target"].startswith("testdevice")}
                    self.assertTrue(any("when it was asked about operators" in reason for reason in reasons), reasons)
                    # The verdict, too, and a plan that is followed, ask nobody again who did not outlive it.
                    self.measure("compile", *isolation, targets=targets)
                    self.run_tool("compile", self.model, "-o", self.path("model.tsr"), "--targets", targets, "--plan", self.path("plan.json"), *isolation)
                    self.assert_right()

    def test_who_fails_now_and_then_takes_nothing_with_it(self):
        for fault in ("run:2", "run:7", "half:3", "half:20", "query"):
            with self.subTest(fault=fault):
                self.measure("compile", targets=f"testdevice -fail={fault} -memory=host,native")
                if "testdevice" not in self.owners():  # Else its third run fails there, too.
                    self.assert_right()

    def test_what_was_measured_outlives_a_process_that_is_killed(self):
        # One that hangs after a while, and is waited for: it is not over before it is killed.
        command = [OPTIONS.tool, "tune", self.model, "--targets", "native,testdevice -fail=hang:40", "--costs", self.path("costs.db"),
                   "--patience", "0s"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   env={**os.environ, "TESSERA_WORKER_TIME_LIMIT": "600"})
        stat = lambda: json.loads(self.run_tool("costs", "stat", "--json", "--costs", self.path("costs.db")).stdout)["records"]
        while not os.path.exists(self.path("costs.db")) or stat() < 3:
            self.assertIsNone(process.poll(), "it was over before it could be killed")
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        records = stat()
        self.assertGreaterEqual(records, 3)
        self.measure("compile")
        self.assertGreater(stat(), records)
        self.assert_right()

    def test_a_full_disk_is_said_and_costs_the_measurements_alone(self):
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 15, 1 << 15)), "restore_signals": False}
        error = self.measure("tune", code=1, **limit).stderr
        self.assertRegex(error, r"costs\.db: it cannot be written")
        self.assertRegex(self.measure("compile", **limit).stderr, r"note: what was measured is not kept: .*costs\.db: it cannot be written")
        self.assert_right()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--results", help="JUnit file to write")
    OPTIONS, rest = parser.parse_known_args()
    run_unittests("tuning_faults", OPTIONS.results, rest)
