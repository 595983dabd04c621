"""Small networks with real operators, as tests of the runtime compile them: each entry of STATIC and OPEN is
name: (function that gives nodes and weights, inputs, the sizes to run at)."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), f"{op}_{outputs.split()[0]}", **attributes)


class Weights(list):
    """Initialisers; `add` and `ints` give back the name."""

    def add(self, name, *shape):
        values = np.random.default_rng(len(self)).standard_normal(shape).astype(np.float32)
        self.append(numpy_helper.from_array(values * np.float32(0.2), name))
        return name

    def ints(self, name, *values):
        self.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name


def conv(weights, x, y, channels, filters, size, **attributes):
    weights.add(f"{y}_w", filters, channels, *([size] * 2))
    weights.add(f"{y}_b", filters)
    return node("Conv", f"{x} {y}_w {y}_b", y, pads=[size // 2] * 4, **attributes)


def squeezenet(weights):
    """Fire modules: squeeze, two expansions side by side, concatenation."""
    nodes = [conv(weights, "x", "c0", 3, 32, 3, strides=[2, 2]), node("Relu", "c0", "r0"),
             node("MaxPool", "r0", "p0", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)]
    for i, x in ((1, "p0"), (2, "cat1")):
        nodes += [conv(weights, x, f"s{i}", 32, 16, 1), node("Relu", f"s{i}", f"sr{i}"),
                  conv(weights, f"sr{i}", f"e{i}", 16, 16, 1), node("Relu", f"e{i}", f"er{i}"),
                  conv(weights, f"sr{i}", f"f{i}", 16, 16, 3), node("Relu", f"f{i}", f"fr{i}"),
                  node("Concat", f"er{i} fr{i}", f"cat{i}", axis=1)]
    return nodes + [conv(weights, "cat2", "last", 32, 10, 1), node("GlobalAveragePool", "last", "g"), node("Flatten", "g", "f"),
                    node("Softmax", "f", "y")]


def mobilenet(weights):
    """Depthwise and pointwise convolutions, a gate, a residual, odd channel counts."""
    weights.add("dw", 20, 1, 3, 3)
    return [conv(weights, "x", "c0", 3, 20, 3, strides=[2, 2]), node("HardSwish", "c0", "h0"),
            node("Conv", "h0 dw", "d0", pads=[1] * 4, group=20), node("GlobalAveragePool", "d0", "g0"),
            conv(weights, "g0", "q0", 20, 5, 1), node("Relu", "q0", "qr0"), conv(weights, "qr0", "z0", 5, 20, 1),
            node("HardSigmoid", "z0", "gate"), node("Mul", "d0 gate", "m0"), conv(weights, "m0", "o0", 20, 20, 1),
            node("Add", "o0 c0", "y")]


def transformer(weights):
    """One layer: layer norm, attention of 2 heads, a gelu between two products."""
    for name in ("wq", "wk", "wv", "wo"):
        weights.add(name, 16, 16)
    weights.add("g1", 16), weights.add("b1", 16), weights.add("w1", 16, 64), weights.add("w2", 64, 16)
    weights.ints("heads", 0, 0, 2, 8), weights.ints("flat", 0, 0, 16)
    nodes = [node("LayerNormalization", "x g1 b1", "n")]
    for part, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [node("MatMul", f"n w{part}", part), node("Reshape", f"{part} heads", f"{part}h"),
                  node("Transpose", f"{part}h", f"{part}t", perm=perm)]
    return nodes + [node("MatMul", "qt kt", "s"), node("Softmax", "s", "a", axis=-1), node("MatMul", "a vt", "c"),
                    node("Transpose", "c", "ct", perm=[0, 2, 1, 3]), node("Reshape", "ct flat", "cf"),
                    node("MatMul", "cf wo", "o"), node("Add", "o x", "r"), node("MatMul", "r w1", "u"),
                    node("Gelu", "u", "ug"), node("MatMul", "ug w2", "d"), node("Add", "d r", "y")]


def recurrent(op, gates, direction="forward", **attributes):
    directions = 2 if direction == "bidirectional" else 1

    def make(weights):
        weights.add("w", directions, gates * 12, 8), weights.add("r", directions, gates * 12, 12)
        weights.add("b", directions, 2 * gates * 12)
        return [node(op, "x w r b", "all last", hidden_size=12, direction=direction, **attributes), node("Tanh", "all", "y")]
    return make


def images(weights):
    """Upsampling, transposed convolution, instance norm, border copies, pools with padding."""
    weights.add("scale", 12), weights.add("shift", 12), weights.add("up", 12, 6, 3, 3), weights.add("fin", 4, 6, 3, 3)
    weights.append(numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "twice"))
    weights.ints("pads", 0, 0, 1, 1, 0, 0, 1, 1)
    return [node("Pad", "x pads", "p", mode="reflect"), conv(weights, "p", "c", 3, 12, 3),
            node("InstanceNormalization", "c scale shift", "n"), node("Relu", "n", "r"),
            node("AveragePool", "r", "a", kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2]),
            node("ConvTranspose", "a up", "t", strides=[2, 2]), node("Resize", "t _ twice", "z", mode="linear"),
            node("LRN", "z", "l", size=3), node("Conv", "l fin", "y", strides=[2, 2])]


def movement(weights):
    """Gathers, scatters, slices, sums, sorting."""
    weights.ints("index", 2, 0, 1), weights.ints("from", 1), weights.ints("to", 1000), weights.ints("axis", 1)
    weights.ints("k", 2), weights.ints("ones", 1, 1, 1), weights.ints("twice", 1, 1, 2)
    return [node("Gather", "x index", "g", axis=1), node("Slice", "g from to axis", "s"), node("Concat", "x s", "c", axis=1),
            node("Transpose", "c", "t", perm=[0, 2, 1]), node("CumSum", "t axis", "u"), node("Tile", "u twice", "v"),
            node("TopK", "v k", "top where", axis=1), node("ReduceSum", "top axis", "sum"), node("Exp", "sum", "e"),
            node("Expand", "e ones", "w"), node("ReduceMax", "w", "m", keepdims=0), node("Mul", "v m", "y")]


IMAGE = {"x": (FLOAT, [1, 3, 32, 32])}
SEQUENCE = {"x": (FLOAT, [1, 10, 16])}
STEPS = {"x": (FLOAT, [6, 2, 8])}
STATIC = {
    "squeezenet": (squeezenet, IMAGE, ["1x3x32x32"]),
    "mobilenet": (mobilenet, IMAGE, ["1x3x32x32"]),
    "transformer": (transformer, SEQUENCE, ["1x10x16"]),
    "images": (images, IMAGE, ["1x3x32x32"]),
    "movement": (movement, {"x": (FLOAT, [2, 3, 8])}, ["2x3x8"]),
    "lstm": (recurrent("LSTM", 4), STEPS, ["6x2x8"]),
    "lstm_both": (recurrent("LSTM", 4, "bidirectional"), STEPS, ["6x2x8"]),
    "gru": (recurrent("GRU", 3), STEPS, ["6x2x8"]),
    "gru_both": (recurrent("GRU", 3, "bidirectional", linear_before_reset=1), STEPS, ["6x2x8"]),
    "rnn": (recurrent("RNN", 1, "reverse"), STEPS, ["6x2x8"]),
}
OPEN_IMAGE = {"x": (FLOAT, ["n", 3, "h", "w"])}
OPEN_IMAGES = {"x": (FLOAT, ["n", 3, 32, 32])}
OPEN_STEPS = {"x": (FLOAT, ["steps", "n", 8])}
OPEN = {
    "squeezenet": (squeezenet, OPEN_IMAGE, ["1x3x32x32", "2x3x40x24"]),
    "mobilenet": (mobilenet, OPEN_IMAGE, ["1x3x32x32", "2x3x40x24"]),
    "squeezenet_batches": (squeezenet, OPEN_IMAGES, ["1x3x32x32", "3x3x32x32"]),
    "mobilenet_batches": (mobilenet, OPEN_IMAGES, ["1x3x32x32", "3x3x32x32"]),
    "images_batches": (images, OPEN_IMAGES, ["1x3x32x32", "3x3x32x32"]),
    "transformer": (transformer, {"x": (FLOAT, ["n", "s", 16])}, ["1x10x16", "3x7x16", "1x1x16"]),
    "images": (images, OPEN_IMAGE, ["1x3x32x32", "2x3x40x24"]),
    "movement": (movement, {"x": (FLOAT, ["n", 3, "m"])}, ["2x3x8", "1x3x5"]),
    "lstm": (recurrent("LSTM", 4, "bidirectional"), OPEN_STEPS, ["6x2x8", "9x1x8"]),
    "gru": (recurrent("GRU", 3), OPEN_STEPS, ["6x2x8", "9x1x8"]),
    "rnn": (recurrent("RNN", 1), OPEN_STEPS, ["6x2x8", "9x1x8"]),
}


def make_model(make, inputs):
    weights = Weights()
    nodes = make(weights)
    for each in nodes:  # "_" stands for an absent input
        for i, name in enumerate(each.input):
            each.input[i] = "" if name == "_" else name
    values = [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()]
    graph = helper.make_graph(nodes, "g", values, [helper.make_tensor_value_info("y", FLOAT, None)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
