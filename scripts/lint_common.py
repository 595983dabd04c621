"""What the lint scripts share: which files are ours, and how findings are reported."""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CXX_SUFFIXES = (".c", ".cpp", ".h", ".hpp", ".td")


def source_files(root, suffixes=None):
    """Paths (relative, sorted) of the files git knows or would add, or of every file outside build/ without git."""
    try:
        command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        output = subprocess.run(command, check=True, capture_output=True).stdout.decode()
        paths = [path for path in output.split("\0") if path]
    except (OSError, subprocess.CalledProcessError):
        paths = []
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name not in (".git", "build", "__pycache__")]
            paths += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    wanted = (path for path in paths if suffixes is None or path.endswith(tuple(suffixes)))
    return sorted({path for path in wanted if os.path.isfile(os.path.join(root, path))})


def read_lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


def run_check(check, description):
    """The main of a lint script: `check(root)` yields one line per finding; exit status 1 when there is one."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", default=ROOT, help="the tree to check")
    findings = list(check(parser.parse_args().root))
    print("\n".join(findings), file=sys.stderr, end="\n" if findings else "")
    sys.exit(1 if findings else 0)
