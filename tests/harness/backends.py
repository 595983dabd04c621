"""The backends that the tool under test has, and the cases that are known to fail on them: nothing names one here."""

import json
import os
import subprocess


def backends_of(tool):
    """{name: what `tessera backends --json` says} of those that this build has."""
    result = subprocess.run([tool, "backends", "--json"], capture_output=True, text=True, check=True)
    return {backend["name"]: backend for backend in json.loads(result.stdout) if not backend.get("missing")}


def targets_of(option, tool):
    """The targets of a command line's --targets: those listed, or, when nothing is, every backend of the tool."""
    return option.split(",") if option else list(backends_of(tool))


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
