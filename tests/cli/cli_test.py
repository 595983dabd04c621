#!/usr/bin/env python3
"""The tessera program as a user meets it: exit codes, sentences, files, and that a module stopped at any phase compiles to
the bytes of the direct compilation."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import onnx
import onnx.numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]
import backends
import make_models

PHASES = ["import", "simplify", "pre_partition", "partition", "post_partition", "lower", "optimize", "emit", "link"]
OPTIONS = argparse.Namespace()


def tessera(*arguments, cache=None):
    """With a cache folder of its own, what is kept is what the caller left there."""
    environment = {**os.environ, **({"XDG_CACHE_HOME": cache} if cache else {})}
    return subprocess.run([OPTIONS.tool, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=environment)


def read(path):
    with open(path, "rb") as file:
        return file.read()


class CommandLineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        make_models.make_all(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def succeed(self, *arguments):
        result = tessera(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def fail_with(self, code, text, *arguments):
        result = tessera(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(text, result.stderr)

    def test_every_phase_compiles_to_the_same_bytes(self):
        self.succeed("compile", self.path("conv.onnx"), "-o", self.path("conv.tsr"))
        direct = read(self.path("conv.tsr"))
        for phase in PHASES:
            for emit in ("mlir", "mlirbc"):
                with self.subTest(phase=phase, emit=emit):
                    module = self.path(f"conv_{phase}.{emit}")
                    self.succeed("compile", self.path("conv.onnx"), "--stop-after", phase, "--emit", emit, "-o", module)
                    self.succeed("compile", module, "-o", self.path("again.tsr"))
                    self.assertEqual(read(self.path("again.tsr")), direct)

    def test_every_phase_goes_through_the_door(self):
        printed = [option for phase in PHASES for option in ("--print-after", phase)]
        result = tessera("compile", self.path("conv.onnx"), "-o", self.path("door.tsr"), "--timing", *printed,
                         cache=self.path("cache_of_door"))
        self.assertEqual(result.returncode, 0, result.stderr)
        after = [line.removeprefix("// after ") for line in result.stderr.splitlines() if line.startswith("// after ")]
        self.assertEqual(after, PHASES)
        self.assertIn("tsr.code @native_code", result.stderr.split("// after emit")[1])
        self.assertNotIn("llvm.func", result.stderr.split("// after emit")[1])
        rows = [line.split(maxsplit=4) for line in result.stdout.splitlines() if " ms " in line]
        seconds = {row[3]: float(row[0]) for row in rows}
        self.assertIn("tessera-import-onnx", seconds)
        # Code generation is most of the time, and its line says so.
        self.assertEqual(max(seconds, key=seconds.get), "tessera-emit-regions", seconds)
        lowering = [row for row in rows if row[2] in ("lower", "optimize")]
        self.assertTrue(lowering and all("(native" in row[4] for row in lowering), rows)

    def test_a_region_without_code_makes_no_artifact(self):
        self.fail_with(3, "has no code", "compile", self.path("conv.onnx"), "-o", self.path("none.tsr"), "--disable-pass",
                       "tessera-emit-regions")
        self.assertFalse(os.path.exists(self.path("none.tsr")))

    def test_each_command_imports_its_model_once(self):
        np.save(self.path("eight.npy"), np.ones((3, 8), np.float32))
        given = ("--input", f"x={self.path('eight.npy')}")
        for command in (("run", *given), ("run", "--dynamic", *given), ("run", "--targets", "reference", *given),
                        ("bench", "--iterations", "1", *given), ("bench", "--iterations", "1"),
                        ("bench", "--iterations", "1", "--targets", "reference", *given),
                        ("compare", "--targets", "native -mcpu=x86-64-v3,native,reference", *given),
                        ("compare", "--targets", "native,reference", "--per-node", *given)):
            with self.subTest(command=command):
                result = tessera(command[0], self.path("dynamic.onnx"), *command[1:], "--print-after", "import")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stderr.count("// after import"), 1)

    def test_inputs_bind_open_dimensions(self):
        np.save(self.path("three.npy"), np.ones((3, 8), np.float32))
        given = ("run", self.path("dynamic.onnx"), "--input", f"x={self.path('three.npy')}", "--print-after", "simplify")
        self.assertIn("tensor<3x8xf32>", tessera(*given).stderr)
        self.assertNotIn("tensor<3x8xf32>", tessera(*given, "--dynamic").stderr)
        self.assertNotIn("tensor<3x8xf32>", tessera(*given, "--shape", "x=?x8").stderr)
        np.save(self.path("wrong.npy"), np.ones((3, 9), np.float32))
        self.fail_with(1, "input 'x' has shape [3, 9], expected [?, 8]", "run", self.path("dynamic.onnx"), "--input",
                       f"x={self.path('wrong.npy')}")

    def test_the_output_has_the_name_of_the_model(self):
        with tempfile.TemporaryDirectory() as folder:
            def compile_in(*arguments):
                command = [os.path.abspath(OPTIONS.tool), "compile", *arguments]
                return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
            self.assertEqual(compile_in(self.path("conv.onnx")).returncode, 0)
            self.assertEqual(compile_in(self.path("conv.onnx"), "--emit", "mlir", "--stop-after", "simplify").returncode, 0)
            self.assertEqual(sorted(os.listdir(folder)), ["conv.mlir", "conv.safetensors", "conv.tsr"])
            refused = compile_in("conv.mlir", "--emit", "mlir", "--stop-after", "optimize")
            self.assertEqual((refused.returncode, "would replace" in refused.stderr), (2, True), refused.stderr)

    def test_what_a_saved_module_says_of_itself_is_checked(self):
        module = self.path("edited.mlir")
        self.succeed("compile", self.path("conv.onnx"), "--stop-after", "partition", "--emit", "mlir", "-o", module)
        text = read(module).decode()
        for before, after in (('tessera.phase = "partition"', 'tessera.phase = "later"'),
                              ("tessera.threads = 0 : i64", "tessera.threads = -1 : i64"),
                              ('tessera.placement = "greedy"', 'tessera.placement = "annealed"'),
                              ('tessera.placement = "greedy"', "tessera.placement = 3 : i64")):
            self.assertIn(before, text)
            with open(module, "w", encoding="utf-8") as file:
                file.write(text.replace(before, after))
            self.fail_with(1, f"{module}: {before.split(' ')[0]} is no ", "compile", module, "-o", self.path("edited.tsr"))

    def test_kernels_that_could_not_be_loaded_are_not_made(self):
        make_models.many_inputs(self.path("many.onnx"), 1024)
        self.fail_with(1, "1025 inputs and outputs", "compile", self.path("many.onnx"), "-o", self.path("many.tsr"))

    def test_same_input_same_bytes(self):
        for name in ("a.tsr", "b.tsr"):
            self.succeed("compile", self.path("conv.onnx"), "-o", self.path(name))
        self.assertEqual(read(self.path("a.tsr")), read(self.path("b.tsr")))

    def test_targets_agree_with_the_reference(self):
        for model in ("conv.onnx", "dynamic.onnx"):
            for target in ("native", "native -mcpu=x86-64-v3", "native -mcpu=x86-64-v4"):
                if target.endswith("v4") and "avx512f" not in read("/proc/cpuinfo").decode():
                    continue
                with self.subTest(model=model, target=target):
                    out = self.succeed("compare", self.path(model), "--targets", f"{target},reference")
                    self.assertIn(": ok", out)

    def compare_nodes(self, code, model, targets, *arguments):
        result = tessera("compare", self.path(model), "--targets", targets, "--per-node", "--json", *arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)[0]

    def test_nodes_are_compared_in_order(self):
        comparison = self.compare_nodes(0, "conv.onnx", "native,reference")
        self.assertIsNone(comparison["first_difference"])
        names = [name for node in comparison["nodes"] for name in node["nodes"]]
        order = [names.index(name) for name in ("stem", "act", "body", "residual", "pool", "classifier", "softmax")]
        self.assertEqual(order, sorted(order))
        for node in comparison["nodes"]:
            self.assertTrue(node["within"])
            self.assertLess(node["relative_error"], 1e-6, node)

    def test_the_first_node_that_differs_is_marked(self):
        exact = ["--rtol", "0", "--atol", "0"]
        comparison = self.compare_nodes(4, "conv.onnx", "native,reference", *exact)
        within = [node["within"] for node in comparison["nodes"]]
        self.assertEqual(comparison["first_difference"], within.index(False))
        result = tessera("compare", self.path("conv.onnx"), "--targets", "native,reference", "--per-node", *exact)
        self.assertEqual(result.returncode, 4, result.stderr)
        lines = result.stdout.splitlines()
        marked = [line for line in lines if line.startswith(">")]
        self.assertEqual(len(marked), 1, result.stdout)
        self.assertEqual(marked[0], next(line for line in lines if line.endswith("differs")))
        self.assertIn("first difference at", result.stdout)

    def test_equal_values_have_no_error_at_any_node(self):
        np.save(self.path("whole.npy"), np.random.default_rng(3).integers(-4, 5, (1, 16, 6, 6)).astype(np.float32))
        comparison = self.compare_nodes(0, "whole.onnx", "native,reference", "--rtol", "0", "--atol", "0", "--input",
                                        f"x={self.path('whole.npy')}")
        self.assertGreater(len(comparison["nodes"]), 2)
        for node in comparison["nodes"]:
            self.assertEqual((node["relative_error"], node["max_abs_diff"]), (0, 0), node)

    def test_nodes_of_two_compiled_targets_match_by_name(self):
        comparison = self.compare_nodes(0, "conv.onnx", "native -mcpu=x86-64-v3,native")
        names = {name for node in comparison["nodes"] for name in node["nodes"]}
        self.assertLessEqual({"stem", "body", "classifier"}, names)
        reference = self.compare_nodes(0, "conv.onnx", "reference,native -mcpu=x86-64-v3")
        self.assertEqual(reference["target"], "reference")
        self.assertIsNone(reference["first_difference"])

    def test_open_dimensions_compare_node_by_node(self):
        np.save(self.path("c.npy"), np.ones((3, 8), np.float32))
        for binding in ([], ["--input", f"x={self.path('c.npy')}"]):
            comparison = self.compare_nodes(0, "dynamic.onnx", "native,reference", *binding)
            self.assertTrue(comparison["within"])

    def test_saved_outputs_compare_equal(self):
        folder = self.path("set")
        os.makedirs(folder, exist_ok=True)
        np.save(self.path("x.npy"), np.random.default_rng(1).standard_normal((1, 3, 24, 24)).astype(np.float32))
        run = ["run", self.path("conv.onnx"), "--input", f"x={self.path('x.npy')}"]
        self.succeed(*run, "--targets", "reference", "--output", self.path("y.npz"))
        self.succeed(*run, "--output", folder + "/")
        y = np.load(self.path("y.npz"))["y"]
        self.assertEqual(y.shape, (1, 10))
        self.assertAlmostEqual(float(y.sum()), 1.0, places=5)
        self.assertTrue(os.path.exists(os.path.join(folder, "output_0.pb")))

    def test_checksums_of_inputs_are_compared(self):
        np.savez(self.path("x.npz"), x=np.ones((3, 8), np.float32))
        with open(self.path("x.npz"), "rb") as file:
            data = bytearray(file.read())
        given = ("run", self.path("dynamic.onnx"), "--input", f"x={self.path('x.npz')}")
        self.succeed(*given)
        data[data.index(np.float32(1).tobytes())] ^= 1
        with open(self.path("x.npz"), "wb") as file:
            file.write(data)
        self.fail_with(1, "damaged .npz file", *given)

    def test_open_dimensions_run_at_any_size(self):
        self.succeed("compile", self.path("dynamic.onnx"), "-o", self.path("dynamic.tsr"))
        for batch in (1, 5):
            np.save(self.path("b.npy"), np.ones((batch, 8), np.float32))
            out = self.succeed("run", self.path("dynamic.tsr"), "--input", f"x={self.path('b.npy')}")
            self.assertIn(f"f32[{batch}, 12]", out)

    def test_bench_writes_figures(self):
        figures = self.path("bench.json")
        self.succeed("bench", self.path("conv.onnx"), "--iterations", "5", "--profile", "--json", figures)
        with open(figures, encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(result["iterations"], 5)
        self.assertLessEqual(result["min_ms"], result["median_ms"])
        self.assertLessEqual(result["median_ms"], result["p90_ms"])
        nodes = {node for region in result["profile"] for node in region["nodes"]}
        self.assertLessEqual({"stem", "body", "classifier"}, nodes)
        self.assertTrue(all(region["bytes"] > 0 and region["backend"] for region in result["profile"]))

    def test_bench_writes_a_trace(self):
        path = self.path("trace.json")
        printed = self.succeed("bench", self.path("conv.onnx"), "--iterations", "1", "--profile", "--threads", "2", "--trace", path)
        self.assertIn("native", printed)
        self.assertIn("each region on 2 threads", printed)
        events = json.loads(read(path))["traceEvents"]
        tracks = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
        calls = [event for event in events if event["ph"] == "X" and event["cat"] == "region"]
        self.assertEqual(tracks, {1: "host program"})
        self.assertLessEqual({"stem", "body", "classifier"}, {node for call in calls for node in call["args"]["nodes"]})
        first = [call for call in calls if call["name"] == calls[0]["name"]]
        self.assertEqual(len(first), 5)
        for before, after in zip(first, first[1:]):
            self.assertLessEqual(before["ts"] + before["dur"], after["ts"])
        self.fail_with(2, "the figures would replace", "bench", self.path("conv.onnx"), "--iterations", "1", "--trace",
                       self.path("conv.onnx"))

    def test_wrong_use_is_exit_code_2(self):
        self.fail_with(2, "", "compile")
        self.fail_with(2, "unknown target 'tpu'", "compile", self.path("conv.onnx"), "--targets", "tpu", "-o", self.path("n.tsr"))
        self.fail_with(2, "evaluates a whole model", "run", self.path("conv.onnx"), "--targets", "reference,native")
        self.fail_with(2, "unknown target 'bogus'; known targets: ", "run", self.path("conv.onnx"), "--targets", "bogus")
        self.fail_with(2, "--targets", "run", self.path("conv.onnx"), "--targets", "", "--input", "x=zeros")
        self.fail_with(2, "target 'native:1 ", "compile", self.path("conv.onnx"), "--targets", "native:1", "-o", self.path("n.tsr"))
        self.fail_with(2, "unknown CPU 'a,b'", "compare", self.path("conv.onnx"), "--targets", 'native -mcpu="a,b",reference')
        self.fail_with(2, "unknown CPU ''", "compile", self.path("conv.onnx"), "--targets", "native -mcpu=", "-o", self.path("n.tsr"))
        self.fail_with(2, "'mcpu' is given twice", "compile", self.path("conv.onnx"), "-o", self.path("n.tsr"), "--targets",
                       "native -mcpu=x86-64-v3 -mcpu=native")
        for command, option in (("compile", "-o"), ("compile", "--stop-after"), ("partition", "--load-pass-plugin"), ("bench", "--trace"),
                                ("bench", "--json"), ("run", "--output"), ("run", "--data")):
            self.fail_with(2, "found an empty text", command, self.path("conv.onnx"), option, "")
        self.fail_with(2, "model: found an empty text", "run", "")
        for seed in ("-1", "18446744073709551616", "1.5"):
            self.fail_with(2, f"found '{seed}', expected a number", "conformance", "--backend", "native", "--seed", seed)
        self.fail_with(2, "unknown command 'nonsense'", "nonsense")
        self.fail_with(2, "has no value", "run", self.path("conv.onnx"))
        self.fail_with(2, "names no input", "run", self.path("conv.onnx"), "--input", "z=zeros")
        self.fail_with(2, "expected name=", "run", self.path("conv.onnx"), "--input", "x")
        self.fail_with(2, "given twice", "run", self.path("conv.onnx"), "--input", "x=zeros", "--input", "x=random")
        self.fail_with(2, "expected a file named .npz", "run", self.path("conv.onnx"), "--input", "x=zeros", "--output",
                       self.path("y.txt"))
        self.assertFalse(os.path.exists(self.path("y.txt")))
        self.assertFalse(os.path.exists(self.path("n.tsr")))

    def test_reference_is_measured_and_makes_no_artifact(self):
        figures = self.path("reference.json")
        bench = ["bench", self.path("conv.onnx"), "--targets", "reference", "--warmup", "0", "--iterations", "2"]
        self.succeed(*bench, "--json", figures)
        result = json.loads(read(figures))
        self.assertEqual((result["target"], result["iterations"]), ("reference", 2))
        self.assertNotIn("arena_bytes", result)
        self.fail_with(2, "--profile times compiled regions", *bench, "--profile")
        self.fail_with(2, "--trace shows compiled regions", *bench, "--trace", self.path("trace.json"))
        compilation = ["compile", self.path("conv.onnx"), "--targets", "reference", "-o", self.path("reference.out")]
        self.fail_with(2, "makes no artifacts", *compilation)
        self.fail_with(2, "leave --targets out", *compilation, "--emit", "mlir", "--stop-after", "simplify")
        self.assertFalse(os.path.exists(self.path("reference.out")))

    def test_a_case_of_conformance_is_not_nothing(self):
        empty = self.path("empty.mlir")
        open(empty, "w", encoding="utf-8").close()
        self.fail_with(1, f"{empty}: it holds no case, or cannot be read", "conformance", "--backend", "native", "--case", empty)

    def test_the_reference_evaluates_bodies_of_placed_modules(self):
        placed = self.path("placed.mlir")
        self.succeed("partition", self.path("conv.onnx"), "-o", placed)
        self.assertEqual(self.succeed("run", placed, "--targets", "reference", "--input", "x=random:3"),
                         self.succeed("run", self.path("conv.onnx"), "--targets", "reference", "--input", "x=random:3"))

    def test_artifacts_take_no_compilation_options(self):
        artifact = self.path("made.tsr")
        self.succeed("compile", self.path("conv.onnx"), "-o", artifact)
        for option, value in (("--dim", "batch=2"), ("--shape", "x=1x3x8x8"), ("--targets", "native"),
                              ("--disable-pass", "cse"), ("--print-after", "cse"), ("--placement", "other"), ("--pins", "none.json"),
                              ("--add-pass", "simplify:cse"), ("--load-pass-plugin", "none.so")):
            self.fail_with(2, f"{option} is for models", "run", artifact, "--input", "x=zeros", option, value)
            self.fail_with(2, f"{option} is for models", "bench", artifact, option, value)
        self.fail_with(2, "--isolate is for models", "run", artifact, "--input", "x=zeros", "--isolate")
        self.fail_with(2, "is no .onnx", "compare", artifact, "--targets", "native,reference")

    def test_backends_lists_what_each_takes(self):
        listed = {backend["name"]: backend for backend in json.loads(self.succeed("backends", "--json"))}
        self.assertTrue(listed["native"]["host"])
        native, reference = (set(listed[name]["operators"]) for name in ("native", "reference"))
        self.assertLessEqual({"add", "conv", "gelu", "lstm", "matmul", "where"}, native)
        self.assertLessEqual(native - {"composite", "constant", "relayout"}, reference)
        self.assertNotIn("nonzero", native)
        self.assertLessEqual({"BatchNormalization", "Conv", "LayerNormalization", "LSTM", "LpNormalization"},
                             set(listed["native"]["onnx_operators"]))
        self.assertNotIn("", listed["native"]["onnx_operators"])
        self.assertIn("\n  conv_transpose\n", self.succeed("backends", "--ops"))
        for name, backend in listed.items():
            with self.subTest(backend=name):
                self.assertLessEqual({"version", "host", "test", "missing", "library", "patterns", "memory_spaces"}, set(backend))
                self.assertTrue(backend["version"] or backend["missing"])
                for attribute in backend["attributes"]:
                    self.assertRegex(attribute["type"], "^(string|bool|int|float|enum: .*)$")
                    self.assertTrue(attribute["help"])

    def test_outputs_are_compared_with_what_was_there_before_them(self):
        data = self.path("compared")
        run = ("run", self.path("conv.onnx"))
        self.succeed(*run, "--input", "x=zeros", "--output", data + "/")
        onnx.save_tensor(onnx.numpy_helper.from_array(np.ones((1, 3, 24, 24), np.float32), "x"), os.path.join(data, "input_0.pb"))
        for _ in range(2):
            result = tessera(*run, "--data", data, "--output", self.path("elsewhere/"))
            self.assertEqual(result.returncode, 4, result.stderr)
        self.assertEqual(tessera(*run, "--data", data, "--output", data).returncode, 4)
        self.assertEqual(tessera(*run, "--data", data).returncode, 0)  # It is there now.
        self.fail_with(2, "--expect names files", *run, "--input", "x=zeros", "--expect", "ref")

    def test_nothing_that_others_wrote_is_replaced(self):
        model = self.path("guarded.onnx")
        shutil.copy(self.path("conv.onnx"), model)
        self.fail_with(2, "the figures would replace", "bench", model, "--iterations", "1", "--json", model)
        self.assertEqual(read(model), read(self.path("conv.onnx")))
        with open(self.path("guarded.safetensors"), "wb") as file:
            file.write(b"somebody's weights")
        self.fail_with(1, "another program's file has the name", "compile", model, "--emit", "mlir", "-o", self.path("guarded.mlir"))
        self.assertEqual(read(self.path("guarded.safetensors")), b"somebody's weights")
        self.assertFalse(os.path.exists(self.path("guarded.mlir")))
        for _ in range(2):  # Its own it may.
            self.succeed("compile", model, "--emit", "mlir", "-o", self.path("own.mlir"))
        os.mkdir(self.path("folder.mlir"))
        self.succeed("compile", model, "--emit", "mlir", "--stop-after", "import", "-o", self.path("folder.mlirbc"))
        constants = read(self.path("folder.safetensors"))
        self.fail_with(1, "no regular file", "compile", model, "--emit", "mlir", "-o", self.path("folder.mlir"))
        self.assertEqual(read(self.path("folder.safetensors")), constants)

    def test_the_passes_of_each_backend_are_known_by_name(self):
        compiled = ("compile", self.path("conv.onnx"), "-o", self.path("passes.tsr"))
        for name in backends.backends_of(OPTIONS.tool):
            if name == "reference":  # It makes no artifacts.
                continue
            with self.subTest(backend=name):
                rows = [line.split(maxsplit=4) for line in self.succeed(*compiled, "--targets", name, "--timing").splitlines()]
                passes = {row[3] for row in rows if len(row) == 5 and row[4].startswith(f"({name} ")}
                known = [word for pass_name in passes for word in ("--print-after", pass_name)]
                self.succeed(*compiled, "--targets", name, *known)

    def test_numbers_out_of_range_are_usage_errors(self):
        bench = ["bench", self.path("conv.onnx")]
        self.fail_with(2, "100000 not in range 0 to 1024", *bench, "--threads", "100000")
        self.fail_with(2, "--iterations: Value -1 not in range 0 to 1000000000", *bench, "--iterations", "-1")
        self.fail_with(2, "Value -1 not in range 0.000000 to 86400.000000", *bench, "--duration", "-1")
        dynamic = ["compile", self.path("dynamic.onnx"), "-o", self.path("huge.tsr"), "--dim"]
        self.fail_with(2, "expected at most 1099511627776", *dynamic, "batch=1099511627777")
        self.fail_with(2, "found size '?' in 'batch=?', expected a number\n", *dynamic, "batch=?")
        for tolerance in ("-1", "nan"):
            self.fail_with(2, "--rtol", "run", self.path("conv.onnx"), "--input", "x=zeros", "--rtol", tolerance)
        self.assertFalse(os.path.exists(self.path("huge.tsr")))
        np.save(self.path("none.npy"), np.ones((0, 8), np.float32))
        for target in ("native", "reference"):
            out = self.succeed("run", self.path("dynamic.onnx"), "--targets", target, "--dim", "batch=0", "--input",
                               f"x={self.path('none.npy')}")
            self.assertIn("f32[0, 12]", out)

    def test_figures_without_a_place_are_refused_before_measuring(self):
        unwritable = self.path("no/such/bench.json")
        started = time.monotonic()
        self.fail_with(1, unwritable, "bench", self.path("conv.onnx"), "--duration", "30", "--json", unwritable)
        self.assertLess(time.monotonic() - started, 30)

    def test_wrong_models_are_named(self):
        for model, sentence in (("repeated_output.onnx", "graph output 'y' is listed twice"),
                                ("unknown_attribute.onnx", "attribute 'axis' is not defined for Add in opset 7"),
                                ("missing.onnx", "there is no such file"), ("missing.tsr", "there is no such file"),
                                ("", "it is a folder, expected a file")):
            for target in ([], ["--targets", "reference"]):
                result = tessera("run", self.path(model), *target, "--input", "x=zeros")
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertTrue(result.stderr.startswith(f"error: {self.path(model)}: "), result.stderr)
                self.assertTrue(result.stderr.endswith(sentence + "\n"), result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_wrong_input_is_exit_code_1_and_leaves_no_file(self):
        model = read(self.path("conv.onnx"))
        with open(self.path("cut.onnx"), "wb") as file:
            file.write(model[:len(model) // 2])
        result = tessera("compile", self.path("cut.onnx"), "-o", self.path("cut.tsr"))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertTrue(result.stderr.startswith("error: " + self.path("cut.onnx")), result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertFalse([name for name in os.listdir(self.scratch.name) if name.startswith("cut.tsr")])

    def test_wrong_shape_names_the_input(self):
        np.save(self.path("small.npy"), np.zeros((1, 3, 8, 8), np.float32))
        result = tessera("run", self.path("conv.onnx"), "--input", f"x={self.path('small.npy')}")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("'x'", result.stderr)

    def test_differing_outputs_are_exit_code_4(self):
        folder = self.path("wrong")
        x = self.path("wx.npy")
        np.save(x, np.ones((1, 3, 24, 24), np.float32))
        from onnx import numpy_helper
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "input_0.pb"), "wb") as file:
            file.write(numpy_helper.from_array(np.load(x), "x").SerializeToString())
        with open(os.path.join(folder, "output_0.pb"), "wb") as file:
            file.write(numpy_helper.from_array(np.zeros((1, 10), np.float32), "y").SerializeToString())
        result = tessera("run", self.path("conv.onnx"), "--data", folder)
        self.assertEqual(result.returncode, 4, result.stdout + result.stderr)
        self.assertIn("differs", result.stdout)

    def test_disabled_pass_changes_the_module(self):
        kept = self.path("kept.mlir")
        self.succeed("compile", self.path("conv.onnx"), "--stop-after", "simplify", "--emit", "mlir", "-o", kept,
                     "--disable-pass", "tessera-simplify-fold-batch-norm")
        self.assertIn("tsr.batch_norm", read(kept).decode())
        self.succeed("compile", self.path("conv.onnx"), "--stop-after", "simplify", "--emit", "mlir", "-o", kept)
        self.assertNotIn("tsr.batch_norm", read(kept).decode())

    def test_pass_that_does_not_exist_is_a_usage_error(self):
        for option in ("--disable-pass", "--print-after"):
            result = tessera("compile", self.path("conv.onnx"), "-o", self.path("none.tsr"), option, "simplify-all")
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("is named 'simplify-all'", result.stderr)
        for name in ("simplify", "cse", "tessera-native-lower-regions", "tessera-link-plan-memory"):
            self.succeed("compile", self.path("conv.onnx"), "-o", self.path("some.tsr"), "--print-after", name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
