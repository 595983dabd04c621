#!/usr/bin/env python3
"""Follows docs/bring_your_own_codegen.md, whose files are built already."""

import argparse
import os
import sys
import unittest

from tutorial import follow

OPTIONS = argparse.Namespace()


class TutorialTest(unittest.TestCase):
    def test_every_step(self):
        follow(self, OPTIONS.document, [os.path.dirname(OPTIONS.tool)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--document", required=True)
    parser.add_argument("--tool", required=True, help="a program named tessera with what the document builds")
    parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1])
