#!/usr/bin/env python3
"""What the backend cblas owns and that it is right, through artifact and runtime; what it refuses."""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from owned_regions import Graph, regions_of, run_tool, why_wrong

OPTIONS = argparse.Namespace()
MATMULS = [((3, 6), (6, 4)), ((1, 1), (1, 1)), ((7,), (7, 5)), ((5, 7), (7,)), ((7,), (7,)), ((2, 3, 4), (4, 5)),
           ((2, 3, 4), (2, 4, 5)), ((4,), (2, 4, 5)), ((3, 1, 2, 4), (5, 4, 6)), ((1, 2, 4), (3, 4, 1)), ((2, 0, 4), (4, 5)),
           ((2, 3, 0), (0, 5)), ((65, 130), (130, 257)), ((1, 512), (512, 300)), ((300, 512), (512, 1)), ((9, 17, 8), (9, 8, 33))]
# Shapes of a, b, c and attributes.
GEMMS = [((3, 6), (6, 4), None, {}), ((6, 3), (6, 4), (4,), {"transA": 1}), ((3, 6), (4, 6), (3, 1), {"transB": 1}),
         ((6, 3), (4, 6), (3, 4), {"transA": 1, "transB": 1, "alpha": 0.5, "beta": -2.0}), ((3, 6), (6, 4), (), {"beta": 3.0}),
         ((3, 6), (6, 4), (1, 4), {"beta": 0.0}), ((1, 129), (129, 1), (1,), {}), ((0, 3), (3, 2), (2,), {}), ((3, 0), (0, 2), (2,), {"beta": 2.0})]


class CblasTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.model = os.path.join(scratch.name, "model.onnx")

    def check(self, graph, op, *options):
        graph.model(self.model)
        owned = [ops for backend, ops in regions_of(OPTIONS.tool, self.model, "cblas,native", self.folder) if backend == "cblas"]
        self.assertEqual(owned, [op])
        self.assertIsNone(why_wrong(OPTIONS.tool, self.model, "cblas", *options))

    def test_matmul(self):
        for dtype in (np.float32, np.float64):
            for a, b in MATMULS:
                with self.subTest(a=a, b=b, dtype=dtype):
                    graph = Graph(dtype=dtype)
                    graph.output(graph.add("MatMul", graph.input(*a), graph.input(*b)))
                    self.check(graph, "matmul")

    def test_J5_dense(self):
        for a, b, c, attributes in GEMMS:
            with self.subTest(a=a, b=b, c=c, **attributes):
                graph = Graph()
                operands = [graph.input(*a), graph.weights(*b)] + ([graph.weights(*c)] if c is not None else [])
                graph.output(graph.add("Gemm", *operands, **attributes))
                self.check(graph, "gemm")

    def test_N_bmm_on_some_threads(self):
        for threads in ("1", "2", "4"):
            with self.subTest(threads=threads):
                graph = Graph()
                graph.output(graph.add("MatMul", graph.input(3, 40, 30), graph.input(3, 30, 50)))
                self.check(graph, "matmul", "--threads", threads)

    def biased(self, a, b, bias, dtype=np.float32):
        graph = Graph(dtype=dtype)
        graph.output(graph.add("Add", graph.add("MatMul", graph.input(*a), graph.input(*b)), graph.input(*bias)))
        return graph

    def test_N_dense_with_bias(self):
        """Product and bias are one call: the entry of the pattern table, on every form of product."""
        for dtype in (np.float32, np.float64):
            for a, b, bias in [((3, 6), (6, 4), (4,)), ((2, 3, 6), (6, 4), (1, 1, 4)), ((2, 3, 6), (2, 6, 4), (4,)), ((7,), (7, 5), (5,)),
                               ((3, 6), (6, 4), ()), ((5, 7), (7,), (1,)), ((3, 0), (0, 4), (4,)), ((65, 130), (130, 257), (1, 257))]:
                with self.subTest(a=a, b=b, bias=bias, dtype=dtype):
                    self.check(self.biased(a, b, bias, dtype), "cblas.biased_matmul")

    def test_N_bias_that_is_no_row_is_not_a_part_of_the_product(self):
        for a, b, bias in [((3, 6), (6, 4), (3, 1)), ((3, 6), (6, 4), (3, 4)), ((3, 6), (6, 4), (2, 1, 4)), ((5, 7), (7,), (5,))]:
            with self.subTest(a=a, b=b, bias=bias):
                self.check(self.biased(a, b, bias), "matmul")

    def test_constants_of_equal_elements(self):
        """Such constants are in the region's code instead of its arguments."""
        def equal(*shape):
            return np.full(shape, 0.5, np.float32)
        for a, b, bias in [((2, 5, 24), equal(24, 48), equal(48)), ((2, 5, 3), equal(3, 2), equal()), ((7,), equal(7), equal()), ((2, 3, 0), equal(0, 5), equal(5))]:
            with self.subTest(a=a, b=b.shape, bias=bias.shape):
                for weights in (b, None):
                    graph = Graph()
                    right = graph.weights(*b.shape) if weights is None else graph.constant(weights)
                    graph.output(graph.add("Add", graph.add("MatMul", graph.input(*a), right), graph.constant(bias)))
                    self.check(graph, "cblas.biased_matmul")

    def test_a_product_that_is_read_twice_is_not_biased(self):
        graph = self.biased((3, 6), (6, 4), (4,))
        graph.output("v0_0")
        self.check(graph, "matmul")

    def test_the_core_type_is_chosen_from_the_cpu_unless_it_is_set(self):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = set(next((line for line in file if line.startswith("flags")), "").split())
        if not {"avx2", "fma"} <= flags:
            self.skipTest("OpenBLAS decides for CPUs without AVX2")
        best = "SkylakeX" if {"avx512f", "avx512vl", "avx512bw", "avx512dq"} <= flags else "Haswell"
        graph = Graph()
        graph.output(graph.add("MatMul", graph.input(2, 6), graph.weights(6, 4)))
        graph.model(self.model)
        for asked, core in ((None, best), ("Haswell", "Haswell")):
            with self.subTest(asked=asked):
                environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
                environment.update({"OPENBLAS_VERBOSE": "2"}, **({"OPENBLAS_CORETYPE": asked} if asked else {}))
                result = subprocess.run([OPTIONS.tool, "run", self.model, "--targets", "cblas", "--input", "x0=zeros"], env=environment,
                                        capture_output=True, text=True, timeout=60)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(f"Core: {core}", result.stdout + result.stderr)

    def test_what_it_cannot_say_others_run(self):
        graph = Graph()
        graph.output(graph.add("MatMul", graph.input("n", 6), graph.weights(6, 4)))
        graph.model(self.model)
        self.assertNotIn("cblas", dict(regions_of(OPTIONS.tool, self.model, "cblas,native", self.folder)))

    def test_a_library_that_is_none_is_named(self):
        graph = Graph()
        graph.output(graph.add("MatMul", graph.input(2, 6), graph.weights(6, 4)))
        graph.model(self.model)
        for path, why in (("/nowhere/libopenblas.so", "cannot load OpenBLAS: /nowhere/libopenblas.so"),
                          ("libm.so.6", "'libm.so.6' is not OpenBLAS")):
            with self.subTest(path=path):
                result = run_tool(OPTIONS.tool, "run", self.model, "--targets", f"cblas -library={path}", "--input", "x0=zeros")
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertIn(why, result.stderr)

    def test_a_device_that_is_not_there_is_refused_when_compiling(self):
        Graph().model(self.model)
        result = run_tool(OPTIONS.tool, "compile", self.model, "--targets", "cblas:1", "-o", self.model + ".tsr")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("there is one device, number 0", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=["cblas_test", *rest])
