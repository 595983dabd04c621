"""Evaluates a graph node by node with ONNX Runtime, and with it what rounding may do to every value.

Each value is an array and a few samples of it. A sample is what the graph gives when every node that rounds is off by as
much as an honest implementation may be: its operands and its result are disturbed by a few units in the last place. What the
samples differ by is what a right answer may differ by; a value that no rounding reaches has equal samples and must be
met exactly."""

from dataclasses import dataclass, field

import numpy as np
import onnx
import onnxruntime
from onnx import helper

from undefined import why_undefined

NUM_SAMPLES = 4
MAX_ELEMENTS = 1 << 14
# Units in the last place by which an operand and a result are disturbed, by how an operator rounds. "exact" operators give
# the one right answer. "round" is one correctly rounded operation, which may be contracted with the next one. "approx"
# are functions computed by polynomials, each library its own. "sum" adds up terms in any order.
DISTURBANCE = {"exact": (0, 0), "round": (0, 1), "approx": (0, 24), "sum": (2, 4), "norm": (16, 24)}
# By how many units of 1 a result is disturbed: functions that pass through exp(x) - 1 or log(1 + x) lose digits near 0.
ABSOLUTE = {"Celu": 2, "Elu": 2, "Erf": 1, "Gelu": 1, "HardSigmoid": 1,  "LogSoftmax": 8, "Mish": 1, "Selu": 4, "Sigmoid": 1, "Softplus": 1}
RECURRENT = {"GRU", "LSTM", "RNN"}  # what is near 0 is a sum of what is not
COARSE = {"Shrink"}  # ONNX Runtime computes f64 in f32
# What onnx's own evaluator does otherwise than the standard: LRN normalises the first N channels only, N being the batch;
# AveragePool counts other elements under ceil_mode; OneHot computes off + (on - off), PRelu slope * min(x, 0), with slope inf too.
WRONG_REFERENCE = {"AveragePool", "LRN", "OneHot", "PRelu"}


# The greater (lesser) of 0.0 and -0.0 is either.
EITHER_ZERO = {"Clip", "GlobalMaxPool", "Max", "MaxPool", "Min", "ReduceMax", "ReduceMin", "Relu"}


def with_other_zeros(array):
    """Samples that say so: the array with the signs of its zeros turned; none without zeros."""
    if array.dtype.kind != "f" or (array != 0).all():
        return []
    return [np.where(array == 0, -array, array)] * NUM_SAMPLES


class Refused(Exception):
    """ONNX Runtime refuses the node: `kind` is "invalid", "missing" (no kernel for these types) or "fail" (these data)."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


@dataclass
class Value:
    name: str
    array: np.ndarray
    samples: list = field(default_factory=list)  # empty: equal to the array

    def sample(self, k):
        return self.samples[k] if self.samples else self.array

    @property
    def shape(self):
        return self.array.shape

    @property
    def rank(self):
        return self.array.ndim

    @property
    def dtype(self):
        return self.array.dtype


@dataclass
class Step:
    """A node, how it rounds and what ran it."""
    node: onnx.NodeProto
    rounding: str
    session: object


def session_options():
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return options


def open_session(model):
    """An inference session of the model with every optimisation off; Refused otherwise."""
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), session_options(), ["CPUExecutionProvider"])
    except Exception as error:
        text = str(error)
        raise Refused("missing" if "NOT_IMPLEMENTED" in text else "invalid", text) from error


def run_session(session, feeds):
    try:
        return session.run(None, feeds)
    except Exception as error:
        raise Refused("fail", str(error)) from error


class ReferenceSession:
    """onnx's own evaluator behind the face of a session, for types that ONNX Runtime has no kernel for."""

    def __init__(self, model):
        from onnx.reference import ReferenceEvaluator
        onnx.checker.check_model(onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True))
        self.evaluator = ReferenceEvaluator(model)

    def run(self, _, feeds):
        with np.errstate(all="ignore"):
            return [np.asarray(result) for result in self.evaluator.run(None, feeds)]


def declare(name, dtype, shape=None):
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return helper.make_tensor_value_info(name, element, shape)


def single_node_model(node, inputs, opset, ir_version):
    graph = helper.make_graph([node], "one", [declare(v.name, v.dtype, [None] * v.rank) for v in inputs],
                              [helper.make_value_info(name, onnx.TypeProto()) for name in node.output if name])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)


