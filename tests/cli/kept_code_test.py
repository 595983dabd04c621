#!/usr/bin/env python3
"""Code that one process compiled is there for the next one, wherever a folder of the user's own can be had for it."""

import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]
from junit import run_unittests
from owned_regions import Graph
from scratch import ScratchTest

OPTIONS = argparse.Namespace()


class KeptCodeTest(ScratchTest):
    def setUp(self):
        super().setUp()
        graph = Graph()
        graph.output(graph.add("Tanh", graph.add("MatMul", graph.input(3, 6), graph.weights(6, 4))))
        self.model = graph.model(self.path("model.onnx"))
        self.work = self.path("work")
        os.mkdir(self.work)

    def output(self, *arguments, **environment):
        """What the command prints."""
        inherited = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
        result = subprocess.run([OPTIONS.tool, "compile", self.model, "--targets", "native", *arguments], cwd=self.work,
                                capture_output=True, text=True, timeout=120, env={**inherited, **environment})
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout + result.stderr

    def compile(self, *arguments, **environment):
        """The bytes."""
        self.output("-o", self.path("model.tsr"), *arguments, **environment)
        with open(self.path("model.tsr"), "rb") as file:
            return file.read()

    def files(self):
        """Those of code in the scratch folder, and which file each is."""
        return {os.path.join(at, name): os.stat(os.path.join(at, name)).st_ino for at, _, names in os.walk(self.folder) for name in names
                if name.endswith(".code")}

    def test_what_was_compiled_before_is_taken(self):
        cache = self.path("cache")
        first = self.compile(XDG_CACHE_HOME=cache)
        made = self.files()
        self.assertTrue(made)
        self.assertEqual(self.compile(XDG_CACHE_HOME=cache), first)
        self.assertEqual(self.files(), made)
        self.assertEqual(self.compile(XDG_CACHE_HOME=self.path("another")), first)
        self.assertEqual(len(self.files()), 2 * len(made))

    def test_kernels_are_not_made_where_their_code_is_kept(self):
        lowering = "tessera-lowering-convert-to-llvm"
        self.assertIn(lowering, self.output("--timing", "-o", self.path("first.tsr"), HOME=self.folder))
        self.assertNotIn(lowering, self.output("--timing", "-o", self.path("second.tsr"), HOME=self.folder))

    def test_two_at_once_keep_one_code_in_a_cold_cache(self):
        expected = self.compile(XDG_CACHE_HOME=self.path("alone"))
        alone = self.files()
        shutil.rmtree(self.path("alone"))
        for turn in range(3):
            cache = self.path(f"cache{turn}")
            artifacts = [self.path(f"{turn}_{number}.tsr") for number in range(2)]
            compilers = [subprocess.Popen([OPTIONS.tool, "compile", self.model, "--targets", "native", "-o", artifact], cwd=self.work,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "XDG_CACHE_HOME": cache})
                         for artifact in artifacts]
            for compiler, artifact in zip(compilers, artifacts):
                printed, _ = compiler.communicate(timeout=120)
                self.assertEqual(compiler.returncode, 0, printed)
                with open(artifact, "rb") as file:
                    self.assertEqual(file.read(), expected)
            made = self.files()
            self.assertEqual(len(made), len(alone))
            self.assertEqual(self.compile(XDG_CACHE_HOME=cache), expected)
            self.assertEqual(self.files(), made)
            shutil.rmtree(cache)

    def test_who_looks_at_kernels_sees_them(self):
        first = self.compile(HOME=self.folder)
        self.output("--stop-after", "optimize", "--emit", "mlir", "-o", self.path("optimized.mlir"), HOME=self.folder)
        with open(self.path("optimized.mlir"), encoding="utf-8") as file:
            self.assertIn("llvm.func", file.read())
        self.assertIn("llvm.func", self.output("-o", self.path("other.tsr"), "--print-after", "optimize", HOME=self.folder))
        self.assertEqual(self.compile("--print-after", "optimize", HOME=self.folder), first)

    def test_passes_that_change_kernels_do_not_change_what_is_kept(self):
        changed = self.compile("--disable-pass", "fold-memref-alias-ops", HOME=self.path("changed"))
        first = self.compile(HOME=self.folder)
        self.assertEqual(self.compile("--disable-pass", "fold-memref-alias-ops", HOME=self.folder), changed)
        self.assertEqual(self.compile(HOME=self.folder), first)

    def test_what_is_damaged_is_made_again(self):
        first = self.compile(HOME=self.folder)
        for damage in (b"", b"\0" * 4096):
            damaged = self.files()
            self.assertTrue(damaged)
            for path in damaged:
                with open(path, "wb") as file:
                    file.write(damage)
            self.assertEqual(self.compile(HOME=self.folder), first)
            self.assertEqual(self.files().keys(), damaged.keys())
            for path, node in self.files().items():
                self.assertNotEqual(node, damaged[path])

    def test_without_a_folder_of_the_user_nothing_is_kept(self):
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        for environment in ({}, {"HOME": ""}, {"HOME": "."}, {"XDG_CACHE_HOME": "cache"}, {"XDG_CACHE_HOME": self.path("file")}):
            with self.subTest(environment=environment):
                self.compile(**environment)
                self.assertEqual(self.files(), {})
                self.assertEqual(os.listdir(self.work), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--results", help="JUnit file to write")
    OPTIONS, rest = parser.parse_known_args()
    run_unittests("kept_code", OPTIONS.results, rest)
