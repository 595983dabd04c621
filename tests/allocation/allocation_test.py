#!/usr/bin/env python3
"""A run of compiled networks allocates nothing once it has seen its sizes: static ones, and open ones at sizes of earlier runs,
with one thread and with two, on every backend that can be asked for. A backend whose known_gaps.txt lists `allocation` runs a
library that allocates by itself: there no run may allocate more than another. Where it lists `allocation_varies`, work of its own
threads allocates, and a run may allocate half as much again as another. With --model and --sizes any ONNX file is measured and the
figures are printed."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

import onnx

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "harness"))
from backends import backends_of, known_gaps
from networks import OPEN, STATIC, make_model

OPTIONS = argparse.Namespace()


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, f"{' '.join(command)}: exit status {result.returncode}: {result.stderr}"
    return result.stdout


def compiled_targets():
    """Every backend that makes code: all but the interpreter."""
    return [name for name in backends_of(OPTIONS.tool) if name != "reference"]


def measure(model, target, sizes, scratch):
    """Figures of the probe for one thread and two."""
    artifact = os.path.join(scratch, "model.tsr")
    run(OPTIONS.tool, "compile", model, "--targets", target, "-o", artifact)
    return {threads: json.loads(run(OPTIONS.probe, artifact, str(threads), *sizes)) for threads in (1, 2)}


class AllocationTest(unittest.TestCase):
    def check(self, cases):
        with tempfile.TemporaryDirectory() as scratch:
            for name, (make, inputs, sizes) in cases.items():
                model = os.path.join(scratch, f"{name}.onnx")
                onnx.save(make_model(make, inputs), model)
                for target in compiled_targets():
                    with self.subTest(name, target=target):
                        for threads, figures in measure(model, target, sizes, scratch).items():
                            self.check_figures(target, figures, f"{threads} threads, sizes {sizes}: {figures}")

    def check_figures(self, target, figures, context):
        gaps = known_gaps(os.path.dirname(TESTS))
        if (target, "allocation_varies") in gaps:
            self.assertLessEqual(max(figures["again"]), 1.5 * min(figures["again"]) + 8, context)
            return
        if (target, "allocation") not in gaps:
            self.assertEqual(set(figures["again"]), {0}, context)
            return
        self.assertEqual(len(set(figures["again"])), 1, context)

    def test_static_networks(self):
        self.check(STATIC)

    def test_open_sizes_seen_before(self):
        self.check(OPEN)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--probe", required=True, help="the program tessera_allocation_probe")
    parser.add_argument("--model", help="an ONNX file to measure")
    parser.add_argument("--targets", default="native", help="what it is compiled for (default: %(default)s)")
    parser.add_argument("--sizes", nargs="+", default=[], help="shapes of its inputs, a run each: 1x8,3")
    OPTIONS, rest = parser.parse_known_args()
    if OPTIONS.model:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measure(OPTIONS.model, OPTIONS.targets, OPTIONS.sizes, folder)))
    else:
        unittest.main(argv=[sys.argv[0], *rest])
