"""Checks one case in every way of running it, and says in one record what was found."""

import os
import shutil
from dataclasses import asdict, dataclass

import numpy as np

import rules
from evaluator import Refused
from graphs import save_case
from reducer import cut, reduce
from tool import AVX2, run, symptom
from verdict import bad_refusal, difference, operator_named


@dataclass
class Finding:
    seed: int
    mode: str
    operators: str  # of the reduced graph
    kind: str  # crash, values, shape, refused, ...
    symptom: str
    detail: str
    folder: str = ""


def modes_of(case, rng):
    """(name, options) of the ways to run a case."""
    is_open = any(d.dim_value == 0 and not d.HasField("dim_value") for value in case.model.graph.input
                  for d in value.type.tensor_type.shape.dim)
    modes = [("native", ["--targets", "native"])]
    if is_open:
        modes.append(("native open", ["--targets", "native", "--dynamic"]))
    if rng.random() < 0.6:
        modes.append(("reference", ["--targets", "reference", *(["--dynamic"] if is_open and rng.random() < 0.5 else [])]))
    if rng.random() < 0.15:
        modes.append(("avx2", ["--targets", AVX2, *(["--dynamic"] if is_open else [])]))
    threads = ["--threads", str(rng.choice([1, 2]))]
    return [(name, options + threads) for name, options in modes]


def judge(answer, values, model):
    """(kind, detail) of what is wrong with an answer to a case that ONNX Runtime runs, or None."""
    if answer.crash:
        return "crash", answer.crash
    if answer.exit_code != 0:
        bad = bad_refusal(answer.stderr, model, answer.exit_code)
        return ("bad refusal", f"{bad}: {answer.sentence}") if bad else ("refused", answer.sentence)
    if len(answer.outputs) != len(values):
        return "outputs", f"{len(answer.outputs)} outputs, expected {len(values)}"
    for value, actual in zip(values, answer.outputs):
        text = difference(value, actual)
        if text is not None:
            return text.split(":")[0].split(" ")[0], text
    return None


def nodes_of(case):
    return [step.node for step in case.builder.evaluator.steps]


class Checker:
    def __init__(self, tool, scratch, found):
        self.tool, self.scratch, self.found = tool, scratch, found

    def check(self, case):
        rng = np.random.default_rng([case.seed, 3])
        findings = []
        folder = os.path.join(self.scratch, "case")
        shutil.rmtree(folder, ignore_errors=True)
        case.save(folder)
        for mode, options in modes_of(case, rng):
            answer = run(self.tool, folder, options)
            bad = judge(answer, case.expected(), case.model)
            if bad is None or rules.explains(mode, bad, nodes_of(case)):
                continue
            if bad[0] in ("values", "NaN", "infinity") and self.vanishes(case, answer):
                continue
            findings.append(self.reduced(case, mode, options, bad))
        return [f for f in findings if f is not None]

    def vanishes(self, case, answer):
        """Whether more samples of what rounding does explain the difference."""
        evaluator = case.builder.evaluator
        values, collected = dict(evaluator.values), {}
        for seed in range(8):
            try:
                evaluator.replay({}, [case.seed, 100 + seed])
            except Refused:
                break
            for name in case.outputs:
                collected.setdefault(name, []).extend(evaluator.values[name].samples)
        evaluator.values = values
        for name, samples in collected.items():
            values[name].samples = values[name].samples + samples
        return judge(answer, case.expected(), case.model) is None

    def reduced(self, case, mode, options, bad):
        """A finding with the smallest graph that shows it, saved; None when a rule explains that graph."""
        folder = os.path.join(self.scratch, "small")
        values = case.builder.evaluator.values

        def fails(model, feeds, outputs):
            shutil.rmtree(folder, ignore_errors=True)
            save_case(folder, model, feeds, {})
            found = judge(run(self.tool, folder, options), [values[name] for name in outputs], model)
            return found is not None and found[0] == bad[0] and (
                found[0] != "refused" or symptom(found[1]) == symptom(bad[1]))

        nodes, outputs = reduce(case, list(case.outputs), fails)
        model, feeds = cut(case, nodes, outputs)
        if not fails(model, feeds, outputs):  # depends on more than the nodes: keep the whole
            model, feeds, outputs, nodes = case.model, case.feeds(), case.outputs, nodes_of(case)
        else:
            bad = judge(run(self.tool, folder, options), [values[name] for name in outputs], model)
        if rules.explains(mode, bad, nodes):
            return None
        operators = operator_named(bad[1]) if bad[0] == "refused" else ""
        operators = operators or " ".join(node.op_type for node in nodes)
        target = os.path.join(self.found, f"{case.seed}_{mode.replace(' ', '_')}")
        shutil.rmtree(target, ignore_errors=True)
        save_case(target, model, feeds, {name: values[name].array for name in outputs})
        with open(os.path.join(target, "finding.txt"), "w", encoding="utf-8") as file:
            file.write(f"{operators}\n{' '.join(options)}\n{bad[0]}: {bad[1]}\n")
        text = bad[0] if bad[0] in ("values", "NaN", "infinity") else symptom(bad[1])
        return Finding(case.seed, mode, operators, bad[0], text, bad[1], target)


def as_record(finding):
    return asdict(finding)
