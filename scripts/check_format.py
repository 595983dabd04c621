#!/usr/bin/env python3
"""C and C++ sources are in the format of .clang-format; --fix rewrites those that are not."""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import ROOT, source_files

FORMATTER = "clang-format-19"
SUFFIXES = (".c", ".cpp", ".h", ".hpp")
FILES_PER_CALL = 8


def unformatted(root, paths):
    """The paths that clang-format would change."""
    command = [FORMATTER, "--dry-run", "--Werror", "--ferror-limit=1", *paths]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if result.returncode == 0:
        return []
    complaints = result.stderr.splitlines()
    return [path for path in paths if any(line.startswith(path + ":") for line in complaints)] or paths


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=ROOT, help="the tree to check")
    parser.add_argument("--fix", action="store_true", help="rewrite the files")
    parser.add_argument("paths", nargs="*", help="files to look at; all of them by default")
    arguments = parser.parse_args()
    if not shutil.which(FORMATTER):
        sys.exit(f"{FORMATTER} is not installed; run make setup")
    paths = [path for path in arguments.paths if path.endswith(SUFFIXES)] or source_files(arguments.root, SUFFIXES)
    chunks = [paths[i:i + FILES_PER_CALL] for i in range(0, len(paths), FILES_PER_CALL)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = sorted(path for chunk in pool.map(lambda c: unformatted(arguments.root, c), chunks) for path in chunk)
    if arguments.fix:
        for path in wrong:
            subprocess.run([FORMATTER, "-i", path], cwd=arguments.root, check=True)
        print(f"formatted {len(wrong)} of {len(paths)} files")
        return
    for path in wrong:
        print(f"{path}: is not formatted; run make format", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
