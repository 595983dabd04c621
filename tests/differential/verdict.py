"""Compares what the tool computed with what it should have, and what it said with how a refusal reads."""

import re

import numpy as np

FACTOR = 4  # how far outside the samples an answer may lie, in their distance from the value

def allowed(value):
    """For each element how far an answer may lie from it; infinite where rounding decides between answers."""
    array = value.array
    if not value.samples:
        return np.zeros(array.shape)
    with np.errstate(all="ignore"):
        wide = array.astype(np.float64)
        samples = [sample.astype(np.float64) for sample in value.samples]
        spread = np.max([np.abs(sample - wide) for sample in samples], axis=0)
        finite = np.isfinite(wide)
        undecided = np.any([np.isfinite(s) != finite for s in samples], axis=0)
        undecided |= np.any([~finite & (s != wide) & ~(np.isnan(s) & np.isnan(wide)) for s in samples], axis=0)
    slack = FACTOR * np.where(np.isfinite(spread), spread, 0)
    if array.dtype.kind == "f" and np.any(spread):
        info = np.finfo(array.dtype)
        slack = np.where(spread > 0, slack + 8 * info.eps * np.abs(np.where(finite, wide, 0)), slack)
        largest = np.max(np.abs(np.where(finite, wide, 0)), initial=0)
        # Functions near their zeros and sums of few terms: a small part of the largest element, and what is denormal.
        slack = slack + info.eps * largest + 16 * info.smallest_subnormal
    # An overflow is near.
    if array.dtype.kind == "f":
        undecided |= finite & (np.abs(wide) > 0.99 * float(np.finfo(array.dtype).max)) & (spread > 0)
    return np.where(undecided, np.inf, slack)


def difference(value, actual):
    """None when `actual` is right, or one sentence."""
    expected = value.array
    if actual.dtype != expected.dtype:
        return f"element type {actual.dtype}, expected {expected.dtype}"
    if actual.shape != expected.shape:
        return f"shape {list(actual.shape)}, expected {list(expected.shape)}"
    limit = allowed(value)
    with np.errstate(all="ignore"):
        distance = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
        same = actual == expected
        if expected.dtype.kind == "f":
            same |= np.isnan(actual) & np.isnan(expected)
            if not value.samples:
                same &= (expected != 0) | (np.signbit(actual) == np.signbit(expected))
        wrong = ~same & ~((distance <= limit) & (limit > 0)) & ~np.isposinf(limit)
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    found, wanted = actual[place], expected[place]
    kind = "values"
    if found == wanted:
        kind = "sign of zero"
    elif expected.dtype.kind == "f" and (np.isnan(found) or np.isnan(wanted)):
        kind = "NaN"
    elif expected.dtype.kind == "f" and not (np.isfinite(found) and np.isfinite(wanted)):
        kind = "infinity"
    return (f"{kind}: {int(wrong.sum())} of {wrong.size} elements differ, first at {list(place)}: {found!r}, "
            f"expected {wanted!r} within {float(limit[place]):.3g}")


REFUSED = (1, 3)  # bad input; a target failed


def bad_refusal(stderr, model, exit_code):
    """None when the refusal is one sentence with exit code 1 or 3, that names a node or a value; else what is wrong."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    if exit_code not in REFUSED:
        return f"refused with exit code {exit_code}"
    if len(errors) != 1:
        return f"refused with {len(errors)} sentences"
    names = {node.name for node in model.graph.node} | {value.name for value in model.graph.input}
    names |= {dim.dim_param for value in model.graph.input for dim in value.type.tensor_type.shape.dim if dim.dim_param}
    if not any(f"'{name}" in errors[0] for name in names):
        return "refused without naming a node or an input"
    return None


def says_what_does_not_fit(sentence):
    """Two sizes (or an index and a size), an empty dimension, a division by zero, or more than memory holds."""
    words = re.sub(r"'[^']*'", "", sentence)
    return len(re.findall(r"-?\d+", words)) >= 2 or bool(re.search("is empty|memory|divided by 0|division by zero|delta is 0|delta of 0", words))


def operator_named(sentence):
    """The operator of the node that a refusal names; "" without one."""
    found = re.search(r"node '([A-Za-z]+)_\d+", sentence)
    return found.group(1) if found else ""
