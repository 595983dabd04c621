#!/usr/bin/env python3
"""What libtessera_runtime.so exports, needs and weighs."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest

MAX_STRIPPED_BYTES = 1 << 20
NEEDED = {"libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libstdc++.so.6", "ld-linux-x86-64.so.2"}
EXPORTS = re.compile(r"tessera_(context_\w+|executable_\w+|parallel_for|runtime_version|status_name)$")
OPTIONS = None


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class LibraryTest(unittest.TestCase):
    def test_exports_the_c_abi_and_nothing_else(self):
        exported = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", OPTIONS.library).splitlines()}
        with open(OPTIONS.header, encoding="utf-8") as file:
            declared = set(re.findall(r"TESSERA_API\b[^;(]*?\b(tessera_\w+)\(", file.read()))
        self.assertEqual(exported, declared)
        for name in exported:
            self.assertRegex(name, EXPORTS)

    def test_needs_the_system_libraries_only(self):
        needed = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", run("readelf", "-d", OPTIONS.library)))
        self.assertLessEqual(needed, NEEDED)

    def test_nothing_else_is_loaded_with_it(self):
        loaded = {os.path.basename(line.split()[0]) for line in run("ldd", OPTIONS.library).splitlines()}
        self.assertLessEqual(loaded - {"linux-vdso.so.1"}, NEEDED)

    def test_is_small(self):
        with tempfile.TemporaryDirectory() as folder:
            stripped = os.path.join(folder, "stripped.so")
            run("strip", "-o", stripped, OPTIONS.library)
            self.assertLess(os.path.getsize(stripped), MAX_STRIPPED_BYTES)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True)
    parser.add_argument("--header", required=True)
    OPTIONS, remaining = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + remaining)
