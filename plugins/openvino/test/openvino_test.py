#!/usr/bin/env python3
"""OpenVINO as a plugin: built against the installed SDK, asked about nodes, run from artifacts. Skipped where the wheel is not
installed."""

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PLUGIN_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HARNESS = os.path.join(os.path.dirname(os.path.dirname(PLUGIN_DIR)), "tests", "harness")
sys.path.insert(0, HARNESS)
from junit import SKIP_EXIT_CODE
from owned_regions import Graph
from runtime_library import Runtime

TARGETS = "openvino,native"
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
OLD_HALF = """
#include "tessera/backend_runtime.h"
static int32_t create(void* a, const tessera_host_services* b, const void* c, size_t d, void** e) { return 1; }
static void destroy(void* a) {}
static int32_t find(void* a, const tessera_host_services* b, const char* c, const tessera_signature* d, void** e) { return 1; }
static int32_t run(void* a, const tessera_call* b) { return 1; }
static const tessera_backend_runtime half = {sizeof half, 1, "openvino", "0.0.9", create, destroy, find, run};
TESSERA_API const tessera_backend_runtime* tessera_backend_entry(void) { return &half; }
"""
OPTIONS = None


def run(*command, **options):
    """stdout of a command that must succeed."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\nexit code {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def write_embedding(path, declares_types):
    """[batch, 8] ids and segments -> [batch, 8, 16]; returns the weights by name. The file declares the types of values, or leaves
    it to OpenVINO to know them."""
    rng = np.random.default_rng(1)
    shapes = {"word": (20, 16), "position": (8, 16), "segment": (2, 16), "gamma": (16,), "beta": (16,), "w": (16, 16)}
    weights = {name: rng.standard_normal(shape, np.float32) for name, shape in shapes.items()}
    names = ["ids", "segments", "word", "position", "segment", "gamma", "beta"]
    nodes = [helper.make_node("EmbedLayerNormalization", names, ["embedded", ""], "embed", domain="com.microsoft", epsilon=1e-12),
             helper.make_node("MatMul", ["embedded", "w"], ["product"], "product"),
             helper.make_node("SkipLayerNormalization", ["product", "embedded", "gamma", "beta"], ["normal"], "skip",
                              domain="com.microsoft", epsilon=1e-12),
             helper.make_node("Relu", ["normal"], ["y"], "relu")]
    types = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 8, 16]) for name in ("embedded", "normal", "y")}
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", 8]) for name in names[:2]]
    graph = helper.make_graph(nodes, "embedding", inputs, [types["y"]],
                              [numpy_helper.from_array(array, name) for name, array in weights.items()],
                              value_info=[types["embedded"], types["normal"]] if declares_types else [])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return weights


def embedding(weights, ids, segments):
    """What that model computes."""
    def normal(x):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12) * weights["gamma"] + weights["beta"]
    embedded = normal(weights["word"][ids] + weights["position"] + weights["segment"][segments])
    return np.maximum(normal(embedded @ weights["w"] + embedded), 0)


def openvino_folder():
    """CMake's folder in the wheel; None where there is none."""
    found = importlib.util.find_spec("openvino")
    return found and os.path.join(os.path.dirname(found.origin), "cmake")


def build_plugin(work_dir, build_dir, cmake):
    """Installs the SDK and builds the plugin against it; returns the folder of its two libraries."""
    prefix, build = os.path.join(work_dir, "prefix"), os.path.join(work_dir, "build")
    run(cmake, "--install", build_dir, "--prefix", prefix)
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    run(cmake, "-S", PLUGIN_DIR, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
        f"-DCMAKE_PREFIX_PATH={prefix}", f"-DOpenVINO_DIR={openvino_folder()}", *launcher)
    run(cmake, "--build", build)
    return build


class OpenvinoTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.join(OPTIONS.work_dir, "scratch")
        shutil.rmtree(cls.folder, ignore_errors=True)
        os.makedirs(cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def tool(self, *arguments, plugin_path=None):
        environment = {**os.environ, "TESSERA_PLUGIN_PATH": plugin_path or OPTIONS.plugins}
        return subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=300, check=False, env=environment)

    def compile(self, model, targets=TARGETS, name="model.tsr", *flags):
        """Path of the artifact and [(backend, operators)] of its regions."""
        artifact = self.path(name)
        result = self.tool("compile", model, "--targets", targets, "-o", artifact, *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        inspected = json.loads(self.tool("inspect", artifact, "--json").stdout)
        return artifact, [(region["backend"], region["ops"]) for region in inspected["regions"]]

    def answers(self, artifact, **inputs):
        np.savez(self.path("inputs.npz"), **inputs)
        words = [word for name in inputs for word in ("--input", f"{name}={self.path('inputs.npz')}")]
        result = self.tool("run", artifact, "--output", self.path("outputs.npz"), *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return dict(np.load(self.path("outputs.npz")))

    def expect_equal(self, model, artifact, **inputs):
        """What native alone gives."""
        expected = self.answers(self.compile(model, "native", "expected.tsr")[0], **inputs)
        actual = self.answers(artifact, **inputs)
        self.assertEqual(sorted(actual), sorted(expected))
        for name, value in expected.items():
            np.testing.assert_allclose(actual[name], value, **TOLERANCE, err_msg=name)

    def network(self, *batch):
        """Convolution, pooling and a product with large weights: x0 [N, 3, 16, 16] -> [N, 100]."""
        graph = Graph()
        x = graph.input(*(batch or (2,)), 3, 16, 16)
        hidden = graph.add("Relu", graph.add("Conv", x, graph.weights(8, 3, 3, 3, scale=0.2), pads=[1] * 4))
        hidden = graph.add("MaxPool", hidden, kernel_shape=[2, 2], strides=[2, 2])
        flat = graph.add("Flatten", hidden)
        graph.output(graph.add("Softmax", graph.add("Gemm", flat, graph.weights(512, 100, scale=0.1), graph.weights(100))))
        return graph.model(self.path("network.onnx"))

    def test_it_says_what_it_is(self):
        found = {entry["name"]: entry for entry in json.loads(self.tool("backends", "--json").stdout)}["openvino"]
        self.assertEqual((found["version"], found["missing"]), ("0.1.0", ""))

    def test_a_network_is_one_region_with_each_weight_once(self):
        model = self.network()
        artifact, regions = self.compile(model)
        self.assertEqual([backend for backend, _ in regions], ["openvino"])
        native, _ = self.compile(model, "native", "native.tsr")
        self.assertLessEqual(os.path.getsize(artifact), 1.05 * os.path.getsize(native))
        self.expect_equal(model, artifact, x0=np.random.default_rng(3).standard_normal((2, 3, 16, 16), np.float32))

    def test_sizes_that_are_known_at_run_time_only(self):
        model = self.network("batch")
        artifact, regions = self.compile(model)
        self.assertEqual([backend for backend, _ in regions], ["openvino"])
        for batch in (1, 5, 2):
            self.expect_equal(model, artifact, x0=np.random.default_rng(batch).standard_normal((batch, 3, 16, 16), np.float32))
        np.savez(self.path("inputs.npz"), x0=np.zeros((0, 3, 16, 16), np.float32))
        result = self.tool("run", artifact, "--input", f"x0={self.path('inputs.npz')}")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("region 'openvino_0' (nodes 'n0' to 'n5'): Batch size is zero", result.stderr)

    def test_what_it_does_not_know_is_cut_out(self):
        """What comes after an unknown operator has no type for OpenVINO: it is asked about as if it began there."""
        graph = Graph()
        x = graph.input(2, 3, 4, 4)
        before = graph.add("Relu", graph.add("MatMul", x, graph.weights(4, 4)))
        unknown = graph.add("Resize", before, "", graph.constant(np.array([1, 1, 0.6, 0.6], np.float32)), mode="linear",
                            coordinate_transformation_mode="half_pixel_symmetric")
        graph.output(graph.add("Exp", graph.add("Neg", graph.add("Mul", unknown, unknown))))
        model = graph.model(self.path("cut.onnx"))
        report = self.tool("partition", model, "--targets", TARGETS, "--report")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertEqual(report.stdout.count("not openvino"), 1, report.stdout)
        self.assertIn("not openvino: OpenVINO's ONNX reader does not know this form of it", report.stdout)
        artifact, regions = self.compile(model)
        self.assertEqual(sorted(backend for backend, _ in regions), ["native", "openvino", "openvino"])
        self.expect_equal(model, artifact, x0=np.random.default_rng(4).standard_normal((2, 3, 4, 4), np.float32))

    def test_forms_that_it_reads_but_computes_otherwise_are_refused(self):
        graph = Graph()
        x, scales = graph.input(1, 1, 8, 8), graph.constant(np.array([1, 1, 0.6, 0.6], np.float32))
        for mode in ({"antialias": 1}, {"exclude_outside": 1, "mode": "cubic"}, {"coordinate_transformation_mode": "align_corners"}):
            graph.output(graph.add("Resize", x, "", scales, **{"mode": "linear", **mode}))
        graph.output(graph.add("MaxPool", x, outputs=2, kernel_shape=[2, 2], storage_order=1)[0])
        report = self.tool("partition", graph.model(self.path("resize.onnx")), "--targets", TARGETS, "--report")
        self.assertEqual(report.stdout.count("not openvino: OpenVINO computes other values for"), 4, report.stdout + report.stderr)

    def test_forms_of_recurrent_layers_that_it_computes_otherwise_are_refused(self):
        graph = Graph()
        x, rng = graph.input(3, 2, 4), np.random.default_rng(6)
        def weights(*shape):
            return graph.constant(rng.standard_normal(shape, np.float32))
        graph.output(graph.add("LSTM", x, weights(1, 20, 4), weights(1, 20, 5), "", "", "", "", weights(1, 15), hidden_size=5))
        graph.output(graph.add("LSTM", x, weights(1, 20, 4), weights(1, 20, 5), hidden_size=5, input_forget=1))
        for activations in (["Relu", "Tanh"], ["Relu", "Relu"]):
            graph.output(graph.add("RNN", x, weights(2, 5, 4), weights(2, 5, 5), hidden_size=5, direction="bidirectional",
                                   activations=activations))
        model = graph.model(self.path("recurrent.onnx"))
        report = self.tool("partition", model, "--targets", TARGETS, "--report").stdout
        for form in ("peepholes", "input_forget", "two directions with activations of their own"):
            self.assertEqual(report.count(f"not openvino: OpenVINO computes other values for {form}"), 1, report)
        self.assertIn("openvino: 1 nodes in 1 regions", report)

    def test_forms_that_it_computes_otherwise_for_some_types_are_refused(self):
        graph = Graph()
        x, lengths = graph.input(2, 6), graph.constant(np.array([1, 1]))
        def cast(value, to=TensorProto.FLOAT):
            return graph.add("Cast", value, to=to)
        graph.output(cast(graph.add("GreaterOrEqual", x, x)))
        graph.output(cast(graph.add("ReverseSequence", cast(x, TensorProto.INT32), lengths, batch_axis=0, time_axis=1)))
        opened = graph.input("n", "m")
        graph.output(graph.add("Split", opened, axis=1, num_outputs=2, outputs=2)[0])
        graph.output(graph.add("GatherElements", opened, cast(opened, TensorProto.INT64)))
        report = self.tool("partition", graph.model(self.path("types.onnx")), "--targets", TARGETS, "--report").stdout
        for reason, count in (("computes other values for integers", 1), ("computes other values for NaN", 1),
                              ("gives other sizes where they are open", 2)):
            self.assertEqual(report.count(f"not openvino: OpenVINO {reason}"), count, report)

    def test_other_types_are_others(self):
        graph = Graph(dtype=np.float64)
        graph.output(graph.add("Exp", graph.input(2, 4)))
        model = graph.model(self.path("double.onnx"))
        report = self.tool("partition", model, "--targets", TARGETS, "--report")
        self.assertIn("is neither f32 nor i32, i64 or bool", report.stdout)
        _, regions = self.compile(model)
        self.assertEqual([backend for backend, _ in regions], ["native"])

    def test_numbers_of_more_than_32_bits_are_refused(self):
        values = [helper.make_tensor_value_info(name, TensorProto.INT64, [3]) for name in "xy"]
        graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"], "twice")], "graph", values[:1], values[1:])
        model = self.path("integers.onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
        artifact, regions = self.compile(model)
        self.assertEqual([backend for backend, _ in regions], ["openvino"])
        self.expect_equal(model, artifact, x=np.array([1, -2, 1 << 29], np.int64))
        np.savez(self.path("inputs.npz"), x=np.array([1, 2, 1 << 40], np.int64))
        result = self.tool("run", artifact, "--input", f"x={self.path('inputs.npz')}")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("input 0 has numbers of more than 32 bits, in which OpenVINO computes", result.stderr)

    def test_contexts_with_threads_of_their_own(self):
        """Two contexts at once, of one and two threads, and a third that changes its number."""
        model = self.network()
        artifact, _ = self.compile(model)
        x = np.random.default_rng(5).standard_normal((2, 3, 16, 16), np.float32)
        expected = next(iter(self.answers(self.compile(model, "native", "expected.tsr")[0], x0=x).values()))
        os.environ["TESSERA_PLUGIN_PATH"] = OPTIONS.plugins
        runtime, wrong = Runtime(OPTIONS.runtime), []

        def work(executable, numbers):
            context = executable.context(numbers[0])
            for i in range(20):
                if i % 5 == 0:
                    context.set_num_threads(numbers[i // 5 % len(numbers)])
                if not np.allclose(context.run(x)[0], expected, **TOLERANCE):
                    wrong.append((numbers, i))
            context.close()

        with runtime.load(artifact) as executable:
            threads = [threading.Thread(target=work, args=(executable, numbers)) for numbers in ([1], [2], [1, 2, 3])]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])

    def test_operators_that_only_it_knows(self):
        """Of the domain com.microsoft: relu(skip(product(embedded), embedded)), of which native has the product and relu."""
        model = self.path("only.onnx")
        rng = np.random.default_rng(6)
        ids, segments = (rng.integers(0, limit, (3, 8), np.int32) for limit in (20, 2))
        for declares_types in (True, False):
            weights = write_embedding(model, declares_types)
            artifact, regions = self.compile(model)
            self.assertEqual(regions, [("openvino", "custom+matmul+custom+relu")])
            actual = self.answers(artifact, ids=ids, segments=segments)["y"]
            np.testing.assert_allclose(actual, embedding(weights, ids, segments), **TOLERANCE)
            result = self.tool("compile", model, "--targets", "native", "-o", self.path("none.tsr"))
            self.assertEqual(result.returncode, 1, result.stderr)

    def test_operators_that_nobody_knows(self):
        nodes = [helper.make_node("Weird", ["x"], ["m"], "weird", domain="acme"), helper.make_node("Relu", ["m"], ["y"], "relu")]
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
        graph = helper.make_graph(nodes, "graph", values[:1], values[1:])
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), self.path("weird.onnx"))
        result = self.tool("compile", self.path("weird.onnx"), "--targets", TARGETS, "-o", self.path("weird.tsr"))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("target 'openvino' was asked: OpenVINO's ONNX reader does not know it", result.stderr)

    def in_process(self, lines, *arguments):
        """What a Python program prints that has the runtime as `runtime`."""
        program = f"import os, sys\nsys.path.insert(0, {HARNESS!r})\nimport numpy as np\nfrom runtime_library import Runtime\n"
        program += f"runtime = Runtime({OPTIONS.runtime!r})\n" + lines
        return run(sys.executable, "-c", program, *arguments, env={**os.environ, "TESSERA_PLUGIN_PATH": OPTIONS.plugins})

    def test_weights_are_read_where_the_artifact_has_them(self):
        """OpenVINO packs 64 MiB into memory of its own; another copy would be seen."""
        graph = Graph()
        graph.output(graph.add("MatMul", graph.input(1, 4096), graph.weights(4096, 4096, scale=0.01)))
        artifact, _ = self.compile(graph.model(self.path("large.onnx")))
        grown = self.in_process("""
def memory():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))
before = memory()
with runtime.load(sys.argv[1]) as executable:
    context = executable.context(1)
    context.run(np.ones((1, 4096), np.float32))
    print(memory() - before)
    context.close()
""", artifact)
        self.assertLess(int(grown), 1.8 * 65536)

    def test_one_thread_is_the_callers(self):
        """With one thread, others of the process have next to no time on a core while it runs."""
        artifact, _ = self.compile(self.network())
        caller, others = (int(ticks) for ticks in self.in_process("""
def ticks():
    times = {}
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/stat") as file:
            times[int(task)] = sum(int(field) for field in file.read().rpartition(")")[2].split()[11:13])
    return times
x = np.ones((2, 3, 16, 16), np.float32)
with runtime.load(sys.argv[1]) as executable:
    context = executable.context(1)
    before = ticks()
    while ticks()[os.getpid()] - before.get(os.getpid(), 0) < 50:
        for _ in range(100):
            context.run(x)
    after = ticks()
    spent = {task: time - before.get(task, 0) for task, time in after.items()}
    print(spent.pop(os.getpid()), sum(spent.values()))
    context.close()
""", artifact).split())
        self.assertLess(others, 0.1 * caller)

    def test_an_older_runtime_half_is_refused_by_name(self):
        artifact, _ = self.compile(self.network())
        source, folder = self.path("old.c"), self.path("old")
        os.makedirs(folder)
        with open(source, "w", encoding="utf-8") as file:
            file.write(OLD_HALF)
        run("cc", "-shared", "-fPIC", f"-I{OPTIONS.work_dir}/prefix/include", source, "-o",
            os.path.join(folder, "libtessera_backend_openvino.so"))
        result = self.tool("run", artifact, "--input", "x0=zeros", plugin_path=folder)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("backend 'openvino' ", result.stderr)
        self.assertIn("has version 0.0.9, the artifact needs 0.1.0 or later", result.stderr)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--runtime", required=True, help="the runtime's library")
    parser.add_argument("--build-dir", required=True, help="what is installed as the SDK")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--work-dir", required=True)
    OPTIONS, remaining = parser.parse_known_args()
    if openvino_folder() is None:
        print("skipped: the wheel openvino is not installed")
        return SKIP_EXIT_CODE
    OPTIONS.plugins = build_plugin(OPTIONS.work_dir, OPTIONS.build_dir, OPTIONS.cmake)
    return 0 if unittest.main(argv=["openvino_test.py", *remaining], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
