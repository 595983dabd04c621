#!/usr/bin/env python3
"""bench.py fails when a benchmark found its answer wrong, crashed, or measured nothing."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RIGHT = {"name": "conv/threads:1", "real_time": 3.0}
WRONG = {"name": "matmul/threads:2", "error_occurred": True, "error_message": "results differ"}
PROGRAM = """#!{python}
import sys
if {text!r}:
    with open(next(a for a in sys.argv if a.startswith("--benchmark_out=")).split("=", 1)[1], "w") as file:
        file.write({text!r})
sys.exit({status})
"""


class BenchTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        os.makedirs(os.path.join(self.scratch.name, "bench"))

    def add(self, name, runs, status=0):
        path = os.path.join(self.scratch.name, "bench", name)
        with open(path, "w", encoding="utf-8") as file:
            text = "" if runs is None else json.dumps({"benchmarks": runs})
            file.write(PROGRAM.format(python=sys.executable, text=text, status=status))
        os.chmod(path, 0o755)

    def bench(self):
        command = [sys.executable, os.path.join(SCRIPTS, "bench.py"), "--build-dir", self.scratch.name]
        result = subprocess.run(command, capture_output=True, text=True)
        return result.returncode, result.stdout

    def test_right_answers(self):
        self.add("bench_a", [RIGHT])
        self.add("bench_b", [RIGHT, RIGHT])
        self.assertEqual(self.bench()[0], 0)

    def test_a_wrong_answer_among_right_ones(self):
        self.add("bench_a", [RIGHT, WRONG, RIGHT])
        self.add("bench_b", [RIGHT])
        status, text = self.bench()
        self.assertEqual(status, 1)
        self.assertIn("FAILED: bench_a: matmul/threads:2: results differ", text)

    def test_a_failure_is_said_once(self):
        self.add("bench_a", [RIGHT, WRONG], status=1)
        status, text = self.bench()
        self.assertEqual(status, 1)
        self.assertEqual(text.count("FAILED"), 1)

    def test_nothing_measured(self):
        for runs, status, reason in (([], 0, "it has no benchmarks"), (None, 0, "no results"), ([RIGHT], 3, "exit status 3")):
            self.add("bench_a", [RIGHT])
            self.assertEqual(self.bench()[0], 0)
            self.add("bench_a", runs, status)
            with self.subTest(reason=reason):
                code, text = self.bench()
                self.assertEqual(code, 1)
                self.assertIn(reason, text)

    def test_no_program(self):
        self.assertEqual(self.bench()[0], 1)


if __name__ == "__main__":
    unittest.main()
