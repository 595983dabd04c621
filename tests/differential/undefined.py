"""What ONNX leaves open, or ONNX Runtime is known to do otherwise: such nodes are not drawn. Each entry says why. The
operators are drawn on all other data, so nothing is left out as a whole."""

import numpy as np
from onnx import helper


def has_nan(values):
    return any(v.dtype.kind == "f" and np.isnan(v.array).any() for v in values)


def is_empty(values):
    return any(v.array.size == 0 for v in values)


def mean_of_nothing(node, inputs, outputs):
    """0 / 0 and the like: numpy gives NaN, ONNX Runtime 0, the standard says "undefined" (ReduceMean-18)."""
    return is_empty(inputs[:1]) and not is_empty(outputs)


def window_of_nan(node, inputs, outputs):
    """The standard does not order NaN, and what ONNX Runtime answers depends on its vector instructions; it begins a
    maximum at the lowest finite number, so that a window of -inf gives that."""
    return has_nan(inputs[:1]) or any(np.isneginf(v.array).any() for v in inputs[:1] if v.dtype.kind == "f")


def overflow_in_a_sum(node, inputs, outputs):
    """Whether a sum passes the largest number on its way depends on the order of its terms."""
    largest = max((float(np.max(np.abs(v.array), where=np.isfinite(v.array), initial=0)) for v in inputs if v.dtype.kind == "f"),
                  default=0)
    limit = 1e15 if any(v.dtype == np.float32 for v in inputs) else 1e120
    return largest > limit and any(v.dtype.kind == "f" and not np.isfinite(v.array).all() for v in outputs)


def sum_of_equals(node, inputs, outputs):
    """Of hundreds of terms that are nearly one number all are rounded to the same side: far more than what is usual."""
    data = inputs[0].array
    if overflow_in_a_sum(node, inputs, outputs) or data.dtype != np.float32:
        return overflow_in_a_sum(node, inputs, outputs)
    per_result = data.size / max(1, outputs[0].array.size)
    with np.errstate(all="ignore"):
        return bool(per_result > 500 and np.nanstd(data) < 0.1 * abs(np.nanmean(data)))


def reduced_shape(node, inputs, outputs):
    """ONNX Runtime gets the shape of a reduction of nothing wrong in places: empty where there is one element, or sizes kept."""
    if not is_empty(inputs[:1]):
        return False
    options = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    rank, axes = inputs[0].rank, options.get("axes", [])
    if node.op_type.startswith("Arg"):
        axes = [options.get("axis", 0)]
    elif len(inputs) > 1:
        axes = inputs[1].array.tolist()
    if not len(axes) and not options.get("noop_with_empty_axes"):
        axes = range(rank)
    axes = {axis % rank for axis in axes} if rank else set()
    kept = options.get("keepdims", 1)
    expected = [1 if axis in axes else size for axis, size in enumerate(inputs[0].shape) if kept or axis not in axes]
    return list(outputs[0].shape) != expected


def global_of_rank_5(node, inputs, outputs):
    """ONNX Runtime gives results of another rank for f64 of three spatial dimensions."""
    return window_of_nan(node, inputs, outputs) or outputs[0].rank != inputs[0].rank


def of_nothing(node, inputs, outputs):
    return mean_of_nothing(node, inputs, outputs) or integer_overflow(node, inputs, outputs)


def order_of_nan(node, inputs, outputs):
    """The standard does not order NaN; numpy passes it on, ONNX Runtime mostly does not."""
    return has_nan(inputs[:1]) or reduced_shape(node, inputs, outputs)


def dilated_same(node, inputs, outputs):
    """ONNX Runtime computes the size of dilated windows under SAME_* as under VALID; the standard says ceil(size / stride)."""
    names = {attribute.name for attribute in node.attribute}
    return {"auto_pad", "dilations"} <= names or (node.op_type == "MaxPool" and window_of_nan(node, inputs, outputs))


def clipped_cell(node, inputs, outputs):
    """`clip` bounds the inputs of all activations; ONNX Runtime leaves out that of h(C)."""
    return any(attribute.name == "clip" for attribute in node.attribute)


def nan_in_hardmax(node, inputs, outputs):
    """ONNX Runtime gives no 1 where the row has a NaN, numpy one at the first NaN; the standard says neither. Of f64 onnx's own
    evaluator judges, which takes the axis of old opsets for one dimension instead of all behind it."""
    axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), -1)
    return has_nan(inputs[:1]) or inputs[0].dtype == np.float64 and axis not in (-1, inputs[0].rank - 1)


def position_of_nan(node, inputs, outputs):
    """numpy gives the position of the first NaN; ONNX Runtime too along the whole of a tensor, along one axis of several
    it depends on what stands before the NaN. Of several NaN the last is not given where it is asked for."""
    wants_last = any(attribute.name == "select_last_index" and attribute.i for attribute in node.attribute)
    return has_nan(inputs[:1]) and (inputs[0].rank > 1 or wants_last) or reduced_shape(node, inputs, outputs)


