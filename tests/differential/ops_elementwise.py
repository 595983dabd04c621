"""Elementwise operators: how a node of each is drawn. A generator may draw what the opset does not allow: ONNX Runtime
then refuses the node and another one is drawn."""

import numpy as np
from onnx import helper

from builder import DTYPES, NotHere, broadcasts

FLOATS = [np.dtype("f4"), np.dtype("f8")]
INTS = [np.dtype("i1"), np.dtype("u1"), np.dtype("i4"), np.dtype("i8")]
NUMBERS = FLOATS + INTS
BOOL = np.dtype("?")

EXACT_UNARY = ["Abs", "Ceil", "Floor", "Identity", "IsInf", "IsNaN", "Neg", "Relu", "Round", "Sign"]
APPROX_UNARY = ["Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Erf", "Exp", "HardSwish", "Log", "Mish",
                "Reciprocal", "Sigmoid", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh"]
PARAMETRIC = {"Celu": ["alpha"], "Elu": ["alpha"], "HardSigmoid": ["alpha", "beta"], "LeakyRelu": ["alpha"],
              "Selu": ["alpha", "gamma"], "Shrink": ["bias", "lambd"], "ThresholdedRelu": ["alpha"]}


def unary(op, rounding):
    def generate(b):
        types = NUMBERS if op in ("Abs", "Neg", "Sign", "Identity") or (op == "Relu" and b.opset >= 14) else FLOATS
        x = b.tensor(DTYPES if op == "Identity" else types if b.chance(0.3) else FLOATS[:1])
        attributes = {}
        if op == "IsInf" and b.chance(0.4):
            attributes = {"detect_negative": b.integer(0, 1), "detect_positive": b.integer(0, 1)}
        b.node(op, [x], rounding=rounding, **attributes)
    return generate


def parametric(op, names):
    def generate(b):
        values = {name: b.one_of([0.1, 0.5, 1.0, 1.5, 2.0, -0.5, 0.0]) for name in names if b.chance(0.6)}
        if op == "Celu" and values.get("alpha") == 0:
            raise NotHere
        b.node(op, [b.floats()], rounding="approx", **values)
    return generate


def gelu(b):
    b.node("Gelu", [b.floats()], rounding="approx", approximate=b.one_of([None, "none", "tanh"]))


def arithmetic(op):
    def generate(b):
        x = b.tensor(NUMBERS if b.chance(0.3) else FLOATS[:1])
        if op == "Div" and x.dtype.kind in "iu":
            y = b.partner(x, style="plain", role="divisor")
            if (y.array == 0).any() or (y.array == -1).any():
                raise NotHere
        else:
            y = b.partner(x)
        pair = [y, x] if b.chance(0.3) and not (op == "Div" and x.dtype.kind in "iu") else [x, y]
        b.node(op, pair, rounding="round" if x.dtype.kind == "f" else "exact")
    return generate


def power(b):
    x = b.tensor(FLOATS if b.chance(0.9) else [np.dtype("i4"), np.dtype("i8")])
    if x.dtype.kind == "f":
        exponent = b.partner(x) if b.chance(0.4) else b.source(
            np.array(b.one_of([0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 3.0, -2.0, 0.25, np.inf, np.nan]), x.dtype))
    else:
        exponent = b.source(np.array(b.integer(0, 3), x.dtype))
    b.node("Pow", [x, exponent], rounding="approx" if x.dtype.kind == "f" else "exact")


def modulo(b):
    x = b.tensor(NUMBERS)
    fmod = 1 if x.dtype.kind == "f" else b.integer(0, 1)
    y = b.partner(x, style=None if x.dtype.kind == "f" else "plain", role="divisor")
    if x.dtype.kind != "f" and ((y.array == 0).any() or (y.array == -1).any()):
        raise NotHere
    b.node("Mod", [x, y], fmod=fmod if fmod or b.chance(0.5) else None)


def variadic(op):
    def generate(b):
        x = b.tensor(NUMBERS if op in ("Max", "Min") and b.chance(0.3) else FLOATS)
        operands = [x]
        for _ in range(b.one_of([0, 1, 1, 1, 2, 3])):
            operands.append(b.partner(x))
        if b.chance(0.15):
            operands.append(b.one_of(operands))
        b.node(op, operands, rounding="exact" if op in ("Max", "Min") or len(operands) == 1 else "sum")
    return generate


def logical(op):
    def generate(b):
        x = b.tensor(BOOL)
        b.node(op, [x] if op == "Not" else [x, b.partner(x)])
    return generate


def comparison(op):
    def generate(b):
        x = b.tensor([*NUMBERS, BOOL] if op == "Equal" else NUMBERS)
        b.node(op, [x, b.partner(x)])
    return generate


def bitwise(op):
    def generate(b):
        x = b.tensor(INTS)
        if op == "BitShift":
            x = b.tensor(np.dtype("u1"))
            y = b.fresh(b.partner_shape(x.shape), x.dtype, "ties")
            b.node(op, [x, y], direction=b.one_of(["LEFT", "RIGHT"]))
        else:
            b.node(op, [x] if op == "BitwiseNot" else [x, b.partner(x)])
    return generate


def where(b):
    x = b.tensor(DTYPES if b.chance(0.4) else FLOATS[:1])
    y = b.partner(x)
    shape = np.broadcast_shapes(x.shape, y.shape)
    condition = b.tensor(BOOL, accept=lambda v: broadcasts(v.shape, shape)) if b.chance(0.4) else b.fresh(b.partner_shape(shape), BOOL)
    b.node("Where", [condition, x, y])


def prelu(b):
    x = b.tensor(NUMBERS if b.chance(0.2) else FLOATS[:1])
    shape = [s if b.chance(0.6) else 1 for s in x.shape]
    b.node("PRelu", [x, b.fresh(shape[b.integer(0, x.rank):], x.dtype)], rounding="round")


def clip(b):
    x = b.tensor(NUMBERS if b.chance(0.3) else FLOATS[:1])
    kind = "positive" if x.dtype.kind == "u" else "plain"
    bounds = [float(v) for v in np.sort(b.rng.integers(0 if kind == "positive" else -3, 4, 2))]
    if x.dtype.kind == "f" and b.chance(0.3):
        bounds[b.integer(0, 1)] = b.one_of([np.inf, -np.inf, 0.5, -0.0])
    low, high = bounds[0] if b.chance(0.8) else None, bounds[1] if b.chance(0.8) else None
    if low is not None and high is not None and low > high:
        raise NotHere  # defined since opset 13 only, as the upper bound
    if b.opset < 11:
        b.node("Clip", [x], min=low, max=high)
        return
    bound = lambda v: None if v is None else b.source(np.array(v, x.dtype), b.one_of([None, "initializer"]))
    b.node("Clip", [x, bound(low), bound(high)])


def cast(b):
    x = b.tensor(DTYPES)
    to = b.one_of(DTYPES)
    check_cast(x, to)
    if b.opset >= 15 and b.chance(0.2):
        b.node("CastLike", [x, b.fresh(b.shape(), to)])
        return
    b.node("Cast", [x], to=helper.np_dtype_to_tensor_dtype(to))


def check_cast(x, to):
    """ONNX leaves open what a float outside the integer's range becomes."""
    if x.dtype.kind == "f" and to.kind in "iu" and x.array.size:
        info = np.iinfo(to)
        with np.errstate(all="ignore"):
            if not np.all((x.array > info.min) & (x.array < float(info.max))):
                raise NotHere


def dropout(b):
    x = b.floats()
    outputs = 2 if b.opset >= 12 and b.chance(0.3) else 1  # before, nothing says what the mask is without training
    if b.opset < 12:
        b.node("Dropout", [x], ratio=b.one_of([None, 0.3]))
        return
    ratio = b.source(np.array(b.one_of([0.0, 0.5]), x.dtype), "initializer") if b.chance(0.5) else None
    training = None
    if ratio is not None and b.chance(0.4):
        training = b.source(np.array(ratio.array == 0 and b.chance(0.5)), "initializer")
    b.node("Dropout", [x, ratio, training], outputs)


GENERATORS = {
    **{op: unary(op, "exact") for op in EXACT_UNARY}, **{op: unary(op, "approx") for op in APPROX_UNARY},
    **{op: parametric(op, names) for op, names in PARAMETRIC.items()},
    **{op: arithmetic(op) for op in ("Add", "Sub", "Mul", "Div")}, **{op: variadic(op) for op in ("Max", "Min", "Sum", "Mean")},
    **{op: logical(op) for op in ("And", "Or", "Xor", "Not")},
    **{op: comparison(op) for op in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")},
    **{op: bitwise(op) for op in ("BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor")},
    "Cast": cast, "Clip": clip, "Dropout": dropout, "Gelu": gelu, "Mod": modulo, "PRelu": prelu, "Pow": power, "Where": where,
}
