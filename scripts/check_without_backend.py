#!/usr/bin/env python3
"""Deleting a backend's folder leaves a tree that builds and passes: takes one folder away, builds, runs the tests that may notice,
and puts the folder back. Which one it is changes with each commit.

For continuous integration, before the whole is built: what both trees share is compiled once. While it runs, the sources lack the
folder."""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import check

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOST = "native"
# Tests that see no more of other backends than the rest does, and take long. Those of real networks are skipped.
SLOW = ("allocation|conformance_|differential|fuzz|harness|install_consumers|kernels_test|memcheck|memory|misfit|openvino|"
        "_operators|network_kernels|post_ops|recurrent|regions_test|scale")


def deletable():
    folder = os.path.join(ROOT, "backends")
    return sorted(name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "CMakeLists.txt")) and name != HOST)


def chosen():
    """The backend of this commit; the first where there is no repository."""
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True).stdout
    names = deletable()
    return names[int(commit or "0", 16) % len(names)]


@contextlib.contextmanager
def taken_away(path):
    """The file or folder, if there is one, is elsewhere on the same disk until the end."""
    if not os.path.exists(path):
        yield
        return
    with tempfile.TemporaryDirectory(dir=os.path.join(ROOT, "build")) as scratch:
        away = os.path.join(scratch, os.path.basename(path))
        os.rename(path, away)
        try:
            yield
        finally:
            if os.path.isdir(path):
                shutil.rmtree(path)  # What tests left: caches of Python.
            os.rename(away, path)


def totals_without(name, build_dir):
    """Totals of the tests, or None where the build failed."""
    with taken_away(os.path.join(ROOT, "backends", name)), taken_away(os.path.join(build_dir, "lib", f"libtessera_backend_{name}.so")):
        if subprocess.run(["cmake", "--build", build_dir]).returncode != 0:
            return None
        os.environ["TESSERA_MODELS"] = os.devnull
        return check.check(build_dir, ["-LE", "conformance", "-E", SLOW])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", required=True, help="a build tree that is configured")
    parser.add_argument("--backend", choices=deletable(), help="default: by the hash of the commit")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    name = arguments.backend or chosen()
    print(f"without backends/{name}", flush=True)
    totals = totals_without(name, os.path.abspath(arguments.build_dir))
    print(f"without backends/{name}: {totals or 'does not build'}", flush=True)
    sys.exit(0 if totals and totals.succeeded else 1)


if __name__ == "__main__":
    main()
