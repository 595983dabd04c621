"""Counts test results: the JUnit file of CTest, refined case by case where a test left a JUnit file of its own."""

import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field


@dataclass
class Totals:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = field(default_factory=list)  # names of the failed cases
    skips: list = field(default_factory=list)  # "name: reason"

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures
        self.skips += other.skips

    @property
    def succeeded(self):
        """Nothing failed, and something ran."""
        return self.failed == 0 and self.passed > 0

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def case_outcome(case):
    """('passed' | 'failed' | 'skipped', reason) of a <testcase> as CTest, GoogleTest and lit write it."""
    skipped = case.find("skipped")
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed", ""
    if skipped is not None or case.get("status") in ("notrun", "disabled") or case.get("result") == "skipped":
        reason = (skipped.get("message") or skipped.text or "") if skipped is not None else ""
        return "skipped", reason.strip().splitlines()[-1] if reason.strip() else ""
    return "passed", ""


def count_cases(xml_path, prefix=""):
    """Totals over the <testcase> elements of one JUnit file."""
    totals = Totals()
    for case in ElementTree.parse(xml_path).iter("testcase"):
        name = prefix + ".".join(part for part in (case.get("classname"), case.get("name")) if part)
        outcome, reason = case_outcome(case)
        setattr(totals, outcome, getattr(totals, outcome) + 1)
        if outcome == "failed":
            totals.failures.append(name)
        elif outcome == "skipped":
            totals.skips.append(f"{name}: {reason}" if reason else name)
    return totals


def count_ctest(junit_path, results_dir):
    """Totals of a CTest run. An entry with results_dir/<name>.xml counts as the cases in there; a failed entry whose
    file is missing, unreadable or shows no failure (it crashed, or its main failed) adds one failure."""
    totals = Totals()
    for case in ElementTree.parse(junit_path).iter("testcase"):
        name = case.get("name")
        outcome, reason = case_outcome(case)
        if outcome == "skipped" and not reason.startswith(("SKIP_", "Disabled")):
            outcome = "failed"  # CTest calls a program that it cannot start "not run"
        details = Totals()
        try:
            details = count_cases(os.path.join(results_dir, name + ".xml"), prefix=name + ": ")
        except (OSError, ElementTree.ParseError):
            pass
        if outcome == "skipped" or not (details.passed or details.failed or details.skipped):
            details = Totals(**{outcome: 1})
            details.failures = [name] if outcome == "failed" else []
            details.skips = [f"{name}: {skip_reason(case) or reason}"] if outcome == "skipped" else []
        elif outcome == "failed" and details.failed == 0:
            details.failed = 1
            details.failures = [name]
        totals.add(details)
    return totals


def skip_reason(case):
    """The last line that a skipped program printed: it says why."""
    lines = (case.findtext("system-out") or "").strip().splitlines()
    return lines[-1].strip() if lines else ""
