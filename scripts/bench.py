#!/usr/bin/env python3
"""Runs every Google Benchmark program of a build tree and keeps its JSON, with the commit, in build/<preset>/bench-results."""

import argparse
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import ROOT


def commit():
    result = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return result.stdout.strip() or "unknown"


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
    failed = False
    for program in programs:
        name = os.path.basename(program)
        command = [program, f"--benchmark_out={os.path.join(results, name)}.json", "--benchmark_out_format=json",
                   f"--benchmark_context=commit={commit()}"]
        print(name, flush=True)
        failed |= subprocess.run(command).returncode != 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
