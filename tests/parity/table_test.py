#!/usr/bin/env python3
"""Every test that docs/parity.md names exists, every test that is named after a scenario is in it, and no ID is left out."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(ROOT, "docs", "parity.md")
CXX_TEST = re.compile(r"^TEST(?:_F|_P)?\(\w+,\s*(\w+)\)", re.MULTILINE)
CASE = re.compile(r'\{\s*"((?:DF|RX)_\w+|G\d_\w+)"')
PY_TEST = re.compile(r"^\s*def (test_\w+)\(", re.MULTILINE)
ROW = re.compile(r"^\| (\w+(?:-\w+)?) \|(.*)\| (.+) \|$")
TEST_NAME = re.compile(r"`(?:([a-z0-9_]+)/)?([A-Za-z]\w*)`")  # With a backend's folder in front: that one's.
FOLDERS = ["backends", "base", "compiler", "frontends", "reference", "runtime", "scripts", "tests", "tools"]
# A test that is named after a scenario: by its ID, or by its group and TVM's name.
SCENARIO = re.compile(r"(?:test_)?(?:(?:[A-Z]|CO|SG|CD)\d+|DF|RX|N|U)_")
# The groups of scenarios and how many each has; of those of words instead of numbers, how many tests their rows name at least.
LEAST = {"DF": 66, "RX": 33, "N": 23, "U": 9}
COUNTS = {"P": 24, "M": 11, "A": 16, "C": 13, "R": 2, "O": 4, "G": 2, "J": 10, "L": 4, "H": 3, "Z": 3, "E": 10, "CO": 10, "SG": 9,
          "CD": 12}


def sources():
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if name.endswith((".cpp", ".py")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        yield os.path.join(folder, name), file.read()


def main():
    every, scenarios, of_backend = set(), set(), {}
    for path, text in sources():
        found = set(CXX_TEST.findall(text)) | set(PY_TEST.findall(text)) | set(CASE.findall(text))
        every |= found
        parts = os.path.relpath(path, ROOT).split(os.sep)
        if parts[0] == "backends":
            of_backend.setdefault(parts[1], set()).update(found)
        scenarios |= {name for name in found if SCENARIO.match(name)}
    findings, listed, named, in_group = [], set(), set(), {group: set() for group in LEAST}
    with open(TABLE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            row = ROW.match(line.rstrip())
            if not row:
                continue
            first, last = (row[1].split("-") * 2)[:2]
            letter = re.match(r"[A-Z]+", first)
            if first != last:
                listed |= {f"{letter[0]}{i}" for i in range(int(first[len(letter[0]):]), int(last[len(letter[0]):]) + 1)}
            listed.add(first)
            for backend, name in TEST_NAME.findall(row[3]):
                named.add(name)
                in_group.setdefault(row[1], set()).add(name)
                if backend and not os.path.isdir(os.path.join(ROOT, "backends", backend)):
                    continue
                if name not in (of_backend.get(backend, set()) if backend else every):
                    findings.append(f"docs/parity.md:{number}: there is no test {name}")
    findings += [f"docs/parity.md does not name the test {name}" for name in sorted(scenarios - named)]
    findings += [f"docs/parity.md names {len(in_group[group])} tests of {group} instead of {least} or more"
                 for group, least in LEAST.items() if len(in_group[group]) < least]
    wanted = {f"{letter}{i}" for letter, count in COUNTS.items() for i in range(1, count + 1)}
    findings += [f"docs/parity.md has no row for {name}" for name in sorted(wanted - listed)]
    print("\n".join(findings), end="\n" if findings else "")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
