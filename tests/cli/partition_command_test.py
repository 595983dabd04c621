#!/usr/bin/env python3
"""tessera partition, rules about placing and passes of one's own, as a user meets them: who owns what and why, and what
is refused with which sentence."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

import onnx
from onnx import TensorProto, helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "harness"))
import backends
import junit

OPTIONS = argparse.Namespace()


def tessera(*arguments):
    return subprocess.run([OPTIONS.tool, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write_model(path):
    """sum, act, exp, sig and prod, one behind the other."""
    nodes = [helper.make_node("Add", ["a", "b"], ["s"], "sum"), helper.make_node("Relu", ["s"], ["r"], "act"),
             helper.make_node("Exp", ["r"], ["e"], "exp"), helper.make_node("Sigmoid", ["e"], ["g"], "sig"),
             helper.make_node("Mul", ["r", "g"], ["y"], "prod")]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 4]) for name in "aby"]
    model = helper.make_model(helper.make_graph(nodes, "chain", values[:2], values[2:]),
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)


class PartitionCommandTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if "null" not in backends.backends_of(OPTIONS.tool):
            raise unittest.SkipTest("this build has no backend 'null'")
        cls.scratch = tempfile.TemporaryDirectory()
        cls.model = os.path.join(cls.scratch.name, "chain.onnx")
        write_model(cls.model)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def partition(self, *arguments):
        result = tessera("partition", self.model, "--targets", "null,native", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def owners(self, *arguments):
        nodes = json.loads(self.partition("--json", *arguments))
        return {node["node"]: node["owner"].split()[0] for node in nodes}

    def pins(self, rules):
        path = self.path("pins.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(rules if isinstance(rules, str) else json.dumps(rules))
        return path

    def test_the_report_names_owner_willing_and_refusals(self):
        nodes = {node["node"]: node for node in json.loads(self.partition("--json"))}
        self.assertEqual(list(nodes), ["sum", "act", "exp", "sig", "prod"])
        kinds = {name: [node["owner"].split()[0], [text.split()[0] for text in node["willing"]],
                        [refusal["target"].split()[0] for refusal in node["refusals"]]] for name, node in nodes.items()}
        self.assertEqual(kinds, {"sum": ["null", ["native"], []], "act": ["null", ["native"], []], "exp": ["native", [], ["null"]],
                                 "sig": ["native", [], ["null"]], "prod": ["null", ["native"], []]})
        self.assertEqual(nodes["exp"]["refusals"][0]["reason"], "it takes add, matmul, mul and relu only")
        text = self.partition("--report")
        self.assertIn("    also native", text)
        self.assertRegex(text, "    not null .*: it takes add, matmul, mul and relu only")
        self.assertRegex(text, "null .*: 3 nodes in 2 regions")

    def test_a_refused_regions_reason_is_in_the_report(self):
        result = tessera("partition", self.model, "--targets", "null -refuse=region,native", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        nodes = {node["node"]: node for node in json.loads(result.stdout)}
        self.assertEqual(nodes["sum"]["refusals"][0]["reason"], "it refuses every region (-refuse=region)")

    def test_the_placed_module_compiles_to_the_bytes_of_the_direct_compilation(self):
        direct = self.path("direct.tsr")
        self.assertEqual(tessera("compile", self.model, "--targets", "null,native", "-o", direct).returncode, 0)
        for name in ("part.mlir", "part.mlirbc"):
            self.partition("-o", self.path(name))
            again = self.path("again.tsr")
            result = tessera("compile", self.path(name), "-o", again)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(read(again), read(direct))

    def test_rules_place_operators(self):
        self.assertEqual(self.owners("--pins", self.pins([{"node": "(act|sum)", "must": "native"}]))["act"], "native")
        self.assertEqual(self.owners("--pins", self.pins([{"op": "Mul", "forbid": "null"}]))["prod"], "native")
        preferred = self.owners("--pins", self.pins([{"dtype": "f32", "rank": 2, "dims": [4, -1], "prefer": "native"}]))
        self.assertEqual(set(preferred.values()), {"native"})

    def test_broken_rules_are_refused(self):
        cases = [([{"node": "exp", "must": "null"}], "rule 1 (node 'exp' must null)"),
                 ([{"must": "gpu"}], "rule 1 (must gpu) names target 'gpu', which is none of the module's"),
                 ([{"op": "Exp"}], "rule 1: found none of must, prefer and forbid"),
                 ([{"must": "null", "rank": 2.5}], "rule 1: field 'rank', expected a text, a whole number or a list"),
                 ([{"must": "null", "rank": 2**63}], "rule 1: field 'rank', expected a text, a whole number or a list"),
                 ([{"must": "null", "rank": -1}], "rule 1: field 'rank', expected a rank from 0"),
                 ([{"must": "null", "dims": [4, -2]}], "rule 1: field 'dims', expected sizes, -1 for any"),
                 ([{"must": "null", "dtype": "float"}], "rule 1: field 'dtype', expected an element type of MLIR"),
                 ([{"must": "null", "shape": [2]}], "rule 1: field 'shape', expected node, op, dtype, rank, dims"),
                 (["null"], "rule 1: found no object"), ({"must": "null"}, "found no list, expected a list of rules"),
                 ("[", "it is no JSON")]
        for rules, sentence in cases:
            with self.subTest(rules=rules):
                result = tessera("partition", self.model, "--targets", "null,native", "--pins", self.pins(rules))
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(sentence, result.stderr)
                self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        for file, sentence in ((self.path("none.json"), "cannot open the file"), (self.scratch.name, "it is not a regular file")):
            result = tessera("partition", self.model, "--pins", file)
            self.assertEqual((result.returncode, sentence in result.stderr), (1, True), result.stderr)

    def test_what_evaluates_modules_owns_nothing(self):
        result = tessera("partition", self.model, "--targets", "reference")
        self.assertEqual((result.returncode, result.stderr), (2, "error: target 'reference' evaluates modules and owns nothing\n"))

    def test_rules_come_before_placing(self):
        placed = self.path("placed.mlir")
        self.partition("-o", placed)
        result = tessera("compile", placed, "-o", self.path("x.tsr"), "--pins", self.pins([{"must": "native"}]))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("rules about placing come too late", result.stderr)
        result = tessera("partition", placed, "-o", self.path("twice.mlir"))
        self.assertEqual(result.returncode, 0, result.stderr)  # Placed already, and for the same targets.

    def test_added_passes_run_in_their_phase(self):
        shown = tessera("compile", self.model, "-o", self.path("x.tsr"), "--timing", "--add-pass", "pre_partition:canonicalize",
                        "--add-pass", "post_partition:func.func(cse)")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        rows = [line.split()[2:4] for line in shown.stdout.splitlines() if " ms " in line]
        self.assertIn(["pre_partition", "canonicalize"], rows)
        self.assertIn(["post_partition", "cse"], rows)
        for text, sentence in (("canonicalize", "expected PHASE:NAME"), ("nowhere:canonicalize", "expected PHASE:NAME"),
                               ("emit:", "expected PHASE:NAME"), ("emit:no-such-pass", "cannot add passes 'no-such-pass'")):
            result = tessera("compile", self.model, "-o", self.path("x.tsr"), "--add-pass", text)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(sentence, result.stderr)

    def test_a_module_that_some_targets_lowered_compiles_to_the_same_bytes(self):
        direct, part, again = (self.path(name) for name in ("direct.tsr", "mixed.mlir", "mixed.tsr"))
        targets = ("--targets", "null,native")
        self.assertEqual(tessera("compile", self.model, *targets, "-o", direct).returncode, 0)
        for stop in ("lower:null", "lower:native", "optimize:null", "post_partition:null"):
            with self.subTest(stop=stop):
                result = tessera("compile", self.model, *targets, "--emit", "mlir", "--stop-after", stop, "-o", part)
                self.assertEqual(result.returncode, 0, result.stderr)
                with open(part, encoding="utf-8") as file:
                    self.assertIn("tessera.hooked", file.read())
                result = tessera("compile", part, "-o", again)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(read(again), read(direct))
        for stop, sentence in (("lower:gpu", "cannot stop after target 'gpu'"), ("lower:", "expected PHASE or PHASE:TARGET"),
                               ("dinner", "expected PHASE or PHASE:TARGET")):
            result = tessera("compile", self.model, *targets, "--emit", "mlir", "--stop-after", stop, "-o", part)
            self.assertEqual((result.returncode, sentence in result.stderr), (2, True), result.stderr)

    def test_results_replace_no_input(self):
        result = tessera("partition", self.model, "-o", self.path("part.tsr"))
        self.assertEqual((result.returncode, "expected a name that ends in .mlir" in result.stderr), (2, True), result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--results", help="JUnit file to write")
    OPTIONS, remaining = parser.parse_known_args()
    junit.run_unittests("partition_command", OPTIONS.results, remaining)
