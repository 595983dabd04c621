"""Operators that move elements: reshapes, slices, joins, paddings."""

import numpy as np
from onnx import helper

from builder import DTYPES, INT, NotHere

ANY = DTYPES


def some(b, **options):
    """Mostly of the graph's own element type, so that chains form."""
    return b.tensor(ANY if b.chance(0.3) else None, **options)


def concat(b):
    x = some(b, low=1)
    axis = b.axis(x.rank)
    parts = [x]
    for _ in range(b.one_of([0, 1, 1, 1, 2, 3])):
        shape = list(x.shape)
        if b.chance(0.5):
            shape[axis] = b.size()
        same = b.existing(lambda v: v.dtype == x.dtype and list(v.shape) == shape)
        parts.append(same if same is not None and b.chance(b.reuse_rate) else b.fresh(shape, x.dtype))
    if b.chance(0.1):
        parts.append(b.one_of(parts))
    if b.chance(0.4):
        parts.reverse()
    b.node("Concat", parts, axis=axis)


def split(b):
    x = some(b, low=1)
    axis = b.axis(x.rank)
    size = x.shape[axis]
    count = b.integer(1, max(1, min(4, size)))
    sizes = None
    if b.chance(0.5):
        cuts = np.sort(b.rng.integers(0, size + 1, count - 1))
        sizes = [int(v) for v in np.diff([0, *cuts, size])]
    elif b.opset < 18 and size % count:
        raise NotHere
    elif b.opset >= 18 and (size + count - 1) // count * (count - 1) > size:
        raise NotHere
    if b.opset < 13:
        b.node("Split", [x], [True] * count, axis=axis, split=sizes)
        return
    operands = [x] if sizes is None else [x, b.constant(sizes)]
    b.node("Split", operands, [True] * count, axis=axis, num_outputs=count if sizes is None and b.opset >= 18 else None)


def slice_(b):
    x = some(b, low=1)
    axes = [int(a) for a in b.rng.permutation(x.rank)[:b.integer(1, x.rank)]]
    starts, ends, steps = [], [], []
    for axis in axes:
        size = x.shape[axis]
        step = 1 if b.opset < 10 or b.chance(0.5) else b.one_of([1, 2, 3, -1, -2, -3])
        start, end = b.integer(-size - 2, size + 2), b.integer(-size - 2, size + 2)
        if b.chance(0.25):
            end = b.one_of([2**63 - 1, 2**31 - 1]) if step > 0 else b.one_of([-(2**63), -(2**31)])
        if b.chance(0.15):
            start = 0 if step > 0 else 2**31 - 1
        starts.append(start), ends.append(end), steps.append(step)
    if b.opset < 10:
        b.node("Slice", [x], starts=starts, ends=ends, axes=axes if b.chance(0.8) or axes != list(range(len(axes))) else None)
        return
    axes = [a - x.rank if b.chance(0.3) else a for a in axes]
    small = all(abs(v) < 2**31 for v in starts + ends)
    dtype = np.dtype("i4") if small and b.chance(0.2) else INT
    operands = [x] + [b.constant(values, dtype) for values in (starts, ends, axes)]
    if any(step != 1 for step in steps) or b.chance(0.3):
        operands.append(b.constant(steps, dtype))
    b.node("Slice", operands)


def factors(b, count, rank):
    """A shape of that rank with that many elements."""
    shape = [1] * rank
    if rank == 0:
        return shape
    for prime in [p for p in (2, 2, 2, 2, 2, 3, 3, 3, 5, 5, 7, 11, 13, 17)]:
        if count % prime == 0:
            shape[b.integer(0, rank - 1)] *= prime
            count //= prime
    shape[b.integer(0, rank - 1)] *= count
    return shape


