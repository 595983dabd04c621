#!/usr/bin/env python3
"""What the backend testdevice owns and that it is right, on one device and on two; what becomes of its faults."""

import argparse
import json
import os
import signal
import sys
import tempfile
import unittest

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from owned_regions import Graph, regions_of, run_tool, why_wrong

OPTIONS = argparse.Namespace()
UNARY = ["Abs", "Exp", "Neg", "Relu", "Sigmoid", "Tanh"]
BINARY = ["Add", "Div", "Max", "Min", "Mul", "Sub"]
SHAPES = [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((3, 1), (1, 4)), ((), (2,)), ((0, 4), (1, 4))]
MATMULS = [((3, 6), (6, 4)), ((2, 3, 4), (4, 5)), ((3, 1, 2, 4), (5, 4, 6)), ((2, 0, 4), (4, 5)), ((2, 3, 0), (0, 5))]


class TestDeviceTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.model = os.path.join(scratch.name, "model.onnx")

    def owned(self, targets="testdevice", *options):
        return [ops for backend, ops in regions_of(OPTIONS.tool, self.model, targets, self.folder, *options) if backend == "testdevice"]

    def relay(self):
        """Product and activation, a softmax that it declines, and a sum with what was there before."""
        graph = Graph()
        value = graph.add("Relu", graph.add("MatMul", graph.input(3, 6), graph.weights(6, 4)))
        graph.output(graph.add("Add", value, graph.add("Softmax", value)))
        return graph.model(self.model)

    def test_operators(self):
        graph = Graph()
        for op in UNARY:
            graph.output(graph.add(op, graph.input(3, 5)))
        graph.output(graph.add("Sqrt", graph.add("Abs", graph.input(7))))
        for op in BINARY:
            for a, b in SHAPES:
                graph.output(graph.add(op, graph.input(*a), graph.input(*b)))
        for a, b in MATMULS:
            graph.output(graph.add("MatMul", graph.input(*a), graph.weights(*b)))
        graph.model(self.model)
        self.assertEqual(sum(len(ops.split("+")) for ops in self.owned()), len(UNARY) + 2 + len(BINARY) * len(SHAPES) + len(MATMULS))
        self.assertIsNone(why_wrong(OPTIONS.tool, self.model, "testdevice"))

    def test_movement_inside_of_a_region(self):
        import numpy as np
        graph = Graph()
        ints = lambda *values: graph.constant(np.array(values, np.int64))
        value = graph.add("Relu", graph.input(4, 6))
        left, right = graph.add("Split", value, outputs=2, axis=1, num_outputs=2)
        value = graph.add("Concat", graph.add("Neg", right), left, graph.add("Exp", left), axis=0)
        value = graph.add("Slice", value, ints(10, 2), ints(-13, -13), ints(0, 1), ints(-3, -1))
        value = graph.add("Unsqueeze", graph.add("Reshape", value, ints(3, 4)), ints(1))
        graph.output(graph.add("Abs", graph.add("Flatten", graph.add("Squeeze", value, ints(1)), axis=0)))
        graph.model(self.model)
        self.assertEqual(len(self.owned()), 1)
        self.assertIsNone(why_wrong(OPTIONS.tool, self.model, "testdevice"))

    def test_regions_and_the_host_between(self):
        self.relay()
        self.assertEqual(self.owned(), ["matmul+relu", "add"])
        self.assertIsNone(why_wrong(OPTIONS.tool, self.model, "testdevice"))

    def test_its_memory_spaces_are_listed(self):
        listed = json.loads(run_tool(OPTIONS.tool, "backends", "--json").stdout)
        spaces = {backend["name"]: backend["memory_spaces"] for backend in listed}
        self.assertEqual(spaces.pop("testdevice"), ["testdevice:0", "testdevice:1"])
        self.assertEqual(set(map(tuple, spaces.values())), {()})
        self.assertIn("\n  memory space testdevice:1\n", run_tool(OPTIONS.tool, "backends").stdout)

    def test_two_devices_are_two_targets(self):
        self.relay()
        rules = os.path.join(self.folder, "pins.json")
        with open(rules, "w", encoding="utf-8") as file:
            json.dump([{"op": "add", "must": "testdevice:1"}, {"op": "matmul", "must": "testdevice:0"}], file)
        artifact = os.path.join(self.folder, "two.tsr")
        result = run_tool(OPTIONS.tool, "compile", self.model, "--targets", "testdevice:0,testdevice:1,native", "--pins", rules, "-o", artifact)
        self.assertEqual(result.returncode, 0, result.stderr)
        inspected = json.loads(run_tool(OPTIONS.tool, "inspect", artifact, "--json").stdout)
        self.assertEqual([space["name"] for space in inspected["memory_spaces"]], ["host", "testdevice:0", "testdevice:1"])
        self.assertEqual(self.owned("testdevice:0,testdevice:1,native", "--pins", rules), ["matmul+relu", "add"])
        result = run_tool(OPTIONS.tool, "run", artifact, "--input", "x0=random:1")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_what_cannot_be_asked_or_compiled_others_run(self):
        self.relay()
        for fault, reason in (("query", "it cannot be asked (-fail=query)"), ("compile", "it compiles nothing (-fail=compile)")):
            with self.subTest(fault=fault):
                targets = f"testdevice -fail={fault}"
                self.assertEqual(self.owned(targets), [])
                self.assertIsNone(why_wrong(OPTIONS.tool, self.model, targets))
        result = run_tool(OPTIONS.tool, "partition", self.model, "--targets", "testdevice -fail=query", "--report")
        self.assertIn("it cannot be asked (-fail=query)", result.stdout + result.stderr)
        result = run_tool(OPTIONS.tool, "compile", self.model, "--targets", "testdevice -fail=compile", "-o", self.model + ".tsr")
        self.assertRegex(result.stderr, r"target 'testdevice [^']*' refused a region .*others run it: it compiles nothing")

    def test_a_crash_in_a_process_of_its_own_is_a_refusal(self):
        graph = Graph()
        graph.output(graph.add("Relu", graph.add("Tanh", graph.add("MatMul", graph.input(3, 6), graph.weights(6, 4)))))
        graph.model(self.model)
        faults = {"crash": "", "crash_in_passes": " in phase lower", "crash_in_query": " when it was asked about operators",
                  "crash_in_layouts": " when it was asked about operators"}
        for fault, place in faults.items():
            with self.subTest(fault=fault):
                command = ["compile", self.model, "--targets", f"testdevice -fail={fault}", "-o", self.model + ".tsr"]
                self.assertEqual(run_tool(OPTIONS.tool, *command).returncode, -signal.SIGABRT)
                result = run_tool(OPTIONS.tool, *command, "--isolate")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(result.stderr, rf"refused a region.*others run it: it crashed \(signal 6, Aborted\){place}")
                self.assertEqual(self.owned(f"testdevice -fail={fault}", "--isolate"), [])
                self.assertIsNone(why_wrong(OPTIONS.tool, self.model, f"testdevice -fail={fault}", "--isolate"))
                result = run_tool(OPTIONS.tool, *command, "--isolate", "--strict")
                self.assertEqual(result.returncode, 3, result.stderr)

    def test_the_conformance_kit_outlives_what_crashes_and_what_hangs(self):
        for fault, count, limit, why in (("crash", 20, "60", "it crashed (signal 6, Aborted)"), ("hang", 1, "3", "it did not answer within 3 s")):
            with self.subTest(fault=fault):
                report = os.path.join(self.folder, "report.json")
                result = run_tool(OPTIONS.tool, "conformance", "--backend", f"testdevice -fail={fault}", "--cases", str(count), "--json", report,
                                  environment={"TESSERA_WORKER_TIME_LIMIT": limit})
                self.assertEqual(result.returncode, 4, result.stderr)
                with open(report, encoding="utf-8") as file:
                    found = json.load(file)
                self.assertEqual(found["cases"], count)
                self.assertEqual([(failure["check"], failure["what"]) for failure in found["failures"]], [("crash", why)] * count)

    def test_the_conformance_kit_outlives_what_crashes_when_it_is_asked(self):
        for fault in ("crash_in_query", "crash_in_layouts"):
            with self.subTest(fault=fault):
                report = os.path.join(self.folder, "report.json")
                command = ["conformance", "--backend", f"testdevice -fail={fault}", "--json", report]
                result = run_tool(OPTIONS.tool, *command, "--cases", "40")
                self.assertEqual(result.returncode, 4, result.stderr)
                with open(report, encoding="utf-8") as file:
                    found = json.load(file)
                self.assertEqual(found["cases"], 40)
                self.assertNotEqual(found["failures"], [])
                for failure in found["failures"]:
                    self.assertEqual((failure["check"], failure["what"]), ("crash", "it crashed (signal 6, Aborted)"))
                    self.assertIn("tsr.tanh", failure["module"])
                again = run_tool(OPTIONS.tool, *command, "--case", found["failures"][0]["module"])
                self.assertEqual(again.returncode, 4, again.stderr)

    def test_the_conformance_kit_runs_both_devices_side_by_side(self):
        report = os.path.join(self.folder, "report.json")
        for fault, status, checks in (("none", 0, set()), ("wrong_peer", 4, {"devices"})):
            with self.subTest(fault=fault):
                result = run_tool(OPTIONS.tool, "conformance", "--backend", f"testdevice -fail={fault}", "--cases", "60", "--json", report)
                self.assertEqual(result.returncode, status, result.stderr)
                with open(report, encoding="utf-8") as file:
                    found = json.load(file)
                self.assertEqual(found["memory_spaces"], ["testdevice:0", "testdevice:1"])
                self.assertEqual({failure["check"] for failure in found["failures"]}, checks)

    def test_what_fails_on_the_device_is_named(self):
        self.relay()
        for fault, message in (("load", "region 'testdevice_0'.*testdevice:0 loads nothing"), ("run:1", "region 'testdevice_0'.*testdevice:0 fails run 1"),
                               ("half:1", "region 'testdevice_0', or a copy behind it: testdevice:0 stops in the midst of run 1"),
                               ("memory", "region 'testdevice_0', or a copy behind it: testdevice:0 has no memory left")):
            with self.subTest(fault=fault):
                result = run_tool(OPTIONS.tool, "run", self.model, "--targets", f"testdevice -fail={fault}", "--input", "x0=zeros")
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertRegex(result.stderr, message)

    def test_a_trace_shows_that_devices_work_at_once(self):
        """A copy to one device overlaps what the other computes: each has a track of its own."""
        graph = Graph()
        graph.output(graph.add("Relu", graph.input(64)))
        graph.output(graph.add("Neg", graph.input(64)))
        graph.model(self.model)
        rules, trace = os.path.join(self.folder, "pins.json"), os.path.join(self.folder, "trace.json")
        with open(rules, "w", encoding="utf-8") as file:
            json.dump([{"op": "relu", "must": "testdevice:0"}, {"op": "neg", "must": "testdevice:1"}], file)
        result = run_tool(OPTIONS.tool, "bench", self.model, "--targets", "testdevice:0 -launch_us=100000,testdevice:1 -copy_gbps=0.00001,native", "--pins",
                          rules, "--warmup", "0", "--iterations", "1", "--trace", trace)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        tracks = {event["args"]["name"].split(" ")[0]: event["tid"] for event in events if event["ph"] == "M"}
        self.assertEqual(set(tracks), {"host", "testdevice", "testdevice:1"})  # A device 0 is not said.
        def spans(track, category):
            return [(event["ts"], event["ts"] + event["dur"]) for event in events
                    if event["ph"] == "X" and event["tid"] == tracks[track] and event["cat"] == category]
        computing, copies = spans("testdevice", "region"), spans("testdevice:1", "copy")
        self.assertEqual(len(computing), 5)
        self.assertTrue(any(a < end and begin < b for a, b in computing for begin, end in copies), (computing, copies))

    def test_wrong_values_are_found(self):
        self.relay()
        self.assertIsNotNone(why_wrong(OPTIONS.tool, self.model, "testdevice -fail=wrong"))

    def test_wrong_regions_go_to_others_where_they_are_verified(self):
        self.relay()
        artifact = self.model + ".tsr"
        result = run_tool(OPTIONS.tool, "compile", self.model, "--targets", "testdevice -fail=wrong,native", "--verify", "-o", artifact)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"refused a region \(node '\w+'\), others run it: output 0 differs from the reference by up to")
        regions = json.loads(run_tool(OPTIONS.tool, "inspect", artifact, "--json").stdout)["regions"]
        self.assertEqual({region["backend"] for region in regions}, {"native"})
        result = run_tool(OPTIONS.tool, "compile", self.model, "--targets", "testdevice -fail=run:1,native", "--verify", "-o", artifact)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("others run it: ", result.stderr)
        result = run_tool(OPTIONS.tool, "compile", self.model, "--targets", "testdevice -fail=wrong,native", "--verify", "--strict", "-o",
                          artifact)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertRegex(result.stderr, r"region 'testdevice_0' of target 'testdevice[^']*' \(node '\w+'\): output 0 differs")
        result = run_tool(OPTIONS.tool, "compile", self.model, "--targets", "testdevice,native", "--verify", "-o", artifact)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        regions = json.loads(run_tool(OPTIONS.tool, "inspect", artifact, "--json").stdout)["regions"]
        self.assertIn("testdevice", {region["backend"] for region in regions})

    def test_targets_that_are_none_are_refused(self):
        self.relay()
        for target, why in (("testdevice:2", "there are two devices, number 0 and 1"), ("testdevice -fail=run:0", "found fault 'run:0'"),
                            ("testdevice -fail=sometimes", "found fault 'sometimes'"), ("testdevice -copy_gbps=-1", "its costs are below 0"),
                            ("testdevice -launch_us=soon", "expected int")):
            with self.subTest(target=target):
                result = run_tool(OPTIONS.tool, "compile", self.model, "--targets", target, "-o", self.model + ".tsr")
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(why, result.stderr)

    def test_what_it_cannot_say_others_run(self):
        graph = Graph()
        graph.output(graph.add("Add", graph.input("n", 6), graph.weights(6)))
        graph.model(self.model)
        self.assertEqual(self.owned(), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=["testdevice_test", *rest])
