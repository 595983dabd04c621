#!/usr/bin/env python3
"""What binding each thread to a CPU of its own gains or costs, beside threads that go where the kernel puts them: medians of
`tessera bench` in ms, in turns, alone and beside processes that want a CPU all the time.

  build/venv/bin/python bench/binding_costs.py --build-dir build/release ARTIFACT...

The runtime leaves affinity alone; threads are bound from outside, sched_setaffinity(2), once they are there."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "speed"))
from neighbour import busy_neighbours

START_SECONDS = 5  # Until all threads must be there: those that come later would be bound as the first one is.


def bind_threads(process, count, cpus):
    end = time.monotonic() + START_SECONDS
    while len(threads := sorted(map(int, os.listdir(f"/proc/{process}/task")))) < count:
        if time.monotonic() > end:
            sys.exit(f"{len(threads)} threads after {START_SECONDS} s, {count} expected")
        time.sleep(0.01)
    for index, thread in enumerate(threads):
        os.sched_setaffinity(thread, {cpus[index % len(cpus)]})


def median_ms(tool, artifact, arguments, is_bound):
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        process = subprocess.Popen([tool, "bench", artifact, "--threads", str(arguments.threads), "--duration", str(arguments.duration),
                                    "--json", result.name], stdout=subprocess.DEVNULL)
        if is_bound:
            bind_threads(process.pid, arguments.threads, sorted(os.sched_getaffinity(0)))
        if process.wait() != 0:
            sys.exit(f"{artifact}: tessera bench ended with {process.returncode}")
        return json.load(result)["median_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("artifacts", nargs="+")
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--duration", type=float, default=2, help="seconds of each run")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    tool = os.path.join(arguments.build_dir, "bin", "tessera")
    print("| artifact | neighbours | free (ms) | bound (ms) |\n| --- | --- | --- | --- |")
    for artifact in arguments.artifacts:
        for neighbours in (0, 1):
            times = {False: [], True: []}
            with busy_neighbours(neighbours):
                for _ in range(arguments.rounds):
                    for is_bound, of in times.items():
                        of.append(median_ms(tool, artifact, arguments, is_bound))
            free, bound = (statistics.median(times[is_bound]) for is_bound in (False, True))
            print(f"| {os.path.basename(artifact)} | {neighbours} | {free:.2f} | {bound:.2f} |", flush=True)


if __name__ == "__main__":
    main()
