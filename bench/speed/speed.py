#!/usr/bin/env python3
"""How fast networks and building blocks run beside ONNX Runtime and OpenVINO, and beside what the machine can do at most. Writes a table
and its figures to bench-results in the build tree.

  build/venv/bin/python bench/speed/speed.py                       # the networks below
  build/venv/bin/python bench/speed/speed.py --blocks              # blocks of networks, one file each (TESSERA_BLOCKS)
  build/venv/bin/python bench/speed/speed.py --blocks --reference  # fails where the plain loops of target `reference` are faster
  build/venv/bin/python bench/speed/speed.py --neighbours 1 --models arch/zoo_resnet50
  ONEDNN_MAX_CPU_ISA=AVX2 build/venv/bin/python bench/speed/speed.py --targets "native -mcpu=x86-64-v3" --peers openvino

Each time is the median of a fresh process, and the median of those over the rounds, in which the order rotates. Answers are compared with
those of the data first. Limit: the FLOPs of all regions at the peak of fused multiply-adds, or the weights at the bandwidth of memory, whichever
takes longer. Memory: by how much loading and running raises the peak of a process that has the libraries already."""

import argparse
import glob
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
from machine import Machine
from neighbour import busy_neighbours
from network import SOURCE_DIR, Network, shapes_of
from process import BLOCKS_OF_LATER, default_models_folder

MODELS = [
    "arch/zoo_squeezenet", "arch/zoo_resnet50", "arch/zoo_inception_v1", "arch/tv_resnet18_bn", "arch/tv_mobilenet_v2",
    "arch/tv_mobilenet_v3_large", "arch/zoo_vgg19", "arch/bert_base", "arch/gpt2_small", "trained/super_resolution_10",
    "arch/zoo_densenet121", "arch/zoo_shufflenet", "arch/tv_efficientnet_b0", "arch/tv_convnext_tiny", "arch/tv_vit_b_16_op17",
    "arch/tv_inception_v3", "arch/gpt2_small_decode", "arch/lstm_lm", "arch/bigru_ctc", "arch/style_transfer", "arch/zoo_bvlc_alexnet",
    "arch/zoo_zfnet512",
]
OURS = "tessera"
REFERENCE = "reference"


def blocks_in(folder):
    """{name: (model, data)} of the files that the program for blocks wrote."""
    return {os.path.basename(path)[:-len(".onnx")]: (path, path[:-len(".onnx")] + ".io")
            for path in sorted(glob.glob(os.path.join(folder, "*.onnx")))}


def reference_seconds(network):
    """What a run of target `reference` takes, which makes no artifacts; None where it needs longer than is waited for."""
    figures = network.path(f"{REFERENCE}.json")
    try:
        network.tool("bench", network.model, "--targets", REFERENCE, "--data", network.data, *shapes_of(network.model, network.data),
                     "--warmup", "0", "--iterations", "3", "--json", figures, limit_seconds=network.arguments.reference_limit)
    except subprocess.TimeoutExpired:
        return None
    except RuntimeError as error:
        print(f"{network.name}: {str(error).splitlines()[-1]}", file=sys.stderr)
        return None
    with open(figures, encoding="utf-8") as file:
        return 1e-3 * json.load(file)["median_ms"]


def row_of(network, machine, peers):
    arguments = network.arguments
    compile_seconds = network.compile(OURS, arguments.targets)
    network.check(OURS)
    content = json.loads(network.tool("inspect", network.path(f"{OURS}.tsr"), "--json")[0])
    flops, weights = content["flops"], content["weights_bytes"]
    figures = {}
    systems = [OURS, *peers]
    for number in range(arguments.rounds):
        at = number % len(systems)
        for system in list(systems[at:] + systems[:at]):
            try:
                figures.setdefault(system, []).append(network.figures(system if system == OURS else f"peer:{system}"))
            except RuntimeError as error:
                if system == OURS:
                    raise
                print(f"{network.name}: {str(error).splitlines()[-1]}", file=sys.stderr)
                systems.remove(system)
    median = {key: {system: statistics.median(run[key] for run in figures[system]) for system in systems}
              for key in ("seconds", "added_bytes")}
    seconds = median["seconds"]
    others = [seconds[system] for system in systems if system != OURS]
    return {"model": os.path.basename(network.name), "flops": flops, "weights_bytes": weights, "compile_seconds": compile_seconds,
            "remarked_flops": content["remarked_flops"], "limit": machine.limit(flops, weights), **median, "runs": figures,
            "ratio": min(others) / seconds[OURS] if others else None,
            "reference_seconds": reference_seconds(network) if arguments.reference else None}


def mean(values):
    values = [value for value in values if value]
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def slower_than_reference(rows):
    return [row["model"] for row in rows if row["reference_seconds"] and row["seconds"][OURS] > row["reference_seconds"]]


