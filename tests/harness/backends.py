"""The backends that the tool under test has, and the cases that are known to fail on them: nothing names one here."""

import json
import os
import re
import subprocess


def backends_of(tool):
    """{name: what `tessera backends --json` says} of those that this build has."""
    result = subprocess.run([tool, "backends", "--json"], capture_output=True, text=True, check=True)
    return {backend["name"]: backend for backend in json.loads(result.stdout) if not backend.get("missing")}


def add_targets(parser):
    """The option --targets of a suite: lists of targets, each as `tessera --targets` takes it."""
    parser.add_argument("--targets", action="append", default=[],
                        help="targets, most preferred first, separated by commas; may be repeated; default: every backend alone")


    parser.add_argument("--in-front", action="store_true",
                        help="each backend that takes some operators, in front of the host target; backends for tests left out")


def target_lists(arguments, tool):
    """What a suite runs: the lists that were given, or every backend of the tool."""
    backends = backends_of(tool)
    lists = list(arguments.targets)
    if arguments.in_front:
        host = next(name for name, backend in backends.items() if backend["host"])
        lists += [f"{name},{host}" for name, backend in backends.items() if not takes_whole_models(backend) and not backend.get("test")]
    return lists or list(backends)


def kinds_of(targets):
    """The kinds of a list of targets, the most preferred first."""
    return [re.split("[ :]", text.strip())[0] for text in targets.split(",")]


def why_not(given, tool):
    """Why lists of targets cannot run: a sentence that names the first backend that this build lacks; empty when they can."""
    backends = backends_of(tool)
    missing = [kind for targets in given for kind in kinds_of(targets) if kind not in backends]
    return f"this build has no backend {missing[0]}" if missing else ""


def takes_whole_models(backend):
    """The host target and the interpreter; others take some operators and leave the rest to the host."""
    return backend["host"] or backend["name"] == "reference"


def takes_any(backend, op_types):
    """Whether the backend may own one of these ONNX operators; without a list of operators it may own any."""
    return not backend["operators"] or not set(backend["onnx_operators"]).isdisjoint(op_types)


def known_gaps(source_dir):
    """{(target, case): reason} from the known_gaps.txt of each backend's folder: lines `case  # reason`."""
    gaps = {}
    folders = {"reference": os.path.join(source_dir, "reference")}
    for place in ("backends", "plugins"):
        place = os.path.join(source_dir, place)
        for name in os.listdir(place) if os.path.isdir(place) else []:
            folders[name] = os.path.join(place, name)
    for target, folder in folders.items():
        path = os.path.join(folder, "known_gaps.txt")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            for line in file:
                case, _, reason = line.partition("#")
                if case.strip():
                    gaps[target, case.strip()] = reason.strip()
    return gaps
