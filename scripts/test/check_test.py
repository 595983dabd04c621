#!/usr/bin/env python3
"""The totals of `make check` on planted result files, and its exit status on planted CTest projects."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import test_results

CTEST = """<testsuite>
  <testcase name="plain" status="run"/>
  <testcase name="gtest" status="run"/>
  <testcase name="crashed" status="fail"><failure message="SEGFAULT"/></testcase>
  <testcase name="partly" status="fail"><failure message=""/></testcase>
  <testcase name="absent" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
    <system-out>no models</system-out></testcase>
  <testcase name="lit" status="fail"><failure message=""/></testcase>
</testsuite>"""
GTEST = """<testsuites><testsuite name="A">
  <testcase name="x" status="run" result="completed" classname="A"/>
  <testcase name="y" status="run" result="skipped" classname="A"><skipped message="no AVX"/></testcase>
  <testcase name="z" status="notrun" result="suppressed" classname="A"/>
</testsuite></testsuites>"""
PARTLY = """<testsuites><testsuite><testcase classname="B" name="ok"/></testsuite></testsuites>"""
LIT = """<testsuites><testsuite name="t">
  <testcase classname="t" name="a.mlir"/><testcase classname="t" name="b.mlir"><failure>no</failure></testcase>
  <testcase classname="t" name="c.mlir"><skipped message="Missing required feature(s): avx9"/></testcase>
</testsuite></testsuites>"""


class CountTest(unittest.TestCase):
    def test_counts_cases_of_every_source(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"ctest.xml": CTEST, "gtest.xml": GTEST, "partly.xml": PARTLY, "lit.xml": LIT}.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            totals = test_results.count_ctest(os.path.join(folder, "ctest.xml"), folder)
        self.assertEqual(str(totals), "4 passed, 3 failed, 4 skipped")
        self.assertEqual(totals.failures, ["crashed", "partly", "lit: t.b.mlir"])
        self.assertIn("absent: no models", totals.skips)


class CheckTest(unittest.TestCase):
    """scripts/check.py on a build folder that holds nothing but a list of tests."""

    def run_check(self, tests):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as file:
                file.write(tests)
            script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "check.py")
            result = subprocess.run([sys.executable, script, "--build-dir", folder], capture_output=True, text=True)
            return result.returncode, result.stdout.splitlines()[-1]

    def test_pass_and_skip(self):
        tests = 'add_test(a true)\nadd_test(b sh -c "exit 77")\nset_tests_properties(b PROPERTIES SKIP_RETURN_CODE 77)\n'
        self.assertEqual(self.run_check(tests), (0, "1 passed, 0 failed, 1 skipped"))

    def test_failure(self):
        self.assertEqual(self.run_check("add_test(a true)\nadd_test(b false)\n"), (1, "1 passed, 1 failed, 0 skipped"))

    def test_missing_program(self):
        self.assertEqual(self.run_check("add_test(a true)\nadd_test(b /nonexistent/program)\n"),
                         (1, "1 passed, 1 failed, 0 skipped"))

    def test_no_tests(self):
        self.assertEqual(self.run_check("")[0], 1)


if __name__ == "__main__":
    unittest.main()
