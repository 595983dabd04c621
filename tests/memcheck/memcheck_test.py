#!/usr/bin/env python3
"""Kernels touch no memory but the model's: one small graph for each operator with every size open, batch 1 among them, and
the same graphs with inputs that do not fit.

Two ways: natively, with every input, output and allocation placed so that it ends (then begins) at an unreadable page; and
under valgrind, compiled for x86-64-v3, because valgrind knows no AVX-512."""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(TESTS, "differential"), os.path.join(TESTS, "harness")]
import numpy as np

from graphs import GENERATORS, NoGraph, make_case, save_case
from junit import Report
from mismatches import mutate
from tool import AVX2
from verdict import difference

FOREIGN_MEMORY = 5  # exit code of tessera_guarded_run
VALGRIND_ERROR = 9
SEEDS_PER_OPERATOR = 40  # tried until one gives a graph


def write_inputs(folder, feeds):
    """What tessera_guarded_run reads: inputs.txt and the bytes of each input."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "inputs.txt"), "w", encoding="utf-8") as file:
        for i, array in enumerate(feeds.values()):
            file.write(" ".join([f"input_{i}.raw", str(array.ndim), *map(str, array.shape)]) + "\n")
            np.ascontiguousarray(array).tofile(os.path.join(folder, f"input_{i}.raw"))


class MemoryCase:
    """One graph with its inputs, perhaps ones that do not fit, compiled for a target."""

    def __init__(self, name, case, feeds, fits):
        self.name, self.case, self.feeds, self.fits, self.folder = name, case, feeds, fits, None

    def compile(self, tool, target, folder):
        """False when the compiler refuses the graph (what may be refused is the differential test's business)."""
        self.folder = folder
        save_case(folder, self.case.model, self.feeds, {})
        write_inputs(folder, self.feeds)
        command = [tool, "compile", os.path.join(folder, "model.onnx"), "-o", os.path.join(folder, "model.tsr"), "--targets", target]
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0

    def wrong_output(self, stdout):
        """What is wrong with the outputs of a run that said it was right, or None."""
        if not self.fits:
            return None
        shapes = [line.split()[2:] for line in stdout.splitlines() if line.startswith("output ")]
        for i, value in enumerate(self.case.expected()):
            data = np.fromfile(os.path.join(self.folder, f"output_{i}.raw"), value.dtype)
            text = difference(value, data.reshape([int(size) for size in shapes[i]]))
            if text:
                return text
        return None


def draw_cases(per_operator, first_seed):
    """Cases for every operator: `per_operator` graphs, each with inputs that fit and with some that do not."""
    cases = []
    for position, operator in enumerate(sorted(GENERATORS)):
        made = 0
        for attempt in range(SEEDS_PER_OPERATOR):
            if made == per_operator:
                break
            seed = first_seed + 1000 * position + attempt
            plan = {"openness": 0.0 if made % 4 == 3 else 1.0, "names": "own", "constants": 0.5, "shape_inputs": 0.02,
                    "style": "plain", "empty": 0.0, "nodes": 1, "batch": 1 if attempt % 2 else None}
            try:
                case = make_case(seed, plan, (operator,))
            except NoGraph:
                continue
            made += 1
            cases.append(MemoryCase(f"{operator} {seed}", case, case.feeds(), True))
            if plan["openness"]:
                try:
                    feeds, change = mutate(case, np.random.default_rng([seed, 5]))
                except NoGraph:
                    continue
                cases.append(MemoryCase(f"{operator} {seed}, {change}", case, feeds, False))
    return cases


def run_guarded(program, case, extra):
    """What is wrong with a run between unreadable pages, or None."""
    result = subprocess.run([program, *extra, case.folder], capture_output=True, text=True, timeout=60)
    if result.returncode == 0:
        return case.wrong_output(result.stdout)
    if result.returncode in (1, 3) and not case.fits:
        return None
    return f"exit code {result.returncode}: {result.stderr.strip().splitlines()[-1]}"


def check_guarded(arguments, cases, scratch, report):
    def check(indexed):
        index, case = indexed
        if not case.compile(arguments.tool, "native", os.path.join(scratch, f"guarded_{index}")):
            return case, "refused"
        for extra in ([], ["--begin", "--threads", "3"]):
            problem = run_guarded(arguments.guarded, case, extra)
            if problem:
                return case, f"{' '.join(extra) or '--end'}: {problem}"
        return case, None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, problem in pool.map(check, enumerate(cases)):
            record(report, "guarded", case, problem, arguments.found)


def check_valgrind(arguments, cases, scratch, report):
    taken = []
    for index, case in enumerate(cases):
        if case.compile(arguments.tool, AVX2, os.path.join(scratch, f"valgrind_{index}")):
            taken.append(case)
        else:
            record(report, "valgrind", case, "refused", arguments.found)
    # Starting valgrind takes longer than a kernel: many cases in one process, whose words say where each begins.
    jobs = os.cpu_count()
    command = ["valgrind", "-q", "--error-limit=no", f"--error-exitcode={VALGRIND_ERROR}", arguments.plain, "--plain"]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        parts = [taken[i::jobs] for i in range(jobs)]
        runs = pool.map(lambda part: run_part(command, part), parts)
    for part, problems in zip(parts, runs):
        for case in part:
            record(report, "valgrind", case, problems.get(case.folder), arguments.found)


def run_part(command, cases):
    """{folder: what valgrind says of it}; after a death the rest is run by a new process."""
    problems, left = {}, list(cases)
    while left:
        result = subprocess.run([*command, *(case.folder for case in left)], capture_output=True, text=True, timeout=600)
        sections = re.split(r"^case (.*)$", result.stderr, flags=re.M)[1:]
        seen = sections[::2]
        for folder, words in zip(seen, sections[1::2]):
            errors = [line for line in words.splitlines() if re.match(r"==\d+== \w", line)]
            if errors:
                problems[folder] = "; ".join(re.sub(r"==\d+== +", "", line) for line in errors[:3])
        if result.returncode >= 0 and len(seen) == len(left):
            return problems
        if not seen:
            return {case.folder: f"valgrind did not start: {result.stderr[:200]}" for case in left}
        problems.setdefault(seen[-1], f"ended by {result.returncode}")
        left = left[len(seen):]
    return problems


def record(report, way, case, problem, found):
    name = f"{way} {case.name}"
    if problem == "refused":
        report.add(name, "passed", "refused by the compiler")
        report.refused = getattr(report, "refused", 0) + 1
    elif problem:
        print(f"FAILED {name}: {problem}", flush=True)
        report.add(name, "failed", problem)
        if found:
            target = os.path.join(found, re.sub(r"[^\w]+", "_", f"{way} {case.name}"))
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(case.folder, target)
    else:
        report.add(name, "passed")


def sees_planted_mistakes(arguments, case, scratch):
    """Both ways find a read behind an input."""
    target = {"guarded": "native", "valgrind": AVX2}
    for way, folder in ((way, os.path.join(scratch, f"planted_{way}")) for way in target):
        if way == "valgrind" and not arguments.has_valgrind:
            continue
        assert case.compile(arguments.tool, target[way], folder), case.name
        if way == "guarded":
            command = [arguments.guarded, "--read-too-far", folder]
        else:
            command = ["valgrind", "-q", f"--error-exitcode={VALGRIND_ERROR}", arguments.plain, "--plain", "--read-too-far", folder]
        status = subprocess.run(command, capture_output=True).returncode
        if status != (FOREIGN_MEMORY if way == "guarded" else VALGRIND_ERROR):
            print(f"FAILED {way}: a read behind an input is not seen: exit code {status}")
            return False
    return True


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--guarded", required=True, help="tessera_guarded_run")
    parser.add_argument("--plain", required=True, help="tessera_plain_run")
    parser.add_argument("--per-operator", type=int, default=2, help="graphs for each operator")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--ways", default="guarded,valgrind")
    parser.add_argument("--found", help="folder for what fails")
    parser.add_argument("--results", help="JUnit file to write")
    return parser.parse_args()


def main():
    arguments, start, report = parse_arguments(), time.monotonic(), Report("memcheck")
    arguments.has_valgrind = shutil.which("valgrind") is not None and "valgrind" in arguments.ways
    with tempfile.TemporaryDirectory() as scratch:
        cases = draw_cases(arguments.per_operator, arguments.first)
        planted = next(case for case in cases if case.feeds and case.name.startswith("Add "))
        is_well = sees_planted_mistakes(arguments, planted, scratch)
        if "guarded" in arguments.ways:
            check_guarded(arguments, cases, scratch, report)
        if arguments.has_valgrind:
            check_valgrind(arguments, cases, scratch, report)
        elif "valgrind" in arguments.ways:
            report.add("valgrind", "skipped", "valgrind is not installed")
            print("valgrind is not installed: skipped")
    if arguments.results:
        report.write(arguments.results)
    print(f"{report.count('passed')} passed, {report.count('failed')} failed, {report.count('skipped')} skipped, "
          f"{getattr(report, 'refused', 0)} refused by the compiler, {time.monotonic() - start:.0f} s")
    sys.exit(1 if report.count("failed") or not is_well else 0)


if __name__ == "__main__":
    main()
