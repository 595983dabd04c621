"""Convolutions, pools, resizing."""

import numpy as np

from builder import NotHere
from ops_elementwise import FLOATS


def window(b, spatial, dilations=True):
    """(kernel, attributes) of a window over these sizes; the padded input is never smaller than the kernel."""
    n = len(spatial)
    attributes, kernel = {}, []
    dilation = [b.one_of([1, 1, 2, 3]) for _ in spatial] if dilations and b.chance(0.3) else [1] * n
    auto = b.one_of(["SAME_UPPER", "SAME_LOWER", "VALID"]) if b.chance(0.2) else None
    pads = [b.one_of([0, 0, 1, 2]) for _ in range(2 * n)] if not auto and b.chance(0.5) else [0] * 2 * n
    for axis, size in enumerate(spatial):
        room = size + pads[axis] + pads[n + axis]
        largest = (room - 1) // dilation[axis] + 1 if room > 0 else 0
        if largest < 1:
            raise NotHere
        k = b.integer(1, min(largest, 5)) if not b.chance(0.12) else min(largest, 7)
        kernel.append(k)
        reach = (k - 1) * dilation[axis] + 1
        pads[axis], pads[n + axis] = min(pads[axis], k - 1), min(pads[n + axis], k - 1)
        if size + pads[axis] + pads[n + axis] < reach:
            raise NotHere
    if auto:
        attributes["auto_pad"] = auto
    elif any(pads) or b.chance(0.3):
        attributes["pads"] = pads
    if any(d != 1 for d in dilation):
        attributes["dilations"] = dilation
    if b.chance(0.5):
        attributes["strides"] = [b.one_of([1, 2, 2, 3]) for _ in spatial]
    return kernel, attributes


def image(b, channels=None, dtype=None):
    """[N, C, D1, ...]: an existing value or a new source."""
    dtype = dtype or (FLOATS[0] if b.chance(0.93) else FLOATS[1])
    if b.chance(b.reuse_rate):
        found = b.existing(lambda v: v.dtype == dtype and 3 <= v.rank <= 5 and (channels is None or v.shape[1] == channels))
        if found is not None:
            return found
    n = b.plan.get("batch") or b.one_of([1, 1, 2]) if b.chance(0.85) else b.size()
    c = channels or b.one_of([1, 2, 3, 4, 6, 8, 16, 17, 32])
    high = 12 if c < 8 else 7
    spatial = [b.integer(1, high) for _ in range(b.one_of([1, 2, 2, 2, 2, 3]))]
    if len(spatial) == 3:
        spatial = [min(s, 5) for s in spatial]
    return b.fresh([n, c, *spatial], dtype)


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


def weights(b, shape, dtype):
    """Finite ones: what 0 * inf at the border gives depends on whether zeros are multiplied or left out."""
    style = b.style if b.style in ("ties", "positive", "large") and b.chance(0.3) else "plain"
    return b.fresh(shape, dtype, style)