def scattered_reduction(node, inputs, outputs):
    """The standard allows bool data with reductions without saying what a sum of them is, and does not order NaN."""
    how = next((attribute.s for attribute in node.attribute if attribute.name == "reduction"), b"none")
    return how != b"none" and inputs[0].dtype == np.bool_ or how in (b"max", b"min") and has_nan(inputs)


def tiny_deviation(node, inputs, outputs):
    """The function body adds 1e-9 to the standard deviation; ONNX Runtime does not."""
    options = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    with np.errstate(all="ignore"):
        return bool((inputs[0].array.astype(np.float64).std(axis=tuple(options.get("axes", (0, 2, 3)))) < 1e-2).any())


def range_of_zero(node, inputs, outputs):
    """Where all data are 0 or there are none, the standard's scale is 0, ONNX Runtime's 1, that of onnx's evaluator 1 / 255.
    That of denormal data is 0, too."""
    return not (np.abs(inputs[0].array) > 1e-35).any()


def integer_overflow(node, inputs, outputs):
    """What a sum of integers beyond their range is, the standard does not say; ONNX Runtime saturates some."""
    large, data = False, inputs[0].array
    if data.dtype.kind in "iu" and data.size:
        sizes = np.abs(data.astype(np.float64))
        large = sizes.max() > 20000 or (node.op_type == "ReduceProd" and np.prod(np.maximum(sizes, 1)) > 2**31)
    return large or reduced_shape(node, inputs, outputs)


def power_overflow(node, inputs, outputs):
    """As for sums; ONNX Runtime computes powers of integers as f64. Of a negative base rounding decides whether an exponent is
    whole, so that the power is a number at all."""
    if inputs[-1].samples and (inputs[0].array < 0).any():
        return True
    if inputs[0].dtype.kind == "f" or not inputs[0].array.size:
        return False
    exponent = inputs[-1].array.astype(np.float64).max(initial=0)
    with np.errstate(all="ignore"):
        return bool(np.abs(inputs[0].array.astype(np.float64)).max() ** exponent > min(2**53, np.iinfo(inputs[0].dtype).max))


def recurrence_overflow(node, inputs, outputs):
    """A recurrence that leaves the finite numbers: inf - inf or not depends on the order of the sums."""
    return not all(np.isfinite(v.array).all() for v in outputs)


def clipped_or_overflowing(node, inputs, outputs):
    return clipped_cell(node, inputs, outputs) or recurrence_overflow(node, inputs, outputs)


def kernel_below_stride(node, inputs, outputs):
    """SAME_* says size * stride for ConvTranspose; ONNX Runtime gives less where the kernel is smaller than the stride. In LpPool
    it then begins inside the input, in the other pools at its border."""
    options = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    rank = inputs[0].rank - 2
    kernel = options.get("kernel_shape") or inputs[1].shape[2:]
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, options.get("dilations", [1] * rank))]
    is_same = options.get("auto_pad", b"").startswith(b"SAME")
    return is_same and any(r < s for r, s in zip(reach, options.get("strides", [1] * rank)))


def aligned_fraction(node, inputs, outputs):
    """align_corners by scales: the standard's node tests divide by size * scale - 1, ONNX Runtime by the whole size - 1."""
    options = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    by_name = {v.name: v.array for v in inputs}
    scales = by_name.get(node.input[2]) if len(node.input) > 2 else None
    if options.get("coordinate_transformation_mode") != b"align_corners" or scales is None or not scales.size:
        return False
    sizes = np.array(inputs[0].shape)[options.get("axes", list(range(inputs[0].rank)))]
    return bool(((sizes * scales) % 1 != 0).any())


def wide_constants(node, inputs, outputs):
    """The function body has its constants (1 / 6, sqrt(2 / pi), 0.044715) in f32, the formula has not: of f64 both are right."""
    is_tanh = any(attribute.name == "approximate" and attribute.s == b"tanh" for attribute in node.attribute)
    return inputs[0].dtype == np.float64 and (node.op_type != "Gelu" or is_tanh)


def window_of_padding(node, inputs, outputs):
    """The greatest of no elements is -inf, their mean 0 / 0; ONNX Runtime gives the lowest finite number, and 0."""
    options = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    kernel, rank = options["kernel_shape"], inputs[0].rank - 2
    pads, ones = options.get("pads", [0] * (2 * rank)), [1] * rank
    strides, dilations = options.get("strides", ones), options.get("dilations", ones)
    for d in range(rank):
        for at in range(outputs[0].shape[d + 2]):
            taps = [at * strides[d] - pads[d] + k * dilations[d] for k in range(kernel[d])]
            if not any(0 <= tap < inputs[0].shape[d + 2] for tap in taps):
                return True
    return dilated_same(node, inputs, outputs)


def infinity_in_softmax(node, inputs, outputs):
    """inf - inf in a row is NaN; in f64 ONNX Runtime gives -inf elsewhere in the row."""
    return inputs[0].dtype == np.float64 and bool(np.isposinf(inputs[0].array).any())


