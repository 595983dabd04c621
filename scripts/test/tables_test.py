#!/usr/bin/env python3
"""What bench/tables.py makes of results, and when bench/speed/speed.py finds native slower than the reference."""

import json
import os
import sys
import tempfile
import unittest

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(SOURCE_DIR, "bench"), os.path.join(SOURCE_DIR, "bench", "speed")]
import speed
import tables


def run(name, **counters):
    return {"name": f"{name}/min_time:0.500/manual_time", "run_type": "iteration", "spread": 1, **counters}


class TablesTest(unittest.TestCase):
    def results(self, *runs):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"benchmarks": runs}, file)
            file.flush()
            return tables.runs_in(file.name)

    def test_passes_say_which_limit_holds(self):
        lines = tables.passes(self.results(run("gelu/L2/threads:1", share=0.20, of_limit=0.80), run("gelu/L2/threads:2", share=0.30, of_limit=0.60),
                                           run("gelu/memory/threads:1", share=1.10, of_limit=1.10))).splitlines()
        self.assertEqual(lines[2], "| gelu | 0.20 of 0.25 | **0.30 of 0.50** | - | - | 1.10 | - |")
        self.assertEqual(lines[-1], "1 of 3 are below 0.7 of their limit.")

    def test_products_are_rows_by_their_weights(self):
        lines = tables.products(self.results(*(run(f"product/{rows}x9x4/threads:{threads}", share=0.5, of_limit=0.5 + 0.5 * (rows > 1))
                                               for rows in (1, 16) for threads in (1, 2)))).splitlines()
        self.assertEqual(lines[0], "| K x N | 1 row | 16 rows |")
        self.assertEqual(lines[2], "| 9x4 | **0.50**, **0.50** | 0.50 of 0.50, 0.50 of 0.50 |")

    def test_contractions_end_with_mean_and_least(self):
        lines = tables.brgemm(self.results(run("a/threads:1", ours=10, ratio=0.5), run("b/threads:1", ours=20, ratio=2))).splitlines()
        self.assertEqual(lines[2], "| a | 10 | 0.50 | - | - |")
        self.assertEqual(lines[4:], ["| geometric mean |  | 1.00 |  | - |", "| least |  | 0.50 |  | - |"])

    def test_disturbed_runs_are_taken_again(self):
        rounds = [{"a/threads:1": {"spread": 3.0}, "b/threads:1": {"spread": 1.0}}, {"a/threads:1": {"spread": 1.1}}]
        filters = []

        def measure(_, filter_text):
            filters.append(filter_text)
            return dict(rounds[len(filters) - 1])

        original, tables.measure = tables.measure, measure
        self.addCleanup(setattr, tables, "measure", original)
        results = tables.measure_undisturbed("bench", type("Arguments", (), {"filter": None, "again": 5}))
        self.assertEqual([results["a/threads:1"]["spread"], len(filters)], [1.1, 2])
        self.assertRegex("a/threads:1/min_time:0.500", filters[1])
        self.assertNotRegex("b/threads:1/min_time:0.500", filters[1])

    def test_wrong_answers_end_it(self):
        with self.assertRaisesRegex(SystemExit, "results differ"):
            self.results(run("a/threads:1", error_occurred=True, error_message="results differ"))


class ReferenceTest(unittest.TestCase):
    def test_native_is_to_be_faster(self):
        rows = [{"model": name, "seconds": {speed.OURS: ours}, "reference_seconds": reference}
                for name, ours, reference in (("fast", 1, 2), ("slow", 2, 1), ("endless", 1, None))]
        self.assertEqual(speed.slower_than_reference(rows), ["slow"])


if __name__ == "__main__":
    unittest.main()
