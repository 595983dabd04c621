#!/usr/bin/env python3
"""Stands in for tessera in tests of the harness: it imports Add alone, gives it to `adder` and `run` gives y = x + 1, or what
FAKE_MODE says."""

import json
import os
import sys
import time

BACKENDS = [
    {"name": "native", "host": True, "operators": ["add"], "onnx_operators": ["Add"]},
    {"name": "adder", "host": False, "operators": ["add"], "onnx_operators": ["Add"]},
    {"name": "absent", "host": False, "operators": [], "onnx_operators": [], "missing": "its library was not found"},
    {"name": "reference", "host": False, "operators": ["add"], "onnx_operators": ["Add"]},
]
if os.environ.get("FAKE_MODE") == "idle":
    BACKENDS.append({"name": "multiplier", "host": False, "operators": ["mul"], "onnx_operators": ["Mul"]})
if sys.argv[1] == "backends":
    print('["Add"]' if "--onnx-ops" in sys.argv else json.dumps(BACKENDS))
    sys.exit(0)
mode = os.environ.get("FAKE_MODE", "right")
if mode == "slow":
    time.sleep(60)
if mode == "crash":
    os.abort()
if mode == "refuse":
    print("error: node 'add': element type is wrong", file=sys.stderr)
    sys.exit(1)
if sys.argv[1] == "compile":
    sys.exit(0)
if sys.argv[1] == "inspect":
    owner = "native" if mode == "bystander" else "adder"
    print(json.dumps({"regions": [{"backend": owner, "calls": 1, "flops": 4}]}))
    sys.exit(0)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tensors import numbered, read_tensor, write_tensor

arguments = sys.argv
data = arguments[arguments.index("--data") + 1]
result = read_tensor(numbered(data, "input")[0]) + (1.01 if mode == "wrong" else 1)
if "--output" in arguments:
    write_tensor(os.path.join(arguments[arguments.index("--output") + 1], "output_0.pb"), result.astype("f4"), "y")
sys.exit(4 if mode == "wrong" else 0)
