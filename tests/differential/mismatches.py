"""Inputs that do not fit a model with open sizes: one dimension of one input gets another size, or an index, a divisor, a
count gets a value out of its range. ONNX Runtime says whether the model takes them all the same; where it refuses (or dies
itself, as it does on integer division by zero), the answer must be a refusal that names the place and what does not fit."""

import multiprocessing
import os
import re
import shutil

import numpy as np

import rules
from check_case import Finding, judge, nodes_of
from evaluator import Refused, Value, open_session, run_session
from graphs import NoGraph, make_case, save_case
from random_values import random_array
from tool import run, symptom
from verdict import REFUSED, bad_refusal, operator_named, says_what_does_not_fit

# Products and sums of these leave 64 bits.
HUGE = [2**31, 2**33, 2**40, 2**62, 2**62 + 3, 2**63 - 1, -2**63, 2**63 - 3]

POISONS = {
    "index": lambda rng, info: rng.choice([info.max, info.min, 40, -40, 1000000]),
    "divisor": lambda rng, info: 0,
    "delta": lambda rng, info: huge_or(rng, info, [0]),
    "count": lambda rng, info: huge_or(rng, info, [-1, 50, 1000, info.min]),
    "length": lambda rng, info: huge_or(rng, info, [-1, 50, info.max]),
    "axis": lambda rng, info: rng.choice([7, -9]),
    "shape": lambda rng, info: huge_or(rng, info, [-2, 50, 3, 0]),
}


def huge_or(rng, info, small):
    """A size that is wrong by a little, or one that no memory holds."""
    huge = [value for value in HUGE if info.min <= value <= info.max]
    return rng.choice(np.array(huge if huge and rng.random() < 0.4 else small, np.int64))


def mutate(case, rng):
    """(feeds, what was changed): the case's inputs with one that does not fit, perhaps."""
    feeds, roles = case.feeds(), case.builder.roles
    poisonable = [name for name in feeds if roles.get(name) in POISONS and feeds[name].size and feeds[name].dtype.kind in "iu"]
    dims = {value.name: value.type.tensor_type.shape.dim for value in case.model.graph.input}
    is_open = {name: [axis for axis, dim in enumerate(dims[name]) if not dim.HasField("dim_value")] for name in feeds}
    resizable = [name for name in feeds if is_open[name]]
    if poisonable and (not resizable or rng.random() < 0.6):
        name = poisonable[int(rng.integers(len(poisonable)))]
        array = feeds[name].copy()
        array.flat[int(rng.integers(array.size))] = POISONS[roles[name]](rng, np.iinfo(array.dtype))
        return {**feeds, name: array}, f"{roles[name]} in '{name}'"
    if not resizable:
        raise NoGraph("no input can be changed")
    name = resizable[int(rng.integers(len(resizable)))]
    old = feeds[name]
    shape = list(old.shape)
    axis = int(rng.choice(is_open[name]))
    size = shape[axis]
    options = [size + 1, size + 1, max(size - 1, 0), size * 2, size + 50, 1, 0, 2]
    shape[axis] = int(rng.choice([option for option in options if option != size]))
    if np.prod(shape, dtype=np.int64) > 100000:
        raise NoGraph("too large")
    if name in roles:  # numbers with a meaning keep it
        array = np.resize(old, shape) if old.size else np.zeros(shape, old.dtype)
    else:
        array = random_array(rng, shape, old.dtype, "plain")
    return {**feeds, name: array}, f"dimension {axis} of '{name}': {size} -> {shape[axis]}"


def judge_in_child(case, feeds, pipe):
    """Sends (outputs with their samples, None) or (None, ONNX Runtime's reason)."""
    try:
        if not case.builder.evaluator.uses_reference:
            run_session(open_session(case.model), feeds)
        case.builder.evaluator.replay(feeds, [case.seed, 4])
        pipe.send(([(v.name, v.array, v.samples) for v in case.expected()], None))
    except Refused as refusal:
        pipe.send((None, f"{refusal.kind}: {refusal}"))