def reshape(b):
    x = some(b)
    count = x.array.size
    target = factors(b, count, b.integer(1 if count != 1 else 0, 5)) if count else list(b.rng.permutation(x.shape))
    target = [int(v) for v in target]
    if target and count and b.chance(0.5):
        target[b.integer(0, len(target) - 1)] = -1
    for axis, size in enumerate(target):
        if size > 0 and axis < x.rank and x.shape[axis] == size and b.chance(0.5):
            target[axis] = 0
    allowzero = 1 if b.opset >= 14 and b.chance(0.2) and (0 not in target or not count) and -1 not in target else None
    if allowzero is None and 0 in target and not count:
        raise NotHere
    b.node("Reshape", [x, b.constant(target)], allowzero=allowzero)


def flatten(b):
    x = some(b, low=1)
    b.node("Flatten", [x], axis=b.axis(x.rank, inclusive=True) if b.chance(0.8) else None)


def squeeze(b):
    x = some(b)
    ones = [axis for axis, size in enumerate(x.shape) if size == 1]
    chosen = [axis - x.rank if b.opset >= 11 and b.chance(0.3) else axis for axis in ones if b.chance(0.7)]
    if not chosen and not b.chance(0.2):
        raise NotHere
    if b.opset < 13:
        b.node("Squeeze", [x], axes=chosen or None)
    else:
        b.node("Squeeze", [x, b.constant(chosen)] if chosen else [x])


def unsqueeze(b):
    x = some(b, high=4)
    rank = x.rank + b.integer(1, 2)
    axes = [int(a) for a in b.rng.permutation(rank)[:rank - x.rank]]
    if b.opset >= 11:
        axes = [a - rank if b.chance(0.3) else a for a in axes]
    if b.opset < 13:
        b.node("Unsqueeze", [x], axes=axes)
    else:
        b.node("Unsqueeze", [x, b.constant(axes)])


def transpose(b):
    x = some(b)
    b.node("Transpose", [x], perm=[int(a) for a in b.rng.permutation(x.rank)] if b.chance(0.85) and x.rank else None)


def expand(b):
    x = some(b, high=4)
    shape = [b.size() if size == 1 and b.chance(0.7) else b.one_of([size, 1]) for size in x.shape]
    if b.chance(0.3):
        shape = [b.integer(1, 4), *shape]
    elif b.chance(0.2):
        shape = shape[b.integer(0, len(shape)):]
    b.node("Expand", [x, b.constant(shape)])


def tile(b):
    x = some(b, low=1)
    repeats = [b.one_of([1, 1, 2, 3, 0 if b.has_empty else 1]) for _ in x.shape]
    b.node("Tile", [x, b.constant(repeats)])


