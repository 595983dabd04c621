#!/usr/bin/env python3
"""Stands in for `tessera run` in the tester's own test: answers as ONNX Runtime does, or as FAKE_MODE says."""

import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness")]
import numpy as np
import onnx
from evaluator import Refused, open_session, run_session
from tensors import numbered, read_tensor, write_tensor

mode, arguments = os.environ.get("FAKE_MODE", "right"), sys.argv
if mode == "crash":
    os.abort()
if mode == "refuse":
    print("error: something is wrong", file=sys.stderr)
    sys.exit(1)
model = onnx.load(arguments[2])
constant = {tensor.name for tensor in model.graph.initializer}
names = [value.name for value in model.graph.input if value.name not in constant]
out = arguments[arguments.index("--output") + 1]
os.makedirs(out)
feeds = {name: read_tensor(path) for name, path in zip(names, numbered(arguments[arguments.index("--data") + 1], "input"))}
try:
    results = run_session(open_session(model), feeds)
except Refused as refusal:
    if mode != "accept":
        print(f"error: node '{model.graph.node[-1].name}': sizes 3 and 4 do not fit", file=sys.stderr)
        sys.exit(1)
    results = [np.zeros(3, np.float32)] * len(model.graph.output)
for i, (value, result) in enumerate(zip(model.graph.output, results)):
    if mode == "wrong" and result.size:
        result = result + np.float32(0.01) if result.dtype.kind == "f" else ~result if result.dtype.kind == "b" else result + 1
    write_tensor(os.path.join(out, f"output_{i}.pb"), np.asarray(result, results[i].dtype), value.name)