def conv(b):
    x = image(b)
    c, spatial = x.shape[1], x.shape[2:]
    if not c:
        raise NotHere
    group = b.one_of(divisors(c)) if b.chance(0.4) else 1
    m = group * b.one_of([1, 1, 2, 3, 4, 8] if group > 4 else [1, 2, 3, 5, 8, 16, 17, 32])
    kernel, attributes = window(b, spatial)
    w = weights(b, [m, c // group, *kernel], x.dtype)
    bias = b.fresh([m], x.dtype) if b.chance(0.5) else None
    if b.chance(0.5):
        attributes["kernel_shape"] = kernel
    b.node("Conv", [x, w, bias], rounding="sum", group=group if group > 1 or b.chance(0.3) else None, **attributes)


def conv_transpose(b):
    x = image(b)
    c, spatial = x.shape[1], x.shape[2:]
    if not c or b.opset < 7:
        raise NotHere
    group = b.one_of(divisors(c)) if b.chance(0.3) else 1
    m = b.integer(1, 6)
    kernel = [b.integer(1, 4) for _ in spatial]
    strides = [b.integer(1, 3) for _ in spatial]
    attributes = {"strides": strides} if b.chance(0.7) else {}
    strides = attributes.get("strides", [1] * len(spatial))
    if b.chance(0.25):
        attributes["dilations"] = [b.integer(1, 2) for _ in spatial]
    if b.chance(0.25):
        attributes["output_padding"] = [b.integer(0, s - 1) for s in strides]
    choice = b.rng.random()
    if choice < 0.4:
        attributes["pads"] = [b.integer(0, max(0, k - 1)) // 2 for k in kernel * 2]
    elif choice < 0.6:
        attributes["auto_pad"] = b.one_of(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif choice < 0.7:
        attributes["output_shape"] = [(size - 1) * s + b.integer(1, k) for size, s, k in zip(spatial, strides, kernel)]
        attributes.pop("output_padding", None)
    w = weights(b, [c, m, *kernel], x.dtype)
    bias = b.fresh([m * group], x.dtype) if b.chance(0.4) else None
    if b.chance(0.3):
        attributes["kernel_shape"] = kernel
    b.node("ConvTranspose", [x, w, bias], rounding="sum", group=group if group > 1 else None, **attributes)


def pool(op):
    def generate(b):
        x = image(b, dtype=b.one_of([np.dtype("i1"), np.dtype("u1")]) if op == "MaxPool" and b.opset >= 12 and b.chance(0.1) else None)
        newest = {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[op]
        kernel, attributes = window(b, x.shape[2:], dilations=b.opset >= newest)
        attributes["kernel_shape"] = kernel
        if b.opset >= {"MaxPool": 10, "AveragePool": 10, "LpPool": 18}[op] and b.chance(0.35):
            attributes["ceil_mode"] = 1
        outputs = 1
        if op == "AveragePool" and b.chance(0.4):
            attributes["count_include_pad"] = b.integer(0, 1)
        if op == "MaxPool" and b.chance(0.2):
            outputs = [True, True]
            attributes["storage_order"] = b.integer(0, 1)
        if op == "LpPool":
            attributes["p"] = b.one_of([1, 2, 3])
        b.node(op, [x], outputs, rounding={"MaxPool": "exact", "AveragePool": "sum", "LpPool": "norm"}[op], **attributes)
    return generate


def global_pool(op):
    def generate(b):
        b.node(op, [image(b)], rounding={"GlobalMaxPool": "exact", "GlobalAveragePool": "sum", "GlobalLpPool": "norm"}[op],
               **({"p": b.integer(1, 3)} if op == "GlobalLpPool" else {}))
    return generate


def resize(b):
    mode = b.one_of(["nearest", "linear", "linear", "cubic"])
    rank = 4 if mode == "cubic" or b.chance(0.7) else b.integer(1, 4)
    x = b.tensor(FLOATS[0] if b.chance(0.85) else [np.dtype("u1"), np.dtype("i4")], rank=rank, accept=lambda v: v.array.size > 0)
    # Whole dimensions may be left alone; linear and cubic sample the last two.
    free = [axis for axis in range(rank) if axis >= rank - 2 or (mode == "nearest" and b.chance(0.3))]
    scales = [b.one_of([1.0, 2.0, 0.5, 1.5, 3.0, 0.75, 0.6]) if axis in free else 1.0 for axis in range(rank)]
    sizes = [max(1, int(size * scale)) for size, scale in zip(x.shape, scales)]
    if b.opset < 11:
        mode = b.one_of(["nearest", "linear" if b.opset < 10 or b.chance(0.9) else "nearest"])
        op = "Upsample" if b.opset < 10 else "Resize"
        if op == "Upsample":
            scales = [max(1.0, s) for s in scales]
        if b.opset < 9:
            b.node(op, [x], rounding="norm", mode=mode, scales=scales)
        else:
            b.node(op, [x, b.constant(scales, np.dtype("f4"))], rounding="norm", mode=mode)
        return
    modes = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]
    modes += ["tf_half_pixel_for_nn"] if b.opset < 13 and mode == "nearest" else []
    modes += ["half_pixel_symmetric"] if b.opset >= 19 else []
    attributes = {"mode": mode, "coordinate_transformation_mode": b.one_of([None, *modes])}
    if mode == "nearest":
        attributes["nearest_mode"] = b.one_of([None, "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    if mode == "cubic":
        attributes["cubic_coeff_a"] = b.one_of([None, -0.5])
        attributes["exclude_outside"] = b.one_of([None, 0, 1])
    if b.opset >= 18 and mode != "nearest" and b.chance(0.25):
        attributes["antialias"] = 1
    use_sizes = b.chance(0.4)
    if b.opset >= 18 and b.chance(0.3):
        axes = [axis for axis in range(rank) if axis in free]
        attributes["axes"] = axes
        scales, sizes = [scales[a] for a in axes], [sizes[a] for a in axes]
        if use_sizes and b.chance(0.4):
            attributes["keep_aspect_ratio_policy"] = b.one_of(["stretch", "not_larger", "not_smaller"])
    absent = None if b.opset >= 13 else b.source(np.zeros(0, "f4"), "initializer", "shape")
    if use_sizes:
        no_scales = None if b.opset >= 13 else b.source(np.zeros(0, "f4"), "initializer", "shape")
        b.node("Resize", [x, absent, no_scales, b.constant(sizes)], rounding="norm", **attributes)
    else:
        b.node("Resize", [x, absent, b.constant(scales, np.dtype("f4"))], rounding="norm", **attributes)


GENERATORS = {
    "Conv": conv, "ConvTranspose": conv_transpose, **{op: pool(op) for op in ("AveragePool", "LpPool", "MaxPool")},
    **{op: global_pool(op) for op in ("GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool")}, "Resize": resize,
}