def ask_onnxruntime(case, feeds):
    """(values or None, why it refused); in a child, because ONNX Runtime dies of some inputs."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=judge_in_child, args=(case, feeds, theirs))
    child.start()
    theirs.close()
    try:
        values, reason = ours.recv()
    except EOFError:
        values, reason = None, "died: ONNX Runtime was killed"
    child.join()
    return None if values is None else [Value(*value) for value in values], reason


def breaks_names(model, feeds):
    """Whether two dimensions of one name have different sizes: we refuse that by contract."""
    sizes = {}
    for value in model.graph.input:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if dim.dim_param and value.name in feeds:
                if sizes.setdefault(dim.dim_param, feeds[value.name].shape[axis]) != feeds[value.name].shape[axis]:
                    return True
    return False


def blamed(reason, case):
    """The operator that ONNX Runtime named, or all of the graph."""
    found = re.search(r"Name:'([A-Za-z]+)_\d+'", reason or "")
    return found.group(1) if found else " ".join(case.operators())


def operators_of(bad, reason, case):
    """What a finding is filed under: the node that the refusal names, or the one that ONNX Runtime blames."""
    if "refus" in bad[0]:
        return operator_named(bad[1]) or "-"
    return blamed(reason, case)


def verdict_on(answer, values, model, names_broken, reason):
    """(kind, detail) or None; `reason` is why ONNX Runtime refuses."""
    if answer.crash:
        return "crash", answer.crash
    if names_broken and answer.exit_code in REFUSED:
        return None
    if values is not None:
        return judge(answer, values, model)
    if answer.exit_code == 0:
        return "accepted", f"exit code 0, ONNX Runtime: {reason}"
    bad = bad_refusal(answer.stderr, model, answer.exit_code)
    if bad is None and not says_what_does_not_fit(answer.sentence):
        bad = "refused without both sizes"
    return ("bad refusal", f"{bad}: {answer.sentence}") if bad else None


def check_mismatch(checker, seed, only):
    """(operators, findings) of one case with inputs that do not fit."""
    plan = {"openness": 1.0, "constants": 0.4, "shape_inputs": 0.06, "style": "plain", "empty": 0.0, "nodes": 3,
            "names": "own" if seed % 4 else None}
    case = make_case(seed, plan, only)
    rng = np.random.default_rng([seed, 5])
    feeds, change = mutate(case, rng)
    values, reason = ask_onnxruntime(case, feeds)
    if reason is not None and reason.startswith("undefined"):
        raise NoGraph(reason)
    folder = os.path.join(checker.scratch, "case")
    shutil.rmtree(folder, ignore_errors=True)
    save_case(folder, case.model, feeds, {})
    names_broken = breaks_names(case.model, feeds)
    findings = []
    modes = {"native open": ["--targets", "native", "--dynamic"], "native": ["--targets", "native"],
             "reference": ["--targets", "reference", "--dynamic"]}
    for mode, options in modes.items():
        answer = run(checker.tool, folder, options)
        bad = verdict_on(answer, values, case.model, names_broken, reason)
        if bad is None or rules.explains(mode, bad, nodes_of(case), change):
            continue
        target = os.path.join(checker.found, f"mismatch_{seed}_{mode.replace(' ', '_')}")
        shutil.rmtree(target, ignore_errors=True)
        save_case(target, case.model, feeds, {v.name: v.array for v in values or []})
        said = f"ONNX Runtime: {reason}" if values is None else "ONNX Runtime takes it"
        with open(os.path.join(target, "finding.txt"), "w", encoding="utf-8") as file:
            file.write(f"{change}\n{' '.join(options)}\n{bad[0]}: {bad[1]}\n{said}\n")
        text = symptom(bad[1])
        findings.append(Finding(seed, mode, operators_of(bad, reason, case), bad[0], text, f"{change}: {bad[1]} ({said[:150]})", target))
    return case.operators(), findings
