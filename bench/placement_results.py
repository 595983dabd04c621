#!/usr/bin/env python3
"""What measured placement makes of real networks: each is tuned into a store of its own, its plan runs beside greedy placement and each
target with the host target alone, and its predictions stand beside what was measured, for plans drawn at random, too.

  bench/placement_results.py --build-dir build/release --models arch/zoo_squeezenet --plugin libtessera_compile_openvino.so

Every time is the median of a fresh process; ratios are medians over the rounds, in each of which every artifact runs once, in an order
that rotates. Figures go to build/<preset>/bench-results/placement.json after each network, the table to standard output."""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for folder in ("harness", "e2e"):
    sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", folder))
from models_test import model_folder
from process import default_models_folder
from tensors import numbered, read_tensor

MODELS = ["arch/zoo_squeezenet", "arch/zoo_resnet50", "arch/zoo_inception_v1", "arch/tv_resnet18_bn", "arch/tv_mobilenet_v2",
          "arch/tv_mobilenet_v3_large", "arch/zoo_vgg19", "arch/bert_base", "arch/gpt2_small", "trained/super_resolution_10",
          "arch/tv_efficientnet_b0", "arch/tv_inception_v3", "arch/zoo_densenet121", "arch/tv_convnext_tiny"]
TARGETS = "onednn,cblas,csource,openvino,native"
HOST = "native"


def shapes_of(folder):
    """Flags that give every input the shape of its data."""
    import onnx
    model = onnx.load(os.path.join(folder, "model.onnx"), load_external_data=False)
    weights = {tensor.name for tensor in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in weights]
    flags = []
    for name, path in zip(names, numbered(os.path.join(folder, "test_data_set_0"), "input")):
        shape = read_tensor(path).shape
        flags += ["--shape", f"{name}=" + ("x".join(map(str, shape)) or "scalar")]
    return flags


class Network:
    """One network: its artifacts in a folder of their own."""

    def __init__(self, arguments, name):
        self.arguments, self.name = arguments, name
        self.folder = model_folder(arguments, name)
        self.model = os.path.join(self.folder, "model.onnx")
        scratch = tempfile.TemporaryDirectory()
        self.scratch, self.cleanup = scratch.name, scratch.cleanup
        self.flags = shapes_of(self.folder) + ["--threads", str(arguments.threads)]
        self.environment = dict(os.environ)
        for plugin in arguments.plugin:
            self.flags += ["--plugin", plugin]
            self.environment["TESSERA_PLUGIN_PATH"] = os.path.dirname(os.path.abspath(plugin))

    def tool(self, *arguments):
        command = [os.path.join(self.arguments.build_dir, "bin", "tessera"), *arguments]
        start = time.perf_counter()
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {result.stderr.strip()}")
        return time.perf_counter() - start

    def path(self, name):
        return os.path.join(self.scratch, name)

    def compile(self, name, targets, *options):
        """Seconds; the artifact is called `name`."""
        return self.tool("compile", self.model, "-o", self.path(f"{name}.tsr"), "--targets", targets, *self.flags, *options)

    def measured(self, name, targets):
        return self.compile(name, targets, "--placement", "measured", "--costs", self.path("costs.db"), "--save-plan",
                            self.path(f"{name}.json"))

    def plan(self, name):
        with open(self.path(f"{name}.json"), encoding="utf-8") as file:
            return json.load(file)

    def bench(self, name):
        """Seconds of a run, the median in a fresh process."""
        figures = self.path("bench.json")
        self.tool("bench", self.path(f"{name}.tsr"), "--data", os.path.join(self.folder, "test_data_set_0"), "--threads",
                  str(self.arguments.threads), "--duration", str(self.arguments.duration), "--json", figures)
        with open(figures, encoding="utf-8") as file:
            return json.load(file)["median_ms"] * 1e-3

    def race(self, names):
        """Seconds of each artifact in each round."""
        times = {name: [] for name in names}
        for number in range(self.arguments.rounds):
            for name in names[number % len(names):] + names[:number % len(names)]:
                times[name].append(self.bench(name))
        return times


def ratio(times, of, to):
    """How many times faster `to` is than `of`."""
    return statistics.median(a / b for a, b in zip(times[of], times[to]))


def errors_of(plan):
    """Of contestants that were predicted: predicted / measured - 1."""
    return {each["name"]: each["predicted"] / each["measured"]["seconds"] - 1 for each in plan["contestants"]
            if "predicted" in each and "measured" in each}


