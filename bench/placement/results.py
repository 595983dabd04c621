#!/usr/bin/env python3
"""What measured placement makes of real networks: each is tuned into a store of its own; its plan runs beside greedy placement, each target with
the host target alone, ONNX Runtime and OpenVINO; predictions stand beside what was measured, for plans drawn at random, too; then the memory
objective, and how far the chosen plans of small networks are from the best of hundreds.

  bench/placement/results.py --build-dir build/release --models arch/zoo_squeezenet

Every time is the median of a fresh process; ratios are medians over the rounds, in each of which every artifact runs once, in an order
that rotates, again where the machine was slower than it can be (--patience). Figures go to build/<preset>/bench-results/placement.json
after each network (--resume: what is there stays), the plan of each to the folder `plans` beside it, for `tessera explain`, the tables to
standard output."""

import argparse
import json
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
from example import example_of
from network import SOURCE_DIR, Network, ratio
from process import default_models_folder
from tables import tables

MODELS = ["arch/zoo_squeezenet", "arch/zoo_resnet50", "arch/zoo_inception_v1", "arch/tv_resnet18_bn", "arch/tv_mobilenet_v2",
          "arch/tv_mobilenet_v3_large", "arch/zoo_vgg19", "arch/bert_base", "arch/gpt2_small", "trained/super_resolution_10",
          "arch/tv_efficientnet_b0", "arch/tv_inception_v3", "arch/zoo_densenet121", "arch/tv_convnext_tiny"]
MEMORY_MODELS = ["arch/zoo_densenet121", "arch/tv_inception_v3"]
SMALL_MODELS = ["trained/mnist_cnn", "trained/mlperf_tiny_resnet8_fp32", "trained/super_resolution_10"]
TARGETS = "onednn,cblas,csource,openvino,native"
HOST = "native"
PEERS = ["peer:onnxruntime", "peer:openvino"]
LATENCY_BOUND = "1.10"
NUM_SMALL_PLANS = "320"


def errors_of(plan):
    """Of contestants that were predicted: predicted / measured - 1."""
    return {each["name"]: each["predicted"] / each["measured"]["seconds"] - 1 for each in plan["contestants"]
            if "predicted" in each and "measured" in each}


def targets_of(plan):
    return sorted({tile["target"].split(" ")[0] for tile in plan.get("tiles", plan.get("parts", []))})


def primitives_of(network, name):
    """Milliseconds of a run's oneDNN primitives, each timed by the library, and of the regions that call them."""
    def spent(runs):
        out = network.bench(name, "--iterations", str(runs), "--warmup", "3", ONEDNN_VERBOSE="profile_exec")["output"]
        lines = [line for line in out.splitlines() if line.startswith("onednn_verbose,") and ",exec," in line]
        return sum(float(line.rsplit(",", 1)[1]) for line in lines if re.search(r",[0-9.e+-]+$", line))
    few, many = 10, 40
    regions = sum(region["ms"] for region in network.bench(name, "--profile")["profile"] if region["backend"] == "onednn")
    return {"primitives_ms": (spent(many) - spent(few)) / (many - few), "regions_ms": regions} if regions else None


def figures_of(network):
    arguments = network.arguments
    kinds = arguments.targets.split(",")
    partners = [kind for kind in kinds if kind != HOST]
    row = {"model": os.path.basename(network.name)}
    row["greedy_compile_s"] = network.compile("greedy", arguments.targets)
    row["cold_s"] = network.measured("measured", arguments.targets)
    row["warm_s"] = network.measured("measured", arguments.targets)
    row["greedy_again_s"] = network.compile("greedy", arguments.targets)  # Code that was compiled is kept: now it knows as much.
    plan = network.plan("measured")
    row["search"], row["winner"], row["targets"], row["remarks"] = plan["search"], plan["plan"], targets_of(plan), plan.get("remarks", [])
    # Greedy placement over the winner's targets alone: about the same code to make.
    row["greedy_same_s"] = network.compile("same", ",".join(kind for kind in kinds if kind in {*row["targets"], HOST}))
    singles = [HOST] + [f"only_{kind}" for kind in partners]
    network.compile(HOST, HOST)
    for kind in partners:
        network.compile(f"only_{kind}", f"{kind},{HOST}")
        network.measured(f"pair_{kind}", f"{kind},{HOST}", "--patience", "10s")
    drawn = network.tune("random", arguments.targets, "--random-plans", str(arguments.random_plans),
                         "--patience", "90s")
    row["errors"] = errors_of(drawn)
    artifacts = ["measured", "greedy", *singles, *(f"pair_{kind}" for kind in partners)]
    for name in artifacts:
        network.check(name)
    times = network.race([*artifacts, *PEERS], HOST)
    row["times"] = times
    row["best_single"] = min(singles, key=lambda name: statistics.median(times[name]))
    row["vs_single"] = ratio(times, row["best_single"], "measured")
    row["vs_greedy"] = ratio(times, "greedy", "measured")
    row["vs_default"] = ratio(times, HOST, "measured")  # What greedy placement does without --targets.
    row["pairs"] = {kind: ratio(times, f"only_{kind}", f"pair_{kind}") for kind in partners}
    row["vs_peers"] = {name: ratio(times, name, "measured") for name in PEERS}
    if "openvino" in partners:
        row["openvino_single"] = ratio(times, "peer:openvino", "only_openvino")
    if "onednn" in partners:
        row["primitives"] = primitives_of(network, "only_onednn")
    # The headroom beside the best single, of the same search.
    contestants = {each["name"]: each["measured"]["seconds"] for each in drawn["contestants"] if "measured" in each}
    best = min(seconds for name, seconds in contestants.items() if name.startswith("only "))
    free = drawn["search"].get("without_conversions")
    row["headroom"] = max(1.0, best / free) if free else None
    return row


