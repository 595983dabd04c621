#!/usr/bin/env python3
"""NaN, infinities and zeros of either sign go through the operators as ONNX says, which some kernels of the library do not."""

import numpy as np
from onednn_case import Graph, OnednnCase, main


class NanTest(OnednnCase):
    def special(self, graph, *shape):
        """Numbers of which some are NaN, infinite or a zero of either sign."""
        values = np.zeros(shape, np.float32)
        places = graph.random.permutation(values.size)
        for i, value in enumerate((np.nan, np.inf, -np.inf)):
            values.flat[places[i * values.size // 5:(i + 1) * values.size // 5 or 1]] = value
        return graph.add("Add", graph.input(*shape), graph.constant(values))

    def test_nan_goes_through(self):
        graph = Graph()
        low, high, least = (graph.constant(np.float32(v)) for v in (-0.5, 0.7, -np.inf))
        for shape in [(7,), (3, 50), (2, 3, 4, 5), (1, 17, 9, 9), (20000,)]:
            x, y = self.special(graph, *shape), self.special(graph, *shape)
            graph.output(*(graph.add(op, x) for op in ("Relu", "Exp", "HardSigmoid", "Abs", "Neg", "LeakyRelu", "Tanh", "Sigmoid", "Elu")),
                         graph.add("LeakyRelu", x, alpha=0.0), graph.add("Reciprocal", graph.add("Neg", x)), graph.add("Clip", x, low, high), graph.add("Clip", x, low), graph.add("Clip", x, "", high), graph.add("Clip", x),
                         graph.add("Clip", x, least, high), graph.add("Max", x, y), graph.add("Min", x, y))
            for op in ("Relu", "Exp", "HardSigmoid"):
                graph.output(graph.add(op, graph.add("Sub", x, y)))
            graph.output(graph.add("Max", graph.add("Mul", x, y), x), graph.add("Min", y, graph.add("Add", x, y)))
        self.check(graph)

    def test_nan_goes_through_where_an_operand_is_repeated(self):
        for op in ("Max", "Min"):
            graph = Graph()
            for shape, other in [((2, 3, 4, 5), (5,)), ((2, 3, 4, 5), (3, 1, 1)), ((2, 3, 4, 5), (1, 3, 4, 5)), ((4,), (1,)), ((2, 3, 4, 5), (2, 3, 1, 1)),
                                 ((6, 5), (6, 1)), ((2, 3, 4, 5), (2, 1, 4, 1)), ((2, 3, 4, 5), (1, 3, 1, 5)), ((1, 3, 1, 5), (1, 1, 1, 5))]:
                graph.output(graph.add(op, self.special(graph, *shape), self.special(graph, *other)),
                             graph.add(op, self.special(graph, *other), self.special(graph, *shape)))
            self.check(graph)

    def test_nan_goes_through_in_blocks(self):
        """Behind a convolution whose form is the library's choice, where memory holds more than elements."""
        graph = Graph()
        y = graph.add("Conv", graph.input(2, 8, 6, 6), graph.weights(17, 8, 3, 3))
        graph.output(y, graph.add("Clip", graph.add("Add", y, self.special(graph, 2, 17, 4, 4)), graph.constant(np.float32(0.5))),
                     graph.add("HardSigmoid", y), graph.add("Max", y, self.special(graph, 17, 1, 1)))
        self.check(graph)


if __name__ == "__main__":
    main()
