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
    """||actual - expected|| / ||expected|| over what is a number in both; 0 for equal tensors, infinite for another shape and
    where NaN or an infinity meets anything else than itself."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape:
        return float("inf")
    actual, expected = actual.astype(np.float64).ravel(), expected.astype(np.float64).ravel()
    is_number = np.isfinite(expected)
    if not np.array_equal(actual[~is_number], expected[~is_number], equal_nan=True) or not np.isfinite(actual[is_number]).all():
        return float("inf")
    difference = np.linalg.norm(actual[is_number] - expected[is_number])
    norm = np.linalg.norm(expected[is_number])
    return float(difference / norm if norm > 0 else difference)
