"""Reads and writes the tensors of ONNX test_data_set folders."""

import glob
import os

import numpy as np
import onnx
from onnx import numpy_helper


def read_tensor(path):
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    return numpy_helper.to_array(tensor)


def write_tensor(path, array, name):
    with open(path, "wb") as file:
        file.write(numpy_helper.from_array(array, name).SerializeToString())


def numbered(folder, stem):
    """folder/stem_0.pb, folder/stem_1.pb, ... as far as they go."""
    count = len(glob.glob(os.path.join(folder, stem + "_*.pb")))
    paths = [os.path.join(folder, f"{stem}_{i}.pb") for i in range(count)]
    return [path for path in paths if os.path.exists(path)]


def relative_error(actual, expected):
    """||actual - expected|| / ||expected||; 0 for equal tensors, infinite for another shape or anything not finite."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape:
        return float("inf")
    if np.array_equal(actual, expected, equal_nan=actual.dtype.kind == "f"):
        return 0.0
    difference = np.linalg.norm((actual.astype(np.float64) - expected.astype(np.float64)).ravel())
    norm = np.linalg.norm(expected.astype(np.float64).ravel())
    error = difference / norm if norm > 0 else difference
    return float(error) if np.isfinite(error) else float("inf")
