"""Networks whose sizes stay open, and other sizes than the recorded ones to run them at."""

import os

import numpy as np
import onnx

from tensors import numbered, read_tensor, write_tensor

# Sizes of the named dimensions; where the file has no names, the whole shape of an input.
OPEN_SIZES = {
    "trained/stories260k_prefill": [{"seq": 1}, {"seq": 37}],
    "trained/stories260k_decode": [{"past": 40}],
    "trained/bert_toy": [{"batch": 3, "max_seq_len_in_batch": 5}, {"batch": 1, "max_seq_len_in_batch": 33}],
    "trained/tf_bert_qa": [{"batch_size": 3}],
    "trained/tf_bert_seqcls": [{"N": 3}],
    "trained/super_resolution_10": [{"batch_size": 2}],
    "trained/speech_embedding": [{"unk__314": 3}],
    "trained/ppocrv3_det_ch": [{"x": [1, 3, 64, 96]}, {"x": [1, 3, 160, 32]}],
    "trained/hf_gpt2_past": [{"batch_size": 2, "seq_len": 5}, {"batch_size": 1, "seq_len": 1}],
    "arch/bert_base": [{"batch": 2, "seq": 7}],
    "arch/gpt2_small": [{"batch": 2, "seq": 5}],
}


def stretched(array, shape):
    """The array repeated or cut to the shape, so that ids stay ids and masks stay masks."""
    for axis, size in enumerate(shape):
        array = np.take(array, np.arange(size) % max(array.shape[axis], 1), axis=axis)
    return array


def inputs_of(model):
    """The inputs of a model, without the initialisers that it lists among them."""
    initializers = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in initializers]


def recorded_shapes(path, data_dir):
    """{name of an input: its recorded shape} of the model in a file."""
    names = [value.name for value in inputs_of(onnx.load(path, load_external_data=False))]
    return {name: list(onnx.load_tensor(file).dims) for name, file in zip(names, numbered(data_dir, "input"))}


def input_shapes(model, sizes):
    """The shapes of the inputs with the sizes in place; None where the recorded size stays."""
    shapes, known = [], set(sizes)
    for value in inputs_of(model):
        dims = value.type.tensor_type.shape.dim
        shapes.append(sizes.get(value.name, [sizes.get(dim.dim_param) for dim in dims]))
        known -= {value.name} | {dim.dim_param for dim in dims}
    assert not known, f"the model has no {sorted(known)}"
    return shapes


def write_inputs(model, data_dir, sizes, target):
    """Writes inputs of the sizes, made of the recorded ones, to the folder `target`."""
    shapes = input_shapes(onnx.load(model, load_external_data=False), sizes)
    os.makedirs(target)
    paths = numbered(data_dir, "input")
    assert len(paths) == len(shapes), f"{len(paths)} recorded inputs for {len(shapes)}"
    for i, (path, shape) in enumerate(zip(paths, shapes)):
        array = read_tensor(path)
        shape = [old if new is None else new for old, new in zip(array.shape, shape)]
        write_tensor(os.path.join(target, f"input_{i}.pb"), stretched(array, shape), onnx.load_tensor(path).name)
