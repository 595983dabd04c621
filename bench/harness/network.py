"""One real network: what `tessera` makes of it in a folder of its own, and how long that runs."""

import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from quiet import Quiet

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
for folder in ("harness", "e2e"):
    sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", folder))
from models_test import model_folder
from tensors import numbered, read_tensor

PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers.py")


def shapes_of(model_path, data):
    """Flags that give every input the shape of its data."""
    import onnx
    model = onnx.load(model_path, load_external_data=False)
    weights = {tensor.name for tensor in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in weights]
    flags = []
    for name, path in zip(names, numbered(data, "input")):
        shape = read_tensor(path).shape
        flags += ["--shape", f"{name}=" + ("x".join(map(str, shape)) or "scalar")]
    return flags


def files_of(arguments, name):
    """The model and the folder with its data, of a network of the model folder."""
    folder = model_folder(arguments, name)
    return os.path.join(folder, "model.onnx"), os.path.join(folder, "test_data_set_0")


class Network:
    """`files`: model and data; those of `name` in the model folder when left out, none without a name."""

    def __init__(self, arguments, name, files=None):
        self.arguments, self.name = arguments, name
        scratch = tempfile.TemporaryDirectory()
        self.scratch, self.cleanup = scratch.name, scratch.cleanup
        self.flags = ["--threads", str(arguments.threads)]
        if name is not None:
            self.model, self.data = files or files_of(arguments, name)
            self.flags += shapes_of(self.model, self.data)
        self.environment = {**os.environ, "XDG_CACHE_HOME": self.scratch}  # Nothing is known before.
        for plugin in arguments.plugin:
            self.flags += ["--plugin", plugin]
            self.environment["TESSERA_PLUGIN_PATH"] = os.path.dirname(os.path.abspath(plugin))

    def run(self, command, limit_seconds=None, **environment):
        """Its standard output, and the seconds that it took; subprocess.TimeoutExpired where that is more than the limit."""
        start = time.perf_counter()
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit_seconds,
                                env={**self.environment, **environment})
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {result.stderr.strip()}")
        return result.stdout, time.perf_counter() - start

    def tool(self, *arguments, **environment):
        return self.run([os.path.join(self.arguments.build_dir, "bin", "tessera"), *arguments], **environment)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def compile(self, name, targets, *options):
        """Seconds; the artifact is called `name`."""
        return self.tool("compile", self.model, "-o", self.path(f"{name}.tsr"), "--targets", targets, *self.flags, *options)[1]

    def measured(self, name, targets, *options):
        return self.compile(name, targets, "--placement", "measured", "--costs", self.path("costs.db"), "--save-plan",
                            self.path(f"{name}.json"), *options)

    def tune(self, name, targets, *options):
        self.tool("tune", self.model, "--targets", targets, "--costs", self.path("costs.db"), "--save-plan", self.path(f"{name}.json"),
                  *self.flags, *options)
        return self.plan(name)

    def plan(self, name):
        with open(self.path(f"{name}.json"), encoding="utf-8") as file:
            return json.load(file)

    def keep_plans(self, folder):
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(self.scratch):
            if name.endswith(".json"):
                shutil.copy(self.path(name), folder)

    def check(self, name):
        """The outputs are those of the data, where it has some."""
        self.tool("run", self.path(f"{name}.tsr"), "--data", self.data)

    def bench(self, name, *options, duration=None, **environment):
        """The figures of a fresh process."""
        figures = self.path("bench.json")
        out, _ = self.tool("bench", self.path(f"{name}.tsr"), "--data", self.data, "--threads", str(self.arguments.threads), "--duration",
                           str(duration or self.arguments.duration), "--json", figures, *options, **environment)
        with open(figures, encoding="utf-8") as file:
            return {**json.load(file), "output": out}

    def figures(self, name):
        """Of an artifact, or of a peer, in a fresh process: the median of `seconds` of a run, and by how many bytes (`added_bytes`) loading
        and running raised the peak of its memory."""
        if name.startswith("peer:"):
            out, _ = self.run([sys.executable, PEERS, name[len("peer:"):], self.model, self.data, str(self.arguments.threads),
                               str(self.arguments.duration)])
            return json.loads(out.splitlines()[-1])
        figures = self.bench(name)
        return {"seconds": figures["median_ms"] * 1e-3, "added_bytes": figures["added_bytes"]}

    def seconds(self, name):
        return self.figures(name)["seconds"]

    def race(self, names, control):
        """Seconds of each in each round, on a machine on which the artifact `control` takes what it takes at best; artifacts that are the same
        run once."""
        quiet = Quiet(lambda: self.bench(control, duration=0.3)["median_ms"], self.arguments.patience)
        first = {}
        for name in names:
            first.setdefault(name if name.startswith("peer:") else self.content(name), name)
        running = list(first.values())
        times = {name: [] for name in running}
        for number in range(self.arguments.rounds):
            at = number % len(running)
            for name in running[at:] + running[:at]:
                times[name].append(quiet.take(lambda name=name: self.seconds(name)))
        return {name: times[name if name.startswith("peer:") else first[self.content(name)]] for name in names}

    def content(self, name):
        with open(self.path(f"{name}.tsr"), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def ratio(times, of, to):
    """How many times faster `to` is than `of`: the median over the rounds."""
    return statistics.median(a / b for a, b in zip(times[of], times[to]))
