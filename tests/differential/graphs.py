"""Draws a whole random graph by its seed: which operators, how many, which values are outputs, which sizes are open."""

import os
from dataclasses import dataclass

import onnx

import ops_elementwise
import ops_indexing
import ops_layers
import ops_movement
import ops_reduction
import ops_windows
from builder import Builder
from evaluator import Refused, open_session, run_session
from tensors import write_tensor

GENERATORS = {name: generate for module in (ops_elementwise, ops_movement, ops_indexing, ops_reduction, ops_windows, ops_layers)
              for name, generate in module.GENERATORS.items()}
# What networks are made of; drawn as often as all operators together, so that chains and fusions form.
GLUE = ["Add", "AveragePool", "Cast", "Clip", "Concat", "Conv", "Div", "Expand", "Flatten", "Gather", "Gemm", "MatMul", "MaxPool",
        "Mul", "Pow", "ReduceMean", "ReduceSum", "Relu", "Reshape", "ReshapeLike", "Shape", "Sigmoid", "Slice", "Softmax",
        "Split", "Sqrt", "Squeeze", "Sub", "Tanh", "Transpose", "Unsqueeze", "Where", "BatchNormalization", "Max", "Min"]
MAX_ATTEMPTS = 60


class NoGraph(Exception):
    """Nothing came of this seed."""


@dataclass
class Case:
    """A model with its inputs and what they must give."""
    seed: int
    builder: Builder
    model: onnx.ModelProto
    openness: float
    outputs: list  # names
    refusals: dict  # operator -> reasons why it could not be used, for the statistics

    @property
    def input_names(self):
        constant = {tensor.name for tensor in self.model.graph.initializer}
        return [value.name for value in self.model.graph.input if value.name not in constant]

    def feeds(self):
        return {name: self.builder.evaluator.values[name].array for name in self.input_names}

    def expected(self):
        return [self.builder.evaluator.values[name] for name in self.outputs]

    def operators(self):
        return [step.node.op_type for step in self.builder.evaluator.steps]

    def save(self, folder):
        """model.onnx and test_data_set_0, with the expected outputs."""
        save_case(folder, self.model, self.feeds(), {value.name: value.array for value in self.expected()})


def save_case(folder, model, feeds, outputs):
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    for stem, arrays in (("input", feeds), ("output", outputs)):
        for i, (name, array) in enumerate(arrays.items()):
            write_tensor(os.path.join(data, f"{stem}_{i}.pb"), array, name)


def draw_graph(builder, only=()):
    """Adds nodes to the builder; returns why operators were not used."""
    refusals, names = {}, sorted(only or GENERATORS)
    most = builder.plan.get("nodes", 12)
    wanted = 1 if builder.chance(0.3) or most == 1 else builder.integer(2, most)
    for attempt in range(MAX_ATTEMPTS):
        if len(builder.evaluator.steps) >= wanted:
            break
        name = builder.one_of(GLUE if not only and attempt and builder.chance(0.5) else names)
        reason = builder.attempt(GENERATORS[name])
        if reason is not None:
            refusals.setdefault(name, []).append(f"{getattr(reason, 'kind', 'not here')}: {reason}")
    if not builder.evaluator.steps:
        raise NoGraph(str(refusals))
    return refusals


def make_case(seed, plan=None, only=()):
    """The case of a seed. NoGraph when nothing came of it."""
    plan = plan or {}
    builder = Builder(seed, plan)
    refusals = draw_graph(builder, only)
    openness = plan.get("openness")
    if openness is None:
        openness = builder.one_of([0.0, 0.0, 0.3, 0.7, 1.0])
    outputs = builder.outputs()
    case = Case(seed, builder, builder.model(openness, outputs), openness, outputs, refusals)
    if not builder.evaluator.uses_reference:
        try:  # the whole must do what its nodes did
            run_session(open_session(case.model), case.feeds())
        except Refused as refusal:
            raise NoGraph(f"the whole is refused: {refusal}") from refusal
    return case
