#!/usr/bin/env python3
"""Trains a small convolutional classifier of handwritten digits with numpy alone and writes it as ONNX.

Data: scikit-learn's digits (1,797 pictures of 8x8 grey values), four fifths to train, the rest held out.
Network: conv 3x3 -> relu -> max pool, twice, then two dense layers and a softmax; 15 k weights, trained by Adam on
cross entropy. The seed is fixed: the same weights each time on one machine. Takes a few seconds.

Writes to the output folder: digits.onnx (input `picture` [batch, 1, 8, 8], output `probability` [batch, 10]),
held_out.npz (`picture`, `digit`) and sample.npy, a few of the held-out pictures."""

import argparse
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

CHANNELS = (16, 32)
HIDDEN = 64
CLASSES = 10
KERNEL = 3
EPOCHS = 16
BATCH = 32
LEARNING_RATE = 2e-3


def load_data(rng):
    """(train pictures, train digits, held-out pictures, held-out digits); pictures [N, 1, 8, 8] in [0, 1]."""
    digits = load_digits()
    pictures = (digits.images / 16.0).astype(np.float32)[:, None]
    order = rng.permutation(len(pictures))
    split = len(pictures) * 4 // 5
    train, held_out = order[:split], order[split:]
    return pictures[train], digits.target[train], pictures[held_out], digits.target[held_out]


def initial_weights(rng):
    def he_normal(*shape):
        fan_in = int(np.prod(shape[1:]))
        return (rng.standard_normal(shape) * np.sqrt(2.0 / fan_in)).astype(np.float32)

    def zeros(n):
        return np.zeros(n, np.float32)

    first, second = CHANNELS
    flat = second * 2 * 2
    return {
        "conv1.weight": he_normal(first, 1, KERNEL, KERNEL), "conv1.bias": zeros(first),
        "conv2.weight": he_normal(second, first, KERNEL, KERNEL), "conv2.bias": zeros(second),
        "dense1.weight": he_normal(HIDDEN, flat), "dense1.bias": zeros(HIDDEN),
        "dense2.weight": he_normal(CLASSES, HIDDEN), "dense2.bias": zeros(CLASSES),
    }


