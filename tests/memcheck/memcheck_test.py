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
from verdict import REFUSED, difference

FOREIGN_MEMORY = 5  # exit code of tessera_guarded_run
VALGRIND_ERROR = 9
# Masked loads become so much code under valgrind that 60 instructions at a time, its default, exhaust its buffers.
VALGRIND = ["valgrind", "-q", "--vex-guest-max-insns=15"]
SEEDS_PER_OPERATOR = 40  # tried until one gives a graph
MOST_REFUSED = 0.1  # of the graphs: what native declines and says so (docs/status.md)


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
        """None, "refused" (what may be refused is the differential test's business), or what went wrong."""
        self.folder = folder
        save_case(folder, self.case.model, self.feeds, {})
        write_inputs(folder, self.feeds)
        command = [tool, "compile", os.path.join(folder, "model.onnx"), "-o", os.path.join(folder, "model.tsr"), "--targets", target]
        status = subprocess.run(command, capture_output=True, timeout=60).returncode
        return None if status == 0 else "refused" if status in REFUSED else f"the compiler ended with {status}"

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


# What is open: every size, or the first of each tensor alone (products and convolutions by the micro-kernels need the
# others), or none (blocked layouts).
OPENNESS = [{"openness": 1.0}, {"openness": 1.0, "open_axes": 1}, {"openness": 0.0}]
# Drawn with operators that go into their epilogue, too.
CONTRACTIONS = ["Conv", "ConvTranspose", "Gemm", "MatMul"]
EPILOGUE = ["Add", "Clip", "Mul", "Relu", "Sigmoid"]


def draw_cases(per_operator, first_seed):
    """Cases for every operator: `per_operator` graphs, each with inputs that fit and with some that do not."""
    drawn = [((operator,), 1) for operator in sorted(GENERATORS)] + [((op, *EPILOGUE), 4) for op in CONTRACTIONS for _ in range(4)]
    cases = []
    for position, (operators, num_nodes) in enumerate(drawn):
        made = 0
        for attempt in range(SEEDS_PER_OPERATOR):
            if made == per_operator:
                break
            seed = first_seed + 1000 * position + attempt
            plan = {**OPENNESS[made % len(OPENNESS)], "names": "own", "constants": 0.5, "shape_inputs": 0.02,
                    "style": "plain", "empty": 0.0, "nodes": num_nodes, "batch": 1 if attempt % 2 else None}
            try:
                case = make_case(seed, plan, operators)
            except NoGraph:
                continue
            operator = operators[0]
            if num_nodes > 1 and operator not in case.operators():
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
    if result.returncode in REFUSED and not case.fits:
        return None
    return f"exit code {result.returncode}: {result.stderr.strip().splitlines()[-1]}"


def check_guarded(arguments, cases, scratch, report):
    def check(indexed):
        index, case = indexed
        problem = case.compile(arguments.tool, "native", os.path.join(scratch, f"guarded_{index}"))
        if problem:
            return case, problem
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
        problem = case.compile(arguments.tool, AVX2, os.path.join(scratch, f"valgrind_{index}"))
        if problem:
            record(report, "valgrind", case, problem, arguments.found)
        else:
            taken.append(case)
    # Starting valgrind takes longer than a kernel: many cases in one process, whose words say where each begins.
    jobs = os.cpu_count()
    command = [*VALGRIND, "--error-limit=no", f"--error-exitcode={VALGRIND_ERROR}", arguments.plain, "--plain"]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        parts = [taken[i::jobs] for i in range(jobs)]
        runs = pool.map(lambda part: run_part(command, part), parts)
    for part, problems in zip(parts, runs):
        for case in part:
            problem = problems.get(case.folder)
            if problem and "(SIGILL)" in problem and runs_alone(arguments.plain, case):
                problem = "unknown instruction"
            record(report, "valgrind", case, problem, arguments.found)


def runs_alone(program, case):
    """Whether the CPU takes what valgrind refuses: VMOVQ between registers as LLVM writes it (opcode D6), for one."""
    return subprocess.run([program, "--plain", case.folder], capture_output=True, timeout=60).returncode == 0


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
        report.add(name, "skipped", "refused by the compiler")
    elif problem == "unknown instruction":
        report.add(name, "skipped", "valgrind does not know an instruction that the CPU takes")
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
    """Both ways find a read behind an input, and a write outside of what is allocated during a run."""
    ways = {"guarded": ("native", [arguments.guarded], FOREIGN_MEMORY)}
    if arguments.has_valgrind:
        command = [*VALGRIND, f"--error-exitcode={VALGRIND_ERROR}", arguments.plain, "--plain"]
        ways["valgrind"] = (AVX2, command, VALGRIND_ERROR)
    for way, (target, command, expected) in ways.items():
        folder = os.path.join(scratch, f"planted_{way}")
        assert case.compile(arguments.tool, target, folder) is None, case.name
        for options in (["--plant-read"], ["--plant-use"], ["--plant-use", "--begin"]):
            status = subprocess.run([*command, *options, folder], capture_output=True).returncode
            if status != expected:
                print(f"FAILED {way}: {' '.join(options)} is not seen: exit code {status}")
                return False
    return True


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--guarded", required=True, help="tessera_guarded_run")
    parser.add_argument("--plain", required=True, help="tessera_plain_run")
    parser.add_argument("--per-operator", type=int, default=3, help="graphs for each operator")
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
        without = set(GENERATORS) - {case.name.split()[0] for case in cases}
        skipped, count = report.count("skipped"), len(report.cases)
        if without or skipped > MOST_REFUSED * count:
            report.add("coverage", "failed", f"no graph of {sorted(without)}; {skipped} of {count} refused or skipped")
            print(f"FAILED coverage: no graph of {sorted(without)}; {skipped} of {count} refused or skipped")
    if arguments.results:
        report.write(arguments.results)
    print(f"{report.count('passed')} passed, {report.count('failed')} failed, {report.count('skipped')} skipped, "
          f"{time.monotonic() - start:.0f} s")
    sys.exit(1 if report.count("failed") or not is_well else 0)


if __name__ == "__main__":
    main()
