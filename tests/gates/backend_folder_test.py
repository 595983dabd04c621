#!/usr/bin/env python3
"""Adding or deleting a backend's folder changes no other file: in a copy of the sources, a backend is made and another deleted;
the lists of backends that the build makes follow, the lint stays green, and nothing outside of the folders was touched."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LISTS = """
cmake_minimum_required(VERSION 3.25)
project(lists LANGUAGES NONE)
set(PROJECT_SOURCE_DIR ${SOURCE})
include(${SOURCE}/cmake/TesseraBackends.cmake)
message("built=${TESSERA_BUILT_BACKENDS} missing=${TESSERA_MISSING_BACKENDS}")
"""


def tracked_files():
    """The sources: what git knows, or, in a tree without git's own folder, all but the build."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE_DIR, capture_output=True)
    if listed.returncode == 0:
        return [name.decode() for name in listed.stdout.split(b"\0") if name]
    return [os.path.relpath(os.path.join(folder, name), SOURCE_DIR) for folder, _, names in os.walk(SOURCE_DIR)
            for name in names if not os.path.relpath(folder, SOURCE_DIR).startswith("build")]


class BackendFolderTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = os.path.join(scratch.name, "sources")
        for name in tracked_files():
            target = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.exists(os.path.join(SOURCE_DIR, name)):
                shutil.copy(os.path.join(SOURCE_DIR, name), target)
        self.run_in_root("git", "init", "-q")
        self.commit()

    def run_in_root(self, *command):
        result = subprocess.run(command, cwd=self.root, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, f"{command}: {result.stdout}{result.stderr}")
        return result.stdout + result.stderr

    def commit(self):
        self.run_in_root("git", "add", "-A")
        self.run_in_root("git", "-c", "user.name=test", "-c", "user.email=test@example.invalid", "commit", "-q", "-m", "state")

    def backends(self, selection=""):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
                file.write(LISTS)
            output = self.run_in_root("cmake", "-S", folder, "-B", os.path.join(folder, "build"), f"-DSOURCE={self.root}",
                                      f"-DTESSERA_BACKENDS={selection}")
        return next(line for line in output.splitlines() if line.startswith("built="))

    def changed(self):
        return self.run_in_root("git", "status", "--porcelain", "--untracked-files=all").split("\n")

    def lint(self):
        for check in ("backend_isolation", "doc_paths", "layers"):
            self.run_in_root(sys.executable, f"scripts/check_{check}.py")

    def test_a_new_folder_is_a_backend_and_nothing_else_changes(self):
        before = self.backends()
        os.chmod(os.path.join(self.root, "backends", "null", "test", "null_test.py"), 0o755)
        self.commit()
        self.run_in_root("scripts/new_backend", "fast_lane")
        self.assertTrue(os.access(os.path.join(self.root, "backends", "fast_lane", "test", "fast_lane_test.py"), os.X_OK))
        self.assertTrue(all(line[3:].startswith("backends/fast_lane/") for line in self.changed() if line), self.changed())
        built, missing = before.removeprefix("built=").split(" missing=")
        self.assertEqual(self.backends(), f"built={';'.join(sorted([*built.split(';'), 'fast_lane']))} missing={missing}")
        self.lint()
        self.commit()
        found = subprocess.run(["git", "grep", "-iwl", "fast_lane", "--", ":!backends/fast_lane", ":!tests/gates"], cwd=self.root,
                               capture_output=True, text=True)
        self.assertEqual(found.stdout, "")
        left = subprocess.run(["git", "grep", "-inE", "(^|[^a-z])null([^a-z]|$)", "--", "backends/fast_lane"], cwd=self.root,
                              capture_output=True, text=True)
        self.assertEqual(left.stdout, "")

    def test_names_that_no_backend_can_have_are_refused(self):
        for name in ("reference", "null", "Fast", "a" * 300):
            result = subprocess.run(["scripts/new_backend", name], cwd=self.root, capture_output=True, text=True)
            self.assertEqual((result.returncode, "Traceback" in result.stderr), (1, False), result.stderr)

    def test_names_in_upper_case_are_the_copys(self):
        with open(os.path.join(self.root, "backends", "null", "compiler", "guarded.td"), "w", encoding="utf-8") as file:
            file.write("#ifndef BACKENDS_NULL_GUARDED_TD\n#endif\n")
        self.run_in_root("scripts/new_backend", "fast_lane")
        with open(os.path.join(self.root, "backends", "fast_lane", "compiler", "guarded.td"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "#ifndef BACKENDS_FAST_LANE_GUARDED_TD\n#endif\n")

    def test_the_example_stays_small(self):
        """Whoever copies it reads all of it: what is neither test nor document has at most 300 lines of code."""
        count = 0
        for part in ("compiler", "format", "runtime"):
            for folder, _, names in os.walk(os.path.join(self.root, "backends", "null", part)):
                for name in names:
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        count += sum(1 for line in file if line.strip() and not line.lstrip().startswith(("//", "#")))
        self.assertGreater(count, 0)
        self.assertLessEqual(count, 300)

    def test_a_deleted_folder_is_no_backend_and_nothing_else_changes(self):
        folder = os.path.join(self.root, "backends")
        deletable = [name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)) and name != "native"]
        self.assertIn("null", deletable)
        for name in deletable:
            shutil.rmtree(os.path.join(folder, name))
            self.assertNotIn(name, re.split("[=; |]", self.backends()))
        self.lint()

    def test_a_selection_names_folders(self):
        self.assertEqual(self.backends("native"), "built=native missing=")

    def test_a_backend_without_its_library_is_named_with_the_reason(self):
        with open(os.path.join(self.root, "backends", "null", "requirements.cmake"), "w", encoding="utf-8") as file:
            file.write('set(reason "libnothing was not found")\n')
        self.assertIn("missing=null|libnothing was not found", self.backends())


if __name__ == "__main__":
    unittest.main()
