"""Runs the command line on a case: one process, so that a crash is seen as a signal."""

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field

from tensors import numbered, read_tensor

AVX2 = "native -mcpu=x86-64-v3"


@dataclass
class Answer:
    """What came of a run: outputs, a refusal (its last line), or a crash."""
    exit_code: int
    stderr: str
    outputs: list = field(default_factory=list)

    @property
    def crash(self):
        """The name of the signal, "time limit", or None."""
        if self.exit_code is None:
            return "time limit"
        return signal.Signals(-self.exit_code).name if self.exit_code < 0 else None

    @property
    def sentence(self):
        errors = [line for line in self.stderr.splitlines() if "error:" in line]
        return (errors or self.stderr.strip().splitlines() or [""])[0]


def run(tool, folder, options, timeout=60):
    """Runs folder/model.onnx on its data set."""
    out = os.path.join(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    # --data compares with output_*.pb, which the judge does better; so the inputs are given without them.
    data = os.path.join(folder, "inputs")
    os.makedirs(data, exist_ok=True)
    for path in numbered(os.path.join(folder, "test_data_set_0"), "input"):
        target = os.path.join(data, os.path.basename(path))
        if not os.path.exists(target):
            shutil.copy(path, target)
    command = [tool, "run", os.path.join(folder, "model.onnx"), "--data", data, "--output", out, *options]
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return Answer(None, "")
    answer = Answer(result.returncode, result.stderr.decode(errors="replace"))
    if result.returncode == 0:
        answer.outputs = [read_tensor(path) for path in numbered(out, "output")]
    return answer


def symptom(text):
    """The text without names and numbers, so that equal findings look equal."""
    text = re.sub(r"error: \S*model\.onnx: ", "", text.strip())
    text = re.sub(r"node '[^']*'( \([^)]*\))?", "node", text)
    text = re.sub(r"'(tsr\.[a-z_]+|linalg\.[a-z_]+|scf\.[a-z_]+|[a-z]+\.[a-z_]+)'", r"\1", text)
    text = re.sub(r"'[^']*'", "'...'", text)
    text = re.sub(r"\[[-\d, ?x]*\]", "[...]", text)
    return re.sub(r"-?\d+(\.\d+)?(e[-+]\d+)?", "N", text)[:160]
