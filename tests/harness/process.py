"""Runs the tool under test with a time limit and turns what happened into one sentence."""

import os
import signal
import subprocess

SANITIZER_REPORT = "ERROR: AddressSanitizer"


def run_tool(command, timeout):
    """(exit status or None when it ran out of time, stdout, the reason in one line for a status that is not 0)."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, "", f"no answer within {timeout} s"
    stderr = result.stderr.decode(errors="replace").strip()
    if result.returncode < 0:
        reason = f"killed by {signal.Signals(-result.returncode).name}: {last_line(stderr)}"
    else:
        reason = f"exit code {result.returncode}: {last_line(stderr) or last_line(result.stdout.decode(errors='replace'))}"
    return result.returncode, result.stdout.decode(errors="replace"), reason


def last_line(text):
    """The line that says what is wrong: the first with `error:`, or else the last."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line or SANITIZER_REPORT in line]
    return (errors or lines or [""])[0 if errors else -1].strip()


# Building blocks of operators that no backend has yet.
BLOCKS_OF_LATER = ("non_max_suppression", "sample_regions")


def default_models_folder(source_dir):
    """The folder of real models: $TESSERA_MODELS, or shared/models beside the repository."""
    return os.path.abspath(os.environ.get("TESSERA_MODELS", os.path.join(source_dir, "..", "shared", "models")))