def pad(b):
    x = some(b, low=1)
    mode = b.one_of([None, "constant", "constant", "reflect", "edge"] + (["wrap"] if b.opset >= 19 else []))
    axes = [int(a) for a in b.rng.permutation(x.rank)[:b.integer(1, x.rank)]] if b.opset >= 18 and b.chance(0.4) else None
    over = [axis for axis in (axes if axes is not None else range(x.rank))]
    def amount(axis):
        size = x.shape[axis]
        if mode in ("reflect", "wrap"):
            return b.integer(0, max(0, size - 1))
        if mode == "edge" and not size:
            return 0
        return b.one_of([0, 0, 1, 2, 3]) if not b.chance(0.15) else -b.integer(0, (size + 1) // 3)
    begins, ends = [amount(axis) for axis in over], [amount(axis) for axis in over]
    for i, axis in enumerate(over):
        # What is cut off at one side is not repeated at the other.
        if mode in ("reflect", "wrap") and x.shape[axis] > 1 and b.chance(0.2):
            cut, side = b.integer(1, x.shape[axis] // 2), b.chance(0.5)
            kept = b.integer(0, max(0, x.shape[axis] - cut - 1))
            begins[i], ends[i] = (-cut, kept) if side else (kept, -cut)
    if b.opset < 11:
        b.node("Pad", [x], mode=mode, pads=begins + ends, value=b.one_of([None, 1.5]))
        return
    fill = b.source(np.array(b.integer(0, 3), x.dtype)) if b.chance(0.6) else None
    named = None
    if axes is not None:
        named = b.constant([a - x.rank if b.chance(0.3) else a for a in axes])
    b.node("Pad", [x, b.constant(begins + ends), fill, named], mode=mode)


def depth_to_space(b):
    block = b.integer(1, 3)
    n, c, h, w = b.integer(1, 2), b.integer(1, 3), b.integer(1, 4), b.integer(1, 4)
    if b.chance(0.5):
        x = b.tensor(rank=4, accept=lambda v: v.shape[1] % (block * block) == 0) if b.chance(0.4) else b.fresh(
            [n, c * block * block, h, w])
        b.node("DepthToSpace", [x], blocksize=block, mode=b.one_of([None, "DCR", "CRD"]) if b.opset >= 11 else None)
    else:
        b.node("SpaceToDepth", [b.fresh([n, c, h * block, w * block])], blocksize=block)


def shape_of(b):
    x = some(b)
    attributes = {}
    if b.opset >= 15 and b.chance(0.5):
        attributes = {"start": b.integer(-x.rank - 1, x.rank + 1), "end": b.integer(-x.rank - 1, x.rank + 1)}
    b.node("Shape", [x], **{k: v for k, v in attributes.items() if b.chance(0.7)})


def size_of(b):
    b.node("Size", [some(b)])


def identity(b):
    b.node("Identity", [some(b)])


def eye_like(b):
    x = some(b, rank=2)
    b.node("EyeLike", [x], k=b.one_of([None, b.integer(-4, 4)]),
           dtype=helper.np_dtype_to_tensor_dtype(b.one_of(ANY)) if b.chance(0.5) else None)


def constant_of_shape(b):
    value = None
    if b.chance(0.7):
        value = helper.make_tensor("value", helper.np_dtype_to_tensor_dtype(dtype := b.one_of(ANY)), [1],
                                   np.array([b.integer(0, 3)]).astype(dtype))
    b.node("ConstantOfShape", [b.constant(b.shape(low=0))], value=value)


def range_(b):
    dtype = b.one_of([np.dtype(n) for n in ("f4", "f8", "i4", "i8")])
    start, count, delta = b.integer(-5, 5), b.integer(0, 12), b.one_of([1, 2, -1, -3])
    values = [start, start + count * delta - (b.integer(0, 1) if delta > 0 else 0), delta]
    roles = ["count", "count", "delta"]
    is_input = b.chance(b.plan.get("shape_inputs", 0.03) * 3)
    b.node("Range", [b.source(np.array(v, dtype), "input" if is_input else "initializer", role) for v, role in zip(values, roles)])


def trilu(b):
    x = some(b, low=2)
    k = b.constant(b.integer(-4, 4)) if b.chance(0.5) else None
    b.node("Trilu", [x, k], upper=b.one_of([None, 0, 1]))


def reshape_like(b):
    """The exporters' chain: a shape, put together from parts of another value's shape, that a reshape follows."""
    x = some(b, low=2)
    shape = b.node("Shape", [x])
    first = b.node("Gather", [shape, b.source(np.array([0], INT), "initializer", "index")], axis=0)
    rest = b.source(np.array([-1], INT), "initializer", "shape")
    target = b.node("Concat", [first, rest], axis=0)
    b.node("Reshape", [x, target])


GENERATORS = {
    "Concat": concat, "ConstantOfShape": constant_of_shape, "DepthToSpace": depth_to_space, "Expand": expand, "EyeLike": eye_like,
    "Flatten": flatten, "Identity": identity, "Pad": pad, "Range": range_, "Reshape": reshape, "ReshapeLike": reshape_like,
    "Shape": shape_of, "Size": size_of, "Slice": slice_, "Split": split, "Squeeze": squeeze, "Tile": tile,
    "Transpose": transpose, "Trilu": trilu, "Unsqueeze": unsqueeze,
}
