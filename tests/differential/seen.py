"""Graphs that found something once, kept as text (tests/differential/seen/*.json): the model in ONNX's textual form, its
tensors and inputs as numbers, and what was wrong. They are judged anew each time, in every way of running them."""

import glob
import json
import os
import re
import shutil

import numpy as np
import onnx
from onnx import numpy_helper, parser, printer

import rules
from check_case import judge
from evaluator import Evaluator, Refused, open_session, run_session
from graphs import save_case
from mismatches import verdict_on
from tensors import numbered, read_tensor
from tool import AVX2, run

# Operators that give the one right answer; of all others the rounding is taken to be that of a normalisation.
EXACT = set("""Abs And ArgMax ArgMin BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Clip Compress Concat
Constant ConstantOfShape DepthToSpace Equal Expand EyeLike Flatten Floor Gather GatherElements GatherND Greater GreaterOrEqual
Hardmax Identity IsInf IsNaN Less LessOrEqual Max MaxPool Min Mod Neg NonZero Not Or Pad Range ReduceMax ReduceMin Relu Reshape
ReverseSequence Round Scatter ScatterElements ScatterND Shape Sign Size Slice SpaceToDepth Split Squeeze Tile TopK Transpose
Trilu Unsqueeze Where Xor""".split())
MODES = [["--targets", "native"], ["--targets", "native", "--dynamic"], ["--targets", "reference", "--dynamic"],
         ["--targets", AVX2], ["--targets", AVX2, "--dynamic"]]
MAX_NUMBERS = 700


def as_json(array):
    return {"type": str(array.dtype), "shape": list(array.shape), "values": array.ravel().tolist()}


def from_json(entry):
    return np.array(entry["values"], np.dtype(entry["type"])).reshape(entry["shape"])


def keep(finding, path):
    """Turns the folder of a finding into one text file."""
    model = onnx.load(os.path.join(finding, "model.onnx"))
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    nodes = []
    for node in model.graph.node:
        if node.op_type == "Constant":
            tensors[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
        else:
            nodes.append(node)
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(nodes)
    inputs = [value.name for value in model.graph.input if value.name not in tensors]
    paths = numbered(os.path.join(finding, "test_data_set_0"), "input")
    with open(os.path.join(finding, "finding.txt"), encoding="utf-8") as file:
        note = file.read().splitlines()
    note = [re.sub(r"error: \S*model\.onnx: ", "error: ", line) for line in note[:3]]
    record = {"note": note, "model": printer.to_text(model).splitlines(),
              "tensors": {name: as_json(array) for name, array in tensors.items()},
              "inputs": {name: as_json(read_tensor(p)) for name, p in zip(inputs, paths)}}
    count = sum(len(entry["values"]) for part in ("tensors", "inputs") for entry in record[part].values())
    if count > MAX_NUMBERS:
        raise ValueError(f"{count} numbers, at most {MAX_NUMBERS} are kept: find a smaller graph")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=None, separators=(",", ":"))
        file.write("\n")


class SeenCase:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.model = parser.parse_model("\n".join(record["model"]))
        self.tensors = {name: from_json(entry) for name, entry in record["tensors"].items()}
        self.feeds = {name: from_json(entry) for name, entry in record["inputs"].items()}
        self.model.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in self.tensors.items())

    def expected(self):
        """The outputs with what rounding may do to them; Refused when ONNX Runtime refuses."""
        opset = self.model.opset_import[0].version
        evaluator = Evaluator(opset, self.model.ir_version, [1], is_kept=True)
        for name, array in {**self.tensors, **self.feeds}.items():
            evaluator.add_source(name, array)
        for node in self.model.graph.node:
            evaluator.step(node, "exact" if node.op_type in EXACT else "norm")
        if not evaluator.uses_reference:
            run_session(open_session(self.model), self.feeds)
        return [evaluator.values[output.name] for output in self.model.graph.output]

    def problems(self, tool, scratch):
        """What is wrong in which mode."""
        values = reason = None
        try:
            values = self.expected()
        except Refused as refusal:
            reason = str(refusal)
        folder = os.path.join(scratch, self.name)
        shutil.rmtree(folder, ignore_errors=True)
        save_case(folder, self.model, self.feeds, {})
        for options in MODES:
            answer = run(tool, folder, options)
            bad = judge(answer, values, self.model) if values is not None else verdict_on(answer, None, self.model, False, reason)
            mode = options[1] + " open" * ("--dynamic" in options)
            if bad and not rules.explains(mode, bad, self.model.graph.node):
                yield f"{' '.join(options)}: {bad[0]}: {bad[1]}"


def load_all(folder):
    return [SeenCase(path) for path in sorted(glob.glob(os.path.join(folder, "*.json")))]