def squares_overflow(node, inputs, outputs):
    """In f32 the squares of large numbers are infinite; where sums are done in f64 they are not."""
    with np.errstate(all="ignore"):
        return inputs[0].dtype == np.float32 and bool((np.abs(inputs[0].array) > 1e15).any())


def running_sum(node, inputs, outputs):
    """ONNX Runtime takes what leaves the window out of a running sum: after a large number little is left of the others."""
    with np.errstate(all="ignore"):
        return bool((~(np.abs(inputs[0].array) < 100)).any())


def wide_group_norm(node, inputs, outputs):
    """`stash_type` says f32 by default; here f64 is computed in f64."""
    return inputs[0].dtype == np.float64


def scaled_bias(node, inputs, outputs):
    """A product of nothing is 0, so the result is beta * C; ONNX Runtime gives C."""
    return inputs[0].array.size == 0 or inputs[1].array.size == 0


def infinity_in_norm(node, inputs, outputs):
    """A mean of an infinity is one, and only minus itself NaN; ONNX Runtime gives NaN for the second result, the mean, too."""
    return len(outputs) > 1 and bool(np.isinf(inputs[0].array).any()) or squares_overflow(node, inputs, outputs)


def norm_of_one(node, inputs, outputs):
    """One element less its own mean is 0; ONNX Runtime's x * s + (b - mean * s) leaves what rounding leaves, over sqrt(epsilon)."""
    return np.prod(inputs[0].shape[2:]) == 1


def tails_cut_off(node, inputs, outputs):
    """ONNX Runtime's f32 approximations give 0 for Sigmoid far below 0, and for Tanh of numbers near the denormal ones."""
    data = inputs[0].array
    if data.dtype != np.float32:
        return False
    with np.errstate(all="ignore"):
        far = np.isfinite(data) & (data < -17) if node.op_type == "Sigmoid" else (np.abs(data) < 1e-30) & (data != 0)
    return bool(far.any())


def chosen_minus_zero(node, inputs, outputs):
    """ONNX Runtime adds what is chosen to 0, which makes 0.0 of -0.0."""
    return any(v.dtype.kind == "f" and (np.signbit(v.array) & (v.array == 0)).any() for v in inputs)


def lp_window(node, inputs, outputs):
    return kernel_below_stride(node, inputs, outputs) or dilated_same(node, inputs, outputs)


def interpolated(node, inputs, outputs):
    """How integers are rounded between two elements, and what a neighbour that is infinite or NaN does with a weight of 0, the
    standard leaves open."""
    mode = next((attribute.s for attribute in node.attribute if attribute.name == "mode"), b"nearest")
    data = inputs[0].array
    is_open = data.dtype.kind != "f" or not np.isfinite(data).all()
    if mode == b"nearest":  # half_pixel_symmetric adds three f32: which of two is nearest, their rounding decides.
        is_open = any(attribute.s == b"half_pixel_symmetric" for attribute in node.attribute)
    return is_open or aligned_fraction(node, inputs, outputs)


BY_OPERATOR = {
    "Where": chosen_minus_zero,
    "Gelu": wide_constants, "HardSwish": wide_constants, "LogSoftmax": infinity_in_softmax, "Softmax": infinity_in_softmax,
    "Gemm": scaled_bias, "GroupNormalization": wide_group_norm, "LRN": running_sum, "LayerNormalization": infinity_in_norm, "RMSNormalization": squares_overflow, "InstanceNormalization": norm_of_one,
    "Sigmoid": tails_cut_off, "Tanh": tails_cut_off,
    **{op: integer_overflow for op in ("ReduceSum", "ReduceProd", "ReduceSumSquare")},
    **{op: of_nothing for op in ("ReduceMean", "ReduceLogSum", "ReduceLogSumExp", "ReduceL1", "ReduceL2")},
    **{op: order_of_nan for op in ("ReduceMax", "ReduceMin")},
    **{op: position_of_nan for op in ("ArgMax", "ArgMin")},
    "MaxPool": window_of_padding, "AveragePool": window_of_padding, "LpPool": lp_window,
    "Hardmax": nan_in_hardmax, "ScatterElements": scattered_reduction, "ScatterND": scattered_reduction,
    "DynamicQuantizeLinear": range_of_zero,
    "Resize": interpolated, "Upsample": interpolated, "ConvTranspose": kernel_below_stride,
    "MeanVarianceNormalization": tiny_deviation,
    "GlobalMaxPool": global_of_rank_5, "GRU": recurrence_overflow, "RNN": recurrence_overflow, "LSTM": clipped_or_overflowing,
    "Pow": power_overflow,
}
BY_ROUNDING = {"sum": sum_of_equals, "norm": overflow_in_a_sum}


def why_undefined(node, rounding, inputs, outputs):
    """The reason not to use this node with these data, or None."""
    for rule in (BY_OPERATOR.get(node.op_type), BY_ROUNDING.get(rounding)):
        if rule is not None and rule(node, inputs, outputs):
            return f"{node.op_type}: {rule.__doc__}"
    return None
