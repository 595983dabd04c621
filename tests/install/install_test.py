#!/usr/bin/env python3
"""Installs the tree to a temporary prefix and builds and runs what users build against it: a consumer in C with the runtime
alone, one in C++ that imports ONNX, runs up to a phase, walks nodes and owners, compiles to memory, loads and runs, a library of
passes, and the plugin of plugins/example, by itself and as docs/out_of_tree_backend.md tells."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SOURCE_DIR = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(SOURCE_DIR))
sys.path.insert(0, os.path.join(ROOT, "tests", "docs"))
from tutorial import follow

COMPILER_LIBRARIES = ("LLVM", "MLIR", "lld", "protobuf", "clang")
EXAMPLE = os.path.join(ROOT, "plugins", "example")
MAX_RUNTIME_BYTES = 1 << 20
OPTIONS = None


def run(*command, **options):
    """stdout of a command that must succeed."""
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\nexit code {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def write_model(path):
    """relu(conv(x)) on [1, 2, 4, 4] -> [1, 3, 4, 4]; returns what an input of ones gives."""
    weight = (np.arange(3 * 2 * 3 * 3, dtype=np.float32).reshape(3, 2, 3, 3) - 20) / 16
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1] * 4), helper.make_node("Relu", ["c"], ["y"], "relu")]
    graph = helper.make_graph(nodes, "consumer", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 4, 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3, 4, 4])],
                              [numpy_helper.from_array(weight, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)
    padded = np.pad(np.ones((2, 4, 4), np.float32), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    return np.maximum(np.einsum("chwij,mcij->mhw", windows, weight), 0)


def write_tutorial(path):
    """((a + b) - c) * d on [2, 3]."""
    nodes = [helper.make_node("Add", ["a", "b"], ["s"], "sum"), helper.make_node("Sub", ["s", "c"], ["t"], "difference"),
             helper.make_node("Mul", ["t", "d"], ["y"], "product")]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "abcdy"]
    model = helper.make_model(helper.make_graph(nodes, "tutorial", values[:4], values[4:]),
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)


def write_elementwise(path):
    """exp(relu((a + b) * c - a)) on [2, 3, 50]; the product is an output, too."""
    nodes = [helper.make_node("Add", ["a", "b"], ["s"], "sum"), helper.make_node("Mul", ["s", "c"], ["p"], "product"),
             helper.make_node("Sub", ["p", "a"], ["t"], "difference"), helper.make_node("Relu", ["t"], ["r"], "relu"),
             helper.make_node("Exp", ["r"], ["y"], "exp")]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3, 50]) for name in "abcyp"]
    model = helper.make_model(helper.make_graph(nodes, "elementwise", values[:3], values[3:]),
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)


def lines_of_code(*files):
    """Lines that are neither empty nor a part of a comment alone."""
    count = 0
    for file in files:
        with open(file, encoding="utf-8") as text:
            code = re.sub(r"/\*.*?\*/", "", text.read(), flags=re.DOTALL)
        count += sum(1 for line in code.splitlines() if line.strip())
    return count


def build_consumer(name, source=None):
    """Builds tests/install/<name>, or `source`, against the prefix; returns its folder's path for what was built, which is
    called so."""
    build = os.path.join(OPTIONS.work_dir, name)
    shutil.rmtree(build, ignore_errors=True)
    run(OPTIONS.cmake, "-S", source or os.path.join(SOURCE_DIR, name), "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_PREFIX_PATH={OPTIONS.prefix}")
    run(OPTIONS.cmake, "--build", build)
    return os.path.join(build, name)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        OPTIONS.prefix = os.path.join(OPTIONS.work_dir, "prefix")
        shutil.rmtree(OPTIONS.prefix, ignore_errors=True)
        run(OPTIONS.cmake, "--install", OPTIONS.build_dir, "--prefix", OPTIONS.prefix)
        cls.model = os.path.join(OPTIONS.work_dir, "model.onnx")
        cls.expected = write_model(cls.model)

    def check_output(self, line):
        name, count, total = line.split()
        self.assertEqual((name, int(count)), ("y", self.expected.size))
        self.assertAlmostEqual(float(total), float(self.expected.sum()), delta=1e-3)

    def test_c_consumer_needs_the_runtime_only(self):
        program = build_consumer("c_consumer")
        libraries = run("ldd", program)
        self.assertIn("libtessera_runtime.so", libraries)
        self.assertNotIn("not found", libraries)
        for name in COMPILER_LIBRARIES:
            self.assertNotIn("lib" + name, libraries)
        artifact = os.path.join(OPTIONS.work_dir, "model.tsr")
        run(os.path.join(OPTIONS.prefix, "bin", "tessera"), "compile", self.model, "-o", artifact)
        self.check_output(run(program, artifact))

    def test_runtime_is_small(self):
        library = os.path.join(OPTIONS.prefix, "lib", "libtessera_runtime.so")
        if not os.path.exists(library):
            library = run("find", OPTIONS.prefix, "-name", "libtessera_runtime.so").split()[0]
        stripped = os.path.join(OPTIONS.work_dir, "runtime_stripped.so")
        run("strip", "-o", stripped, library)
        self.assertLess(os.path.getsize(stripped), MAX_RUNTIME_BYTES)

    def test_cpp_consumer_compiles_and_runs(self):
        lines = run(build_consumer("cpp_consumer"), self.model).splitlines()
        owners = [line for line in lines if line.startswith("owner ")]
        self.assertTrue(any("conv" in line for line in owners), lines)
        self.check_output(lines[-1])

    def test_a_pass_of_ones_own_wraps_the_graph_for_a_target(self):
        plugin = os.path.join(os.path.dirname(build_consumer("pass_plugin")), "wrap_graph.so")
        tool, opt = (os.path.join(OPTIONS.prefix, "bin", name) for name in ("tessera", "tessera-opt"))
        model, artifact, saved = (os.path.join(OPTIONS.work_dir, f"tutorial.{end}") for end in ("onnx", "tsr", "mlir"))
        write_tutorial(model)
        names = [backend["name"] for backend in json.loads(run(tool, "backends", "--json"))]
        target = "csource" if "csource" in names else "native"
        command = [tool, "compile", model, "--targets", target, "--load-pass-plugin", plugin, "--add-pass",
                   f"pre_partition:wrap-graph{{target={target}}}", "-o", artifact, "--strict"]
        shown = subprocess.run([*command, "--print-after", "pre_partition", "--print-after", "partition"], text=True,
                               capture_output=True)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        before, after = shown.stderr.split("// after partition")
        self.assertEqual((before.count("tsr.compiler_begin"), before.count("tsr.compiler_end")), (4, 1), before)
        self.assertNotIn("tsr.compiler", after)
        regions = json.loads(run(tool, "inspect", artifact, "--json"))["regions"]
        self.assertEqual([(region["target"].split()[0], region["ops"]) for region in regions], [(target, "add+sub+mul")])
        inputs = {name: np.random.default_rng(ord(name)).standard_normal((2, 3), np.float32) for name in "abcd"}
        np.savez(os.path.join(OPTIONS.work_dir, "inputs.npz"), **inputs)
        out = os.path.join(OPTIONS.work_dir, "out.npz")
        run(tool, "run", artifact, "--output", out,
            *(word for name in "abcd" for word in ("--input", f"{name}={OPTIONS.work_dir}/inputs.npz")))
        a, b, c, d = (inputs[name] for name in "abcd")
        np.testing.assert_allclose(np.load(out)["y"], ((a + b) - c) * d, rtol=1e-6)
        # The same library in tessera-opt, on the module as it was before.
        run(tool, "compile", model, "--stop-after", "simplify", "--emit", "mlir", "-o", saved)
        text = run(opt, "--load-pass-plugin", plugin, "--pass-pipeline=builtin.module(wrap-graph{target=native})", saved)
        self.assertEqual(text.count('tsr.compiler_begin "native"'), 4)

    def test_what_is_no_pass_plugin_is_refused(self):
        tool = os.path.join(OPTIONS.prefix, "bin", "tessera")
        for file, sentence in ((self.model, "it holds no passes"), ("/no/such.so", "there is no such file")):
            result = subprocess.run([tool, "compile", self.model, "-o", os.path.join(OPTIONS.work_dir, "x.tsr"),
                                     "--load-pass-plugin", file], capture_output=True, text=True)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(f"error: {file}: {sentence}", result.stderr)

    def test_the_example_plugin_runs_what_it_takes(self):
        sources = [os.path.join(EXAMPLE, name) for name in sorted(os.listdir(EXAMPLE)) if name.endswith((".c", ".h"))]
        self.assertEqual(len(sources), 3)
        self.assertLessEqual(lines_of_code(*sources), 150)
        folder = os.path.dirname(build_consumer("example_plugin", EXAMPLE))
        plugin = os.path.join(folder, "libtessera_compile_example.so")
        tool = os.path.join(OPTIONS.prefix, "bin", "tessera")
        model, artifact, plain = (os.path.join(OPTIONS.work_dir, f"elementwise.{end}") for end in ("onnx", "tsr", "native.tsr"))
        write_elementwise(model)
        listed = {backend["name"]: backend for backend in json.loads(run(tool, "backends", "--json", "--plugin", plugin))}
        self.assertEqual((listed["example"]["library"], listed["example"]["version"]), (plugin, "1"))
        self.assertIn(f"example 1\n  of {plugin}\n", run(tool, "backends", "--plugin", plugin))
        report = run(tool, "partition", model, "--plugin", plugin, "--targets", "example,native", "--report")
        self.assertRegex(report, "exp.*native(.|\n)*not example: it has add, sub, mul and relu of f32 tensors of one known shape")
        run(tool, "compile", model, "--plugin", plugin, "--targets", "example,native", "--strict", "-o", artifact)
        run(tool, "compile", model, "--targets", "native", "-o", plain)
        regions = json.loads(run(tool, "inspect", artifact, "--json"))["regions"]
        self.assertEqual([(region["target"].split()[0], region["ops"]) for region in regions],
                         [("example", "add+mul+sub+relu"), ("native", "exp")])
        results = []
        for path, more in ((artifact, ["--plugin", plugin]), (plain, [])):
            out = os.path.join(OPTIONS.work_dir, "elementwise.npz")
            run(tool, "run", path, *more, "--output", out,
                *(word for name in "abc" for word in ("--input", f"{name}=random:{ord(name)}")))
            results.append(dict(np.load(out)))
        self.assertGreater(np.count_nonzero(results[0]["y"] > 1), 20)
        for name in "yp":
            np.testing.assert_allclose(results[0][name], results[1][name], rtol=1e-6, err_msg=name)
        command = [tool, "run", artifact, *(word for name in "abc" for word in ("--input", f"{name}=random"))]
        absent = subprocess.run(command, capture_output=True, text=True)
        self.assertNotEqual(absent.returncode, 0)
        self.assertIn("libtessera_backend_example.so is neither in TESSERA_PLUGIN_PATH", absent.stderr)
        run(*command, env={**os.environ, "TESSERA_PLUGIN_PATH": folder})

    def test_the_example_plugin_passes_the_conformance_kit(self):
        folder = os.path.dirname(build_consumer("example_plugin", EXAMPLE))
        plugin = os.path.join(folder, "libtessera_compile_example.so")
        tool = os.path.join(OPTIONS.prefix, "bin", "tessera")
        report = os.path.join(OPTIONS.work_dir, "conformance.json")
        run(tool, "conformance", "--backend", "example", "--plugin", plugin, "--quick", "--json", report)
        with open(report, encoding="utf-8") as file:
            found = json.load(file)
        self.assertGreater(found["cases"], 50)
        self.assertEqual(found["failures"], [])

    def test_the_tutorial_of_a_backend_out_of_the_tree(self):
        follow(self, os.path.join(ROOT, "docs", "out_of_tree_backend.md"), [os.path.join(OPTIONS.prefix, "bin")],
               TESSERA=OPTIONS.prefix, SOURCES=ROOT)

    def test_test_backends_stay_behind(self):
        built, installed = (json.loads(run(os.path.join(prefix, "bin", "tessera"), "backends", "--json"))
                            for prefix in (OPTIONS.build_dir, OPTIONS.prefix))
        ordinary = [backend["name"] for backend in built if not backend["test"]]
        self.assertEqual([backend["name"] for backend in installed], ordinary)
        files = run("find", OPTIONS.prefix, "-name", "*.so*", "-o", "-name", "tessera-opt").split()
        for backend in (backend["name"] for backend in built if backend["test"]):
            for file in files:
                self.assertNotIn(f"backend_{backend}", file)
                with open(file, "rb") as binary:
                    self.assertNotIn(f"backend_{backend}".encode(), binary.read(), file)

    def test_unknown_component_is_reported(self):
        project = os.path.join(OPTIONS.work_dir, "unknown")
        os.makedirs(project, exist_ok=True)
        with open(os.path.join(project, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.25)\nproject(unknown LANGUAGES C)\n"
                       "find_package(Tessera CONFIG REQUIRED COMPONENTS Teapot)\n")
        result = subprocess.run([OPTIONS.cmake, "-S", project, "-B", os.path.join(project, "build"),
                                 f"-DCMAKE_PREFIX_PATH={OPTIONS.prefix}"], capture_output=True, text=True)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("Teapot", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--work-dir", required=True)
    parser.add_argument("--cmake", default="cmake")
    OPTIONS, remaining = parser.parse_known_args()
    os.makedirs(OPTIONS.work_dir, exist_ok=True)
    unittest.main(argv=sys.argv[:1] + remaining)
