#!/usr/bin/env python3
"""LSTM and GRU in all their forms, and what is left to others."""

import numpy as np
from onednn_case import Graph, OnednnCase, main


class RecurrentTest(OnednnCase):
    def recurrent(self, op, directions, *, steps=5, samples=2, depth=3, hidden=4, constant=True, bias=True, states=(), layout=0, **attributes):
        """With all outputs; `states`: which of the initial ones there are."""
        graph, gates = Graph(), {"LSTM": 4, "GRU": 3}[op]
        def weights(*shape):
            return graph.weights(*shape, scale=0.4) if constant else graph.input(*shape)
        inputs = [graph.input(*((samples, steps, depth) if layout else (steps, samples, depth))),
                  weights(directions, gates * hidden, depth), weights(directions, gates * hidden, hidden),
                  weights(directions, 2 * gates * hidden) if bias else "", ""]
        for state in ("h", "c") if op == "LSTM" else ("h",):
            shape = (samples, directions, hidden) if layout else (directions, samples, hidden)
            inputs.append(graph.input(*shape) if state in states else "")
        graph.output(*graph.add(op, *inputs, outputs=3 if op == "LSTM" else 2, hidden_size=hidden, layout=layout, **attributes))
        return graph

    DIRECTIONS = (("forward", 1), ("reverse", 1), ("bidirectional", 2))

    def test_lstm(self):
        for direction, count in self.DIRECTIONS:
            for options in ({}, {"bias": False}, {"states": "hc"}, {"states": "h"}, {"states": "c"}, {"constant": False},
                            {"layout": 1, "states": "hc"}, {"steps": 1, "samples": 1, "depth": 1, "hidden": 1},
                            {"steps": 7, "samples": 3, "depth": 20, "hidden": 33}):
                with self.subTest(direction=direction, **options):
                    self.assertIn("exec,cpu,rnn", self.check(self.recurrent("LSTM", count, direction=direction, **options), regions=1))

    def test_gru(self):
        """The library's kernel is called its reference, but multiplies matrices with the fast ones."""
        for direction, count in self.DIRECTIONS:
            for linear in (0, 1):
                for options in ({}, {"bias": False}, {"states": "h"}, {"constant": False}, {"layout": 1, "states": "h"},
                                {"steps": 7, "samples": 3, "depth": 20, "hidden": 33}):
                    with self.subTest(direction=direction, linear=linear, **options):
                        graph = self.recurrent("GRU", count, direction=direction, linear_before_reset=linear, **options)
                        self.assertIn("exec,cpu,rnn", self.check(graph, regions=1, mayBeReference=True))

    def test_lstm_of_which_only_the_last_step_is_read_on_some_threads(self):
        for threads in ("1", "2", "3"):
            with self.subTest(threads=threads):
                graph = self.recurrent("LSTM", 2, direction="bidirectional", hidden=16)
                graph.outputs = [graph.add("Relu", graph.outputs[1])]
                self.check(graph, "--threads", threads, regions=1)

    def test_recurrent_layers_that_the_library_lacks_are_others(self):
        lengths = np.array([3, 5], np.int32)
        def with_lengths(op):
            graph = self.recurrent(op, 1)
            graph.nodes[-1].input[4] = graph.constant(lengths)
            return graph
        def with_peepholes():
            graph = self.recurrent("LSTM", 1)
            graph.nodes[-1].input.extend([graph.weights(1, 12)])
            return graph
        for graph in (with_lengths("LSTM"), with_lengths("GRU"), with_peepholes(), self.recurrent("LSTM", 1, clip=0.5),
                      self.recurrent("LSTM", 1, input_forget=1), self.recurrent("GRU", 1, activations=["Sigmoid", "Relu"])):
            self.assertNotIn("onednn", dict(self.owners(graph)))


if __name__ == "__main__":
    main()
