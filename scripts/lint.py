#!/usr/bin/env python3
"""Runs the static checks: the fast ones, and with --tidy BUILD_DIR clang-tidy on the changed files as well."""

import argparse
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import ROOT, source_files

SCRIPTS = os.path.dirname(os.path.abspath(__file__))
FAST_CHECKS = [
    "check_layers", "check_backend_isolation", "check_placement_rules", "check_file_size", "check_function_length", "check_headers",
    "check_doc_paths", "check_markers", "check_sorted_lists", "check_semantics", "check_commits", "check_format",
]
TIDY = "clang-tidy-19"
GCC_ONLY_FLAGS = {"-fno-lifetime-dse", "-fpch-preprocess", "-Wno-maybe-uninitialized", "-Winvalid-pch"}
UNIT = re.compile(r"/Unity/unity_\d+_cxx\.cxx$")
INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def changed_sources(base):
    """C++ sources that differ from the merge base with `base`, or that are not committed."""
    def names(*command):
        result = subprocess.run(["git", "-C", ROOT, *command], capture_output=True, text=True)
        return result.stdout.splitlines() if result.returncode == 0 else []
    if not names("rev-parse", "--verify", "--quiet", f"{base}^{{commit}}"):
        print(f"lint: there is no {base}; only what is not committed counts as changed", file=sys.stderr)
    changed = names("diff", "--name-only", f"{base}...HEAD") + names("diff", "--name-only", "HEAD")
    changed += names("ls-files", "--others", "--exclude-standard")
    return sorted(set(changed) & set(source_files(ROOT, (".cpp",))))


def entries_by_source(entries):
    """Compile commands of sources in place of those of units that include several."""
    for entry in entries:
        if not UNIT.search(entry["file"]):
            yield entry
            continue
        with open(entry["file"], encoding="utf-8") as file:
            for source in INCLUDED.findall(file.read()):
                yield {**entry, "file": source, "command": entry["command"].replace(entry["file"], source)}


def clang_database(build_dir):
    """Writes the build's compile commands without what only g++ knows; returns (folder, compiled files)."""
    with open(os.path.join(build_dir, "compile_commands.json"), encoding="utf-8") as file:
        entries = list(entries_by_source(json.load(file)))
    for entry in entries:
        entry["command"] = " ".join(word for word in entry["command"].split(" ") if word not in GCC_ONLY_FLAGS)
    folder = os.path.join(build_dir, "tidy")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(entries, file)
    return folder, {os.path.relpath(entry["file"], ROOT) for entry in entries}


def run_tidy(build_dir, base):
    """0 when clang-tidy finds nothing in the changed files that the build compiles."""
    if not os.path.isfile(os.path.join(build_dir, "compile_commands.json")):
        print(f"lint: {build_dir}/compile_commands.json is missing; run make configure first", file=sys.stderr)
        return 1
    database, compiled = clang_database(build_dir)
    paths = [path for path in changed_sources(base) if path in compiled]
    print(f"lint: {TIDY} on {len(paths)} changed files", file=sys.stderr)
    jobs = [paths[i::os.cpu_count()] for i in range(os.cpu_count())]
    # The precompiled header is g++'s; clang reads the header itself.
    command = [TIDY, "--quiet", "-p", database, "--extra-arg=-Wno-ignored-gch"]
    running = [subprocess.Popen([*command, *job], cwd=ROOT) for job in jobs if job]
    return max([process.wait() for process in running], default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tidy", metavar="BUILD_DIR", help="also run clang-tidy, with this build's compile commands")
    parser.add_argument("--base", default="origin/main", help="what `changed` is measured against")
    arguments = parser.parse_args()
    failed = [name for name in FAST_CHECKS
              if subprocess.run([sys.executable, os.path.join(SCRIPTS, name + ".py")], cwd=ROOT).returncode]
    if arguments.tidy and run_tidy(arguments.tidy, arguments.base):
        failed.append(TIDY)
    if failed:
        print(f"lint: failed: {', '.join(failed)}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
