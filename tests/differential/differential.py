#!/usr/bin/env python3
"""Runs random graphs through the command line and compares with ONNX Runtime.

A seed makes one graph: `--seed N` runs one again. Failing graphs are made smaller and written to --found, one folder each
(model.onnx, test_data_set_0, finding.txt); findings are counted by operators and symptom."""

import argparse
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "harness")]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bin/tessera", help="the tessera program")
    parser.add_argument("--seed", type=int, help="run this seed alone, and show the graph")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=300, help="how many seeds")
    parser.add_argument("--minutes", type=float, help="stop after that time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="draw these operators only, a list with commas")
    parser.add_argument("--mismatches", action="store_true", help="sizes and numbers that do not fit, at run time")
    parser.add_argument("--found", default="build/differential", help="folder for what fails")
    parser.add_argument("--minimum", type=float,
                        help="share of the seeds that must give a graph; 0.9, with --mismatches 0.75: not every graph has an open size")
    parser.add_argument("--keep", nargs=2, metavar=("FOLDER", "FILE"), help="turn the folder of a finding into a file of seen/")
    parser.add_argument("--seen", action="store_true", help="check the graphs of seen/ instead of random ones")
    parser.add_argument("--worker", help=argparse.SUPPRESS)  # first:last:step
    arguments = parser.parse_args()
    if arguments.minimum is None:
        arguments.minimum = 0.75 if arguments.mismatches else 0.9
    return arguments


def claimed_operators(tool):
    """ONNX names of the operators that the tool says it imports; empty where it is no such tool (a test's)."""
    result = subprocess.run([tool, "backends", "--onnx-ops"], capture_output=True, text=True)
    return set(result.stdout.split()) if result.returncode == 0 else set()


def work(arguments):
    """Checks the seeds of a range; a line of JSON before and after each."""
    from check_case import Checker, as_record
    from graphs import NoGraph, make_case
    from mismatches import check_mismatch
    first, last, step = (int(part) for part in arguments.worker.split(":"))
    only = tuple(name for name in arguments.only.split(",") if name)
    with tempfile.TemporaryDirectory() as scratch:
        checker = Checker(arguments.tool, scratch, arguments.found)
        for seed in range(first, last, step):
            print(json.dumps({"start": seed}), flush=True)
            record = {"seed": seed, "findings": [], "operators": [], "nothing": None}
            try:
                if arguments.mismatches:
                    record["operators"], findings = check_mismatch(checker, seed, only)
                else:
                    case = make_case(seed, only=only)
                    record["operators"], findings = case.operators(), checker.check(case)
                record["findings"] = [as_record(finding) for finding in findings]
            except NoGraph as reason:
                record["nothing"] = str(reason)[:300]
            print(json.dumps(record), flush=True)


class Run:
    """All workers, what they found and when to stop."""

    def __init__(self, arguments):
        self.arguments, self.lock = arguments, threading.Lock()
        self.records, self.classes = [], collections.defaultdict(list)
        self.deadline = time.monotonic() + arguments.minutes * 60 if arguments.minutes else None

    def worker(self, start, last):
        """One worker process after another until the range is done: a seed on which ONNX Runtime dies is left out."""
        jobs = self.arguments.jobs
        while start < last and not self.is_late():
            command = [sys.executable, os.path.abspath(__file__), "--worker", f"{start}:{last}:{jobs}", "--tool",
                       self.arguments.tool, "--found", self.arguments.found, "--only", self.arguments.only]
            process = subprocess.Popen(command + ["--mismatches"] * self.arguments.mismatches, stdout=subprocess.PIPE, text=True)
            seed = start
            for line in process.stdout:
                record = json.loads(line)
                if "start" in record:
                    seed = record["start"]
                    if self.is_late():
                        process.terminate()
                    continue
                self.add(record)
            status = process.wait()
            if status == 0 or self.is_late():
                return
            death = signal.Signals(-status).name if status < 0 else f"exit code {status}"
            self.add({"seed": seed, "operators": [], "findings": [], "nothing": f"the judge died: {death}", "dead": True})
            start = seed + jobs

    def is_late(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def add(self, record):
        with self.lock:
            self.records.append(record)
            for finding in record["findings"]:
                key = (finding["operators"], finding["kind"], finding["symptom"])
                self.classes[key].append(finding)
                if len(self.classes[key]) == 1:
                    print(f"FOUND {finding['mode']}: {finding['operators']}: {finding['kind']}: {finding['detail'][:300]}\n"
                          f"      {finding['folder']}", flush=True)

    def summary(self):
        """Prints the totals; returns whether all is well."""
        made = [record for record in self.records if not record["nothing"]]
        operators = collections.Counter(name for record in made for name in set(record["operators"]))
        for record in self.records:
            if record.get("dead"):
                print(f"seed {record['seed']}: {record['nothing']}")
        for (names, kind, text), findings in sorted(self.classes.items(), key=lambda item: (item[0][1], -len(item[1]))):
            modes = ", ".join(sorted({finding["mode"] for finding in findings}))
            print(f"{len(findings):5}  {kind:11} {names} ({modes}): {text}")
        print(f"{len(made)} graphs of {len(self.records)} seeds, {sum(operators.values())} uses of {len(operators)} operators, "
              f"{sum(map(len, self.classes.values()))} findings in {len(self.classes)} classes")
        undrawn = sorted(claimed_operators(self.arguments.tool) - set(operators))
        if undrawn and len(self.records) >= 1000 and not self.arguments.only and not self.arguments.mismatches:
            print(f"not drawn: {' '.join(undrawn)}")
        enough = len(made) >= self.arguments.minimum * len(self.records) and self.records
        if not enough:
            print("FAILED: too few seeds gave a graph: " + str(collections.Counter(
                record["nothing"][:100] for record in self.records if record["nothing"]).most_common(3)))
        return bool(enough) and not self.classes and not any(record.get("dead") for record in self.records)


def check_seen(arguments):
    """Every graph of seen/; returns whether all are well."""
    from concurrent.futures import ThreadPoolExecutor

    from seen import load_all
    cases = load_all(os.path.join(HERE, "seen"))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(lambda case: list(case.problems(arguments.tool, scratch)), cases))
    for case, problems in zip(cases, found):
        for problem in problems:
            print(f"FAILED {case.name}: {problem}")
    print(f"{len(cases)} graphs, {sum(map(len, found))} findings")
    return bool(cases) and not any(found)


def main():
    arguments = parse_arguments()
    arguments.tool, arguments.found = os.path.abspath(arguments.tool), os.path.abspath(arguments.found)
    if arguments.worker:
        work(arguments)
        return
    if arguments.keep:
        from seen import keep
        keep(*arguments.keep)
        return
    if arguments.seen:
        sys.exit(0 if check_seen(arguments) else 1)
    if arguments.seed is not None:
        arguments.first, arguments.count, arguments.jobs = arguments.seed, 1, 1
    start, run = time.monotonic(), Run(arguments)
    last = arguments.first + arguments.count
    threads = [threading.Thread(target=run.worker, args=(arguments.first + i, last)) for i in range(arguments.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    is_well = run.summary()
    print(f"{time.monotonic() - start:.0f} s")
    sys.exit(0 if is_well else 1)


if __name__ == "__main__":
    main()
