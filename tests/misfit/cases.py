"""Operators on open sizes: inputs that fit, inputs that do not, and the numbers (or words) that the refusal must state.

A case is (operator, attributes, inputs, numbers). An input is (open dimensions, array that fits, array that does not);
an array as such is an input that always fits, declared with its own sizes. Dimensions are open by name."""

import numpy as np

I64 = np.int64


def f32(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def f64(*shape):
    return f32(*shape).astype(np.float64)


def ints(*values):
    return np.array(values, I64)


def open_input(dims, fits, misfits):
    return dims, fits, misfits


X34 = open_input(["a", "b"], f32(3, 4), f32(3, 4))

CASES = {
    "add": ("Add", {}, [X34, open_input(["c", "d"], f32(1, 4), f32(2, 4))], (2, 3)),
    "where": ("Where", {}, [open_input(["a"], np.array([True, False]), np.array([True] * 5)),
                            open_input(["b"], f32(2), f32(2)), f32(1)], (2, 5)),
    "concat": ("Concat", {"axis": 1}, [X34, open_input(["c", "d"], f32(3, 2), f32(50, 2))], (50, 3)),
    "matmul": ("MatMul", {}, [X34, open_input(["c", "d"], f32(4, 5), f32(6, 5))], (6, 4)),
    "matmul_batch": ("MatMul", {}, [open_input(["n", "a", "b"], f32(2, 3, 4), f32(2, 3, 4)),
                                    open_input(["m", "c", "d"], f32(2, 4, 5), f32(3, 4, 5))], (3, 2)),
    "gemm": ("Gemm", {"transB": 1}, [X34, open_input(["c", "d"], f32(5, 4), f32(5, 7))], (7, 4)),
    "gemm_bias": ("Gemm", {}, [X34, f32(4, 5), open_input(["c"], f32(5), f32(3))], (3, 5, "operand 2")),
    "gemm_bias_in_loops": ("Gemm", {}, [open_input(["a", "b"], f64(3, 4), f64(3, 4)), f64(4, 5), open_input(["c"], f64(5), f64(3))],
                           (3, 5, "operand 2")),
    "gemm_bias_not_added": ("Gemm", {"beta": 0.0}, [X34, f32(4, 5), open_input(["c"], f32(5), f32(3))], (3, 5, "operand 2")),
    "gemm_bias_not_added_in_loops": ("Gemm", {"beta": 0.0}, [open_input(["a", "b"], f64(3, 4), f64(3, 4)), f64(4, 5),
                                                             open_input(["c"], f64(5), f64(3))], (3, 5, "operand 2")),
    "einsum_two_sums": ("Einsum", {"equation": "abi,abj->ij"}, [f32(2, 3, 4), open_input(["c", "d", 5], f32(2, 3, 5), f32(3, 2, 5))], (3, 2)),
    "einsum": ("Einsum", {"equation": "ij,jk->ik"}, [X34, open_input(["c", "d"], f32(4, 5), f32(6, 5))], (4, 6, "letter 'j'")),
    "einsum_in_loops": ("Einsum", {"equation": "ij,jk->ik"}, [open_input(["a", "b"], f64(3, 4), f64(3, 4)),
                                                              open_input(["c", "d"], f64(4, 5), f64(6, 5))], (4, 6, "letter 'j'")),
    "reshape": ("Reshape", {}, [X34, open_input([2], ints(2, 6), ints(5, 7))], (35, 12)),
    "expand": ("Expand", {}, [X34, open_input([2], ints(3, 4), ints(5, 4))], (3, 5)),
    "expand_static": ("Expand", {}, [f32(3, 4), open_input([2], ints(3, 1), ints(5, 4))], (3, 5)),
    "expand_huge": ("Expand", {}, [X34, open_input([4], ints(1, 1, 3, 4), ints(2**32, 2**32, 3, 4))], (2**48,)),
    "constant_of_shape_huge": ("ConstantOfShape", {}, [open_input([2], ints(3, 4), ints(2**62, 4))], (2**62, 2**48)),
    "reshape_huge": ("Reshape", {}, [X34, open_input([2], ints(2, 6), ints(2**62 + 3, 4))], (2**62 + 3, 2**48)),
    "reshape_two_left": ("Reshape", {}, [X34, open_input([2], ints(-1, 6), ints(-1, -1))], (2, 1)),
    "reshape_ambiguous": ("Reshape", {"allowzero": 1}, [X34, open_input([2], ints(-1, 6), ints(-1, 0))], (-1, 0)),
    "one_hot_huge": ("OneHot", {}, [open_input(["a"], ints(1, 2), ints(1, 2)), open_input(["r"], ints(3), ints(2**62)),
                                    f32(2)], (2**62, 2**48)),
    "range_huge": ("Range", {}, [np.array(0, I64), open_input([], np.array(5, I64), np.array(2**62, I64)), np.array(1, I64)],
                   (2**62, 2**48)),
    "pad_huge": ("Pad", {}, [X34, open_input(["r"], ints(0, 1, 0, 1), ints(2**63 - 3, 0, 3 - 2**63, 0))], (2**63 - 3, 2**48)),
    "split_huge": ("Split", {"axis": 0, "outputs": 2}, [X34, open_input(["r"], ints(1, 2), ints(2**63 - 1, 2**63 - 1))],
                   (2**63 - 1, 3)),
    "squeeze": ("Squeeze", {}, [open_input(["a", "b"], f32(3, 4), f32(3, 1))], (1,)),
    "tile_huge": ("Tile", {}, [X34, open_input(["r"], ints(2, 1), ints(2**62, 2**62))], (2**62, 2**48)),
    "clip_bound": ("Clip", {}, [X34, open_input(["r"], f32(1), f32(4))], (4, 1)),
    "quantize_one": ("QuantizeLinear", {"axis": 1}, [open_input(["a", "b"], f32(3, 3), f32(3, 1)), np.abs(f32(3))], (3, 1)),
    "tile": ("Tile", {}, [X34, open_input(["r"], ints(2, 1), ints(-1, 1))], (-1, 0)),
    "split": ("Split", {"axis": 0, "outputs": 2}, [X34, open_input(["r"], ints(1, 2), ints(1, 3))], (4, 3)),
    "split_equal": ("Split", {"axis": 0, "outputs": 2}, [open_input(["a"], f32(4), f32(5))], (5, 2)),
    "slice_step": ("Slice", {}, [X34, ints(0), ints(2), ints(0), open_input(["r"], ints(1), ints(0))], (0,)),
    "pad": ("Pad", {}, [X34, open_input(["r"], ints(0, 1, 0, 1), ints(0, -9, 0, 0))], (-5, 0)),
    "pad_cut": ("Pad", {"mode": "reflect"}, [X34, open_input(["r"], ints(0, -2, 0, 1), ints(0, -4, 0, 1))], (0, 1)),
    "resize_of_nothing": ("Resize", {"mode": "linear"},
                          [open_input(["n", "c", "h", "w"], f32(1, 2, 0, 4), f32(1, 2, 0, 4)), None, None,
                           open_input([4], ints(1, 2, 0, 8), ints(1, 2, 3, 8))], (0, 3)),
    "resize_to_nothing": ("Resize", {}, [open_input(["n", "c", "h", "w"], f32(1, 2, 3, 4), f32(1, 2, 3, 4)), None, None,
                                         open_input([4], ints(1, 2, 6, 8), ints(1, 2, 0, 8))], (3, 0)),
    "gather": ("Gather", {}, [X34, open_input(["r"], ints(0, -3), ints(0, 3))], (3, 3)),
    "gather_negative": ("Gather", {}, [X34, open_input(["r"], ints(0), ints(-4))], (-4, 3)),
    "gather_elements": ("GatherElements", {"axis": 1},
                        [X34, open_input(["r", "s"], ints(0, 1).reshape(1, 2), ints(0, 9).reshape(1, 2))], (9, 4)),
    "gather_nd": ("GatherND", {}, [X34, open_input(["r", 2], ints(1, 1).reshape(1, 2), ints(1, 4).reshape(1, 2))], (4, 4)),
    "scatter_elements": ("ScatterElements", {},
                         [X34, open_input(["r", "s"], ints(1, 2).reshape(1, 2), ints(1, 7).reshape(1, 2)), f32(1, 2)],
                         (7, 3)),
    "scatter_nd": ("ScatterND", {}, [X34, open_input(["r", 1], ints(1).reshape(1, 1), ints(8).reshape(1, 1)),
                                     open_input(["t", "u"], f32(1, 4), f32(1, 4))], (8, 3)),
    "scatter_nd_updates": ("ScatterND", {}, [X34, open_input(["r", 1], ints(1).reshape(1, 1), ints(1).reshape(1, 1)),
                                             open_input(["t", "u"], f32(1, 4), f32(2, 4))], (2, 1)),
    "top_k": ("TopK", {"outputs": 2}, [X34, open_input(["r"], ints(2), ints(9))], (9, 4)),
    "range": ("Range", {}, [np.array(0, I64), np.array(5, I64), np.array(0, I64)], ("the delta is 0",)),
    "integer_division": ("Div", {}, [open_input(["a"], ints(7, 8), ints(7, 8)), open_input(["b"], ints(2, -1), ints(2, 0))],
                         ("divided by 0",)),
    "one_hot": ("OneHot", {}, [open_input(["a"], ints(1, 2), ints(1, 2)), open_input(["r"], ints(3), ints(-3)),
                               f32(2)], (-3, 0)),
    "reverse_sequence": ("ReverseSequence", {},
                         [open_input(["t", "n"], f32(4, 2), f32(4, 2)), open_input(["r"], ints(4, 1), ints(4, 6))], (6, 4)),
    "conv": ("Conv", {}, [open_input(["n", "c", "h", "w"], f32(1, 3, 8, 8), f32(1, 5, 8, 8)), f32(4, 3, 3, 3)], (5, 3)),
    "conv_window": ("Conv", {}, [open_input(["n", 3, "h", "w"], f32(1, 3, 8, 8), f32(1, 3, 2, 8)), f32(4, 3, 3, 3)], (2, 3)),
    "conv_transpose": ("ConvTranspose", {}, [open_input(["n", "c", "h"], f32(1, 3, 8), f32(1, 4, 8)), f32(3, 2, 3)], (4, 3)),
    "conv_transpose_bias": ("ConvTranspose", {}, [open_input(["n", 3, "h"], f32(1, 3, 8), f32(1, 3, 8)), f32(3, 2, 3),
                                                  open_input(["b"], f32(2), f32(5))], (5, 2, "operand 2")),
    "conv_bias": ("Conv", {}, [f32(1, 3, 8), f32(4, 3, 3), open_input(["b"], f32(4), f32(16))], (16, 4, "operand 2")),
    "max_pool": ("MaxPool", {"kernel_shape": [3]}, [open_input(["n", "c", "h"], f32(1, 2, 8), f32(1, 2, 2))], (2, 3)),
    "batch_norm": ("BatchNormalization", {}, [open_input(["n", "c", "h"], f32(1, 3, 8), f32(1, 4, 8)), f32(3), f32(3), f32(3),
                                              np.abs(f32(3))], (3, 4)),
    "batch_norm_one": ("BatchNormalization", {}, [open_input(["n", "c", "h"], f32(1, 3, 8), f32(1, 1, 8)), f32(3), f32(3), f32(3),
                                                  np.abs(f32(3))], (3, 1)),
    "instance_norm": ("InstanceNormalization", {}, [open_input(["n", "c", "h"], f32(1, 3, 8), f32(1, 4, 8)), f32(3), f32(3)],
                      (3, 4)),
    "layer_norm": ("LayerNormalization", {}, [X34, open_input(["s"], f32(4), f32(3))], (3, 4)),
    "depth_to_space": ("DepthToSpace", {"blocksize": 2}, [open_input(["n", "c", "h", "w"], f32(1, 8, 2, 2), f32(1, 6, 2, 2))],
                       (6, 4)),
    "lstm_state": ("LSTM", {"hidden_size": 2, "outputs": 2},
                   [open_input(["s", "n", 3], f32(4, 2, 3), f32(4, 2, 3)), f32(1, 8, 3), f32(1, 8, 2), None, None,
                    open_input([1, "m", 2], f32(1, 2, 2), f32(1, 5, 2))], (5, 2)),
    "gru_lengths": ("GRU", {"hidden_size": 2, "outputs": 2},
                    [open_input(["s", "n", 3], f32(4, 2, 3), f32(4, 2, 3)), f32(1, 6, 3), f32(1, 6, 2), None,
                     open_input(["r"], np.array([4, 1], np.int32), np.array([4, 9], np.int32))], (9, 4)),
}
