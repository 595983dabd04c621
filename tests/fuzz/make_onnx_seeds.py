#!/usr/bin/env python3
"""Writes the importer's fuzz seeds: small ONNX models that between them use every construct of the format."""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


def info(name, shape, dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, initializers=(), opset=17, ir_version=8, functions=(), domains=()):
    graph = helper.make_graph(nodes, "seed", inputs, outputs, list(initializers))
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
    proto = helper.make_model(graph, opset_imports=opsets, functions=list(functions))
    proto.ir_version = ir_version
    return proto


def array(name, shape, dtype=np.float32):
    count = int(np.prod(shape, dtype=np.int64))
    return numpy_helper.from_array((np.arange(count) % 7).astype(dtype).reshape(shape), name)


def typed(name, dtype, dims, values):
    return helper.make_tensor(name, dtype, dims, values)


def convolution():
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv", auto_pad="SAME_UPPER", strides=[2, 2], group=1),
        helper.make_node("BatchNormalization", ["c", "s", "b", "b", "s"], ["n"], "norm", epsilon=1e-3),
        helper.make_node("Relu", ["n"], ["r"], "relu"),
        helper.make_node("MaxPool", ["r"], ["p"], "pool", kernel_shape=[2, 2], ceil_mode=1),
        helper.make_node("Flatten", ["p"], ["y"], "flatten"),
    ]
    weights = [array("w", [4, 3, 3, 3]), array("b", [4]), array("s", [4])]
    return model(nodes, [info("x", ["batch", 3, 8, 8])], [info("y", None)], weights)


def shape_chatter():
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], "shape"),
        helper.make_node("Constant", [], ["zero"], "zero", value=typed("", TensorProto.INT64, [], [0])),
        helper.make_node("Gather", ["s", "zero"], ["n"], "gather"),
        helper.make_node("Unsqueeze", ["n", "axes"], ["n1"], "unsqueeze"),
        helper.make_node("Concat", ["n1", "minus_one"], ["shape"], "concat", axis=0),
        helper.make_node("Reshape", ["x", "shape"], ["y"], "reshape"),
    ]
    constants = [typed("axes", TensorProto.INT64, [1], [0]), typed("minus_one", TensorProto.INT64, [1], [-1])]
    return model(nodes, [info("x", [None, 4])], [info("y", None)], constants)


def control_flow():
    branch = [helper.make_graph([helper.make_node(op, ["x"], [f"{op}_y"], op)], op, [], [info(f"{op}_y", [2])])
              for op in ("Neg", "Abs")]
    body = helper.make_graph(
        [helper.make_node("Add", ["carried", "x"], ["next"], "add"), helper.make_node("Identity", ["go"], ["go_on"])],
        "body", [info("i", [], TensorProto.INT64), info("go", [], TensorProto.BOOL), info("carried", [2])],
        [info("go_on", [], TensorProto.BOOL), info("next", [2])])
    nodes = [
        helper.make_node("If", ["c"], ["chosen"], "if", then_branch=branch[0], else_branch=branch[1]),
        helper.make_node("Loop", ["trips", "c", "chosen"], ["y"], "loop", body=body),
    ]
    inputs = [info("x", [2]), info("c", [], TensorProto.BOOL), info("trips", [], TensorProto.INT64)]
    return model(nodes, inputs, [info("y", [2])])


def local_function():
    function = helper.make_function(
        "seed.local", "Scale", ["a"], ["b"],
        [helper.make_node("Constant", [], ["k"], value=typed("", FLOAT, [], [2.0])),
         helper.make_node("Mul", ["a", "k"], ["b"])], [helper.make_opsetid("", 17)], attributes=["unused"])
    nodes = [helper.make_node("Scale", ["x"], ["s"], "scale", domain="seed.local", unused=3),
             helper.make_node("Mystery", ["s"], ["y"], "mystery", domain="seed.custom", strings=["a", "b"], ratio=0.5)]
    return model(nodes, [info("x", [2])], [info("y", [2])], functions=[function],
                 domains=["seed.local", "seed.custom"])


