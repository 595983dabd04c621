#!/usr/bin/env python3
"""Inputs whose sizes or data do not fit an operator with open sizes are refused with its ONNX node and both numbers, and
inputs that fit give what `reference` gives."""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases import CASES

OPTIONS = argparse.Namespace()
NODE = "the_node"


def write_case(name, folder):
    """model.onnx, and the folders `fits` and `misfits` with its inputs."""
    op, attributes, inputs, _ = CASES[name]
    attributes = dict(attributes)
    num_outputs = attributes.pop("outputs", 1)
    values, names = [], []
    for i, entry in enumerate(inputs):
        if entry is None:
            names.append("")
            continue
        dims, fits, misfits = entry if isinstance(entry, tuple) else (entry.shape, entry, entry)
        names.append(f"x{i}")
        dtype = helper.np_dtype_to_tensor_dtype(fits.dtype)
        values.append(helper.make_tensor_value_info(names[-1], dtype, list(dims)))
        for which, array in (("fits", fits), ("misfits", misfits)):
            path = os.path.join(folder, which, f"input_{len(values) - 1}.pb")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(numpy_helper.from_array(array, names[-1]).SerializeToString())
    outputs = [f"y{i}" for i in range(num_outputs)]
    node = helper.make_node(op, names, outputs, NODE, **attributes)
    # The element types and ranks of results come from inference.
    graph = helper.make_graph([node], name, values, [onnx.ValueInfoProto(name=output) for output in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), os.path.join(folder, "model.onnx"))


def run(folder, which, target):
    command = [OPTIONS.tool, "run", os.path.join(folder, "model.onnx"), "--data", os.path.join(folder, which), "--dynamic",
               "--targets", target, "--output", os.path.join(folder, f"{which}_{target}.npz")]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class MisfitTest(unittest.TestCase):
    def check(self, name, folder):
        write_case(name, folder)
        refused = run(folder, "misfits", "native")
        self.assertEqual(refused.returncode, 1, f"{name}: {refused.stdout}{refused.stderr}")
        self.assertIn(f"'{NODE}'", refused.stderr, name)
        for number in CASES[name][3]:
            self.assertIn(str(number), refused.stderr.split(NODE, 1)[1], name)
        if all(not isinstance(entry, tuple) for entry in CASES[name][2]):
            return  # Nothing of it fits.
        for target in ("native", "reference"):
            accepted = run(folder, "fits", target)
            self.assertEqual(accepted.returncode, 0, f"{name} on {target}: {accepted.stderr}")
        with np.load(os.path.join(folder, "fits_native.npz")) as native, \
             np.load(os.path.join(folder, "fits_reference.npz")) as reference:
            for output in reference.files:
                np.testing.assert_allclose(native[output], reference[output], rtol=1e-4, atol=1e-5, err_msg=name)

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
