#!/usr/bin/env python3
"""--with-fallback: what other targets own can be run by the host target, too, and is when their code does not load, does not run, stops in the
midst of a run or is not there; the answer is right all the same."""

import argparse
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]
from junit import run_unittests
from owned_regions import Graph, run_tool
from scratch import ScratchTest

OPTIONS = argparse.Namespace()
DEVICE = "testdevice -memory=host"


class FallbackTest(ScratchTest):
    def setUp(self):
        super().setUp()
        self.needs(OPTIONS.tool, "testdevice")
        # Two regions of the device with one of the host's in between, values of which die where results could take their place.
        graph = Graph()
        value = graph.add("Relu", graph.add("MatMul", graph.input(3, 6), graph.weights(6, 4)))
        value = graph.add("Softmax", value, axis=-1)
        graph.output(graph.add("Tanh", graph.add("Neg", graph.add("Abs", value))))
        self.model = graph.model(self.path("model.onnx"))

    def tool(self, *arguments, code=0, environment=None):
        result = run_tool(OPTIONS.tool, *arguments, environment=environment)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def compiled(self, target, *options):
        artifact = self.path("model.tsr")
        self.tool("compile", self.model, "-o", artifact, "--targets", target + ",native", *options)
        return artifact

    def run_twice(self, artifact, **options):
        """Two runs of one context: `bench` compares nothing, `run` does."""
        return self.tool("run", artifact, "--input", "x0=random:7", "--output", self.path("out.npz"), **options)

    def values(self):
        import numpy as np
        with np.load(self.path("out.npz")) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def expected(self):
        self.tool("run", self.model, "--targets", "reference", "--input", "x0=random:7", "--output", self.path("out.npz"))
        return self.values()

    def assert_right(self, artifact, **options):
        import numpy as np
        expected = self.expected()
        self.run_twice(artifact, **options)
        for name, value in self.values().items():
            np.testing.assert_allclose(value, expected[name], rtol=1e-5, atol=1e-6)

    def test_what_fails_on_the_way_is_run_by_the_host(self):
        for fault, message in (("load", "loads nothing"), ("run:1", "fails run 1"), ("run:2", "fails run 2"), ("half:1", "in the midst of run 1"),
                               ("half:2", "in the midst of run 2")):
            with self.subTest(fault=fault):
                target = f"{DEVICE} -fail={fault}"
                failed = self.tool("run", self.compiled(target), "--input", "x0=random:7", code=3)
                self.assertRegex(failed.stderr, rf"region 'testdevice_\d'.*testdevice:0 .*{message}")
                self.assert_right(self.compiled(target, "--with-fallback"))

    def test_many_runs_go_on_behind_one_that_failed(self):
        artifact = self.compiled(f"{DEVICE} -fail=half:7", "--with-fallback")
        self.tool("bench", artifact, "--iterations", "20")
        self.assert_right(artifact)

    def test_the_owner_comes_first(self):
        artifact = self.compiled(DEVICE, "--with-fallback")
        regions = json.loads(self.tool("inspect", artifact, "--json").stdout)["regions"]
        owned = [region for region in regions if region["backend"] == "testdevice"]
        self.assertEqual(len(owned), 2)
        self.assertEqual([region["implementations"] for region in regions if region not in owned], [1])
        self.assertEqual([region["implementations"] for region in owned], [2, 2])
        plain = json.loads(self.tool("inspect", self.compiled(DEVICE), "--json").stdout)["regions"]
        self.assertEqual({region["implementations"] for region in plain}, {1})

    def test_a_missing_library_is_no_loss(self):
        """A machine that has the runtime and nothing of the backend."""
        artifact = self.compiled(DEVICE, "--with-fallback")
        here = os.path.dirname(os.path.dirname(os.path.realpath(OPTIONS.tool)))
        elsewhere = self.path("elsewhere")
        for folder in ("bin", "lib"):
            os.makedirs(os.path.join(elsewhere, folder))
        for name in os.listdir(os.path.join(here, "lib")):
            if "testdevice" not in name:
                shutil.copy2(os.path.join(here, "lib", name), os.path.join(elsewhere, "lib", name), follow_symlinks=False)
        environment = {"LD_LIBRARY_PATH": os.path.join(elsewhere, "lib")}
        self.assert_right(artifact, environment=environment)
        lost = self.tool("run", self.compiled(DEVICE), "--input", "x0=random:7", code=1, environment=environment)
        self.assertRegex(lost.stderr, "backend 'testdevice'.*libtessera_backend_testdevice.so")

    def test_the_module_is_enough(self):
        direct = self.compiled(DEVICE, "--with-fallback")
        with open(direct, "rb") as file:
            expected = file.read()
        module = self.path("model.mlir")
        for phase in ("simplify", "partition", "post_partition", "emit"):
            with self.subTest(phase=phase):
                self.tool("compile", self.model, "-o", module, "--emit", "mlir", "--stop-after", phase, "--targets", DEVICE + ",native",
                          "--with-fallback")
                self.tool("compile", module, "-o", self.path("again.tsr"))
                with open(self.path("again.tsr"), "rb") as file:
                    self.assertEqual(file.read(), expected)
        self.tool("compile", self.model, "-o", module, "--emit", "mlir", "--stop-after", "lower", "--targets", DEVICE + ",native")
        error = self.tool("compile", module, "-o", self.path("again.tsr"), "--with-fallback", code=2).stderr
        self.assertIn("the module is past phase post_partition", error)
        error = self.tool("run", direct, "--input", "x0=zeros", "--with-fallback", code=2).stderr
        self.assertIn("--with-fallback", error)

    def test_values_in_the_memory_of_a_device_stay_there(self):
        artifact = self.compiled("testdevice", "--with-fallback")
        regions = json.loads(self.tool("inspect", artifact, "--json").stdout)["regions"]
        self.assertEqual({region["implementations"] for region in regions}, {1})
        self.assert_right(artifact)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--results", help="JUnit file to write")
    OPTIONS, rest = parser.parse_known_args()
    run_unittests("fallback", OPTIONS.results, rest)
