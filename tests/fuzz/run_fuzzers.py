#!/usr/bin/env python3
"""Runs every libFuzzer program of a build tree for a while, at the same time; fails when one has a finding."""

import argparse
import glob
import os
import subprocess
import sys

MAX_INPUT_BYTES = 1 << 16
MEMORY_LIMIT_MB = 3000
SECONDS_PER_INPUT = 20


def start(program, build_dir, seconds):
    """Starts one fuzzer on its own growing corpus, beside the seeds that the build made."""
    name = os.path.basename(program)
    fuzz_dir = os.path.join(build_dir, "tests", "fuzz")
    corpus, findings = (os.path.join(fuzz_dir, folder, name) for folder in ("corpus", "findings"))
    os.makedirs(corpus, exist_ok=True)
    os.makedirs(findings, exist_ok=True)
    log = open(os.path.join(fuzz_dir, name + ".log"), "w", encoding="utf-8")
    command = [program, f"-max_total_time={seconds}", f"-max_len={MAX_INPUT_BYTES}", f"-timeout={SECONDS_PER_INPUT}",
               f"-rss_limit_mb={MEMORY_LIMIT_MB}", f"-artifact_prefix={findings}/", "-print_final_stats=1", corpus,
               os.path.join(fuzz_dir, "seeds", name.removesuffix("_fuzz"))]
    return name, log, subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def report(name, log, status):
    """Prints the figures of one run, and on a finding the end of its log."""
    log.close()
    with open(log.name, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    # libFuzzer's own figures: "stat::number_of_executed_units: 12345".
    executed = next((line.split()[-1] for line in lines if line.startswith("stat::number_of_executed_units")), "?")
    print(f"{name}: {'no finding' if status == 0 else 'FINDING'}, {executed} inputs, log {log.name}")
    if status != 0:
        print("\n".join(lines[-60:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--seconds", type=int, default=600)
    arguments = parser.parse_args()
    build_dir = os.path.abspath(arguments.build_dir)
    programs = sorted(glob.glob(os.path.join(build_dir, "bin", "*_fuzz")))
    if not programs:
        sys.exit(f"no fuzzers in {build_dir}/bin; build the target tessera_fuzzers with the preset fuzz")
    failed = False
    for name, log, process in [start(program, build_dir, arguments.seconds) for program in programs]:
        status = process.wait()
        failed |= status != 0
        report(name, log, status)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
