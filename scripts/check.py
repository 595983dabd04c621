#!/usr/bin/env python3
"""Runs every test of a build tree (CTest, which runs lit too) and closes with `N passed, N failed, N skipped`."""

import argparse
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_results

MAX_SKIPS_SHOWN = 20


def run_ctest(build_dir, extra):
    """Runs CTest; returns (its exit status, its JUnit file, the folder of the tests' own JUnit files)."""
    results_dir = os.path.join(build_dir, "test-results")
    shutil.rmtree(results_dir, ignore_errors=True)
    os.makedirs(results_dir)
    junit = os.path.join(build_dir, "ctest.xml")
    if os.path.exists(junit):
        os.remove(junit)
    command = ["ctest", "--test-dir", build_dir, "--output-junit", junit, "--output-on-failure", "--no-tests=error",
               "--timeout", "1800", "-j", str(os.cpu_count()), *extra]
    # GoogleTest writes one file per program, named like the program, which is named like its CTest entry.
    environment = {**os.environ, "GTEST_OUTPUT": f"xml:{results_dir}/"}
    return subprocess.run(command, env=environment).returncode, junit, results_dir


def check(build_dir, extra=()):
    """Runs the tests that `extra`, arguments of CTest, leaves; returns the totals and shows what was skipped and what failed."""
    status, junit, results_dir = run_ctest(build_dir, extra)
    if not os.path.isfile(junit):
        print("check: ctest wrote no results", file=sys.stderr)
        return test_results.Totals(failed=1, failures=["ctest"])
    totals = test_results.count_ctest(junit, results_dir)
    if status != 0 and totals.failed == 0:
        totals.failed, totals.failures = 1, [f"ctest (exit status {status})"]
    for skip in totals.skips[:MAX_SKIPS_SHOWN]:
        print(f"skipped: {skip}")
    if len(totals.skips) > MAX_SKIPS_SHOWN:
        print(f"skipped: {len(totals.skips) - MAX_SKIPS_SHOWN} more")
    for failure in totals.failures:
        print(f"FAILED: {failure}")
    return totals


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("ctest_arguments", nargs="*", help="passed on to ctest, after --")
    arguments = parser.parse_args()
    totals = check(os.path.abspath(arguments.build_dir), arguments.ctest_arguments)
    print(totals, flush=True)
    sys.exit(0 if totals.succeeded else 1)


if __name__ == "__main__":
    main()