def patches(x):
    """[N, C, H, W] -> [N, H, W, C * 9]: the padded 3x3 neighbourhood of every pixel."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (KERNEL, KERNEL), axis=(2, 3))
    n, c, h, w = x.shape
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, h, w, c * KERNEL * KERNEL)


def conv_forward(x, weight, bias):
    columns = patches(x)
    y = columns @ weight.reshape(len(weight), -1).T + bias
    return y.transpose(0, 3, 1, 2), columns


def conv_backward(dy, columns, weight, x_shape):
    """Gradients (of x, of weight, of bias) of conv_forward."""
    dy = dy.transpose(0, 2, 3, 1)
    flat = dy.reshape(-1, dy.shape[-1])
    dweight = (flat.T @ columns.reshape(len(flat), -1)).reshape(weight.shape)
    n, c, h, w = x_shape
    dcolumns = (dy @ weight.reshape(len(weight), -1)).reshape(n, h, w, c, KERNEL, KERNEL)
    dx = np.zeros((n, c, h + 2, w + 2), np.float32)
    for i in range(KERNEL):
        for j in range(KERNEL):
            dx[:, :, i:i + h, j:j + w] += dcolumns[..., i, j].transpose(0, 3, 1, 2)
    return dx[:, :, 1:-1, 1:-1], dweight, flat.sum(0)


def pool_forward(x):
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    y = blocks.max((3, 5))
    return y, blocks == y[:, :, :, None, :, None]


def pool_backward(dy, is_max):
    blocks = is_max * (dy[:, :, :, None, :, None] / is_max.sum((3, 5), keepdims=True))
    n, c, h, _, w, _ = blocks.shape
    return blocks.reshape(n, c, h * 2, w * 2).astype(np.float32)


def softmax(logits):
    exponentials = np.exp(logits - logits.max(1, keepdims=True))
    return exponentials / exponentials.sum(1, keepdims=True)


def forward(weights, x):
    """(probabilities, what `backward` needs)."""
    saved = {"x": x}
    for layer in ("conv1", "conv2"):
        saved[layer + ".x_shape"] = x.shape
        x, saved[layer + ".columns"] = conv_forward(x, weights[layer + ".weight"], weights[layer + ".bias"])
        saved[layer + ".active"] = x > 0
        x, saved[layer + ".is_max"] = pool_forward(np.maximum(x, 0))
    saved["shape"], x = x.shape, x.reshape(len(x), -1)
    saved["flat"] = x
    hidden = np.maximum(x @ weights["dense1.weight"].T + weights["dense1.bias"], 0)
    saved["hidden"] = hidden
    return softmax(hidden @ weights["dense2.weight"].T + weights["dense2.bias"]), saved


def backward(weights, saved, probability, digit):
    """Gradient of the mean cross entropy by every weight."""
    gradients = {}
    d = probability.copy()
    d[np.arange(len(d)), digit] -= 1
    d /= len(d)
    gradients["dense2.weight"], gradients["dense2.bias"] = d.T @ saved["hidden"], d.sum(0)
    d = (d @ weights["dense2.weight"]) * (saved["hidden"] > 0)
    gradients["dense1.weight"], gradients["dense1.bias"] = d.T @ saved["flat"], d.sum(0)
    d = (d @ weights["dense1.weight"]).reshape(saved["shape"])
    for layer in ("conv2", "conv1"):
        d = pool_backward(d, saved[layer + ".is_max"]) * saved[layer + ".active"]
        d, gradients[layer + ".weight"], gradients[layer + ".bias"] = conv_backward(
            d, saved[layer + ".columns"], weights[layer + ".weight"], saved[layer + ".x_shape"])
    return gradients


def train(pictures, digits, rng):
    """Adam (Kingma and Ba, 2015) with its usual decay rates."""
    weights = initial_weights(rng)
    mean = {name: np.zeros_like(value) for name, value in weights.items()}
    square = {name: np.zeros_like(value) for name, value in weights.items()}
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(pictures))
        for start in range(0, len(order), BATCH):
            batch = order[start:start + BATCH]
            probability, saved = forward(weights, pictures[batch])
            step += 1
            rate = LEARNING_RATE * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            for name, gradient in backward(weights, saved, probability, digits[batch]).items():
                mean[name] += 0.1 * (gradient - mean[name])
                square[name] += 0.001 * (gradient**2 - square[name])
                weights[name] = (weights[name] - rate * mean[name] / (np.sqrt(square[name]) + 1e-8)).astype(np.float32)
    return weights


def onnx_model(weights):
    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        helper.make_node("Conv", ["picture", "conv1.weight", "conv1.bias"], ["c1"], "conv1", pads=[1] * 4),
        helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
        helper.make_node("MaxPool", ["r1"], ["p1"], "pool1", **pool),
        helper.make_node("Conv", ["p1", "conv2.weight", "conv2.bias"], ["c2"], "conv2", pads=[1] * 4),
        helper.make_node("Relu", ["c2"], ["r2"], "relu2"),
        helper.make_node("MaxPool", ["r2"], ["p2"], "pool2", **pool),
        helper.make_node("Flatten", ["p2"], ["f"], "flatten"),
        helper.make_node("Gemm", ["f", "dense1.weight", "dense1.bias"], ["g1"], "dense1", transB=1),
        helper.make_node("Relu", ["g1"], ["r3"], "relu3"),
        helper.make_node("Gemm", ["r3", "dense2.weight", "dense2.bias"], ["logits"], "dense2", transB=1),
        helper.make_node("Softmax", ["logits"], ["probability"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("probability", TensorProto.FLOAT, ["batch", CLASSES])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()])
    model = helper.make_model(graph, producer_name="tessera-examples", opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, help="folder to write to")
    parser.add_argument("--samples", type=int, default=8, help="pictures in sample.npy")
    arguments = parser.parse_args()
    rng = np.random.default_rng(18)
    train_pictures, train_digits, pictures, digits = load_data(rng)
    weights = train(train_pictures, train_digits, rng)
    accuracy = np.mean(forward(weights, pictures)[0].argmax(1) == digits)
    os.makedirs(arguments.output, exist_ok=True)
    onnx.save(onnx_model(weights), os.path.join(arguments.output, "digits.onnx"))
    np.savez(os.path.join(arguments.output, "held_out.npz"), picture=pictures, digit=digits)
    np.save(os.path.join(arguments.output, "sample.npy"), pictures[:arguments.samples])
    print(f"trained on {len(train_digits)} pictures, {accuracy:.1%} of {len(digits)} held-out ones are right")


if __name__ == "__main__":
    main()
