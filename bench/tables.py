#!/usr/bin/env python3
"""Tables of docs/performance.md, in markdown, from the benchmark programs: what each says in a table is said at its function.

  build/venv/bin/python bench/tables.py passes
  build/venv/bin/python bench/tables.py products --filter 768x3072
  build/venv/bin/python bench/tables.py brgemm --results build/release/bench-results/bench_brgemm.json

A benchmark during which the machine was disturbed (the 90th percentile of its times far above their median) runs again."""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DISTURBED = 1.5
ENOUGH = 0.7


def runs_in(path):
    """{name, up to the number of threads: counters}"""
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)["benchmarks"]
    wrong = [f"{run['name']}: {run['error_message']}" for run in runs if run.get("error_occurred")]
    if wrong:
        sys.exit("\n".join(wrong))
    return {re.sub(r"(/threads:\d+)/.*", r"\1", run["name"]): run for run in runs if run["run_type"] == "iteration"}


def measure(program, filter_text):
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "results.json")
        done = subprocess.run([program, f"--benchmark_filter={filter_text}", f"--benchmark_out={path}"], stdout=sys.stderr)
        if done.returncode != 1:  # With 1 the results say which are wrong.
            done.check_returncode()
        return runs_in(path)


def measure_undisturbed(program, arguments):
    """The least disturbed run of each."""
    results = measure(program, arguments.filter or ".")
    for _ in range(arguments.again):
        disturbed = [name for name, run in results.items() if run["spread"] > DISTURBED]
        if not disturbed:
            break
        for name, run in measure(program, "^(" + "|".join(map(re.escape, disturbed)) + ")/").items():
            if run["spread"] < results[name]["spread"]:
                results[name] = run
    return results


def markdown(lines):
    lines = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def groups_of(results, depth):
    """{row: {column: counters}} of names "row/column", whose last `depth` parts are the column."""
    rows = {}
    for name, run in results.items():
        parts = name.split("/")
        rows.setdefault("/".join(parts[:-depth]), {})["/".join(parts[-depth:])] = run
    return rows


def share(run, key):
    """As a share of what is looked at, behind it the limit where that is arithmetic; bold where it stays far below."""
    if run is None:
        return "-"
    text = f"{run[key]:.2f}" + (f" of {run[key] / run['of_limit']:.2f}" if run["of_limit"] > 1.02 * run[key] else "")
    return f"**{text}**" if run["of_limit"] < ENOUGH else text


def passes(results):
    """Each operator's speed as a share of a copy's, "of" the share that its arithmetic allows where that is less; bold: below 0.7 of it."""
    levels = [("L2", "L2"), ("LLC", "last level"), ("memory", "memory")]
    lines = [["operator", *(title for _, level in levels for title in (f"{level}, 1 thread", "2"))]]
    for family, runs in groups_of(results, 2).items():
        lines.append([family, *(share(runs.get(f"{level}/threads:{threads}"), "share") for level, _ in levels for threads in (1, 2))])
    low = [run["of_limit"] for run in results.values() if run["of_limit"] < ENOUGH]
    return markdown(lines) + f"\n\n{len(low)} of {len(results)} are below {ENOUGH} of their limit."


def products(results):
    """The speed of reading weights as a share of a plain reading's on one thread and two, "of" what multiply-adds at their peak allow."""
    shapes = {}
    for name, runs in groups_of(results, 1).items():
        rows, inner, columns = map(int, name.split("/")[1].split("x"))
        shapes.setdefault(f"{inner}x{columns}", {})[rows] = runs
    counts = sorted({rows for of_shape in shapes.values() for rows in of_shape})
    lines = [["K x N", *(f"{count} row" + "s" * (count > 1) for count in counts)]]
    for shape, of_shape in shapes.items():
        lines.append([shape, *(", ".join(share(of_shape.get(count, {}).get(f"threads:{threads}"), "share") for threads in (1, 2))
                               for count in counts)])
    return markdown(lines)


def brgemm(results):
    """GFLOP/s of each contraction and how many times oneDNN's they are, on one thread and two."""
    lines = [["contraction", *(title for threads in ("1 thread", "2 threads") for title in (f"GFLOP/s, {threads}", "ours / oneDNN"))]]
    ratios = {1: [], 2: []}
    for name, runs in groups_of(results, 1).items():
        line = [name]
        for threads, of_threads in ratios.items():
            run = runs.get(f"threads:{threads}")
            line += [f"{run['ours']:.0f}", f"{run['ratio']:.2f}"] if run else ["-", "-"]
            of_threads += [run["ratio"]] if run else []
        lines.append(line)
    for title, of in (("geometric mean", lambda values: math.exp(statistics.fmean(map(math.log, values)))), ("least", min)):
        lines.append([title, *(cell for values in ratios.values() for cell in ("", f"{of(values):.2f}" if values else "-"))])
    return markdown(lines)


def main():
    tables = {table.__name__: table for table in (passes, products, brgemm)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=tables)
    parser.add_argument("--build-dir", default=os.path.join(SOURCE_DIR, "build", "release"))
    parser.add_argument("--filter", help="only benchmarks that match this expression")
    parser.add_argument("--again", type=int, default=3, help="how often disturbed ones run again at most")
    parser.add_argument("--results", action="append", help="JSON of earlier runs of the program instead of a new one; later files replace rows")
    arguments = parser.parse_args()
    if arguments.results:
        results = {name: run for path in arguments.results for name, run in runs_in(path).items()}
    else:
        results = measure_undisturbed(os.path.join(arguments.build_dir, "bench", f"bench_{arguments.table}"), arguments)
    print(tables[arguments.table](results))


if __name__ == "__main__":
    main()
