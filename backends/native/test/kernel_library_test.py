#!/usr/bin/env python3
"""What the shared object of compiled kernels, cut out of an artifact, needs and defines: the C library at most, no kernel
library."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

OPTIONS = argparse.Namespace()
LIBRARIES = {"libc.so.6", "libm.so.6"}
ELF = b"\x7fELF\x02\x01\x01"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def weights(name, *shape):
    return numpy_helper.from_array(np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape), name)


def make_model(path):
    """Convolutions, a product, a softmax and functions that come from libm."""
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("Conv", ["r", "w1"], ["d"], group=16, kernel_shape=[3, 3]),
        helper.make_node("Flatten", ["d"], ["f"]),
        helper.make_node("Gemm", ["f", "w2"], ["g"]),
        helper.make_node("Tan", ["g"], ["t"]),
        helper.make_node("Mod", ["t", "m"], ["o"], fmod=1),
        helper.make_node("Softmax", ["o"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "kernels", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 10, 10])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])],
        [weights("w0", 16, 3, 3, 3), weights("w1", 16, 1, 3, 3), weights("w2", 1024, 10), weights("m", 1)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    save(model, path)


class KernelLibraryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        onnx, artifact, cls.library = (os.path.join(cls.folder.name, name) for name in ("m.onnx", "m.tsr", "kernels.so"))
        make_model(onnx)
        run(OPTIONS.tool, "compile", onnx, "--targets", "native", "-o", artifact)
        with open(artifact, "rb") as file:
            data = file.read()
        assert data.count(ELF) == 1, "an artifact of one target has one shared object"
        with open(cls.library, "wb") as file:
            file.write(data[data.index(ELF):])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_needs_the_c_library_only(self):
        needed = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", run("readelf", "-d", self.library)))
        self.assertLessEqual(needed, LIBRARIES)

    def test_calls_functions_of_the_c_library_only(self):
        undefined = {}
        for line in run("nm", "-D", "--undefined-only", self.library).splitlines():
            symbol, _, release = line.split()[-1].partition("@")
            undefined[symbol] = release
        self.assertIn("tanf", undefined)
        for symbol, release in undefined.items():
            self.assertTrue(release.startswith("GLIBC_"), f"{symbol}@{release} is no function of the C library")

    def test_defines_the_kernels_only(self):
        defined = [line.split()[-1] for line in run("nm", "-D", "--defined-only", self.library).splitlines()]
        self.assertGreaterEqual(len(defined), 4)
        for symbol in defined:
            self.assertNotRegex(symbol, r"(?i)dnnl|gemm_|cblas|xnn_|mlas")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    OPTIONS, remaining = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + remaining)
