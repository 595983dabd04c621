"""The figures of results.py as Markdown."""

import math
import statistics

HOST = "native"


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else math.nan


def table(heads, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [heads, ["---"] * len(heads), *rows])


def milliseconds(row, name):
    return f"{1e3 * statistics.median(row['times'][name]):.2f}"


def latency_table(rows):
    heads = ["network", "winner", "measured (ms)", "best single (ms)", "vs single", "H", "vs greedy", f"vs {HOST}", "ONNX Runtime (ms)", "OpenVINO (ms)",
             "vs the better"]
    lines = [[row["model"], f"{row['winner']}: {', '.join(row['targets'])}", milliseconds(row, "measured"),
              f"{row['best_single'].replace('only_', '')} {milliseconds(row, row['best_single'])}", f"{row['vs_single']:.3f}",
              f"{row['headroom'] or math.nan:.3f}", f"{row['vs_greedy']:.3f}",
              f"{row['vs_default']:.3f}", milliseconds(row, "peer:onnxruntime"),
              milliseconds(row, "peer:openvino"), f"{min(row['vs_peers'].values()):.3f}"] for row in rows]
    headroom = geometric_mean([row["headroom"] for row in rows if row["headroom"]])
    single = geometric_mean([row["vs_single"] for row in rows])
    lines.append(["geometric mean", "", "", "", f"{single:.3f}", f"{headroom:.3f}",
                  f"{geometric_mean([row['vs_greedy'] for row in rows]):.3f}", f"{geometric_mean([row['vs_default'] for row in rows]):.3f}", "", "",
                  f"{geometric_mean([min(row['vs_peers'].values()) for row in rows]):.3f}"])
    realised = f"{math.log(single) / math.log(headroom):.0%}" if headroom > 1 else "there is none"
    return f"{table(heads, lines)}\n\nRealised of log H, over all: {realised}."


def pairs_table(rows):
    kinds = list(rows[0]["pairs"])
    heads = ["network", *(f"`{kind},{HOST}`" for kind in kinds)]
    lines = [[row["model"], *(f"{row['pairs'][kind]:.3f}" for kind in kinds)] for row in rows]
    for name, of in (("geometric mean", geometric_mean), ("least", min)):
        lines.append([name, *(f"{of([row['pairs'][kind] for row in rows]):.3f}" for kind in kinds)])
    return table(heads, lines)


def singles_table(rows):
    kinds = [HOST] + [f"only_{kind}" for kind in rows[0]["pairs"]]
    heads = ["network", *(kind.replace("only_", "") + " (ms)" for kind in kinds), "OpenVINO called directly / its single",
             "oneDNN's primitives / its regions"]
    lines = []
    for row in rows:
        own = row.get("primitives")
        lines.append([row["model"], *(milliseconds(row, kind) for kind in kinds),
                      f"{row['openvino_single']:.3f}" if "openvino_single" in row else "-",
                      f"{own['primitives_ms'] / own['regions_ms']:.3f}" if own else "-"])
    return table(heads, lines)


def errors_table(rows):
    heads = ["network", "search", "greedy", "random plans: median", "worst", "all that did not calibrate: median", "worst"]
    lines, everything = [], []
    for row in rows:
        errors = row["errors"]
        drawn = [abs(error) for name, error in errors.items() if name.startswith("random")]
        judged = drawn + [abs(error) for name, error in errors.items() if name == "greedy"]
        everything += judged
        own = [error for name, error in errors.items() if name.startswith("search")]
        lines.append([row["model"], f"{own[0]:+.1%}" if own else "-", f"{errors['greedy']:+.1%}" if "greedy" in errors else "-",
                      *median_and_worst(drawn), *median_and_worst(judged)])
    lines.append(["all", "", "", "", "", *median_and_worst(everything)])
    return table(heads, lines)


def median_and_worst(errors):
    return [f"{statistics.median(errors):.1%}", f"{max(errors):.1%}"] if errors else ["-", "-"]


def effort_table(rows):
    heads = ["network", "candidates", "classes", "measured", "cold (s)", "warm (s)", "greedy compile (s)", "again (s)",
             "warm / greedy", "warm / again", "greedy with the winner's targets (s)", "warm / that"]
    return table(heads, [[row["model"], *(str(row["search"][key]) for key in ("candidates", "classes", "measured")), f"{row['cold_s']:.0f}",
                          f"{row['warm_s']:.2f}", f"{row['greedy_compile_s']:.2f}", f"{row['greedy_again_s']:.2f}",
                          f"{row['warm_s'] / row['greedy_compile_s']:.2f}", f"{row['warm_s'] / row['greedy_again_s']:.2f}", f"{row['greedy_same_s']:.2f}",
                          f"{row['warm_s'] / row['greedy_same_s']:.2f}"]
                         for row in rows])


def memory_table(rows):
    heads = ["network", "latency plan (MiB)", "memory plan (MiB)", "share", "memory plan slower"]
    return table(heads, [[row["model"], f"{row['bytes']['fast'] / 2**20:.1f}", f"{row['bytes']['small'] / 2**20:.1f}",
                          f"{row['bytes']['small'] / row['bytes']['fast']:.3f}", f"{row['slower']:.3f}"] for row in rows])


def loss_table(rows):
    heads = ["network", "plans timed", "again, interleaved", "chosen", "loss"]
    return table(heads, [[row["model"], str(row["plans"]), str(row["again"]), row["winner"], "-" if row["loss"] is None else f"{row['loss']:.2%}"] for row in rows])


def tables(results):
    text = []
    if networks := results.get("networks"):
        for title, make in (("Latency", latency_table), ("Measured against greedy placement of the same two targets", pairs_table),
                            ("Single targets", singles_table), ("Predicted / measured - 1", errors_table), ("Effort", effort_table)):
            text.append(f"### {title}\n\n{make(networks)}")
    if memory := results.get("memory"):
        text.append(f"### Memory: arena and workspaces\n\n{memory_table(memory)}")
    if small := results.get("small"):
        text.append(f"### Optimality\n\n{loss_table(small)}")
    return "\n\n".join(text)
