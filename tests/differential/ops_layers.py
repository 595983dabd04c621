"""Normalisations, recurrent layers, quantisation."""

import numpy as np

from builder import INT, NotHere
from ops_elementwise import FLOATS
from ops_windows import divisors, image

FLOAT = FLOATS[0]


def plain(b, shape, dtype=FLOAT, style="plain"):
    return b.fresh(shape, dtype, style)


def batch_norm(b):
    x = image(b) if b.chance(0.7) else b.floats(low=2)
    c = x.shape[1]
    parameters = [plain(b, [c], x.dtype) for _ in range(3)] + [plain(b, [c], x.dtype, "positive")]
    b.node("BatchNormalization", [x, *parameters], rounding="norm", epsilon=b.one_of([None, 1e-3]))


def instance_norm(b):
    x = image(b)
    b.node("InstanceNormalization", [x, *(plain(b, [x.shape[1]], x.dtype) for _ in range(2))], rounding="norm",
           epsilon=b.one_of([None, 1e-3]))


def group_norm(b):
    x = image(b)
    groups = b.one_of(divisors(max(1, x.shape[1])))
    count = x.shape[1] if b.opset >= 21 else groups
    b.node("GroupNormalization", [x, plain(b, [count], x.dtype), plain(b, [count], x.dtype)], rounding="norm", num_groups=groups,
           epsilon=b.one_of([None, 1e-3]))


def layer_norm(op):
    def generate(b):
        x = b.floats(low=1)
        axis = b.integer(-x.rank, x.rank - 1)
        shape = list(x.shape[axis % x.rank:])
        operands = [x, plain(b, shape, x.dtype)]
        outputs = 1
        if op == "LayerNormalization":
            operands.append(plain(b, shape, x.dtype) if b.chance(0.6) else None)
            outputs = b.one_of([1, 1, [True, True], [True, True, True], [True, False, True]])
        b.node(op, operands, outputs, rounding="norm", axis=axis if axis != -1 or b.chance(0.5) else None,
               epsilon=b.one_of([None, 1e-3]))
    return generate


def lrn(b):
    b.node("LRN", [image(b)], rounding="norm", size=b.one_of([1, 3, 5, 2]), alpha=b.one_of([None, 0.1]),
           beta=b.one_of([None, 0.5]), bias=b.one_of([None, 2.0]))


def lp_norm(b):
    x = b.floats(low=1)
    b.node("LpNormalization", [x], rounding="norm", axis=b.integer(-x.rank, x.rank - 1), p=b.one_of([1, 2, None]))


def mean_variance_norm(b):
    x = b.floats(low=2)
    axes = sorted(int(a) for a in b.rng.permutation(x.rank)[:b.integer(1, x.rank)])
    if x.rank == 4 and b.chance(0.4):
        axes = None
    b.node("MeanVarianceNormalization", [x], rounding="norm", axes=axes)


def recurrent(op, gates):
    def generate(b):
        direction = b.one_of(["forward", "reverse", "bidirectional", None])
        d = 2 if direction == "bidirectional" else 1
        hidden = b.one_of([1, 2, 3, 4, 5, 8])
        x = b.tensor(FLOAT, rank=3, style="plain", accept=lambda v: np.abs(v.array).max(initial=0) < 100 and v.array.size)
        layout = 1 if b.opset >= 14 and b.chance(0.0) else 0
        time, batch, size = x.shape
        operands = [x, plain(b, [d, gates * hidden, size]), plain(b, [d, gates * hidden, hidden])]
        operands.append(plain(b, [d, 2 * gates * hidden]) if b.chance(0.6) else None)
        lengths = None
        if b.chance(0.25):
            lengths = b.source(b.rng.integers(1, time + 1, [batch]).astype("i4"), role="length")
        operands.append(lengths)
        operands.append(plain(b, [d, batch, hidden]) if b.chance(0.5) else None)
        attributes = {"hidden_size": hidden, "direction": direction, "layout": layout or None}
        outputs = [True, True] if b.chance(0.6) else b.one_of([[True, False], [False, True]])
        if op == "LSTM":
            operands.append(plain(b, [d, batch, hidden]) if b.chance(0.5) else None)
            operands.append(plain(b, [d, 3 * hidden]) if b.chance(0.2) else None)
            outputs.append(b.chance(0.5))
        if op == "GRU":
            attributes["linear_before_reset"] = b.one_of([None, 0, 1])
        if b.chance(0.25):
            per = {"LSTM": 3, "GRU": 2, "RNN": 1}[op]
            attributes["activations"] = [b.one_of(["Tanh", "Sigmoid", "Relu"]) for _ in range(per * d)]
        if b.chance(0.1):
            attributes["clip"] = 1.5
        b.node(op, operands, outputs, rounding="norm", **attributes)
    return generate


def quantize(b):
    x = b.tensor(FLOAT, accept=lambda v: not np.isnan(v.array).any())
    dtype = b.one_of([np.dtype("u1"), np.dtype("i1")])
    per_axis = b.opset >= 13 and x.rank >= 1 and b.chance(0.4)
    axis = b.integer(-x.rank, x.rank - 1) if per_axis else None
    shape = [x.shape[axis]] if per_axis else []
    zero = plain(b, shape, dtype) if b.chance(0.7) else None
    b.node("QuantizeLinear", [x, plain(b, shape, FLOAT, "positive"), zero], rounding="approx", axis=axis)


def dequantize(b):
    x = b.tensor([np.dtype("u1"), np.dtype("i1")] if b.chance(0.8) else np.dtype("i4"))
    per_axis = b.opset >= 13 and x.rank >= 1 and b.chance(0.4)
    axis = b.integer(-x.rank, x.rank - 1) if per_axis else None
    shape = [x.shape[axis]] if per_axis else []
    zero = plain(b, shape, x.dtype) if b.chance(0.6) and x.dtype != np.dtype("i4") else None
    b.node("DequantizeLinear", [x, plain(b, shape, FLOAT, "positive"), zero], rounding="round", axis=axis)


def dynamic_quantize(b):
    x = b.tensor(FLOAT, accept=lambda v: np.isfinite(v.array).all() and v.array.size)
    b.node("DynamicQuantizeLinear", [x], 3, rounding="approx")


GENERATORS = {
    "BatchNormalization": batch_norm, "DequantizeLinear": dequantize, "DynamicQuantizeLinear": dynamic_quantize,
    "GRU": recurrent("GRU", 3), "GroupNormalization": group_norm, "InstanceNormalization": instance_norm,
    "LSTM": recurrent("LSTM", 4), "LayerNormalization": layer_norm("LayerNormalization"), "LpNormalization": lp_norm, "LRN": lrn,
    "MeanVarianceNormalization": mean_variance_norm, "QuantizeLinear": quantize, "RMSNormalization": layer_norm("RMSNormalization"),
    "RNN": recurrent("RNN", 1),
}
