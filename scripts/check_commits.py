#!/usr/bin/env python3
"""Commits that are not on origin/main yet have a subject `scope: what it does` of at most 72 characters."""

import argparse
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import ROOT

MAX_SUBJECT = 72
SUBJECT = re.compile(r"^[a-z0-9_./+-]+(, [a-z0-9_./+-]+)*: \S|^Revert ")


def findings(subjects):
    for commit, subject in subjects:
        if len(subject) > MAX_SUBJECT:
            yield f"{commit}: a subject of {len(subject)} characters, at most {MAX_SUBJECT} are allowed: {subject}"
        elif not SUBJECT.match(subject):
            yield f"{commit}: the subject is not `scope: what it does`: {subject}"


def new_commits(root, base):
    """(commit, subject) of what is on HEAD and not on `base`; none without git or without the base."""
    command = ["git", "-C", root, "log", "--no-merges", "--format=%h %s", f"{base}..HEAD"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        print(f"commits are not looked at: {result.stderr.strip().splitlines()[0]}")
    return [line.split(" ", 1) for line in result.stdout.splitlines()] if result.returncode == 0 else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=ROOT, help="the repository to check")
    parser.add_argument("--base", default="origin/main", help="what is on it is not looked at")
    arguments = parser.parse_args()
    found = list(findings(new_commits(arguments.root, arguments.base)))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
