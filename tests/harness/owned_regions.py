"""Small models that a backend must own and compute as the reference does, through artifact and runtime."""

import json
import os
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ELEMENTS = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float64): TensorProto.DOUBLE, np.dtype(np.int32): TensorProto.INT32,
            np.dtype(np.int64): TensorProto.INT64, np.dtype(np.int8): TensorProto.INT8, np.dtype(np.bool_): TensorProto.BOOL}


class Graph:
    """Builds a model: `input` and `constant` give names, `add` a node's first output, `model` the rest."""

    def __init__(self, seed=1, dtype=np.float32):
        self.random = np.random.default_rng(seed)
        self.dtype = np.dtype(dtype)
        self.nodes, self.inputs, self.initializers, self.outputs = [], [], [], []
        self.dtypes_of_outputs = {}  # Of those that are not of `dtype`.

    def input(self, *shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, ELEMENTS[self.dtype], shape))
        return name

    def weights(self, *shape, scale=1.0):
        return self.constant((self.random.standard_normal(shape) * scale).astype(self.dtype))

    def constant(self, array):
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def add(self, op, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"n{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def output(self, *names, dtype=None):
        self.outputs += names
        if dtype is not None:
            self.dtypes_of_outputs.update(dict.fromkeys(names, np.dtype(dtype)))

    def model(self, path, opset=20):
        outputs = [helper.make_tensor_value_info(name, ELEMENTS[self.dtypes_of_outputs.get(name, self.dtype)], None) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "graph", self.inputs, outputs, self.initializers)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9), path)
        return path


def run_tool(tool, *arguments, timeout=300, environment=None):
    return subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=timeout, env=os.environ | (environment or {}))


def regions_of(tool, model, targets, folder, *options):
    """[(backend, operators joined by +)] of the regions that the model becomes."""
    artifact = os.path.join(folder, "owned.tsr")
    result = run_tool(tool, "compile", model, "--targets", targets, "-o", artifact, *options)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    inspected = run_tool(tool, "inspect", artifact, "--json")
    return [(region["backend"], region["ops"]) for region in json.loads(inspected.stdout)["regions"]]


def why_wrong(tool, model, targets, *options):
    """What `tessera compare` says against the reference; None when all is right."""
    result = run_tool(tool, "compare", model, "--targets", targets + ",reference", *options)
    return None if result.returncode == 0 else result.stdout + result.stderr
