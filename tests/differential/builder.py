"""Builds one random graph: sources (inputs, initialisers, constants) and nodes, each evaluated as it is added."""

import numpy as np
from onnx import helper, numpy_helper

from evaluator import Evaluator, Refused, declare
from random_values import random_array

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 33]
SIZE_WEIGHTS = np.array([16, 16, 16, 12, 8, 6, 5, 6, 3, 3, 4, 3, 2]) / 100
RANK_WEIGHTS = [0.06, 0.14, 0.26, 0.24, 0.22, 0.08]
MAX_SOURCE_ELEMENTS = 3000
FLOAT, INT = np.dtype("f4"), np.dtype("i8")
DTYPES = [np.dtype(name) for name in ("f4", "f8", "i1", "u1", "i4", "i8", "?")]
STYLES = ["plain", "ties", "positive", "special", "wild", "large"]
STYLE_WEIGHTS = [0.46, 0.14, 0.1, 0.18, 0.06, 0.06]


class NotHere(Exception):
    """The operator cannot be used at this place of this graph."""


class Builder:
    def __init__(self, seed, plan):
        self.rng = rng = np.random.default_rng([seed, 1])
        self.plan = plan
        self.opset = plan.get("opset") or int(rng.choice([*range(7, 24), *range(11, 24), *range(17, 24)]))
        self.ir_version = int(rng.choice([8, 9, 10])) if self.opset > 8 else int(rng.choice([3, 4, 8]))
        self.dtype = DTYPES[rng.choice(len(DTYPES), p=[0.7, 0.07, 0.03, 0.03, 0.06, 0.08, 0.03])]
        self.style = plan.get("style") or str(rng.choice(STYLES, p=STYLE_WEIGHTS))
        self.has_empty = bool(rng.random() < plan.get("empty", 0.06))
        self.constant_rate = float(rng.choice([0.0, 0.25, 0.5, 0.8])) * plan.get("constants", 1)
        self.reuse_rate = float(rng.choice([0.3, 0.7, 0.9]))
        self.evaluator = Evaluator(self.opset, self.ir_version, [seed, 2])
        self.kinds = {}  # source -> input, initializer or constant
        self.roles = {}  # source -> what its numbers mean: index, divisor, count, ...
        self.counter = 0

    # -- choices --

    def chance(self, probability):
        return bool(self.rng.random() < probability)

    def one_of(self, options):
        return options[int(self.rng.integers(len(options)))]

    def integer(self, low, high):
        """Between low and high, both included."""
        return int(self.rng.integers(low, high + 1))

    def size(self):
        if self.has_empty and self.chance(0.15):
            return 0
        return int(self.rng.choice(SIZES, p=SIZE_WEIGHTS))

    def shape(self, rank=None, low=0, high=5):
        if rank is None:
            weights = np.array(RANK_WEIGHTS[low:high + 1])
            rank = low + int(self.rng.choice(len(weights), p=weights / weights.sum()))
        shape = [self.size() for _ in range(rank)]
        if self.plan.get("batch") and rank >= 3:
            shape[0] = self.plan["batch"]
        while np.prod(shape, dtype=np.int64) > MAX_SOURCE_ELEMENTS:
            shape[int(np.argmax(shape))] = self.integer(1, 3)
        return shape

    def axis(self, rank, inclusive=False):
        """An axis of a value of that rank, counted from either end; rank itself too when `inclusive`."""
        if rank + inclusive <= 0:
            raise NotHere
        low = -rank if self.opset >= 11 else 0
        return self.integer(low, rank - 1 + inclusive)

    # -- values --

    def new_name(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def source(self, array, kind=None, role=None):
        """A new source; `kind` is drawn when not given."""
        if kind is None:
            is_constant = self.chance(self.constant_rate)
            kind = "input" if not is_constant else "constant" if self.chance(0.3) else "initializer"
        name = self.new_name({"input": "x", "initializer": "w", "constant": "c"}[kind])
        self.kinds[name] = kind
        if role:
            self.roles[name] = role
        return self.evaluator.add_source(name, np.asarray(array, order="C"))

    def fresh(self, shape, dtype=None, style=None, kind=None, role=None):
        if np.prod(shape, dtype=np.int64) > 8 * MAX_SOURCE_ELEMENTS:
            raise NotHere
        return self.source(random_array(self.rng, shape, dtype or self.dtype, style or self.style), kind, role)

    def constant(self, values, dtype=INT, role=None):
        """A shape, an axis, a scale: what the compiler wants to know; rarely an input."""
        kind = "input" if self.chance(self.plan.get("shape_inputs", 0.03)) else self.one_of(["constant", "initializer"])
        return self.source(np.array(values, dtype), kind, role or "shape")

    def existing(self, accept):
        """A value made so far that `accept` likes, recent ones first; None without one."""
        found = [v for v in self.evaluator.values.values() if v.name not in self.roles and accept(v)]
        if not found:
            return None
        return found[-1] if self.chance(0.5) else self.one_of(found)

    def tensor(self, dtype=None, rank=None, low=0, high=5, style=None, accept=lambda v: True):
        """A value of that type and rank: one of the graph's or a new source. `dtype` is one or a list."""
        dtypes = [np.dtype(d) for d in (dtype if isinstance(dtype, (list, tuple)) else [dtype or self.dtype])]
        if rank is not None:
            low = high = rank
        if self.chance(self.reuse_rate):
            value = self.existing(lambda v: v.dtype in dtypes and low <= v.rank <= high and accept(v))
            if value is not None:
                return value
        chosen = self.dtype if self.dtype in dtypes and self.chance(0.8) else self.one_of(dtypes)
        value = self.fresh(self.shape(low=low, high=high), chosen, style)
        if not accept(value):
            raise NotHere
        return value

    def floats(self, **options):
        return self.tensor(dtype=[np.dtype("f4"), np.dtype("f8")] if self.chance(0.15) else [FLOAT], **options)

    def partner(self, value, dtype=None, style=None, role=None):
        """A value that broadcasts with `value` in one way or another, rarely the same one."""
        dtype = np.dtype(dtype or value.dtype)
        if dtype == value.dtype and role is None:
            if self.chance(0.08):
                return value
            if self.chance(self.reuse_rate):
                found = self.existing(lambda v: v.dtype == dtype and broadcasts(v.shape, value.shape))
                if found is not None:
                    return found
        return self.fresh(self.partner_shape(value.shape), dtype, style, role=role)

    def partner_shape(self, shape):
        shape = list(shape)
        choice = self.rng.random()
        if choice < 0.35:
            return shape
        if choice < 0.5:
            return []
        if choice < 0.65:
            return shape[self.integer(0, len(shape)):]
        narrow = [1 if self.chance(0.4) else size for size in shape]
        if choice < 0.85:
            return narrow[self.integer(0, len(shape)):] if self.chance(0.3) else narrow
        shape = [self.integer(1, 6) if size == 1 else size for size in shape]
        return [self.integer(1, 3), *shape] if len(shape) < 5 and self.chance(0.3) else shape

    # -- nodes --

    def node(self, op_type, inputs, outputs=1, rounding="exact", **attributes):
        """Adds the node and returns its outputs (the one, or a list). None stands for an absent input; `outputs` may be a
        list of bools, False for an absent output."""
        inputs = [value.name if value is not None else "" for value in inputs]
        while inputs and not inputs[-1]:
            inputs.pop()
        present = outputs if isinstance(outputs, list) else [True] * outputs
        names = [self.new_name("v") if is_present else "" for is_present in present]
        self.counter += 1
        node = helper.make_node(op_type, inputs, names, f"{op_type}_{self.counter}",
                                **{name: value for name, value in attributes.items() if value is not None})
        made = self.evaluator.step(node, rounding)
        return made[0] if outputs == 1 else made

    def attempt(self, generate):
        """Calls the generator of one operator; takes back what it added when it does not work out here."""
        before, steps = set(self.evaluator.values), len(self.evaluator.steps)
        uses_reference = self.evaluator.uses_reference
        try:
            generate(self)
            return None
        except (NotHere, Refused) as reason:
            for name in [name for name in self.evaluator.values if name not in before]:
                self.evaluator.values.pop(name)
                self.kinds.pop(name, None)
                self.roles.pop(name, None)
            evaluator = self.evaluator
            del evaluator.steps[steps:]
            evaluator.sources = [name for name in evaluator.sources if name in evaluator.values]
            evaluator.uses_reference = uses_reference
            return reason

    # -- the model --

    def outputs(self):
        """Values that nothing reads, and some that something reads; at least one."""
        read = {name for step in self.evaluator.steps for name in step.node.input}
        made = [name for step in self.evaluator.steps for name in step.node.output if name]
        return [name for name in made if name not in read or self.chance(0.12)]

    def dimension(self, openness, value, axis):
        """What the model says of a dimension: a size, a name shared by equal sizes or its own, or nothing."""
        # The rank of a result may depend on these sizes: an operand that says a shape, or the length of index tuples.
        is_rank = self.roles.get(value.name) in ("shape", "axis", "count", "delta")
        is_tuple = self.roles.get(value.name) == "index" and axis == value.rank - 1
        is_fixed = axis >= self.plan.get("open_axes", value.rank)
        if is_rank or is_tuple or is_fixed or not self.chance(openness):
            return value.shape[axis]
        choice = self.rng.random()
        if choice < 0.4 and self.plan.get("names") != "own":
            return f"d{value.shape[axis]}"
        return f"{value.name}_{axis}" if choice < 0.75 else None

    def model(self, openness, outputs):
        """The model with that rate of open input dimensions."""
        nodes = [step.node for step in self.evaluator.steps]
        used = {name for node in nodes for name in node.input} | {
            name for node in nodes for a in node.attribute for n in a.g.node for name in [*n.input]}
        constants, initializers, inputs = [], [], []
        for name in self.evaluator.sources:
            value = self.evaluator.values[name]
            if name not in used and not self.chance(0.3):
                continue
            if self.kinds[name] == "constant":
                tensor = numpy_helper.from_array(value.array, name + "_value")
                constants.append(helper.make_node("Constant", [], [name], f"Constant_{name}", value=tensor))
            elif self.kinds[name] == "initializer":
                initializers.append(numpy_helper.from_array(value.array, name))
            else:
                dims = [self.dimension(openness, value, axis) for axis in range(value.rank)]
                inputs.append(declare(name, value.dtype, dims))
        if self.ir_version < 4:
            inputs += [declare(tensor.name, numpy_helper.to_array(tensor).dtype, list(tensor.dims)) for tensor in initializers]
        results = []
        for name in outputs:
            value = self.evaluator.values[name]
            says = list(value.shape) if not openness and self.chance(0.5) else [None] * value.rank
            results.append(declare(name, value.dtype, None if self.chance(0.2) else says))
        graph = helper.make_graph(constants + nodes, "random", inputs, results, initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=self.ir_version)


def broadcasts(a, b):
    return all(x == y or x == 1 or y == 1 for x, y in zip(reversed(a), reversed(b)))
