#!/usr/bin/env python3
"""Versions of the plugin ABI: a plugin built against the first headers, which are frozen in abi_v1, and one built against what
the next ones may be, in a compiler and a runtime of both. The one of today stands for the first until it has grown."""

import argparse
import hashlib
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
FROZEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "abi_v1")
HEADERS = ("backend_compile.h", "backend_runtime.h")
# Of the frozen files: plugins are built against them, so that none may change, together with today's or not.
SHA256 = {
    "backend_compile.h": "72492bbd9a1d56d70e5002bd28160f55cec8fa385ea46d711fbd9dbe15e6363d",
    "backend_runtime.h": "98c52b25069fff94b2db3e5b267b9f16c31d39a8e2371c3a9f639fd1359a6ce3",
    "dltensor.h": "b5e20b622d39887832b6bdf2ccdfe1859ece6bc5197959abc64d53dbf32a59ed",
    "export.h": "091b84a58318318d9bd49bc25f7f67841e733a9c34a845aae3c159534caae2a5",
}


def declarations(path):
    """Version, and what each struct of a header has, without comments, one line each."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    version = int(re.search(r"_ABI_VERSION = (\d+)", text)[1])
    structs = {}
    for name, body in re.findall(r"typedef struct (tessera_\w+) \{(.*?)\n\} \1;", text, flags=re.DOTALL):
        structs[name] = [" ".join(field.split()) for field in body.split(";") if field.strip()]
    entries = [" ".join(entry.split()) for entry in re.findall(r"TESSERA_API[^;]*;", text)]
    constants = re.findall(r"\b(TESSERA_(?!BACKEND)\w+) = (\d+)", text)
    return version, structs, entries, constants


class VersionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.model = os.path.join(cls.folder, "model.onnx")
        weight = np.random.default_rng(7).standard_normal((64, 64)).astype(np.float32)
        graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"], "sum")], "versions",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, [64, 64])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [64, 64])],
                                  [numpy_helper.from_array(weight, "w")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, cls.model)
        cls.x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
        cls.input = os.path.join(cls.folder, "x.npy")
        np.save(cls.input, cls.x)
        cls.expected = cls.x + weight

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @staticmethod
    def run_tool(*arguments, **environment):
        return subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=300, check=False,
                              env={**os.environ, **environment})

    @staticmethod
    def half(kind, version):
        return os.path.join(OPTIONS.halves, version, f"libtessera_{kind}_versions.so")

    def compile(self, version, **environment):
        artifact = os.path.join(self.folder, f"{version}.tsr")
        return artifact, self.run_tool("compile", self.model, "--plugin", self.half("compile", version), "--targets",
                                       "versions,native", "--strict", "-o", artifact, **environment)

    def execute(self, artifact, version, **environment):
        out = os.path.join(self.folder, "out.npz")
        result = self.run_tool("run", artifact, "--input", f"x={self.input}", "--output", out,
                               TESSERA_PLUGIN_PATH=os.path.join(OPTIONS.halves, version), **environment)
        return result, np.load(out)["y"] if result.returncode == 0 else None

    def test_each_version_in_hosts_of_both(self):
        compilers = {"first": {}, "next": {"TESSERA_WORKER": OPTIONS.next_worker}}
        runtimes = {"first": {}, "next": {"LD_LIBRARY_PATH": OPTIONS.next_runtime}}
        for host in compilers:
            for plugin in ("first", "next"):
                with self.subTest(host=host, plugin=plugin):
                    artifact, result = self.compile(plugin, **compilers[host])
                    self.assertEqual((result.returncode, result.stderr), (0, ""))
                    self.assertIn("versions -mode=slow", self.run_tool("inspect", artifact, "--json").stdout)
                    result, y = self.execute(artifact, plugin, **runtimes[host])
                    self.assertEqual(result.returncode, 0, result.stderr)
                    np.testing.assert_array_equal(y, self.expected)

    def test_the_hosts_are_of_two_versions(self):
        """Each refuses what needs one version more than its own, and names file, what it found and what it expected."""
        first, second = declarations(os.path.join(OPTIONS.include, "tessera", HEADERS[0]))[0], declarations(
            os.path.join(OPTIONS.include, "tessera", HEADERS[1]))[0]
        artifact, result = self.compile("next")
        self.assertEqual(result.returncode, 0, result.stderr)
        for more, worker, runtime in ((0, {}, {}), (1, {"TESSERA_WORKER": OPTIONS.next_worker}, {"LD_LIBRARY_PATH": OPTIONS.next_runtime})):
            _, result = self.compile("next", TESSERA_TEST_LEAST=str(first + more + 1), **worker)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertEqual(result.stderr, f"error: {self.half('compile', 'next')}: it needs a compiler of ABI version "
                             f"{first + more + 1} or later, this one has version {first + more}\n")
            result, _ = self.execute(artifact, "next", TESSERA_TEST_LEAST=str(second + more + 1), **runtime)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(f"backend 'versions' in {self.half('backend', 'next')} has ABI version {second + 1} and needs a runtime "
                          f"of version {second + more + 1} or later, this one has version {second + more}\n", result.stderr)

    def test_an_older_runtime_half_than_the_code_needs_is_refused(self):
        artifact, result = self.compile("first")
        self.assertEqual(result.returncode, 0, result.stderr)
        result, _ = self.execute(artifact, "first", TESSERA_TEST_VERSION="0.9")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(f"backend 'versions' in {self.half('backend', 'first')} has version 0.9, the artifact needs 1.0 or later\n",
                      result.stderr)
        result, y = self.execute(artifact, "first", TESSERA_TEST_VERSION="1.1")
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(y, self.expected)

    def test_the_first_headers_are_frozen(self):
        self.assertEqual(sorted(os.listdir(os.path.join(FROZEN, "tessera"))), sorted(SHA256))
        for name, digest in SHA256.items():
            with open(os.path.join(FROZEN, "tessera", name), "rb") as file:
                self.assertEqual(hashlib.sha256(file.read()).hexdigest(), digest, name)

    def test_headers_only_grow(self):
        """Structs of the frozen headers are the beginning of today's, which have another version when they are longer."""
        for header in HEADERS:
            old_version, old, old_entries, old_constants = declarations(os.path.join(FROZEN, "tessera", header))
            version, new, entries, constants = declarations(os.path.join(OPTIONS.include, "tessera", header))
            self.assertEqual(old_version, 1)
            self.assertGreater(len(old), 7)
            self.assertEqual(old_entries, entries)
            self.assertEqual(constants[:len(old_constants)] if version == 1 else
                             [each for each in old_constants if each in constants], old_constants)
            for name, fields in old.items():
                self.assertEqual(new[name][:len(fields)], fields, name)
            if version == 1:
                self.assertEqual(new, old)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--include", required=True, help="the folder with tessera/backend_compile.h")
    parser.add_argument("--halves", required=True, help="the folder with the halves built against first and next headers")
    parser.add_argument("--next-worker", required=True)
    parser.add_argument("--next-runtime", required=True, help="the folder with libtessera_runtime.so of the next headers")
    OPTIONS, remaining = parser.parse_known_args()
    unittest.main(argv=["versions_test.py", *remaining])
