#!/usr/bin/env python3
"""A backend that was left out of the build, as its library is absent, is listed with the reason and is no target."""

import argparse
import json
import subprocess
import tempfile
import unittest

OPTIONS = argparse.Namespace()
REASON = 'no library "ghost" in C:\\lib | none'


def tessera(*arguments):
    return subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=60)


class MissingBackendTest(unittest.TestCase):
    def test_people_see_the_reason(self):
        self.assertIn(f"ghost is not in this build: {REASON}\n", tessera("backends").stdout)

    def test_programs_see_the_reason(self):
        listed = {backend["name"]: backend for backend in json.loads(tessera("backends", "--json").stdout)}
        self.assertEqual(listed["ghost"]["missing"], REASON)
        self.assertEqual(listed["copycat"]["missing"], "")

    def test_it_is_no_target(self):
        with tempfile.NamedTemporaryFile(suffix=".onnx") as model:
            result = tessera("compile", model.name, "--targets", "ghost", "-o", model.name + ".tsr")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("ghost", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="a tessera program that lacks the backend `ghost`")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=["missing_backend_test", *rest])
