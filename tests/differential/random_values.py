"""Random arrays: plain ones, ones with ties, ones full of the values at which implementations differ."""

import numpy as np

FLOAT_SPECIALS = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5]


def specials(dtype):
    if dtype.kind == "b":
        return np.array([True, False])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, 0, 1, info.max - 1, info.min + 1], dtype)
    info = np.finfo(dtype)
    edges = [info.tiny, -info.tiny, info.smallest_subnormal, info.max, info.min, info.eps, 1e4, -1e4, 88.8, -104.0]
    return np.array(FLOAT_SPECIALS + edges, dtype)


def random_array(rng, shape, dtype, style):
    """`style`: plain (of order 1), ties (few different values), positive, special (edges among plain values), wild (edges
    only), or large (whole numbers up to the type's range, floats up to 1e6)."""
    dtype = np.dtype(dtype)
    shape = tuple(shape)
    if style == "wild":
        return rng.choice(specials(dtype), shape).astype(dtype)
    if style == "special":
        array = random_array(rng, shape, dtype, "plain")
        chosen = rng.random(shape) < 0.25
        return np.where(chosen, rng.choice(specials(dtype), shape), array).astype(dtype).reshape(shape)
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) < 0.5).reshape(shape)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if style == "large":
            return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        low = 0 if dtype.kind == "u" or style == "positive" else -3 if style == "ties" else -20
        return np.asarray(rng.integers(low + (style == "positive"), 4 if style == "ties" else 21, shape)).astype(dtype)
    array = rng.standard_normal(shape)
    if style == "ties":
        array = np.round(array * 2) / 2
    elif style == "positive":
        array = np.abs(array) + 0.1
    elif style == "large":
        array = array * 10.0 ** rng.integers(-6, 6)
    return np.asarray(array).astype(dtype).reshape(shape)
