#!/usr/bin/env python3
"""Plugins through the command line: one that does everything wrong that a library can, where it is found, what is said
of it. Whatever it does, the artifact that comes out computes what `native` alone computes."""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import struct
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
        self.expect_declined("null:query", "it does not answer about it")
        self.expect_declined("forge:query", "it answered with what is no message")
        self.expect_declined("deep:query", "it answered with what is no message")

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
        self.expect_refusal("nothing:compile", "it gives no code for it")
        self.expect_refusal("mute:compile", "it gives no reason")
        self.expect_refusal("far:compile", "it crashed (signal ")
        self.expect_refusal("control:compile", "its code has entry 'a b [31m', which is no name")

    def test_blobs_may_be_empty_and_unread(self):
        for what in ("empty", "null", "unread", "text"):
            artifact, messages = self.compile(f"hostile -do={what}:compile,native")
            self.assertEqual(messages, "")
            info = json.loads(self.run_tool("inspect", artifact, "--json", "--verify").stdout)
            self.assertEqual([region["target"] for region in info["regions"]], [f"hostile -do={what}:compile"])

    def test_killed_from_outside(self):
        command = [OPTIONS.tool, "compile", self.model, "--plugin", OPTIONS.hostile, "--targets", "hostile -do=hang:compile,native",
                   "-o", os.path.join(self.folder, "killed.tsr")]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as compiler:
            hanging = compiler.stderr.readline().split()
            self.assertEqual(hanging[0], "hanging")
            os.kill(int(hanging[1]), signal.SIGKILL)
            self.assertIn("it crashed (signal 9, Killed) in compile", compiler.stderr.read())
        self.assertEqual(compiler.returncode, 0)
        np.testing.assert_array_equal(self.answers_of(command[-1]), self.expected)

    def test_who_does_not_answer_is_ended(self):
        limit = {"TESSERA_WORKER_TIME_LIMIT": "0.5"}
        self.expect_refusal("hang:compile", "it did not answer within 0.5 s in compile", **limit)
        self.expect_refusal("deaf:compile", "it did not answer within 0.5 s in compile", **limit)

    def test_noise_is_not_on_standard_output(self):
        _, messages = self.compile("hostile -do=noise:all,native", flags=["--stop-after", "emit", "--emit", "mlir"])
        self.assertIn("noise on standard output", messages)

    def test_measured_placement_avoids_it(self):
        search = ["--placement", "measured", "--patience", "0s", "--costs", os.path.join(self.folder, "costs.db")]
        for what in ("crash:query", "garbage:query", "fail:region", "crash:region", "crash:compile", "exit:compile", "wrong:compile",
                     "deaf:compile", "text:compile"):
            with self.subTest(what=what):
                artifact, _ = self.compile(f"hostile -do={what},native", flags=search, TESSERA_WORKER_TIME_LIMIT="2")
                regions = json.loads(self.run_tool("inspect", artifact, "--json").stdout)["regions"]
                self.assertEqual({region["target"].split()[0] for region in regions}, {"native"})
                np.testing.assert_allclose(self.answers_of(artifact), self.expected, rtol=1e-5)

    def test_a_crash_in_every_call(self):
        self.expect_declined("crash:all", r"it crashed \(signal 11, Segmentation fault\)")
        _, messages = self.compile("hostile -do=crash:all,native")
        self.assertIn("note: target 'hostile -do=crash:all' refused", messages)
        self.assertIn(CRASH + "query", messages)

    def test_it_is_given_up_after_the_third_crash(self):
        """Six regions, each crashes when it is asked about: three do, three find nobody."""
        model = os.path.join(self.folder, "islands.onnx")
        inputs, outputs = ([helper.make_tensor_value_info(f"{kind}{i}", TensorProto.FLOAT, [i + 1]) for i in range(6)]
                           for kind in "xy")
        nodes = [helper.make_node("Relu", [f"x{i}"], [f"y{i}"], f"relu{i}") for i in range(6)]
        made = helper.make_model(helper.make_graph(nodes, "islands", inputs, outputs), opset_imports=[helper.make_opsetid("", 17)])
        made.ir_version = 8
        onnx.save(made, model)
        artifact = os.path.join(self.folder, "islands.tsr")
        command = ["compile", model, "--plugin", OPTIONS.hostile, "--targets", "hostile -do=crash:region,native", "-o", artifact]
        result = self.run_tool(*command)
        self.assertEqual(result.returncode, 0, result.stderr)
        given_up = f"it was given up after 3 failures, the last one: {CRASH[:-4]}"
        self.assertEqual((result.stderr.count(CRASH + "query_region"), result.stderr.count(given_up)), (3, 3), result.stderr)
        ran = self.run_tool("run", artifact, *(word for i in range(6) for word in ("--input", f"x{i}=random:{i}")))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        strict = self.run_tool(*command, "--strict")
        self.assertEqual(strict.returncode, 3, strict.stderr)
        self.assertIn(CRASH + "query_region", strict.stderr)

    def test_strict_fails(self):
        for call in ("query", "region", "compile"):
            result = self.run_tool("compile", self.model, "--plugin", OPTIONS.hostile, "--targets",
                                   f"hostile -do=crash:{call},native", "--strict", "-o", os.path.join(self.folder, "strict.tsr"))
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn(CRASH + call.replace("region", "query_region"), result.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "strict.tsr")))

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
                             ("exit", "it ended its process (exit code 3)"),
                             ("versionless", "it says that it has ABI version 0"),
                             ("functionless", "it lacks functions that are not optional"),
                             ("listless", "it declares attributes and has none"),
                             ("interpreter", "target kind 'reference': the name is the interpreter's"),
                             ("sentence", "target kind 'two words': the name is no word of letters"),
                             ("long", "its name has 299 characters, expected at most 64"),
                             ("twice", "target kind 'hostile': attribute 'do' stands twice"),
                             ("many", "it crashed (signal 11, Segmentation fault)"),
                             ("opset", "it wants models of opset 3, there are 13 to 23")):
            result = self.run_tool("compile", self.model, "--plugin", OPTIONS.hostile, "-o", os.path.join(self.folder, "x.tsr"),
                                   TESSERA_TEST_LOAD=told, TESSERA_WORKER_TIME_LIMIT="0.5")
            self.assertEqual(result.returncode, 3 if told in ("crash", "exit", "hang", "many") else 1, result.stderr)
            self.assertEqual(result.stderr.strip().count("\n"), 0, result.stderr)
            self.assertIn(f"error: {OPTIONS.hostile}: {reason}", result.stderr)
        for file, reason in ((self.model, "cannot load it: "), ("/no/such.so", "cannot load it: "), (OPTIONS.other, "it is no plugin: ")):
            result = self.run_tool("backends", "--plugin", file)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(f"error: {file}: {reason}", result.stderr)

    def test_a_library_that_is_cut_short_is_refused(self):
        cut = os.path.join(self.folder, "cut.so")
        with open(OPTIONS.hostile, "rb") as whole, open(cut, "wb") as part:
            part.write(whole.read()[:5000])
        for command in (("backends", "--plugin"), ("partition", self.model, "--load-pass-plugin")):
            result = self.run_tool(*command, cut)
            self.assertEqual((result.returncode, result.stderr), (1, f"error: {cut}: it is cut short\n"))

    def test_two_of_one_name(self):
        twice = self.run_tool("backends", "--plugin", OPTIONS.hostile, "--plugin", OPTIONS.hostile)
        self.assertEqual(twice.returncode, 1, twice.stderr)
        self.assertIn(f"error: {OPTIONS.hostile}: target kind 'hostile' has two backends", twice.stderr)
        folders = [os.path.join(self.folder, name) for name in ("first", "second")]
        for folder in folders:
            os.makedirs(folder)
            shutil.copy(OPTIONS.hostile, folder)
        libraries = [os.path.join(folder, os.path.basename(OPTIONS.hostile)) for folder in folders]
        self.assertEqual(self.backends(TESSERA_PLUGIN_PATH=":".join(folders))["hostile"]["library"], libraries[0])
        both = self.run_tool("backends", "--json", "--plugin", libraries[1], TESSERA_PLUGIN_PATH=folders[0])
        self.assertEqual([entry["library"] for entry in json.loads(both.stdout) if entry["name"] == "hostile"], libraries[1:])
        os.rename(libraries[0], libraries[0].replace("hostile", "other"))  # Its name is not its file's.
        missing = self.backends(TESSERA_PLUGIN_PATH=":".join(reversed(folders)))
        self.assertEqual(missing["hostile"]["library"], libraries[1])
        self.assertIn("target kind 'hostile' has two backends", missing["other"]["missing"])

    def test_what_it_says_of_itself_is_text(self):
        found = self.backends(TESSERA_PLUGIN_PATH=os.path.dirname(OPTIONS.hostile), TESSERA_TEST_LOAD="text")["hostile"]
        self.assertEqual(found["version"], "1?  [31m")

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

    def test_a_worker_answers_and_ends_whatever_it_is_asked(self):
        def message(header):
            return struct.pack("=QQ", len(header), 0) + header
        query = message(b"\xa1\x64call\x65query")
        for sent, answers, code in ((query, True, 0), (b"garbage" * 10, False, 1), (message(b"\x81" * 100000), False, 1),
                                    (message(b"\xa1\x61x\xbb\x10" + bytes(7)), False, 1), (query[:9], False, 0), (b"", False, 0)):
            ours, theirs = socket.socketpair()
            os.set_inheritable(theirs.fileno(), True)
            command = f"exec {OPTIONS.tool} worker 3<&{theirs.fileno()} {theirs.fileno()}<&-"
            with subprocess.Popen(["bash", "-c", command], pass_fds=[theirs.fileno()]) as worker:
                theirs.close()
                with ours:
                    ours.sendall(sent)
                    answer = ours.recv(44, socket.MSG_WAITALL) if answers else b""
                    if code == 1:
                        worker.wait(timeout=60)
                self.assertEqual(worker.wait(timeout=60), code, sent[:20])
            self.assertEqual(b"no plugin is loaded" in answer, answers)

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
