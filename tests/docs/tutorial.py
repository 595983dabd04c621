"""Follows a tutorial: its commands run, in order, in an empty folder, and print what it says they print."""

import os
import re
import subprocess
import sys
import tempfile

from document_files import write_files

CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = "..."  # A line of its own: lines; within a line: what differs between CPUs.


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


def as_pattern(line):
    """What matches a line that `words` has been over."""
    return "^" + ".*".join(re.escape(part) for part in words(line).split(LEFT_OUT)) + "$"


def follow(test, document, tools, **variables):
    """`tools`: folders of programs that the commands name. `test` is told what is not as the document says."""
    commands = steps(document)
    test.assertGreater(len(commands), 3)
    test.assertTrue(any(expected for _, expected in commands))
    path = os.pathsep.join([*map(os.path.abspath, tools), os.path.dirname(sys.executable), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as scratch:
        write_files(document, scratch)
        for command, expected in commands:
            result = subprocess.run(["bash", "-c", command], cwd=scratch, env=dict(os.environ, PATH=path, **variables),
                                    capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
            test.assertEqual(result.returncode, 0, f"{command}\n{result.stdout}{result.stderr}")
            printed = "\n".join(words(line) for line in (result.stdout + result.stderr).splitlines())
            for line in expected:
                test.assertRegex(printed, re.compile(as_pattern(line), re.MULTILINE), command)
