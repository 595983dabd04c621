"""Small models for the tests of the command line, made here: a convolutional net, one with an open dimension, one whose
values are whole numbers."""

import os

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save


def tensor(rng, name, *shape):
    return numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32) * 0.2, name)


def save_graph(path, nodes, inputs, outputs, initializers, opset=17):
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    save(model, path)


def convolutional(path):
    """Convolution, batch normalisation, residual, pooling, matrix product; weights large enough to be blobs."""
    rng = np.random.default_rng(5)
    weights = [tensor(rng, "w0", 16, 3, 3, 3), tensor(rng, "w1", 16, 16, 3, 3), tensor(rng, "fc", 16, 10),
               tensor(rng, "scale", 16), tensor(rng, "shift", 16), tensor(rng, "mean", 16),
               numpy_helper.from_array(np.abs(rng.standard_normal(16)).astype(np.float32) + 0.5, "var"),
               numpy_helper.from_array(np.array([1, 16], np.int64), "flat")]
    nodes = [helper.make_node("Conv", ["x", "w0"], ["c0"], "stem", pads=[1, 1, 1, 1], strides=[2, 2]),
             helper.make_node("BatchNormalization", ["c0", "scale", "shift", "mean", "var"], ["n0"], "norm"),
             helper.make_node("Relu", ["n0"], ["r0"], "act"),
             helper.make_node("Conv", ["r0", "w1"], ["c1"], "body", pads=[1, 1, 1, 1]),
             helper.make_node("Add", ["c1", "r0"], ["a1"], "residual"),
             helper.make_node("GlobalAveragePool", ["a1"], ["p"], "pool"),
             helper.make_node("Reshape", ["p", "flat"], ["f"], "flatten"),
             helper.make_node("MatMul", ["f", "fc"], ["m"], "classifier"),
             helper.make_node("Softmax", ["m"], ["y"], "softmax", axis=-1)]
    save_graph(path, nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 24, 24])],
               [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])], weights)


def dynamic(path):
    """Layer-like arithmetic over an open batch."""
    rng = np.random.default_rng(6)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"], "product"), helper.make_node("Relu", ["m"], ["r"], "act"),
             helper.make_node("Softmax", ["r"], ["y"], "softmax", axis=-1)]
    save_graph(path, nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 8])],
               [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 12])], [tensor(rng, "w", 8, 12)])


def whole_numbers(path):
    """Convolution, pooling and product of small whole numbers: every order of summing gives the same floats."""
    rng = np.random.default_rng(7)
    weights = [numpy_helper.from_array(rng.integers(-3, 4, shape).astype(np.float32), name)
               for name, shape in (("w", (32, 16, 3, 3)), ("b", (32,)), ("fc", (32, 5)))]
    weights.append(numpy_helper.from_array(np.array([1, 32], np.int64), "flat"))
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], "window", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c"], ["r"], "act"),
             helper.make_node("GlobalMaxPool", ["r"], ["p"], "pool"),
             helper.make_node("Reshape", ["p", "flat"], ["f"], "flatten"),
             helper.make_node("MatMul", ["f", "fc"], ["y"], "product")]
    save_graph(path, nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 6, 6])],
               [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])], weights)


def repeated_output(path):
    """Wrong: one name stands for two outputs."""
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])] * 2
    save_graph(path, [helper.make_node("Relu", ["x"], ["y"], "act")],
               [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])], outputs, [])


def unknown_attribute(path):
    """Wrong: Add has no axis from opset 7 on."""
    save_graph(path, [helper.make_node("Add", ["x", "x"], ["y"], "sum", axis=1)],
               [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
               [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])], [], opset=7)


def many_inputs(path, count):
    """The concatenation of that many inputs."""
    names = [f"x{i}" for i in range(count)]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in names]
    save_graph(path, [helper.make_node("Concat", names, ["y"], "join", axis=0)], inputs,
               [helper.make_tensor_value_info("y", TensorProto.FLOAT, [count])], [])


def make_all(folder):
    os.makedirs(folder, exist_ok=True)
    convolutional(os.path.join(folder, "conv.onnx"))
    dynamic(os.path.join(folder, "dynamic.onnx"))
    whole_numbers(os.path.join(folder, "whole.onnx"))
    repeated_output(os.path.join(folder, "repeated_output.onnx"))
    unknown_attribute(os.path.join(folder, "unknown_attribute.onnx"))
