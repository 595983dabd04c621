#!/usr/bin/env python3
"""Follows a tutorial: its files are built already; its commands run here, in order, and print what it says they print."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest

from document_files import write_files

OPTIONS = argparse.Namespace()
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = "..."


def steps(document):
    """(command, lines that it prints) of each command, in order."""
    with open(document, encoding="utf-8") as file:
        text = file.read()
    found = []
    for block in CONSOLE.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line != LEFT_OUT:
                found[-1][1].append(line)
    return found


def words(line):
    return " ".join(line.split())


class TutorialTest(unittest.TestCase):
    def test_every_step(self):
        commands = steps(OPTIONS.document)
        self.assertGreater(len(commands), 3)
        self.assertTrue(any(expected for _, expected in commands))
        tools = [os.path.dirname(os.path.abspath(OPTIONS.tool)), os.path.dirname(sys.executable)]
        environment = dict(os.environ, PATH=os.pathsep.join([*tools, os.environ["PATH"]]))
        with tempfile.TemporaryDirectory() as scratch:
            write_files(OPTIONS.document, scratch)
            for command, expected in commands:
                result = subprocess.run(["bash", "-c", command], cwd=scratch, env=environment, capture_output=True, text=True,
                                        timeout=300, stdin=subprocess.DEVNULL)
                self.assertEqual(result.returncode, 0, f"{command}\n{result.stdout}{result.stderr}")
                printed = [words(line) for line in (result.stdout + result.stderr).splitlines()]
                for line in expected:
                    self.assertIn(words(line), printed, command)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--document", required=True)
    parser.add_argument("--tool", required=True, help="a program named tessera with what the document builds")
    parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1])
