"""Operators that look elements up, scatter them, sort them or count them."""

import numpy as np

from builder import DTYPES, INT, NotHere
from ops_elementwise import FLOATS, NUMBERS

INDEX_TYPES = [INT, INT, np.dtype("i4")]


def indices(b, shape, size, dtype=None, negative=True):
    if not size and np.prod(shape, dtype=np.int64):
        raise NotHere
    low = -size if negative and b.opset >= 11 else 0
    values = b.rng.integers(low, max(size, low + 1), shape)
    return b.source(np.asarray(values).astype(dtype or b.one_of(INDEX_TYPES)), role="index")


def any_tensor(b, **options):
    return b.tensor(DTYPES if b.chance(0.3) else None, **options)


def gather(b):
    x = any_tensor(b, low=1)
    axis = b.axis(x.rank)
    b.node("Gather", [x, indices(b, b.shape(high=2), x.shape[axis])], axis=axis if axis or b.chance(0.5) else None)


def gather_elements(b):
    x = any_tensor(b, low=1)
    axis = b.axis(x.rank)
    shape = [b.integer(0 if b.has_empty else min(1, size), size) for size in x.shape]
    shape[axis] = b.size()
    b.node("GatherElements", [x, indices(b, shape, x.shape[axis])], axis=axis)


def tuples(b, x, batch):
    """Index tuples into x behind `batch` leading dimensions; (shape before the tuple, length of a tuple, array)."""
    depth = b.integer(1, x.rank - batch)
    lead = list(x.shape[:batch]) + [b.size() for _ in range(b.integer(0 if batch else 1, 2))]
    columns = []
    for axis in range(batch, batch + depth):
        size = x.shape[axis]
        if not size and np.prod(lead, dtype=np.int64):
            raise NotHere
        columns.append(b.rng.integers(-size if b.opset >= 11 else 0, max(size, 1), lead))
    return lead, depth, np.stack(columns, axis=-1).astype(INT)


def gather_nd(b):
    x = any_tensor(b, low=1)
    batch = b.integer(0, x.rank - 1) if b.opset >= 12 and b.chance(0.3) else 0
    _, _, array = tuples(b, x, batch)
    b.node("GatherND", [x, b.source(array, role="index")], batch_dims=batch if batch or b.chance(0.3) else None)


def reduction(b):
    options = [None, "none"] + (["add", "mul"] if b.opset >= 16 else []) + (["max", "min"] if b.opset >= 18 else [])
    return b.one_of(options) if b.opset >= 16 else None


def scatter_nd(b):
    x = any_tensor(b, low=1)
    lead, depth, array = tuples(b, x, 0)
    how = reduction(b)
    if how in (None, "none"):  # the order of writes to one place is not defined
        flat = array.reshape(-1, depth) % np.array(x.shape[:depth])
        if len(np.unique(flat, axis=0)) != len(flat):
            raise NotHere
    updates = b.fresh(lead + list(x.shape[depth:]), x.dtype)
    b.node("ScatterND", [x, b.source(array, role="index"), updates], reduction=how,
           rounding="sum" if how in ("add", "mul") and x.dtype.kind == "f" else "exact")


def scatter_elements(b):
    x = any_tensor(b, low=1)
    axis = b.axis(x.rank)
    shape = [b.integer(min(1, size), size) for size in x.shape]
    how = reduction(b)
    size = x.shape[axis]
    if how in (None, "none"):
        array = np.argsort(b.rng.random(shape[:axis % x.rank] + [size] + shape[axis % x.rank + 1:]), axis=axis)
        array = np.take(array, range(shape[axis]), axis=axis)
        array = array - size * (b.rng.random(array.shape) < 0.2) * (b.opset >= 11)
        index = b.source(np.asarray(array).astype(b.one_of(INDEX_TYPES)), role="index")
    else:
        index = indices(b, shape, size)
    op = "Scatter" if b.opset < 11 else "ScatterElements"
    b.node(op, [x, index, b.fresh(shape, x.dtype)], axis=axis, reduction=how,
           rounding="sum" if how in ("add", "mul") and x.dtype.kind == "f" else "exact")


def top_k(b):
    x = b.tensor(NUMBERS if b.chance(0.4) else FLOATS[:1], low=1)
    if x.dtype.kind == "f" and np.isnan(x.array).any():
        raise NotHere  # ONNX does not order NaN
    axis = b.axis(x.rank)
    k = b.integer(0 if b.has_empty else 1, max(1, x.shape[axis]))
    outputs = b.one_of([[True, True], [True, True], [False, True]]) if b.chance(0.6) else [True, False]
    if b.opset < 10:
        b.node("TopK", [x], outputs, axis=axis, k=k)
        return
    attributes = {"largest": b.integer(0, 1)} if b.opset >= 11 and b.chance(0.6) else {}
    b.node("TopK", [x, b.source(np.array([k], INT), "input" if b.chance(0.1) else "initializer", "count")], outputs, axis=axis,
           **attributes)


def one_hot(b):
    dtype = b.one_of([INT, np.dtype("i4"), np.dtype("f4")])
    depth = b.integer(1, 6)
    shape = b.shape(high=3)
    array = b.rng.integers(-depth, depth + (2 if b.chance(0.3) else 0), shape)
    values = b.fresh([2], b.one_of([np.dtype("f4"), INT]))
    b.node("OneHot", [b.source(np.asarray(array).astype(dtype)),
                      b.source(np.array(depth, INT), "input" if b.chance(0.05) else "initializer", "count"), values],
           axis=b.one_of([None, b.integer(-len(shape) - 1, len(shape))]),
           rounding="round")  # onnx's own evaluator computes off + (on - off)


def reverse_sequence(b):
    x = b.tensor(low=2, accept=lambda v: min(v.shape[:2], default=0) > 0)
    batch_axis = b.integer(0, 1)
    array = b.rng.integers(1, x.shape[1 - batch_axis] + 1, [x.shape[batch_axis]])
    b.node("ReverseSequence", [x, b.source(array.astype(INT), role="length")], batch_axis=batch_axis, time_axis=1 - batch_axis)


def compress(b):
    x = any_tensor(b, low=1)
    axis = b.axis(x.rank) if b.chance(0.7) else None
    size = x.array.size if axis is None else x.shape[axis]
    b.node("Compress", [x, b.source(b.rng.random(b.integer(min(1, size), size)) < 0.5)], axis=axis)


def non_zero(b):
    b.node("NonZero", [any_tensor(b, low=1)])


def cumsum(b):
    x = b.tensor([*FLOATS, np.dtype("i4"), INT] if b.chance(0.4) else FLOATS[:1], low=1)
    axis = b.source(np.array(b.integer(-x.rank, x.rank - 1), b.one_of([INT, np.dtype("i4")])), "initializer", "axis")
    b.node("CumSum", [x, axis], exclusive=b.one_of([None, 0, 1]), reverse=b.one_of([None, 0, 1]),
           rounding="sum" if x.dtype.kind == "f" else "exact")


GENERATORS = {
    "Compress": compress, "CumSum": cumsum, "Gather": gather, "GatherElements": gather_elements, "GatherND": gather_nd,
    "NonZero": non_zero, "OneHot": one_hot, "ReverseSequence": reverse_sequence, "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd, "TopK": top_k,
}
