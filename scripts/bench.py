#!/usr/bin/env python3
"""Runs every Google Benchmark program of a build tree and keeps its JSON, with the commit, in build/<preset>/bench-results. A
benchmark that found its answer wrong, or did not run, makes the exit status 1."""

import argparse
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import ROOT


def commit():
    result = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return result.stdout.strip() or "unknown"


def failures(results_path):
    """What is wrong with the runs in a program's JSON, a line each."""
    try:
        with open(results_path, encoding="utf-8") as file:
            runs = json.load(file)["benchmarks"]
    except (OSError, ValueError, KeyError) as error:
        return [f"no results: {error}"]
    wrong = [f"{run['name']}: {run.get('error_message') or run.get('skip_message')}" for run in runs
             if run.get("error_occurred") or run.get("skipped")]
    return wrong if runs else ["it has no benchmarks"]


def run_program(program, results_dir):
    """Whether the program ran through and every answer was right."""
    name = os.path.basename(program)
    results_path = os.path.join(results_dir, f"{name}.json")
    if os.path.exists(results_path):
        os.remove(results_path)  # what an earlier run wrote is no answer to this one
    command = [program, f"--benchmark_out={results_path}", "--benchmark_out_format=json", f"--benchmark_context=commit={commit()}"]
    print(name, flush=True)
    status = subprocess.run(command).returncode
    # Google Benchmark exits with 0 after SkipWithError, what uses bench/run_checked.h with 1: the JSON says more.
    wrong = failures(results_path)
    if status not in (0, 1) or (status == 1 and not wrong):
        wrong.append(f"exit status {status}")
    for line in wrong:
        print(f"FAILED: {name}: {line}", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--filter", default="", help="only programs whose name contains this")
    arguments = parser.parse_args()
    programs = sorted(path for path in glob.glob(os.path.join(arguments.build_dir, "bench", "bench_*"))
                      if os.access(path, os.X_OK) and os.path.isfile(path) and arguments.filter in os.path.basename(path))
    if not programs:
        sys.exit(f"no benchmarks in {arguments.build_dir}")
    results = os.path.join(arguments.build_dir, "bench-results")
    os.makedirs(results, exist_ok=True)
    ok = [run_program(program, results) for program in programs]
    sys.exit(0 if all(ok) else 1)


if __name__ == "__main__":
    main()
