"""Differences that are right: each rule says which, and why. Nothing else is let pass. What is not even drawn, because ONNX
leaves it open, is in undefined.py."""

import re

DECLINED = {"refused", "bad refusal"}  # Rightly or not; what a target declines it declines on all data.
WINDOWS = {"AveragePool", "ConvTranspose", "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool", "LpPool", "MaxPool"}


def data_dependent_on_native(mode, kind, detail, nodes, change):
    """Sizes of results that depend on data: `reference` runs them, native refuses and says so (docs/status.md)."""
    return mode != "reference" and kind in DECLINED and bool(re.search(r"operator (compress|nonzero) is not supported", detail))


def rank_not_known(mode, kind, detail, nodes, change):
    """A rank that depends on data or on open sizes: tensors have a rank at compile time (compiler/ir/README.md)."""
    return mode != "native" and kind == "refused" and "the rank of the result is not known" in detail


def squeezed_at_run_time(mode, kind, detail, nodes, change):
    """As before: Squeeze without axes keeps sizes that are not known, and what follows refuses another rank."""
    no_axes = any(node.op_type == "Squeeze" and len(node.input) < 2 and not node.attribute for node in nodes)
    return no_axes and kind == "refused" and bool(re.search("copies a size that|goes without axes", detail))


def axes_at_run_time(mode, kind, detail, nodes, change):
    """Axes that only the data say: a result's shape needs them at compile time on every target, and native's kernels do too."""
    return kind in DECLINED and "axes are not constant" in detail


def stretched_letters(mode, kind, detail, nodes, change):
    """Einsum's letters have equal sizes; ONNX Runtime and numpy stretch a 1."""
    return kind == "refused" and "Einsum" in detail and bool(re.search("letter|size", detail))


def windows_over_nothing(mode, kind, detail, nodes, change):
    """ONNX Runtime refuses windows over a dimension of 0; ours have no elements, or those of an empty window."""
    return kind == "accepted" and change.endswith("-> 0") and any(node.op_type in WINDOWS for node in nodes)


def empty_part(mode, kind, detail, nodes, change):
    """ONNX Runtime leaves empty operands of Concat out, whatever their other sizes; the standard says that these agree."""
    return kind == "refused" and change.endswith("-> 0") and "Concat" in detail


def greatest_of_nothing(mode, kind, detail, nodes, change):
    """numpy refuses the position of the greatest of no elements, also where the result has none."""
    return kind == "refused" and re.search("Arg(Max|Min)", detail) is not None and "is empty" in detail


def short_condition(mode, kind, detail, nodes, change):
    """ONNX Runtime takes a condition of Compress that is longer than the axis; the standard says it is not."""
    return kind == "refused" and "condition of shape" in detail


def windows_too_large(mode, kind, detail, nodes, change):
    """ONNX Runtime gives sizes of 0 or below for a window larger than the padded input in some operators."""
    return kind == "refused" and bool(re.search("larger than the padded input|smaller than the window", detail))


def reflected_further(mode, kind, detail, nodes, change):
    """numpy reflects a short dimension again and again; ONNX Runtime refuses more than one reflection."""
    return kind == "accepted" and any(node.op_type == "Pad" for node in nodes) and " Pad" in detail


def broadcast_before_opset_8(mode, kind, detail, nodes, change):
    """Max, Mean, Min and Sum take equal shapes before opset 8; ours broadcast as later ones do."""
    return kind == "accepted" and "All inputs must have the same shape" in detail


def only_its_shape(mode, kind, detail, nodes, change):
    """A node of which only the shape is wanted is not computed (docs/status.md), so it refuses nothing."""
    named = re.search(r"Name:'(\w+)'", detail)
    made = {name for node in nodes if named and node.name == named.group(1) for name in node.output}
    readers = {node.op_type for node in nodes if made & set(node.input)}
    return kind == "accepted" and bool(readers) and readers <= {"Shape", "Size"}


def sequence_of_nothing(mode, kind, detail, nodes, change):
    """ONNX Runtime dies of a sequence without elements; its states are the initial ones."""
    return kind == "accepted" and change.endswith("-> 0") and "was killed" in detail and any(
        node.op_type in ("GRU", "LSTM", "RNN") for node in nodes)


def one_for_all_channels(mode, kind, detail, nodes, change):
    """GroupNormalization has a parameter for each channel (or group, before opset 21); ONNX Runtime broadcasts one."""
    return kind in DECLINED and change.endswith("-> 1") and "GroupNormalization" in detail


def old_half_pixel(mode, kind, detail, nodes, change):
    """tf_half_pixel_for_nn, which opset 13 dropped, is taken as TensorFlow meant it: with mode nearest, rounded down (docs/status.md)."""
    return kind in DECLINED and "tf_half_pixel_for_nn" in detail


def axis_twice(mode, kind, detail, nodes, change):
    """numpy refuses an axis that occurs twice, ONNX Runtime reduces it once."""
    return kind in DECLINED and "occurs twice in" in detail


RULES = [data_dependent_on_native, rank_not_known, squeezed_at_run_time, axes_at_run_time, stretched_letters,
         windows_over_nothing, empty_part, greatest_of_nothing, short_condition, windows_too_large, reflected_further, broadcast_before_opset_8,
         only_its_shape, sequence_of_nothing, one_for_all_channels, old_half_pixel, axis_twice]


def explains(mode, bad, nodes, change=""):
    """Whether one of the rules says that this is as it should be; `bad` is (kind, detail)."""
    return any(rule(mode, bad[0], bad[1], nodes, change) for rule in RULES)