def memory_of(network):
    """The plan that takes the least beside the fastest one."""
    targets = network.arguments.targets
    network.measured("fast", targets)
    network.measured("small", targets, "--objective", "memory", "--latency-bound", LATENCY_BOUND)
    times = network.race(["fast", "small"], "fast")
    bytes_of = {name: network.bench(name)["context_bytes"] for name in ("fast", "small")}
    return {"model": os.path.basename(network.name), "bytes": bytes_of, "slower": ratio(times, "small", "fast")}


def loss_of(network):
    """How much faster the fastest of many plans is than the chosen one."""
    plan = network.tune("many", network.arguments.targets, "--random-plans", NUM_SMALL_PLANS)
    drawn = [each for each in plan["contestants"] if each["name"].startswith("random")]
    again = [each["winners_share"] for each in drawn if "winners_share" in each]
    return {"model": os.path.basename(network.name), "plans": sum("measured" in each for each in drawn), "again": len(again),
            "winner": plan["plan"], "loss": max(0.0, max(again) - 1) if again else None}


STAGES = {"networks": (MODELS, figures_of), "memory": (MEMORY_MODELS, memory_of), "small": (SMALL_MODELS, loss_of)}


EXAMPLE = "example"  # Of docs/placement.md.


def write_example(arguments, folder):
    example = example_of(arguments)
    with open(os.path.join(folder, "placement_example.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(example["operators"]) + "\n\n" + example["explain"] + "\n" + example["module"])


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--models", help="names below the model folder, separated by commas, in this order; all when left out")
    parser.add_argument("--stages", default=",".join([*STAGES, EXAMPLE]))
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--plugin", action="append", default=[])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration", type=float, default=1, help="seconds of each process")
    parser.add_argument("--patience", type=float, default=240, help="seconds that each race waits for a machine that nobody disturbs")
    parser.add_argument("--random-plans", type=int, default=5)
    parser.add_argument("--resume", action="store_true", help="leave out what is in the results")
    arguments = parser.parse_args()
    if not arguments.plugin:
        # Its test builds it; without it, one target less.
        built = os.path.join(arguments.build_dir, "tests", "plugins", "openvino", "build", "libtessera_compile_openvino.so")
        if os.path.exists(built):
            arguments.plugin = [built]
        else:
            arguments.targets = arguments.targets.replace("openvino,", "")
    arguments.names = arguments.models.split(",") if arguments.models else None
    arguments.models = default_models_folder(SOURCE_DIR)
    arguments.cache = os.path.join(SOURCE_DIR, "build", "models")
    return arguments


def main():
    arguments = parse()
    folder = os.path.join(arguments.build_dir, "bench-results")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "placement.json")
    results = {stage: [] for stage in STAGES}
    if arguments.resume and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            results.update(json.load(file))
    failed = False
    for stage in arguments.stages.split(","):
        if stage == EXAMPLE:
            write_example(arguments, folder)
            continue
        models, make = STAGES[stage]
        known = {row["model"] for row in results[stage]}
        for name in arguments.names or models:
            if name not in models or os.path.basename(name) in known:
                continue
            network = Network(arguments, name)
            try:
                results[stage].append(make(network))
                network.keep_plans(os.path.join(folder, "plans", os.path.basename(name)))
            except RuntimeError as error:
                failed = True
                print(f"{name}: {error}", file=sys.stderr, flush=True)
                continue
            finally:
                network.cleanup()
            with open(path, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
            print(tables({stage: results[stage][-1:]}), file=sys.stderr, flush=True)
    print(tables(results))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
