"""Tests that leave files in a folder of their own, which goes with them."""

import os
import tempfile
import unittest

import backends


class ScratchTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def needs(self, tool, backend):
        if backend not in backends.backends_of(tool):
            self.skipTest(f"the backend {backend} is not built")
