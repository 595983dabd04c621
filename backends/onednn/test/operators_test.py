#!/usr/bin/env python3
"""Each operator that the backend onednn claims, on edge shapes, against the reference through artifact and runtime: owned by it,
right, and run by none of the library's reference kernels. Names with J or N are scenarios of TVM's tests of the same name."""

import re

import numpy as np
from onednn_case import OPTIONS, Graph, OnednnCase, main, run_tool, why_wrong

ACTIVATIONS = [("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("LeakyRelu", {"alpha": 0.3}), ("Elu", {"alpha": 0.7}), ("HardSwish", {}),
               ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}), ("Mish", {}), ("Softplus", {}), ("Gelu", {}), ("Gelu", {"approximate": "tanh"})]
UNARY = ACTIVATIONS + [("Abs", {}), ("Exp", {}), ("Neg", {}), ("Round", {})]
SHAPES = [(1,), (7,), (3, 5), (2, 3, 4, 5), (1, 1, 1, 1), (2, 17, 3, 3), (1, 2, 3, 4, 5)]


class OperatorsTest(OnednnCase):
    # -- convolutions

    def conv(self, x, w, **attributes):
        graph = Graph()
        graph.output(graph.add("Conv", graph.input(*x), graph.weights(*w), graph.weights(w[0]), **attributes))
        return graph

    def test_J1_conv2d(self):
        for x, w, attributes in [
                ((1, 3, 9, 11), (5, 3, 3, 3), {"pads": [1, 1, 1, 1]}), ((2, 16, 7, 7), (33, 16, 1, 1), {"strides": [2, 2]}),
                ((1, 1, 5, 5), (1, 1, 5, 5), {}), ((1, 32, 8, 8), (32, 1, 3, 3), {"group": 32, "pads": [1, 1, 1, 1]}),
                ((1, 6, 8, 8), (9, 2, 3, 3), {"group": 3, "pads": [0, 1, 2, 1]}), ((1, 8, 12, 12), (4, 8, 3, 3), {"dilations": [2, 3]}),
                ((1, 3, 10, 9), (4, 3, 3, 2), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
                ((1, 3, 10, 9), (4, 3, 3, 2), {"auto_pad": "SAME_LOWER"}), ((3, 17, 6, 6), (19, 17, 3, 3), {"pads": [1, 1, 1, 1]}),
                ((1, 64, 14, 14), (64, 1, 5, 5), {"group": 64, "pads": [2, 2, 2, 2], "strides": [2, 2]})]:
            with self.subTest(x=x, w=w, **attributes):
                self.check(self.conv(x, w, **attributes), regions=1)

    def test_N_conv1d_and_conv3d(self):
        for x, w, attributes in [((2, 4, 19), (6, 4, 5), {"pads": [2, 2], "strides": [2]}), ((1, 16, 9), (16, 1, 3), {"group": 16}),
                                 ((1, 3, 5, 6, 7), (4, 3, 3, 3, 3), {"pads": [1] * 6}), ((1, 8, 4, 4, 4), (8, 4, 2, 2, 2), {"group": 2})]:
            with self.subTest(x=x, w=w, **attributes):
                self.check(self.conv(x, w, **attributes), regions=1)

    def test_N_transposed_convolutions(self):
        for x, w, attributes in [((1, 4, 5, 6), (4, 3, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1]}), ((1, 6, 5), (6, 2, 4), {"group": 3}),
                                 ((1, 4, 5, 5), (4, 3, 3, 3), {"strides": [2, 2], "output_padding": [1, 1], "pads": [1, 1, 1, 1]}),
                                 ((1, 4, 4, 4), (4, 3, 3, 3), {"dilations": [2, 2]}), ((1, 2, 3, 4, 5), (2, 3, 2, 2, 2), {"strides": [2, 2, 2]}),
                                 ((1, 3, 4, 4), (3, 2, 3, 3), {"strides": [2, 2], "output_padding": [1, 1]})]:
            with self.subTest(x=x, w=w, **attributes):
                graph = Graph()
                outputs = w[1] * attributes.get("group", 1)
                graph.output(graph.add("ConvTranspose", graph.input(*x), graph.weights(*w), graph.weights(outputs), **attributes))
                self.check(graph, regions=1)

    def test_N_conv_pattern_with_every_activation(self):
        """Each is one primitive: convolution, bias and activation."""
        for dims in (1, 2, 3):
            for op, attributes in ACTIVATIONS:
                with self.subTest(dims=dims, op=op, **attributes):
                    graph = self.conv((1, 16) + (6,) * dims, (16, 16) + (3,) * dims, pads=[1] * 2 * dims)
                    graph.outputs = [graph.add(op, graph.outputs[0], **attributes)]
                    verbose = self.check(graph, regions=1)
                    self.assertNotIn("exec,cpu,eltwise", verbose)
                    self.assertIn("attr-post-ops:eltwise", verbose)

    def test_each_entry_of_the_pattern_table_matches(self):
        """With what is behind the operator, one composite; alone, none."""
        def graph_of(op, *shapes, isolated):
            graph = Graph()
            y = graph.add(op, graph.input(*shapes[0]), graph.weights(*shapes[1]))
            graph.output(y if isolated else graph.add("Tanh", y))
            return graph
        for entry, op, shapes in (("conv", "Conv", ((1, 8, 6, 6), (8, 8, 3, 3))), ("binary", "Sub", ((4, 8), (4, 8))),
                                  ("conv_transpose", "ConvTranspose", ((1, 8, 6, 6), (8, 8, 3, 3))),
                                  ("product", "MatMul", ((4, 8), (8, 5)))):
            for isolated in (False, True):
                with self.subTest(entry=entry, isolated=isolated):
                    self.owners(graph_of(op, *shapes, isolated=isolated), 20)
                    placed = self.model + ".mlir"
                    result = run_tool(OPTIONS.tool, "partition", self.model, "--targets", "onednn", "-o", placed)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    with open(placed, encoding="utf-8") as file:
                        found = re.findall(r'tsr.composite "onednn\.(\w+)"', file.read())
                    self.assertEqual(found, [] if isolated else [entry])

    def test_N_conv_clip_and_swish(self):
        graph = self.conv((1, 16, 6, 6), (16, 16, 3, 3))
        low, high = (graph.constant(np.float32(v)) for v in (0, 6))
        graph.outputs = [graph.add("Clip", graph.outputs[0], low, high)]
        self.assertIn("eltwise_clip", self.check(graph, regions=1))
        graph = self.conv((1, 16, 6, 6), (16, 16, 3, 3))
        graph.outputs = [graph.add("Mul", graph.outputs[0], graph.add("Sigmoid", graph.outputs[0]))]
        self.assertIn("eltwise_swish", self.check(graph, regions=1))

    def residual(self, activation):
        graph = Graph()
        x = graph.input(1, 16, 8, 8)
        first = graph.add("Conv", x, graph.weights(16, 16, 3, 3, scale=0.1), graph.weights(16), pads=[1] * 4)
        second = graph.add("Conv", graph.add("Relu", first), graph.weights(16, 16, 3, 3, scale=0.1), graph.weights(16), pads=[1] * 4)
        total = graph.add("Add", second, first)
        graph.output(graph.add("Relu", total) if activation else total)
        return graph

    def test_N_conv2d_bias_sum_relu(self):
        for activation in (False, True):
            verbose = self.check(self.residual(activation), regions=1)
            self.assertIn("attr-post-ops:sum" + ("+eltwise_relu" if activation else ""), verbose)
            self.assertNotIn("exec,cpu,binary", verbose)

    def test_N_resnetv1(self):
        """A block whose short cut is a convolution: every operator behind a convolution is a post-op of it."""
        graph = Graph()
        x = graph.add("MaxPool", graph.add("Relu", graph.add("Conv", graph.input(1, 3, 17, 17), graph.weights(16, 3, 3, 3), strides=[2, 2])),
                      kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        left = graph.add("Relu", graph.add("Conv", x, graph.weights(16, 16, 1, 1, scale=0.2), strides=[2, 2]))
        left = graph.add("Conv", left, graph.weights(32, 16, 3, 3, scale=0.1), pads=[1] * 4)
        right = graph.add("Conv", x, graph.weights(32, 16, 1, 1, scale=0.2), strides=[2, 2])
        y = graph.add("Relu", graph.add("Add", left, right))
        y = graph.add("Flatten", graph.add("GlobalAveragePool", y))
        graph.output(graph.add("Softmax", graph.add("Gemm", y, graph.weights(32, 10), graph.weights(10))))
        verbose = self.check(graph, regions=1)
        self.assertNotIn("exec,cpu,eltwise", verbose)
        self.assertNotIn("exec,cpu,binary", verbose)

    def test_a_residual_that_is_needed_later_is_not_written_over(self):
        graph = Graph()
        a = graph.add("Relu", graph.add("Conv", graph.input(1, 16, 8, 8), graph.weights(16, 16, 1, 1)))
        b = graph.add("Add", graph.add("Conv", a, graph.weights(16, 16, 1, 1, scale=0.2)), a)
        graph.output(graph.add("Add", b, graph.add("Conv", a, graph.weights(16, 16, 1, 1, scale=0.2))), a)
        self.check(graph, regions=1)

    def test_N_conv2d_plus(self):
        """What follows a convolution broadcasts: per channel, per pixel, a scalar; or the result grows."""
        for shape in [(1, 16, 1, 1), (16, 1, 1), (1, 1, 6, 6), (1,), (2, 16, 6, 6), (4, 1, 16, 6, 6)]:
            for op in ("Add", "Mul", "Sub", "Max"):
                with self.subTest(shape=shape, op=op):
                    graph = self.conv((2, 8, 6, 6), (16, 8, 1, 1))
                    graph.outputs = [graph.add("Relu", graph.add(op, graph.outputs[0], graph.input(*shape)))]
                    self.assertEqual([backend for backend, _ in self.owners(graph)][0], "onednn")
                    self.assertIsNone(why_wrong(OPTIONS.tool, self.model, "onednn,native"))

    # -- products

    def test_J5_dense_and_N_dense_plus(self):
        for a, b, c, attributes in [((3, 6), (6, 4), (4,), {}), ((1, 64), (64, 100), (100,), {}), ((3, 6), (4, 6), (1, 4), {"transB": 1}),
                                    ((6, 3), (6, 4), (3, 4), {"transA": 1}), ((3, 6), (6, 4), (4,), {"alpha": 0.5}),
                                    ((5, 1), (1, 1), (), {"alpha": 2.0}), ((33, 70), (70, 129), (129,), {"beta": 0.0})]:
            for activation in (None, "Relu", "Gelu"):
                with self.subTest(a=a, b=b, c=c, activation=activation, **attributes):
                    graph = Graph()
                    y = graph.add("Gemm", graph.input(*a), graph.weights(*b), graph.weights(*c), **attributes)
                    graph.output(graph.add(activation, y) if activation else y)
                    self.check(graph, regions=1)

    def test_N_dense_bias_sum(self):
        graph = Graph()
        x = graph.add("Relu", graph.input(4, 32))
        y = graph.add("Add", graph.add("Gemm", x, graph.weights(32, 32), graph.weights(32)), graph.add("Tanh", graph.input(4, 32)))
        graph.output(graph.add("Relu", y))
        self.assertNotIn("exec,cpu,binary", self.check(graph, regions=1))

    def test_N_bmm(self):
        for a, b in [((3, 6), (6, 4)), ((1, 1), (1, 1)), ((7,), (7, 5)), ((5, 7), (7,)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)),
                     ((4,), (2, 4, 5)), ((3, 1, 2, 4), (5, 4, 6)), ((2, 2, 9, 16), (2, 2, 16, 9)), ((1, 2, 4), (3, 4, 1))]:
            for isConstant in (False, True):
                with self.subTest(a=a, b=b, constant=isConstant):
                    graph = Graph()
                    graph.output(graph.add("MatMul", graph.input(*a), graph.weights(*b) if isConstant else graph.input(*b)))
                    self.check(graph, regions=1)

    def test_N_gelu_reshape(self):
        """Bias and GELU behind a matmul of three dimensions are one primitive."""
        graph = Graph()
        y = graph.add("Add", graph.add("MatMul", graph.input(2, 9, 24), graph.weights(24, 40, scale=0.2)), graph.weights(40))
        erf = graph.add("Erf", graph.add("Div", y, graph.constant(np.float32(np.sqrt(2)))))
        half = graph.add("Mul", graph.add("Mul", y, graph.add("Add", erf, graph.constant(np.float32(1)))), graph.constant(np.float32(0.5)))
        graph.output(graph.add("MatMul", half, graph.weights(40, 24)))
        verbose = self.check(graph, regions=1)
        self.assertIn("eltwise_gelu_erf", verbose)
        self.assertEqual(len(re.findall("exec,cpu,(?:binary|eltwise)", verbose)), 0)

    def test_attention(self):
        graph = Graph()
        def heads(x):
            split = graph.add("Reshape", graph.add("MatMul", x, graph.weights(32, 32, scale=0.2)), graph.constant(np.array([2, 7, 4, 8])))
            return graph.add("Transpose", split, perm=[0, 2, 1, 3])
        x = graph.input(2, 7, 32)
        q, k, v = heads(x), heads(x), heads(x)
        scores = graph.add("Div", graph.add("MatMul", q, graph.add("Transpose", k, perm=[0, 1, 3, 2])), graph.constant(np.float32(2.8)))
        weights = graph.add("Softmax", graph.add("Add", scores, graph.input(2, 1, 1, 7)), axis=-1)
        y = graph.add("Transpose", graph.add("MatMul", weights, v), perm=[0, 2, 1, 3])
        graph.output(graph.add("MatMul", graph.add("Reshape", y, graph.constant(np.array([2, 7, 32]))), graph.weights(32, 32)))
        self.check(graph, regions=1)

    # -- elementwise

    def test_J4_relu_and_N_eltwise(self):
        for op, attributes in UNARY:
            with self.subTest(op=op, **attributes):
                graph = Graph()
                for shape in SHAPES:
                    graph.output(graph.add(op, graph.input(*shape), **attributes))
                self.check(graph)

    def test_N_clip_leaky_sqrt_and_pow(self):
        graph = Graph()
        low, high, two = (graph.constant(np.float32(v)) for v in (-0.5, 0.7, 2))
        for shape in SHAPES:
            x = graph.input(*shape)
            graph.output(graph.add("Clip", x, low, high), graph.add("Clip", x, "", high), graph.add("Clip", x, low),
                         graph.add("LeakyRelu", x, alpha=0.1), graph.add("Sqrt", graph.add("Abs", x)), graph.add("Pow", x, two))
        self.check(graph)

    def test_J2_add_and_J3_multiply(self):
        for op in ("Add", "Mul", "Sub", "Div", "Min", "Max"):
            with self.subTest(op=op):
                graph = Graph()
                for shape, other in [((3, 5), (3, 5)), ((2, 3, 4, 5), (5,)), ((2, 3, 4, 5), (3, 1, 1)), ((2, 3, 4, 5), (1, 3, 4, 5)), ((4,), ()),
                                     ((2, 17, 3, 3), (1, 17, 1, 1)), ((2, 3, 4, 5), (2, 3, 1, 1)), ((1, 1), (1, 1)), ((6, 5), (6, 1))]:
                    graph.output(graph.add(op, graph.input(*shape), graph.input(*other)))
                self.check(graph)

    def test_samples_of_one_element_per_channel(self):
        """What is repeated over the samples behind a function of two operands (oneDNN's own fused form takes the wrong channel)."""
        for shape in ((2, 5, 1, 1), (3, 4, 1), (2, 17, 1, 1)):
            with self.subTest(shape=shape):
                graph = Graph()
                graph.output(graph.add("Max", graph.add("Sub", graph.input(*shape), graph.input(*shape)), graph.input(1, *shape[1:])))
                self.check(graph)

    def test_values_in_other_orders_meet_what_is_repeated(self):
        """A transposed value keeps its memory: the library takes what is repeated behind it from the wrong place."""
        for perm in ([0, 2, 1, 3], [1, 0, 2, 3], [2, 0, 3, 1], [0, 2, 3, 1], [0, 3, 1, 2], [3, 2, 1, 0]):
            with self.subTest(perm=perm):
                graph = Graph()
                shape = [(2, 3, 4, 5)[d] for d in perm]
                for axes in ((1,), (0, 1), (3,), (2, 3), (1, 2, 3), (0,)):
                    other = [size if d in axes else 1 for d, size in enumerate(shape)]
                    x = graph.add("Abs", graph.add("Transpose", graph.input(2, 3, 4, 5), perm=perm))
                    graph.output(graph.add("Mul", graph.add("Sub", x, graph.input(*shape)), graph.input(*other)),
                                 graph.add("Tanh", graph.add("Add", graph.add("Exp", x), graph.input(*other))))
                self.check(graph, mayBeReference=True)

    def test_the_smaller_operand_may_come_first(self):
        graph = Graph()
        graph.output(graph.add("Add", graph.input(5), graph.input(3, 5)), graph.add("Mul", graph.input(3, 1), graph.input(3, 5)))
        self.check(graph)

    def test_an_operand_twice(self):
        graph = Graph()
        x = graph.add("Relu", graph.input(3, 5))
        graph.output(graph.add("Exp", graph.add("Mul", x, x)))
        self.check(graph, regions=1)

    def test_prelu(self):
        graph = Graph()
        for shape, slope in [((2, 3, 4, 5), (3, 1, 1)), ((2, 5), (5,)), ((2, 3, 4), (2, 3, 4))]:
            graph.output(graph.add("PRelu", graph.input(*shape), graph.weights(*slope)))
        self.check(graph)

    # -- normalisation, reductions

    def test_J6_batch_norm(self):
        graph = Graph()
        for shape in [(2, 3), (2, 3, 4), (2, 3, 4, 5), (1, 16, 2, 3, 4)]:
            n = shape[1]
            graph.output(graph.add("BatchNormalization", graph.input(*shape), graph.weights(n), graph.weights(n), graph.weights(n),
                                   graph.constant(np.abs(graph.random.standard_normal(n)).astype(np.float32) + 0.1)))
        self.assertIsNone(why_wrong(OPTIONS.tool, graph.model(self.model), "onednn"))

    def test_N_softmax(self):
        graph = Graph()
        for shape in [(3,), (2, 5), (2, 3, 4, 5), (1, 1000), (2, 1, 3)]:
            for axis in range(-1, len(shape) - 1):
                x = graph.input(*shape)
                graph.output(graph.add("Softmax", x, axis=axis), graph.add("LogSoftmax", x, axis=axis))
        self.check(graph)

    def test_N_layer_norm(self):
        graph = Graph()
        for shape, axis in [((2, 3, 16), -1), ((2, 7), 1), ((2, 3, 4, 5), 2), ((1, 1, 1), -1), ((5, 768), -1)]:
            rest = shape[axis:]
            x = graph.input(*shape)
            graph.output(graph.add("LayerNormalization", x, graph.weights(*rest), graph.weights(*rest), axis=axis),
                         graph.add("LayerNormalization", x, graph.weights(*rest), axis=axis, epsilon=0.1))
        self.check(graph)

    def test_lrn(self):
        graph = Graph()
        graph.output(*(graph.add("LRN", graph.input(*shape), size=5, alpha=0.01, bias=1.5) for shape in [(1, 16, 4, 5), (2, 32, 6, 6)]))
        self.check(graph)

    def test_reductions(self):
        graph = Graph()
        for op in ("ReduceSum", "ReduceMean"):
            for shape, axes in [((2, 3, 4), [2]), ((2, 3, 4), [0]), ((2, 3, 4), [1]), ((2, 3, 4), [0, 2]), ((2, 3, 4, 5), [2, 3]), ((7,), [0]),
                                ((2, 3, 4), [-1, -2]), ((2, 17, 5, 5), [1]), ((1, 1), [1])]:
                for keepdims in (0, 1):
                    graph.output(graph.add(op, graph.input(*shape), graph.constant(np.array(axes)), keepdims=keepdims))
        self.check(graph)

    # -- pools, images

    def test_N_pools(self):
        for op in ("MaxPool", "AveragePool"):
            for shape, attributes in [
                    ((1, 3, 8, 8), {"kernel_shape": [2, 2], "strides": [2, 2]}), ((1, 17, 9, 9), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}),
                    ((1, 16, 7, 7), {"kernel_shape": [3, 2], "strides": [2, 2], "ceil_mode": 1}), ((2, 4, 9), {"kernel_shape": [3], "pads": [0, 1]}),
                    ((1, 3, 4, 5, 6), {"kernel_shape": [2, 2, 2]}), ((1, 1, 3, 3), {"kernel_shape": [3, 3]}),
                    ((1, 4, 8, 8), {"kernel_shape": [3, 3], "auto_pad": "SAME_UPPER", "strides": [2, 2]})]:
                with self.subTest(op=op, shape=shape, **attributes):
                    graph = Graph()
                    graph.output(graph.add(op, graph.input(*shape), **attributes))
                    self.check(graph, regions=1)

    def test_N_pools_that_count_pads_or_see_all(self):
        graph = Graph()
        x = graph.input(1, 4, 8, 8)
        graph.output(graph.add("AveragePool", x, kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=1),
                     graph.add("GlobalMaxPool", x), graph.add("GlobalAveragePool", x))
        self.check(graph)

    def test_N_pad_avgpool(self):
        graph = Graph()
        padded = graph.add("Pad", graph.input(1, 4, 8, 8), graph.constant(np.array([0, 0, 1, 1, 0, 0, 1, 1])))
        graph.output(graph.add("AveragePool", padded, kernel_shape=[3, 3], strides=[2, 2]))
        graph.model(self.model)
        self.assertIsNone(why_wrong(OPTIONS.tool, self.model, "onednn,native"))

    def test_resize(self):
        for scales, attributes in [((1, 1, 2, 3), {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}),
                                   ((1, 1, 2, 2), {"mode": "linear"}), ((1, 1, 0.5, 0.5), {"mode": "linear"}), ((1, 1, 3, 3), {"mode": "nearest"})]:
            with self.subTest(scales=scales, **attributes):
                graph = Graph()
                graph.output(graph.add("Resize", graph.input(1, 3, 4, 6), "", graph.constant(np.array(scales, np.float32)), **attributes))
                self.check(graph, regions=1)

    def test_concat(self):
        for axis in (0, 1, 2, 3):
            with self.subTest(axis=axis):
                graph = Graph()
                a = graph.add("Relu", graph.add("Conv", graph.input(2, 8, 5, 5), graph.weights(16, 8, 1, 1)))
                b = graph.add("Relu", graph.add("Conv", graph.input(2, 8, 5, 5), graph.weights(16, 8, 1, 1)))
                graph.output(graph.add("Relu", graph.add("Concat", a, b, graph.input(2, 16, 5, 5), axis=axis)))
                self.check(graph, regions=1)

    def test_views_inside(self):
        graph = Graph()
        x = graph.add("Relu", graph.add("Conv", graph.input(2, 8, 6, 6), graph.weights(24, 8, 1, 1)))
        a, b, c = graph.add("Split", x, outputs=3, axis=1, num_outputs=3)
        a = graph.add("Transpose", a, perm=[0, 2, 3, 1])
        b = graph.add("Relu", graph.add("Reshape", graph.add("Tanh", b), graph.constant(np.array([2, 6, 6, 8]))))
        c = graph.add("Slice", c, *(graph.constant(np.array(v)) for v in ([1], [7], [1])))
        c = graph.add("Unsqueeze", graph.add("Exp", c), graph.constant(np.array([0])))
        graph.output(graph.add("Add", graph.add("Relu", a), b), graph.add("Squeeze", graph.add("Relu", c), graph.constant(np.array([0]))))
        self.check(graph, regions=1)

    # -- regions

    def test_J7_multiple_ops_and_J8_composite(self):
        graph = Graph()
        y = graph.add("Add", graph.add("Mul", graph.input(4, 6), graph.input(4, 6)), graph.input(4, 6))
        graph.output(graph.add("Relu", graph.add("MatMul", y, graph.weights(6, 6))))
        self.check(graph, regions=1)

    def test_N_multiple_outputs(self):
        graph = Graph()
        y = graph.add("Conv", graph.input(1, 8, 6, 6), graph.weights(16, 8, 3, 3))
        graph.output(y, graph.add("Relu", y), graph.add("Tanh", y))
        self.check(graph, regions=1)

    def test_J9_constant_and_J10_partly_constant_inputs(self):
        graph = Graph()
        w = graph.weights(1, 16, 6, 6)
        x = graph.add("Conv", w, graph.input(16, 16, 3, 3))  # Weights that come at run time.
        graph.output(graph.add("Add", x, graph.weights(1, 16, 4, 4)), graph.add("Mul", graph.input(1, 16, 6, 6), w))
        self.check(graph)

    def test_N_constant_weights_that_two_share(self):
        graph = Graph()
        w = graph.weights(16, 16, 1, 1, scale=0.2)
        graph.output(graph.add("Conv", graph.add("Relu", graph.add("Conv", graph.input(1, 16, 6, 6), w)), w), graph.add("Relu", w))
        self.assertIsNone(why_wrong(OPTIONS.tool, graph.model(self.model), "onednn,native"))

    def test_N_prune_and_not_compatible(self):
        """What it has no fast primitive for is others', with the reason."""
        def lrn(graph):
            return graph.add("LRN", graph.input(1, 8, 4, 4), size=5, beta=0.5)
        def greatest(graph):
            return graph.add("ReduceMax", graph.input(3, 4), graph.constant(np.array([1])))
        def outer(graph):
            return graph.add("Add", graph.input(3, 1), graph.input(1, 4))
        def steps(graph):
            return graph.add("Slice", graph.input(9), *(graph.constant(np.array(v)) for v in ([0], [9], [0], [2])))
        def dilated(graph):
            return graph.add("MaxPool", graph.input(1, 4, 8, 8), kernel_shape=[3, 3], dilations=[2, 2])
        def rows(graph):
            return graph.add("Gemm", graph.input(3, 6), graph.weights(6, 4), graph.weights(3, 1))
        def slope(graph):
            return graph.add("PRelu", graph.input(2, 3, 4), graph.weights(1))
        for make in (lrn, greatest, outer, steps, dilated, rows, slope):
            with self.subTest(make.__name__):
                graph = Graph()
                graph.output(make(graph))
                self.assertNotIn("onednn", [backend for backend, _ in self.owners(graph)])

    def test_other_element_types_and_open_sizes_are_others(self):
        graph = Graph(dtype=np.float64)
        graph.output(graph.add("Relu", graph.input(3, 4)))
        self.assertNotIn("onednn", dict(self.owners(graph)))
        graph = Graph()
        graph.output(graph.add("Relu", graph.input("n", 4)))
        self.assertNotIn("onednn", dict(self.owners(graph)))

    def test_N_some_threads(self):
        for threads in ("1", "2", "3"):
            with self.subTest(threads=threads):
                self.check(self.residual(True), "--threads", threads)


if __name__ == "__main__":
    main()
