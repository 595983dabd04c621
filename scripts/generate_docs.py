#!/usr/bin/env python3
"""Writes the references that are made from the source: operators, passes, command line."""

import argparse
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import ROOT, source_files

LLVM = "/usr/lib/llvm-19"


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(path)


def pass_documentation(td_path):
    """The passes that a .td file declares, or "" when it declares none."""
    command = [os.path.join(LLVM, "bin", "mlir-tblgen"), "-gen-pass-doc", "-I", os.path.join(LLVM, "include"), "-I", ROOT,
               os.path.join(ROOT, td_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return result.stdout if "###" in result.stdout else ""


def command_line(tool):
    """The help of the tool and of each of its commands."""
    text = ["# The command line\n"]
    actions = [f"costs {action}" for action in ("stat", "export", "import", "merge", "prune")]
    for command in ("", "compile", "partition", "run", "bench", "compare", "inspect", "backends", "conformance", *actions):
        arguments = [tool, *command.split(), "--help"]
        result = subprocess.run(arguments, capture_output=True, text=True, check=True)
        text.append(f"## tessera {command}\n\n```\n{result.stdout.strip()}\n```\n".replace("tessera \n", "tessera\n"))
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--output", required=True, help="folder to write to")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    operators = os.path.join(arguments.output, "operators.md")
    shutil.copy(os.path.join(arguments.build_dir, "compiler", "ir", "ops.md"), operators)
    print(operators)
    passes = [pass_documentation(path) for path in source_files(ROOT, ("passes.td",))]
    write(arguments.output, "passes.md", "# Passes\n\n" + "\n".join(passes))
    write(arguments.output, "command_line.md", command_line(os.path.join(arguments.build_dir, "bin", "tessera")))


if __name__ == "__main__":
    main()
