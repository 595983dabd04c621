"""What the machine can do at most, by bench_machine."""

import json
import os
import subprocess
import tempfile


class Machine:
    """`flops`, fused multiply-adds per second times two, and `bandwidth`, bytes read per second, on a number of threads."""

    def __init__(self, build_dir, threads, is_avx2):
        self.threads, self.multiply_add = threads, "multiply_add/avx2" if is_avx2 else "multiply_add/avx512"
        program = os.path.join(build_dir, "bench", "bench_machine")
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "machine.json")
            subprocess.run([program, f"--benchmark_out={path}", "--benchmark_repetitions=3"], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            with open(path, encoding="utf-8") as file:
                self.runs = json.load(file)["benchmarks"]
        self.flops = 1e9 * (self.most(self.multiply_add, "GFLOP/s") or self.most("multiply_add/avx2", "GFLOP/s"))
        self.bandwidth = 1e9 * self.most("read", "GB/s")

    def most(self, name, counter):
        """The best of the runs; on fewer threads than asked for, where the machine has no more."""
        found = [run for run in self.runs if run["name"].startswith(name + "/") and run["run_type"] == "iteration" and
                 run["threads"] <= self.threads]
        widest = max((run["threads"] for run in found), default=0)
        return max((run[counter] for run in found if run["threads"] == widest), default=0)

    def limit(self, flops, weight_bytes):
        """Seconds that a network takes at least: its FLOPs at peak, or its weights at the bandwidth of memory."""
        return max(flops / self.flops, weight_bytes / self.bandwidth)