class Evaluator:
    """Values and nodes of one graph in the making."""

    def __init__(self, opset, ir_version, seed, is_kept=False):
        self.is_kept = is_kept  # a graph that found something once is not judged by what a new one may be
        self.opset, self.ir_version = opset, ir_version
        self.values, self.steps, self.sources = {}, [], []
        self.rng = np.random.default_rng(seed)
        self.uses_reference = False  # a node ran on onnx's evaluator, so ONNX Runtime cannot run the whole

    def add_source(self, name, array):
        self.values[name] = Value(name, array)
        self.sources.append(name)
        return self.values[name]

    def forget(self, name):
        del self.values[name]
        self.sources.remove(name)

    def inputs_of(self, node):
        seen = dict.fromkeys(name for name in node.input if name)
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                inner = {name for n in attribute.g.node for name in n.input}
                inner |= {output.name for output in attribute.g.output}
                seen.update(dict.fromkeys(name for name in sorted(inner) if name in self.values))
        return [self.values[name] for name in seen]

    def open_node(self, node):
        model = single_node_model(node, self.inputs_of(node), self.opset, self.ir_version)
        try:
            return open_session(model), False
        except Refused as refusal:
            if refusal.kind != "missing" or node.op_type in WRONG_REFERENCE:
                raise
            try:
                return ReferenceSession(model), True
            except Exception as error:
                raise Refused("missing", str(error)) from error

    def step(self, node, rounding):
        """Runs the node and adds its outputs; Refused when ONNX Runtime does not take it."""
        session, is_reference = self.open_node(node)
        step = Step(node, rounding, session)
        outputs = self.run_step(step)
        self.check_defined(step, outputs)
        self.uses_reference |= is_reference
        self.steps.append(step)
        self.values.update({value.name: value for value in outputs})
        return outputs

    def run_step(self, step):
        inputs, names = self.inputs_of(step.node), [name for name in step.node.output if name]
        arrays = run_session(step.session, {v.name: v.array for v in inputs})
        if any(a.size > MAX_ELEMENTS for a in arrays) and not self.is_kept:
            raise Refused("undefined", "larger than a test wants it")
        values = [Value(name, np.asarray(array)) for name, array in zip(names, arrays)]
        before, after = DISTURBANCE[step.rounding]
        if not after and not any(v.samples for v in inputs):
            if step.node.op_type in EITHER_ZERO:
                for value in values:
                    value.samples.extend(with_other_zeros(value.array))
            return values
        coarse = isinstance(step.session, ReferenceSession) or step.node.op_type in COARSE
        length = max([v.array.size for v in inputs]) / max(1, min(v.array.size for v in values))
        # Sums in order, as of tensors that are not summed along a line: rounding grows with their length, mostly its root.
        scale = (4 if length > 256 else 1) * max(1.0, length) ** 0.5 if before else 1.0
        for k in range(NUM_SAMPLES):
            feeds = {v.name: self.disturb(v.sample(k), before * scale) for v in inputs}
            results = run_session(step.session, feeds)
            for value, result in zip(values, results):
                if result.shape != value.shape:
                    raise Refused("fail", "the shape depends on rounding")
                if before and result.dtype.kind == "f":  # the sign of a sum that is 0 depends on its order
                    result = np.where(result == 0, result * self.rng.choice([-1.0, 1.0]), result).astype(result.dtype)
                absolute = ABSOLUTE.get(step.node.op_type, 0)
                if step.node.op_type in RECURRENT:
                    absolute = np.max(np.abs(result), where=np.isfinite(result), initial=1)
                value.samples.append(self.disturb(result, after, absolute, coarse))
        return values

    def disturb(self, array, units, absolute=0, coarse=False):
        """`coarse`: rounded to f32 on the way, as some functions of onnx's own evaluator do."""
        if not units or array.dtype.kind != "f" or not array.size:
            return array
        epsilon = np.finfo("f4" if coarse else array.dtype).eps
        tiny = np.finfo(array.dtype).tiny
        with np.errstate(all="ignore"):
            relative = 1 + epsilon * units * self.rng.uniform(-1, 1, array.shape)
            # Functions may give 0 instead of a denormal number.
            offset = np.where((np.abs(array) < tiny) & (array != 0), tiny, 0) + epsilon * absolute
            return np.asarray(array * relative + offset * self.rng.uniform(-1, 1, array.shape), dtype=array.dtype)

    def replay(self, arrays, seed):
        """Evaluates all nodes again on other arrays for the sources (or the same ones with other samples)."""
        self.rng = np.random.default_rng(seed)
        for name, array in arrays.items():
            self.values[name] = Value(name, array)
        for step in self.steps:
            outputs = self.run_step(step)
            self.check_defined(step, outputs)
            self.values.update({value.name: value for value in outputs})

    def check_defined(self, step, outputs):
        reason = why_undefined(step.node, step.rounding, self.inputs_of(step.node), outputs)
        if reason is not None and not self.is_kept:
            raise Refused("undefined", reason)
