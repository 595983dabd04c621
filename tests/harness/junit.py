"""Collects the outcomes of many cases and writes them in JUnit form, which scripts/check.py counts case by case."""

import os
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from collections import Counter

SKIP_EXIT_CODE = 77  # what CTest is told to count as skipped


class Report:
    def __init__(self, suite):
        self.suite = suite
        self.cases = []  # (name, outcome, message, seconds)

    def add(self, name, outcome, message="", seconds=0.0):
        """`outcome` is passed, failed or skipped; a skip's message is its reason."""
        self.cases.append((name, outcome, message, seconds))

    def count(self, outcome):
        return sum(case[1] == outcome for case in self.cases)

    def skip_reasons(self):
        """[(reason, how many cases)], the most frequent first."""
        return Counter(message for _, outcome, message, _ in self.cases if outcome == "skipped").most_common()

    def write(self, path):
        suite = ElementTree.Element("testsuite", name=self.suite, tests=str(len(self.cases)))
        for name, outcome, message, seconds in self.cases:
            case = ElementTree.SubElement(suite, "testcase", classname=self.suite, name=name, time=f"{seconds:.3f}")
            if outcome != "passed":
                tag = "failure" if outcome == "failed" else "skipped"
                ElementTree.SubElement(case, tag, message=printable(message))
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def printable(text):
    """XML 1.0 has no control characters."""
    return "".join(character for character in text if character.isprintable() or character in "\n\t")


class CountingResult(unittest.TextTestResult):
    """Keeps the names of the tests that pass, too."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.passes = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passes.append(test)


def run_unittests(name, results, arguments):
    """The main of a program of unittest: leaves the JUnit file `results`, if it is given, so that each test that is skipped counts as
    one; `arguments` are unittest's."""
    runner = unittest.TextTestRunner(resultclass=CountingResult)
    found = unittest.main(argv=[name, *arguments], exit=False, testRunner=runner).result
    report = Report(name)
    for outcome, tests in (("passed", [(test, "") for test in found.passes]), ("skipped", found.skipped),
                           ("failed", found.failures + found.errors)):
        for test, message in tests:
            report.add(str(test), outcome, message)
    if results:
        report.write(results)
    sys.exit(0 if found.wasSuccessful() else 1)