def table(rows, peers, has_reference):
    head = ["model", "limit (ms)", "native (ms)", *(f"{peer} (ms)" for peer in peers), *["reference (ms)"] * has_reference,
            "better / native", "of the limit", "MiB: native", *peers]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        seconds = row["seconds"]
        lines.append([row["model"], f"{1e3 * row['limit']:.3f}", f"{1e3 * seconds[OURS]:.3f}",
                      *(f"{1e3 * seconds[peer]:.3f}" if peer in seconds else "-" for peer in peers),
                      *[f"{1e3 * row['reference_seconds']:.3f}" if row["reference_seconds"] else "-"] * has_reference,
                      f"{row['ratio']:.2f}" if row["ratio"] else "-", f"{100 * row['limit'] / seconds[OURS]:.0f} %",
                      *(f"{row['added_bytes'][system] / 2**20:.0f}" if system in seconds else "-" for system in [OURS, *peers])])
    lines.append(["geometric mean", "", "", *(f"x {mean(row['seconds'].get(peer, 0) / row['seconds'][OURS] for row in rows):.3f}"
                                               for peer in peers), *[""] * has_reference,
                  f"{mean(row['ratio'] for row in rows):.3f}", f"{100 * mean(row['limit'] / row['seconds'][OURS] for row in rows):.0f} %",
                  *[""] * (1 + len(peers))])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", default=os.path.join(SOURCE_DIR, "build", "release"))
    parser.add_argument("--models", help="names below the model folder, separated by commas; those of the table when left out")
    parser.add_argument("--blocks", action="store_true", help="building blocks instead of networks")
    parser.add_argument("--filter", default="", help="only what has this in its name")
    parser.add_argument("--targets", default="native")
    parser.add_argument("--peers", default="onnxruntime,openvino")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration", type=float, help="seconds of each process; 1, or 0.3 for a block")
    parser.add_argument("--reference", action="store_true", help="target `reference`, too; it fails where that is faster")
    parser.add_argument("--reference-limit", type=float, default=60, help="seconds that a process of `reference` may take")
    parser.add_argument("--neighbours", type=int, default=0, help="busy processes beside all of them")
    arguments = parser.parse_args()
    arguments.plugin, arguments.cache = [], os.path.join(SOURCE_DIR, "build", "models")
    arguments.duration = arguments.duration or (0.3 if arguments.blocks else 1)
    arguments.names = arguments.models.split(",") if arguments.models else MODELS
    arguments.models = default_models_folder(SOURCE_DIR)
    return arguments


def subjects(arguments, scratch):
    """(name, its files or None) of each network or block."""
    if not arguments.blocks:
        return [(name, None) for name in arguments.names]
    program = os.environ.get("TESSERA_BLOCKS") or os.path.join(os.path.dirname(arguments.models), "tools", "blocks.py")
    if not os.path.exists(program):
        sys.exit(f"no building blocks at {program}; set TESSERA_BLOCKS")
    subprocess.run([sys.executable, program, scratch], check=True, stdout=subprocess.DEVNULL)
    return list(blocks_in(scratch).items())


def main():
    arguments = parse()
    os.environ.pop("OMP_PROC_BIND", None)  # Threads go where they are let, ours and the peers'.
    peers = [peer for peer in arguments.peers.split(",") if peer]
    machine = Machine(arguments.build_dir, arguments.threads, "x86-64-v3" in arguments.targets)
    print(f"{arguments.threads} threads: {machine.flops * 1e-9:.0f} GFLOP/s, {machine.bandwidth * 1e-9:.1f} GB/s", flush=True)
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as scratch, busy_neighbours(arguments.neighbours):
        for name, files in subjects(arguments, scratch):
            if arguments.filter not in name:
                continue
            network = Network(arguments, name, files)
            try:
                rows.append(row_of(network, machine, peers))
                print(table(rows[-1:], peers, arguments.reference).splitlines()[2], flush=True)
            except RuntimeError as error:
                failed |= name not in BLOCKS_OF_LATER
                print(f"{name}: {error}", file=sys.stderr, flush=True)
            finally:
                network.cleanup()
    kind = ("blocks" if arguments.blocks else "networks") + ("_beside_others" if arguments.neighbours else "")
    kind += "_chosen" if arguments.filter or arguments.names != MODELS else ""  # The whole table stays.
    path = os.path.join(arguments.build_dir, "bench-results", f"{kind}_{arguments.threads}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.json", "w", encoding="utf-8") as file:
        json.dump({"threads": arguments.threads, "flops": machine.flops, "bandwidth": machine.bandwidth, "rows": rows}, file, indent=1)
    with open(f"{path}.md", "w", encoding="utf-8") as file:
        file.write(table(rows, peers, arguments.reference) + "\n")
    print("\n" + table(rows, peers, arguments.reference))
    slower = slower_than_reference(rows)
    if slower:
        print(f"slower than reference: {', '.join(slower)}", file=sys.stderr)
    sys.exit(1 if failed or slower else 0)


if __name__ == "__main__":
    main()
