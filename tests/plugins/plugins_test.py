#!/usr/bin/env python3
"""Plugins through the command line: one that does everything wrong that a library can, where it is found, what is said
of it. Whatever it does, the artifact that comes out computes what `native` alone computes."""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPTIONS = None
CRASH = "it crashed (signal 11, Segmentation fault) in "


def write_model(path):
    """relu(x @ w) -> softmax -> * -> y, with large weights."""
    rng = np.random.default_rng(5)
    weight = (rng.standard_normal((64, 64)) / 8).astype(np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"], "product"), helper.make_node("Relu", ["m"], ["r"], "relu"),
             helper.make_node("Softmax", ["r"], ["s"], "softmax", axis=-1), helper.make_node("Mul", ["s", "r"], ["y"], "gate")]
    graph = helper.make_graph(nodes, "plugins", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, 64])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [8, 64])],
                              [numpy_helper.from_array(weight, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)


class PluginsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.model = os.path.join(cls.folder, "model.onnx")
        write_model(cls.model)
        cls.expected = None

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        if self.expected is None:
            type(self).expected = self.answers_of(self.compile("native", plugin=None)[0])

    def run_tool(self, *arguments, **environment):
        return subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=300, check=False,
                              env={**os.environ, **environment})

    def compile(self, targets, plugin="given", flags=(), **environment):
        """Path of the artifact and stderr."""
        artifact = os.path.join(self.folder, "model.tsr")
        if plugin == "given":
            flags = [*flags, "--plugin", OPTIONS.hostile]
        result = self.run_tool("compile", self.model, "--targets", targets, "-o", artifact, *flags, **environment)
        if result.returncode != 0:
            raise AssertionError(result.stderr)
        assert "noise" not in result.stdout, result.stdout
        return artifact, result.stderr

    def answers_of(self, artifact):
        out = os.path.join(self.folder, "out.npz")
        result = self.run_tool("run", artifact, "--input", "x=random:3", "--output", out)
        if result.returncode != 0:
            raise AssertionError(result.stderr)
        return np.load(out)["y"]

    def expect_refusal(self, what, reason, **environment):
        """The compile says why and gives what native gives."""
        artifact, messages = self.compile(f"hostile -do={what},native", **environment)
        self.assertIn(reason, messages)
        np.testing.assert_array_equal(self.answers_of(artifact), self.expected)

    def report(self, what):
        result = self.run_tool("partition", self.model, "--plugin", OPTIONS.hostile, "--targets",
                               f"hostile -do={what},native", "--report")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def expect_declined(self, what, reason):
        """Every operator is native's and the report says why."""
        lines = self.report(what)
        self.assertEqual(len(re.findall(f"not hostile -do={what}: .*{reason}", lines)), 4, lines)
        artifact, _ = self.compile(f"hostile -do={what},native")
        np.testing.assert_array_equal(self.answers_of(artifact), self.expected)

    def test_what_it_says_of_nodes(self):
        self.expect_declined("crash:query", r"it crashed \(signal 11, Segmentation fault\)")
        self.expect_declined("abort:query", r"it crashed \(signal 6, Aborted\)")
        self.expect_declined("exit:query", r"it ended its process \(exit code 3\)")
        self.expect_declined("garbage:query", "it answered with what is no message")
        self.expect_declined("fail:query", "it has no licence")
        self.expect_declined("silent:query", "it does not answer about it")
        self.expect_declined("kind:query", "it answers with 77, which is no kind of answer")
        self.expect_declined("wrong:query", "it answers about node 6 of 1")
        self.expect_declined("short:query", "it gives no reason")

    def test_what_it_says_of_regions(self):
        self.expect_refusal("crash:region", CRASH + "query_region")
        self.expect_refusal("fail:region", "it has no licence")
        self.expect_refusal("refuse:region", "it does not like it")

    def test_what_it_makes_of_regions(self):
        self.expect_refusal("crash:compile", CRASH + "compile")
        self.expect_refusal("exit:compile", "it ended its process (exit code 3) in compile")
        self.expect_refusal("fail:compile", "it has no licence")
        self.expect_refusal("silent:compile", "it gives no code for it")
        self.expect_refusal("wrong:compile", "its code is blob 99 of 1")
        self.expect_refusal("huge:compile", "it asks for 18446744073709551615 bytes of workspace")
        self.expect_refusal("nameless:compile", "its code has no entry")
        self.expect_refusal("extra:compile", "it answers about region 1 of 1")

    def test_who_does_not_answer_is_ended(self):
        limit = {"TESSERA_WORKER_TIME_LIMIT": "0.5"}
        self.expect_refusal("hang:compile", "it did not answer within 0.5 s in compile", **limit)
        self.expect_refusal("deaf:compile", "it did not answer within 0.5 s in compile", **limit)

    def test_noise_is_not_on_standard_output(self):
        _, messages = self.compile("hostile -do=noise:all,native", flags=["--stop-after", "emit", "--emit", "mlir"])
        self.assertIn("noise on standard output", messages)

    def test_a_crash_in_every_call(self):
        self.expect_declined("crash:all", r"it crashed \(signal 11, Segmentation fault\)")

    def test_strict_fails(self):
        result = self.run_tool("compile", self.model, "--plugin", OPTIONS.hostile, "--targets", "hostile -do=crash:compile,native",
                               "--strict", "-o", os.path.join(self.folder, "strict.tsr"))
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn(CRASH + "compile", result.stderr)

    def test_a_group_is_taken_as_a_whole(self):
        """Of four nodes in a row the second is refused: the first and the third of one group are in two regions."""
        for what, expected in (("group", "native"), ("whole", "hostile")):
            artifact, messages = self.compile(f"hostile -do={what}:query,native")
            reason = "it takes it only together with 'softmax', which is not in the region"
            self.assertEqual(reason in messages, what == "group", messages)
            info = json.loads(self.run_tool("inspect", artifact, "--json").stdout)
            owners = {region["target"].split()[0] for region in info["regions"]}
            self.assertEqual(owners, {expected})

    def test_one_region_with_all_constants_inside(self):
        artifact, _ = self.compile("hostile,native")
        info = json.loads(self.run_tool("inspect", artifact, "--json").stdout)
        self.assertEqual([region["target"] for region in info["regions"]], ["hostile -do=nothing"])
        self.assertEqual(info["constants"], 0)
        result = self.run_tool("run", artifact, "--input", "x=random")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("libtessera_backend_hostile.so is neither in TESSERA_PLUGIN_PATH", result.stderr)

    def test_what_cannot_be_loaded_is_refused(self):
        for told, reason in (("crash", "it crashed (signal 11, Segmentation fault)"), ("hang", "it did not answer within 0.5 s"),
                             ("null", "it cannot work with a compiler of ABI version 1"),
                             ("newer", "it needs a compiler of ABI version 9 or later, this one has version 1"),
                             ("nameless", "it has no name or no version"), ("empty", "it has no name or no version"),
                             ("taken", "target kind 'native' has two backends"),
                             ("opset", "it wants models of opset 3, there are 13 to 23")):
            result = self.run_tool("compile", self.model, "--plugin", OPTIONS.hostile, "-o", os.path.join(self.folder, "x.tsr"),
                                   TESSERA_TEST_LOAD=told, TESSERA_WORKER_TIME_LIMIT="0.5")
            self.assertEqual(result.returncode, 3 if told in ("crash", "hang") else 1, result.stderr)
            self.assertEqual(result.stderr.strip().count("\n"), 0, result.stderr)
            self.assertIn(f"error: {OPTIONS.hostile}: {reason}", result.stderr)
        for file, reason in ((self.model, "cannot load it: "), ("/no/such.so", "cannot load it: "), (OPTIONS.other, "it is no plugin: ")):
            result = self.run_tool("backends", "--plugin", file)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(f"error: {file}: {reason}", result.stderr)

    def backends(self, **environment):
        return {entry["name"]: entry for entry in json.loads(self.run_tool("backends", "--json", **environment).stdout)}

    def test_it_is_found_on_the_plugin_path(self):
        path = f"/no/such/folder:{os.path.dirname(OPTIONS.hostile)}"
        found = self.backends(TESSERA_PLUGIN_PATH=path)["hostile"]
        self.assertEqual((found["version"], found["library"], found["missing"]), ("6.6.6", OPTIONS.hostile, ""))
        self.assertEqual([attribute["name"] for attribute in found["attributes"]], ["do"])
        missing = self.backends(TESSERA_PLUGIN_PATH=path, TESSERA_TEST_LOAD="newer")["hostile"]
        self.assertIn("it needs a compiler of ABI version 9", missing["missing"])
        self.assertNotIn("hostile", self.backends())
        artifact, messages = self.compile("hostile -do=refuse:region,native", plugin=None, TESSERA_PLUGIN_PATH=path)
        self.assertIn("it does not like it", messages)

    def test_attributes_have_types(self):
        result = self.run_tool("compile", self.model, "--plugin", OPTIONS.hostile, "--targets", "hostile -undo=1,native")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("undo", result.stderr)

    def test_a_worker_without_a_compiler_says_so(self):
        result = subprocess.run([OPTIONS.tool, "worker"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("tessera worker is started by tessera itself", result.stderr)

    def test_a_worker_that_is_not_there_is_said(self):
        result = self.run_tool("backends", "--plugin", OPTIONS.hostile, TESSERA_WORKER="/no/such/tessera")
        self.assertEqual(result.returncode, 3)
        self.assertIn("cannot start /no/such/tessera: No such file or directory", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--hostile", required=True, help="the library made of hostile.c")
    parser.add_argument("--other", required=True, help="a library that is no plugin")
    OPTIONS, remaining = parser.parse_known_args()
    unittest.main(argv=["plugins_test.py", *remaining])
