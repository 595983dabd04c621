"""Makes a failing graph smaller: values on the way become inputs as long as the same goes wrong."""

from onnx import helper

from evaluator import declare


def cut(case, nodes, outputs):
    """(model, feeds) of these nodes; what they read and none of them makes is declared as in the whole, or an input."""
    graph, values = case.model.graph, case.builder.evaluator.values
    constants = {node.output[0]: node for node in graph.node if node.op_type == "Constant"}
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    inputs = {value.name: value for value in graph.input}
    made = {name for node in nodes for name in node.output}
    read = dict.fromkeys(name for node in nodes for name in node.input if name and name not in made)
    kept = [constants[name] for name in read if name in constants]
    tensors = [initializers[name] for name in read if name in initializers]
    declared = []
    for name in read:
        if name in inputs:
            declared.append(inputs[name])
        elif name not in constants and name not in initializers:
            value = values[name]
            declared.append(declare(name, value.dtype, [None] * value.rank if case.openness else value.shape))
    results = [declare(name, values[name].dtype) for name in outputs]
    small = helper.make_graph(kept + nodes, "small", declared, results, tensors)
    model = helper.make_model(small, opset_imports=case.model.opset_import, ir_version=case.model.ir_version)
    feeds = {v.name: values[v.name].array for v in declared if v.name not in initializers}
    return model, feeds


def ancestors(nodes, outputs):
    """The nodes that these outputs need, in order."""
    wanted, kept = set(outputs), []
    for node in reversed(nodes):
        if wanted & set(node.output):
            wanted |= set(node.input)
            kept.append(node)
    return kept[::-1]


def reduce(case, outputs, fails, budget=40):
    """The smallest (nodes, outputs) found for which `fails(model, feeds, outputs)` still holds."""
    nodes = [step.node for step in case.builder.evaluator.steps]
    for name in outputs:  # one output is enough, mostly
        single = ancestors(nodes, [name])
        if len(outputs) > 1 and fails(*cut(case, single, [name]), [name]):
            outputs = [name]
            break
    nodes = ancestors(nodes, outputs)
    for node in list(nodes):
        if len(nodes) == 1 or budget == 0:
            break
        fewer = ancestors([other for other in nodes if other is not node], outputs)
        if not fewer or not set(outputs) <= {name for other in fewer for name in other.output}:
            continue
        budget -= 1
        if fails(*cut(case, fewer, outputs), outputs):
            nodes = fewer
    # From the other end: what comes last may be no part of it.
    while len(nodes) > 1 and budget > 0:
        shorter = nodes[:-1]
        ends = [name for name in shorter[-1].output if name]
        budget -= 1
        if not fails(*cut(case, ancestors(shorter, ends), ends), ends):
            break
        nodes, outputs = ancestors(shorter, ends), ends
    return nodes, outputs
