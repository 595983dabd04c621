#!/usr/bin/env python3
"""Saved modules that were broken by hand, and artifacts for what is not there: each is refused with one sentence, exit code 1 or 2,
and no file is left."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "harness"))
from owned_regions import Graph

OPTIONS = argparse.Namespace()
TYPE = "tensor<4x4xf32>"
FAR = 'tensor<4x4xf32, #tsr.layout<space = "gpu:0">>'
ADD = "%0 = tsr.add %arg0, %arg1 :"
NATIVE = re.compile(r'#tsr\.target<"native", \{[^}]*\}>')
REGION = re.compile(r"  func\.func private .*?\n  \} loc.*?\n", re.DOTALL)


def tessera(*arguments):
    return subprocess.run([OPTIONS.tool, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


class BadInputTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        graph = Graph()
        value = graph.add("Relu", graph.add("Add", graph.input(4, 4), graph.input(4, 4)))
        graph.output(graph.add("Exp", value))
        cls.model = graph.model(os.path.join(cls.scratch.name, "model.onnx"))
        cls.whole, cls.placed = (cls.stopped_after(phase) for phase in ("pre_partition", "partition"))

    @classmethod
    def stopped_after(cls, phase):
        path = os.path.join(cls.scratch.name, f"{phase}.mlir")
        result = tessera("compile", cls.model, "--targets", "native", "--stop-after", phase, "--emit", "mlir", "-o", path)
        assert result.returncode == 0, result.stderr
        with open(path, encoding="utf-8") as file:
            return file.read()

    def refuse(self, text, *sentences):
        """`text` is not what was saved, and is refused."""
        self.assertNotIn(text, (self.whole, self.placed))
        path, result = (os.path.join(self.scratch.name, name) for name in ("bad.mlir", "bad.tsr"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        found = tessera("compile", path, "-o", result)
        self.assertIn(found.returncode, (1, 2), found.stderr)
        for sentence in sentences:
            self.assertIn(sentence, found.stderr)
        self.assertEqual([line for line in found.stderr.splitlines() if not line.startswith("note:")],
                         [line for line in found.stderr.splitlines() if line.startswith(f"error: {path}")], found.stderr)
        self.assertEqual(found.stderr.count("error:"), 1, found.stderr)
        self.assertFalse(os.path.exists(result))

    def test_the_saved_modules_compile(self):
        for name in ("pre_partition.mlir", "partition.mlir"):
            path = os.path.join(self.scratch.name, name)
            self.assertEqual(tessera("compile", path, "-o", path + ".tsr").returncode, 0)

    def test_operators_that_nobody_takes_are_named(self):
        graph = Graph()
        graph.output(graph.add("QLinearMatMul", *(graph.input(4, 4) for _ in range(8))))
        model = graph.model(os.path.join(self.scratch.name, "unknown.onnx"))
        found = tessera("compile", model, "--targets", "native", "-o", os.path.join(self.scratch.name, "unknown.tsr"))
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn("node 'n0': no target takes the ONNX operator QLinearMatMul (native: ", found.stderr)

    def test_broken_marks(self):
        def begin(target):
            mark = f"%a = tsr.compiler_begin {target} %arg0 : ({TYPE}) -> {TYPE}\n    "
            return self.whole.replace(ADD, mark + ADD.replace("%arg0", "%a"))
        self.refuse(begin('"gpu"'), "found a mark for target 'gpu', which is none of the module's")
        self.refuse(begin('"native"'), "node 'n0': reads some values that are marked for target 'native",
                    "expected tsr.compiler_begin on it")
        self.refuse(begin("5"), "integer literal not valid")
        end = f'%e = tsr.compiler_end "native" %0 : ({TYPE}) -> {TYPE}\n    '
        self.refuse(self.whole.replace("%1 = tsr.relu %0", end + "%1 = tsr.relu %e"), "ends no marked part")

    def test_unknown_memory_spaces(self):
        read = self.whole.replace(f"%arg0: {TYPE}", f"%arg0: {FAR}", 1).replace(f"{ADD} ({TYPE}", f"{ADD} ({FAR}")
        self.refuse(read, "node 'n0': no target takes tsr.add", "found gpu:0")
        there = f"%s = tsr.copy %arg0 : ({TYPE}) -> {FAR}\n    %b = tsr.copy %s : ({FAR}) -> {TYPE}\n    "
        self.refuse(self.whole.replace(ADD, there + ADD.replace("%arg0", "%b")), "no target takes tsr.copy")

    def test_a_module_for_a_plugin_that_is_not_there(self):
        ghost = '#tsr.target<"ghost">'
        self.refuse(self.whole.replace("tessera.targets = [", f"tessera.targets = [{ghost}, "),
                    "compiled for target 'ghost', which this compiler does not have")
        self.refuse(NATIVE.sub(ghost, self.placed), "compiled for target 'ghost', which this compiler does not have")
        head, target, region = self.placed.partition("tessera.region_class")
        self.refuse(head + target + NATIVE.sub(ghost, region),
                    "function 'native_0' belongs to target 'ghost', which is none of the module's")
        self.refuse(head + target + NATIVE.sub('"native"', region), "belongs to something that is no target")

    def test_two_regions_of_one_symbol(self):
        region = REGION.search(self.placed).group()
        self.refuse(self.placed.replace(region, region + region), "redefinition of symbol named 'native_0'")
        self.refuse(self.placed.replace("call @native_0", "call @native_7"), "'native_7' does not reference a valid function")

    def test_attributes_of_the_wrong_type(self):
        def with_target(attributes):
            return NATIVE.sub(f'#tsr.target<"native", {{{attributes}}}>', self.whole)
        self.refuse(with_target("mcpu = 3 : i64"), "attribute 'mcpu' of target 'native' is 3, expected string")
        self.refuse(with_target("mcpu = true"), "attribute 'mcpu' of target 'native' is true, expected string")
        self.refuse(with_target('bogus = "x"'), "attribute 'bogus' of target 'native' does not exist")
        for name, value, sentence in (("targets", '"native"', "is no list of targets"), ("targets", '["native"]', "compiled for target '?'"),
                                      ("threads", '"many"', "is no number of threads"), ("phase", "4 : i64", "is no name of a phase"),
                                      ("phase", '"dinner"', "is no name of a phase"), ("placement", "1 : i64", "is no placement")):
            with self.subTest(name=name, value=value):
                broken = re.sub(rf"tessera\.{name} = (\[.*?\]|\"\w+\"|0 : i64)", f"tessera.{name} = {value}", self.whole)
                self.refuse(broken, sentence)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    OPTIONS, remaining = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + remaining)