def figures_of(network):
    arguments = network.arguments
    kinds = arguments.targets.split(",")
    partners = [kind for kind in kinds if kind != HOST]
    row = {"model": os.path.basename(network.name)}
    row["greedy_compile_s"] = network.compile("greedy", arguments.targets)
    row["cold_s"] = network.measured("measured", arguments.targets)
    row["warm_s"] = network.measured("measured", arguments.targets)
    plan = network.plan("measured")
    row["search"], row["winner"] = plan["search"], plan["plan"]
    row["targets"] = sorted({tile["target"].split(" ")[0] for tile in plan.get("tiles", plan.get("parts", []))})
    singles = [HOST] + [f"only_{kind}" for kind in partners]
    network.compile(HOST, HOST)
    for kind in partners:
        network.compile(f"only_{kind}", f"{kind},{HOST}")
        network.measured(f"pair_{kind}", f"{kind},{HOST}")
    network.tool("tune", network.model, "--targets", arguments.targets, "--costs", network.path("costs.db"), "--random-plans",
                 str(arguments.random_plans), "--save-plan", network.path("random.json"), *network.flags)
    row["errors"] = errors_of(network.plan("random"))
    times = network.race(["measured", "greedy", *singles, *(f"pair_{kind}" for kind in partners)])
    row["times"] = times
    row["best_single"] = min(singles, key=lambda name: statistics.median(times[name]))
    row["vs_single"] = ratio(times, row["best_single"], "measured")
    row["vs_greedy"] = ratio(times, "greedy", "measured")
    row["pairs"] = {kind: ratio(times, f"only_{kind}", f"pair_{kind}") for kind in partners}
    free = plan["search"].get("without_conversions")
    row["headroom"] = statistics.median(times[row["best_single"]]) / free if free else None
    return row


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else math.nan


def table(rows):
    lines = ["| network | candidates / classes / measured | cold, warm, greedy compile (s) | best single (ms) | measured (ms) | vs single | vs "
             "greedy | H | winner | error: winner's, random: median, worst |", "|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        search, times = row["search"], row["times"]
        drawn = [abs(error) for name, error in row["errors"].items() if name.startswith("random")]
        own = row["errors"].get("search", math.nan)
        single = row["best_single"]
        lines.append(
            f"| {row['model']} | {search['candidates']} / {search['classes']} / {search['measured']} | {row['cold_s']:.0f}, "
            f"{row['warm_s']:.1f}, {row['greedy_compile_s']:.1f} | {single} {1e3 * statistics.median(times[single]):.2f} | "
            f"{1e3 * statistics.median(times['measured']):.2f} | {row['vs_single']:.3f} | {row['vs_greedy']:.3f} | "
            f"{row['headroom'] or math.nan:.3f} | {row['winner']}: {', '.join(row['targets'])} | {own:+.1%}, "
            f"{statistics.median(drawn) if drawn else math.nan:.1%}, {max(drawn, default=math.nan):.1%} |")
    lines.append("")
    lines.append(f"Geometric means: vs single {geometric_mean([row['vs_single'] for row in rows]):.3f}, vs greedy "
                 f"{geometric_mean([row['vs_greedy'] for row in rows]):.3f}, H "
                 f"{geometric_mean([row['headroom'] for row in rows if row['headroom']]):.3f}.")
    for kind in rows[0]["pairs"]:
        pairs = [row["pairs"][kind] for row in rows]
        lines.append(f"Measured `{kind},{HOST}` vs greedy: geometric mean {geometric_mean(pairs):.3f}, least {min(pairs):.3f}.")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--models", default=",".join(MODELS), help="names below the model folder, separated by commas")
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--plugin", action="append", default=[])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration", type=float, default=1, help="seconds of each process")
    parser.add_argument("--random-plans", type=int, default=5)
    arguments = parser.parse_args()
    if not arguments.plugin:
        # Its test builds it; without it, one target less.
        built = os.path.join(arguments.build_dir, "tests", "plugins", "openvino", "build", "libtessera_compile_openvino.so")
        if os.path.exists(built):
            arguments.plugin = [built]
        else:
            arguments.targets = arguments.targets.replace("openvino,", "")
    arguments.models, names = default_models_folder(SOURCE_DIR), re.split(",", arguments.models)
    arguments.cache = os.path.join(SOURCE_DIR, "build", "models")
    results = os.path.join(arguments.build_dir, "bench-results")
    os.makedirs(results, exist_ok=True)
    rows = []
    for name in names:
        network = Network(arguments, name)
        try:
            rows.append(figures_of(network))
        except RuntimeError as error:
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            continue
        finally:
            network.cleanup()
        with open(os.path.join(results, "placement.json"), "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
        print(table(rows[-1:]), file=sys.stderr, flush=True)
    if rows:
        print(table(rows))
    sys.exit(0 if len(rows) == len(names) else 1)


if __name__ == "__main__":
    main()
