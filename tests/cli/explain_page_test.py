#!/usr/bin/env python3
"""The page that tessera explain --html writes, in a headless Chromium: it draws itself, answers clicks, fits a phone and the dark."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
import browser
import junit

OPTIONS = argparse.Namespace()
NUM_BLOCKS = 100  # Of five operators.
TARGETS = ["fast", "other -a=1", "host"]


def plan_of_blocks():
    """A convolution, two ways to go on, their sum, what is behind it; blocks one behind the other, some with a link past the next."""
    operators, tiles, answers = {}, [], []
    for block in range(NUM_BLOCKS):
        first = 5 * block
        before = f"{first - 1}" if block else ""
        past = f"{first - 9} " if block > 2 and block % 4 == 0 else ""
        names = [f"{first + i} {op} 'block{block}/{op}'" for i, op in enumerate(("conv", "relu", "sigmoid", "mul", "max_pool"))]
        reads = [before, f"{first}", f"{first}", f"{past}{first + 1}-{first + 2}", f"{first + 3}"]
        operators.update(zip(names, reads))
        cost = {"seconds": 1e-5 * (1 + block % 7), "low": 1e-5, "high": 1e-4}
        tiles.append({"target": TARGETS[block % 2], "operators": names[:4], "rule": "fused", "cost": cost,
                      "runner_up": {"target": "host", "seconds": 2e-4, "slack": 2e-4 - cost["seconds"]}})
        tiles.append({"target": "host", "operators": names[4:], "rule": "single", "cost": {"seconds": 2e-6, "low": 2e-6, "high": 2e-6}})
        answers.append({"target": "fast", "operators": f"{first}-{first + 3}", "takes": f"{first}-{first + 3}", "rule": "fused",
                        "cost": cost, "loss": 1e-5 * (block % 2)})
        answers.append({"target": "fast", "operators": f"{first + 4}", "declined": "it takes no <pools> & \"windows\""})
    return {"tessera_plan": 1, "model": "m", "machine": "a machine", "plan": "search", "targets": TARGETS,
            "search": {"candidates": 900, "classes": 80, "measured": 70, "rounds": 4, "lower_bound": 0.004},
            "contestants": [{"name": "search", "predicted": 0.0045, "measured": {"seconds": 0.0046, "low": 0.0045, "high": 0.0048}},
                            {"name": "only fast", "measured": {"seconds": 0.006, "low": 0.006, "high": 0.006}},
                            {"name": "only host", "failed": "output 0 differs"}],
            "tiles": tiles, "operators": operators, "answers": answers}


class ExplainPageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = browser.find_browser()
        if not program:
            raise unittest.SkipTest("there is no Chromium (Debian: chromium-headless-shell)")
        cls.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.scratch.cleanup)
        plan = os.path.join(cls.scratch.name, "network.json")
        with open(plan, "w", encoding="utf-8") as file:
            json.dump(plan_of_blocks(), file)
        cls.html = os.path.join(cls.scratch.name, "network.html")
        subprocess.run([OPTIONS.tool, "explain", plan, "--html", cls.html], check=True, stdout=subprocess.DEVNULL, timeout=60)
        cls.page = browser.Page(program, os.path.join(cls.scratch.name, "profile"))
        cls.addClassCleanup(cls.page.__exit__)

    def open(self, width=1280, dark=False):
        self.page.problems.clear()
        self.page.open(self.html, width=width, dark=dark)
        self.addCleanup(lambda: self.assertEqual(self.page.problems, []))

    def text(self, selector):
        return self.page.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    def count(self, selector):
        return self.page.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")

    def test_it_shows_all_operators_and_the_race(self):
        self.open()
        self.assertEqual(self.count(".node"), 5 * NUM_BLOCKS)
        self.assertIn("500 operators in 200 parts", self.text("#summary"))
        self.assertIn("did not run: output 0 differs", self.text("#race"))
        self.assertIn("2.2 % less", self.text("#race-note"))
        self.assertEqual(self.count("#timeline button"), 2 * NUM_BLOCKS + 1)  # And conversions.

    def test_a_click_on_a_node_gives_the_reasons(self):
        self.open()
        self.page.click('.node[data-node="4"]')
        self.assertIn("max_pool 'block0/max_pool'", self.text("#details h3"))
        self.assertIn('it takes no <pools> & "windows"', self.text('#details [data-answer="declined"]'))
        self.assertIn("fast would have to take it", self.text("#details .change"))
        self.page.click('.node[data-node="6"]')
        self.assertIn("together with 3 others", self.text("#details .by"))
        self.assertEqual(self.count(".node.together"), 4)
        self.assertIn("fast would have to run 'conv relu sigmoid mul' in 10.0 us instead of 20.0 us", self.text("#details .change"))

    def test_timeline_table_and_search_select_as_well(self):
        self.open()
        self.page.click("#timeline button:nth-child(3)")
        self.assertIn("block1/conv", self.text("#details h3"))
        self.page.click('#parts tr[data-part="7"]')
        self.assertIn("block3/max_pool", self.text("#details h3"))
        self.page.evaluate("byId('find').value = 'block42/relu'; byId('find').dispatchEvent(new Event('change'))")
        self.assertIn("block42/relu", self.text("#details h3"))

    def test_the_table_is_sorted_by_time_and_by_what_is_clicked(self):
        self.open()
        self.assertEqual(self.text("#parts tbody tr td"), "70.0 us")
        self.page.click("#parts th:nth-child(1) button")
        self.assertEqual(self.text("#parts tbody tr td"), "2.0 us")
        self.page.click("#parts th:nth-child(4) button")
        self.assertEqual(self.page.evaluate("document.querySelector('#parts tbody tr').dataset.part"), "0")

    def test_a_phone_shows_it_without_scrolling_sideways(self):
        self.open(width=360)
        self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 360)
        self.page.click('.node[data-node="0"]')
        box = self.page.evaluate("(({left, right, top, bottom}) => [left, right, top, bottom])(byId('details').getBoundingClientRect())")
        self.assertEqual(box[:2], [0, 360])
        self.assertLess(box[2], box[3])
        self.page.click("#details .close")
        self.assertEqual(self.page.evaluate("getComputedStyle(byId('details')).display"), "none")

    def test_the_dark_is_dark(self):
        def brightness():
            return self.page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")

        self.open(dark=True)
        self.assertLess(brightness(), 60)
        self.open(dark=False)
        self.assertGreater(brightness(), 200)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--results", help="file for the report, JUnit")
    OPTIONS, rest = parser.parse_known_args()
    junit.run_unittests("explain_page", OPTIONS.results, rest)
