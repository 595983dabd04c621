#!/usr/bin/env python3
"""Inputs whose sizes or data do not fit an operator with open sizes are refused with its ONNX node and what does not fit,
and inputs that fit give what `reference` gives."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases import CASES, f32, open_input

OPTIONS = argparse.Namespace()
NODE = "the_node"


def write_case(nodes, inputs, outputs, folder):
    """model.onnx, and the folders `fits` and `misfits` with its inputs x0, x1, ... ."""
    values = []
    for i, entry in enumerate(inputs):
        if entry is None:
            continue
        dims, fits, misfits = entry if isinstance(entry, tuple) else (entry.shape, entry, entry)
        for which, array in (("fits", fits), ("misfits", misfits)):
            path = os.path.join(folder, which, f"input_{len(values)}.pb")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(numpy_helper.from_array(array, f"x{i}").SerializeToString())
        values.append(helper.make_tensor_value_info(f"x{i}", helper.np_dtype_to_tensor_dtype(fits.dtype), list(dims)))
    # The element types and ranks of results come from inference.
    graph = helper.make_graph(nodes, "misfit", values, [onnx.ValueInfoProto(name=output) for output in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), os.path.join(folder, "model.onnx"))


def nodes_of(name):
    """The one node of a case and its outputs."""
    op, attributes, inputs, _ = CASES[name]
    attributes = dict(attributes)
    outputs = [f"y{i}" for i in range(attributes.pop("outputs", 1))]
    names = ["" if entry is None else f"x{i}" for i, entry in enumerate(inputs)]
    return [helper.make_node(op, names, outputs, NODE, **attributes)], outputs


def run(folder, which, target):
    command = [OPTIONS.tool, "run", os.path.join(folder, "model.onnx"), "--data", os.path.join(folder, which), "--dynamic",
               "--targets", target, "--output", os.path.join(folder, f"{which}_{target}.npz")]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class MisfitTest(unittest.TestCase):
    def check(self, name, folder):
        nodes, outputs = nodes_of(name)
        write_case(nodes, CASES[name][2], outputs, folder)
        refused = run(folder, "misfits", "native")
        self.assertEqual(refused.returncode, 1, f"{name}: {refused.stdout}{refused.stderr}")
        self.assertIn(f"'{NODE}'", refused.stderr, name)
        self.check_numbers(refused.stderr.split(NODE, 1)[1], CASES[name][3])
        if all(not isinstance(entry, tuple) for entry in CASES[name][2]):
            return  # Nothing of it fits.
        for target in ("native", "reference"):
            accepted = run(folder, "fits", target)
            self.assertEqual(accepted.returncode, 0, f"{name} on {target}: {accepted.stderr}")
        with np.load(os.path.join(folder, "fits_native.npz")) as native, \
             np.load(os.path.join(folder, "fits_reference.npz")) as reference:
            for output in reference.files:
                np.testing.assert_allclose(native[output], reference[output], rtol=1e-4, atol=1e-5, err_msg=name)

    def check_numbers(self, sentence, expected):
        """The sentence states the numbers, not merely as the number of a dimension or an operand."""
        stated = re.sub(r"(dimension|operand|part) \d+", "", sentence)
        for number in expected:
            if isinstance(number, str):
                self.assertIn(number, sentence)
            else:
                self.assertIn(number, [int(found) for found in re.findall(r"-?\d+", stated)], sentence)

    def check_chain(self, nodes, inputs, blamed, numbers):
        """A region of several nodes blames the one that does not fit."""
        with tempfile.TemporaryDirectory() as folder:
            write_case(nodes, inputs, ["y"], folder)
            self.assertEqual(run(folder, "fits", "native").returncode, 0)
            refused = run(folder, "misfits", "native")
            self.assertEqual(refused.returncode, 1, refused.stderr)
            self.assertIn(f"'{blamed}'", refused.stderr)
            self.check_numbers(refused.stderr.split(blamed, 1)[1], numbers)

    def test_elementwise_chain(self):
        nodes = [helper.make_node("Relu", ["x0"], ["a"], "first"), helper.make_node("Add", ["a", "x1"], ["b"], "second"),
                 helper.make_node("Mul", ["b", "x2"], ["y"], "third")]
        same, other = open_input(["a", "b"], f32(3, 4), f32(3, 4)), open_input(["c", "d"], f32(3, 4), f32(3, 7))
        self.check_chain(nodes, [same, same, other], "third", (7, 4))
        self.check_chain(nodes, [same, other, same], "second", (7, 4))

    def test_tail_of_a_product(self):
        nodes = [helper.make_node("MatMul", ["x0", "x1"], ["a"], "product"), helper.make_node("Add", ["a", "x2"], ["b"], "bias"),
                 helper.make_node("Add", ["b", "x3"], ["y"], "residual")]
        fits, weights = open_input(["n", 8], f32(3, 8), f32(3, 8)), f32(8, 5)
        self.check_chain(nodes, [fits, weights, f32(5), open_input(["m", 5], f32(3, 5), f32(6, 5))], "residual", (6, 3))

    def test_declared_batch(self):
        """Operands of one entry are not read as if they had the three that the result is declared with."""
        for types, shapes in ((("?x5x?", "?x?", "3x5x?"), ((1, 5, 7), (7, 6))), (("?x5x8", "8x4", "3x5x4"), ((1, 5, 8), (8, 4))),
                              (("?x5x?", "?x?x?", "3x5x?"), ((1, 5, 7), (1, 7, 6)))):
            a, b, y = (f"tensor<{dims}xf32>" for dims in types)
            with tempfile.TemporaryDirectory() as folder:
                module = os.path.join(folder, "module.mlir")
                with open(module, "w", encoding="utf-8") as file:
                    file.write(f"""module attributes {{tessera.phase = "import"}} {{
  func.func @main(%a: {a} {{tessera.name = "a"}}, %b: {b} {{tessera.name = "b"}}) -> ({y} {{tessera.name = "y"}}) {{
    %0 = tsr.matmul %a, %b : ({a}, {b}) -> {y} loc("{NODE}")
    return %0 : {y}
  }}
}}""")
                arguments = []
                for name, shape in zip("ab", shapes):
                    np.save(os.path.join(folder, name + ".npy"), f32(*shape))
                    arguments += ["--input", f"{name}={os.path.join(folder, name)}.npy"]
                refused = subprocess.run([OPTIONS.tool, "run", module, "--dynamic", "--targets", "native", *arguments],
                                         capture_output=True, text=True, timeout=120)
                self.assertEqual(refused.returncode, 1, f"{types}: {refused.stdout}{refused.stderr}")
                self.check_numbers(refused.stderr.split(NODE, 1)[1], (1, 3))

    def test_temporaries_without_end(self):
        """Four small inputs whose broadcast has 2^64 elements: their number of bytes is not computed modulo 2^64."""
        nodes = [helper.make_node("Add", ["x0", "x1"], ["a"], "first"), helper.make_node("Add", ["x2", "x3"], ["b"], "second"),
                 helper.make_node("Add", ["a", "b"], ["c"], "third"), helper.make_node("Gather", ["c", "x4"], ["y"], "fourth")]
        inputs = [open_input(dims, f32(*[min(size, 2) for size in shape]), f32(*shape)) for dims, shape in (
            (["n", 1, 1, 1], (65536, 1, 1, 1)), (["m", 1, 1], (65536, 1, 1)), (["k", 1], (65536, 1)), (["l"], (65536,)))]
        with tempfile.TemporaryDirectory() as folder:
            write_case(nodes, [*inputs, np.array([0, 1], np.int64)], ["y"], folder)
            accepted, refused = run(folder, "fits", "native"), run(folder, "misfits", "native")
            self.assertEqual(accepted.returncode, 0, accepted.stderr)
            self.assertIn(refused.returncode, (1, 3), refused.stderr)
            self.assertIn("memory", refused.stderr)

    def test_all(self):
        with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            checks = {name: pool.submit(self.check, name, os.path.join(scratch, name)) for name in CASES}
            for name, check in checks.items():
                with self.subTest(name):
                    check.result()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
