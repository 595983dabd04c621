#!/usr/bin/env python3
"""Artifacts of every backend that can be asked for, alone and in front of the host target, run by several threads of one program at
once: no run fails, none differs from another, and, where the program was built with ThreadSanitizer, no data race is seen
(`make tsan`). What other libraries do among themselves is theirs."""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

import onnx

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "harness"))
from backends import backends_of, takes_whole_models
from networks import OPEN, STATIC, make_model

CASES = {**{f"{name}, static": STATIC[name] for name in ("mobilenet", "transformer", "gru")},
         "squeezenet, open": OPEN["squeezenet"]}
OPTIONS = argparse.Namespace()
ENVIRONMENT = {**os.environ, "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=66"}


def lists_of_targets():
    """Every backend that makes code, those that take a part in front of the host target."""
    backends = backends_of(OPTIONS.tool)
    host = next(name for name, backend in backends.items() if backend["host"])
    return [name if takes_whole_models(backend) else f"{name},{host}" for name, backend in backends.items() if name != "reference"]


class ThreadsTest(unittest.TestCase):
    def test_contexts_at_once(self):
        with tempfile.TemporaryDirectory() as scratch:
            model, artifact = os.path.join(scratch, "model.onnx"), os.path.join(scratch, "model.tsr")
            for name, (make, inputs, sizes) in CASES.items():
                onnx.save(make_model(make, inputs), model)
                for targets in lists_of_targets():
                    with self.subTest(name, targets=targets):
                        self.run_and_check([OPTIONS.tool, "compile", model, "--targets", targets, "-o", artifact], None)
                        self.run_and_check([OPTIONS.probe, artifact, *sizes], ENVIRONMENT)

    def run_and_check(self, command, environment):
        result = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
        self.assertEqual(result.returncode, 0, f"{' '.join(command)}:\n{result.stderr[:10000]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--probe", required=True, help="the program tessera_threads_probe")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