def every_encoding():
    encodings = [
        typed("f32", FLOAT, [2], [1.0, 2.0]), typed("f64", TensorProto.DOUBLE, [2], [1.0, 2.0]),
        typed("i32", TensorProto.INT32, [2], [1, 2]), typed("i64", TensorProto.INT64, [2], [1, 2]),
        typed("u8", TensorProto.UINT8, [2], [1, 2]), typed("i8", TensorProto.INT8, [2], [-1, 2]),
        typed("bool", TensorProto.BOOL, [2], [0, 1]), typed("f16", TensorProto.FLOAT16, [2], [1.0, 2.0]),
        typed("u64", TensorProto.UINT64, [2], [1, 2]), array("raw", [2]),
        typed("bf16", TensorProto.BFLOAT16, [2], [1.0, 2.0]),
    ]
    names = [tensor.name for tensor in encodings]
    nodes = [helper.make_node("Cast", [name], [f"{name}_y"], name, to=FLOAT) for name in names]
    nodes.append(helper.make_node("Sum", [f"{name}_y" for name in names], ["y"], "sum"))
    nodes.reverse()  # out of topological order
    return model(nodes, [], [info("y", [2])], encodings)


def external_data():
    outside = array("outside", [2])
    outside.data_location = TensorProto.EXTERNAL
    outside.ClearField("raw_data")
    for key, value in (("location", "weights.bin"), ("offset", "0"), ("length", "8")):
        outside.external_data.add(key=key, value=value)
    return model([helper.make_node("Neg", ["outside"], ["y"], "neg")], [], [info("y", [2])], [outside])


def recurrent():
    nodes = [
        helper.make_node("LSTM", ["x", "w", "r", "", "", "h"], ["", "", "c"], "lstm", hidden_size=2,
                         direction="reverse", activations=["Sigmoid", "Tanh", "Tanh"]),
        helper.make_node("Squeeze", ["c"], ["y"], "squeeze"),
    ]
    weights = [array("w", [1, 8, 3]), array("r", [1, 8, 2]), array("h", [1, 1, 2])]
    return model(nodes, [info("x", [4, 1, 3])], [info("y", None)], weights)


def old_opset():
    nodes = [
        helper.make_node("Upsample", ["x"], ["u"], "upsample", mode="nearest", scales=[1.0, 1.0, 2.0, 2.0]),
        helper.make_node("Dropout", ["u"], ["d", "mask"], "dropout", ratio=0.5),
        helper.make_node("Slice", ["d"], ["s"], "slice", axes=[2], starts=[1], ends=[1000]),
        helper.make_node("Clip", ["s"], ["y"], "clip", min=0.0, max=6.0),
    ]
    return model(nodes, [info("x", [1, 2, 3, 3])], [info("y", None)], opset=8, ir_version=3)


def decoder_operators():
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["e"], "embed"),
        helper.make_node("LayerNormalization", ["e", "s", "s"], ["n"], "norm", axis=-1),
        helper.make_node("Einsum", ["n", "n"], ["q"], "einsum", equation="bsd,btd->bst"),
        helper.make_node("Softmax", ["q"], ["a"], "softmax", axis=-1),
        helper.make_node("MatMul", ["a", "n"], ["o"], "matmul"),
        helper.make_node("Split", ["o"], ["left", "right"], "split", axis=2, num_outputs=2),
        helper.make_node("TopK", ["left", "k"], ["y", "indices"], "top_k", axis=-1),
    ]
    initializers = [array("table", [5, 4]), array("s", [4]), typed("k", TensorProto.INT64, [1], [1])]
    return model(nodes, [info("ids", ["batch", "sequence"], TensorProto.INT64)],
                 [info("y", None), info("indices", None, TensorProto.INT64)], initializers, opset=20, ir_version=9)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    makers = (convolution, shape_chatter, control_flow, local_function, every_encoding, external_data, recurrent,
              old_opset, decoder_operators)
    for make in makers:
        onnx.save(make(), os.path.join(folder, make.__name__ + ".onnx"))
    for name, content in {"empty": b"", "not_protobuf": b"\xff" * 64, "only_header": b"\x08\x08"}.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


if __name__ == "__main__":
    main()
