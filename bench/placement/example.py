"""A small network from its graph to its placed module: what docs/placement.md shows."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
from network import Network
from owned_regions import Graph

# Several regions: a target that takes all of it would leave nothing to see.
TARGETS = "cblas,csource,native"


def make_model(path):
    """The digit classifier of the ONNX model zoo (mnist-8) with its paddings as operators and a softmax behind it: 14 operators."""
    graph = Graph()
    value = graph.input(1, 1, 28, 28)
    for channels, filters, size in ((1, 8, 2), (8, 16, 3)):
        value = graph.add("Pad", value, graph.constant(np.array([0, 0, 2, 2, 0, 0, 2, 2])))
        value = graph.add("Conv", value, graph.weights(filters, channels, 5, 5, scale=0.2))
        value = graph.add("Relu", graph.add("Add", value, graph.weights(filters, 1, 1)))
        value = graph.add("MaxPool", value, kernel_shape=[size, size], strides=[size, size])
    value = graph.add("Reshape", value, graph.constant(np.array([1, 256])))
    value = graph.add("Add", graph.add("MatMul", value, graph.weights(256, 10, scale=0.1)), graph.weights(10))
    graph.output(graph.add("Softmax", value, axis=-1))
    return graph.model(path)


def without_locations(text):
    """The module's text without `loc(...)`, whose parentheses nest."""
    out, at = [], 0
    while (begin := text.find(" loc(", at)) >= 0:
        out.append(text[at:begin])
        at, depth = begin + len(" loc("), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
    return "".join(out) + text[at:]


class Example(Network):
    """Network's tools on a model that is made here."""

    def __init__(self, arguments):
        super().__init__(arguments, None)
        self.model = make_model(self.path("model.onnx"))


def example_of(arguments):
    network = Example(arguments)
    try:
        network.measured("model", TARGETS, "--patience", "10s")
        network.compile("module", TARGETS, "--plan", network.path("model.json"), "--emit", "mlir", "--stop-after", "partition")
        report, _ = network.tool("explain", network.path("model.json"))
        with open(network.path("module.tsr"), encoding="utf-8") as file:
            return {"explain": report, "module": without_locations(file.read()), "operators": list(network.plan("model")["operators"])}
    finally:
        network.cleanup()
