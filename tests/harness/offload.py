"""What a backend owns of real networks in front of the host target: measured, and as the offload.txt of its folder has it."""

import json
import os
import tempfile
from typing import NamedTuple

from process import run_tool

FILE_NAME = "offload.txt"


class Offload(NamedTuple):
    regions: int  # calls of regions of the backend
    others: int  # calls of regions of others
    share: float  # percent of the FLOPs that the backend's regions do, to one digit

    def __str__(self):
        return f"{self.regions} {self.others} {self.share:.1f}"


def placed_regions(tool, model, targets, options, timeout):
    """(the regions of a placed model as `tessera inspect --json` lists them or None, why there are none)."""
    with tempfile.TemporaryDirectory() as scratch:
        placed = os.path.join(scratch, "placed.mlirbc")
        for command in (["compile", model, "--targets", targets, "--stop-after", "partition", "--emit", "mlirbc", "-o", placed, *options],
                        ["inspect", placed, "--json"]):
            status, output, reason = run_tool([tool, *command], timeout)
            if status != 0:
                return None, reason
    return json.loads(output)["regions"], ""


def offload_of(regions, backend):
    """What the backend has of these regions."""
    def flops(some):
        """What is known at run time only counts as nothing."""
        return sum((region["flops"] or 0) * region["calls"] for region in some)
    owned = [region for region in regions if region["backend"] == backend]
    share = 100 * flops(owned) / max(flops(regions), 1)
    own_calls = sum(region["calls"] for region in owned)
    return Offload(own_calls, sum(region["calls"] for region in regions) - own_calls, round(share, 1))


def read_offload(path):
    """{network: Offload} of a file of lines `network regions others share`."""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.partition("#")[0].split()
            if words:
                network, regions, others, share = words
                rows[network] = Offload(int(regions), int(others), float(share))
    return rows


def offload_files(source_dir):
    """{backend: path} of those that have such a file."""
    found = {}
    for place in ("backends", "plugins"):
        place = os.path.join(source_dir, place)
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else []:
            path = os.path.join(place, name, FILE_NAME)
            if os.path.exists(path):
                found[name] = path
    return found
