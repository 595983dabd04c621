#!/usr/bin/env python3
"""Runs the ONNX node tests on targets or lists of targets: of the tests with opset <= 23 and IR version <= 12, every one whose
operators the tool says it imports and whose element types are supported must pass; the rest is counted by reason.

The tests are a tarball outside the repository, TESSERA_MODELS/conformance/onnx_node_tests_*.tar.xz; without it the test
is skipped. A backend that takes some operators only is tried on the cases that have one of them. The known_gaps.txt in a
backend's folder lists `case  # reason`; a listed case that passes on that backend is a failure. The first of several targets owns
something of at least one case."""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "harness"))
from backends import add_targets, backends_of, known_gaps, kinds_of, takes_any, takes_whole_models, target_lists, why_not
from junit import SKIP_EXIT_CODE, Report
from offload import placed_regions
from process import default_models_folder, run_tool

TOLERANCE = ["--rtol", "1e-3", "--atol", "1e-7"]  # those of ONNX's own runner
NODE_FOLDER = os.path.join("onnx", "backend", "test", "data", "node")


def unpack(models, cache):
    """The folder of node tests, unpacked once into the cache; None when there is no tarball."""
    tarballs = sorted(glob.glob(os.path.join(models, "conformance", "onnx_node_tests_*.tar.xz")))
    if not tarballs:
        return None
    target = os.path.join(cache, os.path.basename(tarballs[-1]).removesuffix(".tar.xz"))
    if not os.path.isdir(target):
        os.makedirs(cache, exist_ok=True)
        partial = tempfile.mkdtemp(dir=cache)
        with tarfile.open(tarballs[-1]) as archive:
            # Python 3.11 as Debian 12 ships it has no extraction filters yet.
            archive.extractall(partial, members=[m for m in archive if m.isfile() and m.name.startswith("onnx/")
                                                 and ".." not in m.name])
        try:
            os.rename(partial, target)
        except OSError:  # another process was faster
            shutil.rmtree(partial)
    return os.path.join(target, NODE_FOLDER)


def claimed_operators(tool):
    """ONNX names of the operators that the tool says it imports."""
    result = subprocess.run([tool, "backends", "--onnx-ops", "--json"], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout))


def run_case(tool, folder, target, timeout):
    """(outcome, message) of one case on one target; in a process of its own, so that a crash is one failure."""
    from node_case import NodeCase
    with tempfile.TemporaryDirectory() as scratch:
        bound = NodeCase(folder).write_bound(os.path.join(scratch, "case"))
        command = [tool, "run", os.path.join(bound, "model.onnx"), "--data", os.path.join(bound, "test_data_set_0"),
                   "--targets", target, *TOLERANCE]
        status, _, reason = run_tool(command, timeout)
    return ("passed", "") if status == 0 else ("failed", reason.replace(scratch, ""))


def tried_on(target, backends):
    """Whether a case is tried on a list of targets: all are where the first takes whole models."""
    known = [backends[kind] for kind in kinds_of(target)]
    if takes_whole_models(known[0]):
        return lambda case: True
    return lambda case: any(takes_any(backend, case.op_types()) for backend in known if not takes_whole_models(backend))


def owns_something(arguments, target, folders):
    """Whether the first of the targets has a region in one of the cases."""
    from node_case import NodeCase
    for folder in folders:
        with tempfile.TemporaryDirectory() as scratch:
            model = os.path.join(NodeCase(folder).write_bound(os.path.join(scratch, "case")), "model.onnx")
            regions, _ = placed_regions(arguments.tool, model, target, [], arguments.timeout)
        if any(region["backend"] == kinds_of(target)[0] for region in regions or []):
            return True
    return False


def run_suite(arguments, folders, claimed, targets):
    """Report of all folders on all targets."""
    from node_case import NodeCase
    report, gaps, pending = Report("onnx_node_tests"), known_gaps(arguments.source_dir), {}
    tried = {target: tried_on(target, backends_of(arguments.tool)) for target in targets}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for folder in folders:
            case = NodeCase(folder)
            for target in targets:
                if not tried[target](case):
                    continue
                reason = case.reason_to_skip(claimed, target)
                name = f"{target} {case.name}"
                if reason:
                    report.add(name, "skipped", reason)
                else:
                    pending[pool.submit(run_case, arguments.tool, folder, target, arguments.timeout)] = (target, case.name)
        for future in concurrent.futures.as_completed(pending):
            target, case = pending[future]
            outcome, message = future.result()
            kinds = kinds_of(target)
            gap = next((gaps[kind, case] for kind in kinds if (kind, case) in gaps), None)
            if gap is not None and outcome == "failed":
                outcome, message = "skipped", f"known gap: {gap}"
            elif gap is not None and len(kinds) == 1:
                outcome, message = "failed", "passes although known_gaps.txt lists it: remove the line"
            if outcome == "failed":
                print(f"FAILED {target} {case}: {message}", flush=True)
            report.add(f"{target} {case}", outcome, message)
    return report


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--models", default=default_models_folder(SOURCE_DIR))
    parser.add_argument("--cache", required=True, help="where the tarball is unpacked")
    add_targets(parser)
    parser.add_argument("--filter", default="", help="regular expression for the names of the tests")
    parser.add_argument("--source-dir", default=SOURCE_DIR, help="where the backends' folders with their known gaps are")
    parser.add_argument("--minimum", type=int, default=940, help="fail when fewer tests pass on a target for whole models")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one test")
    parser.add_argument("--results", help="JUnit file to write")
    return parser.parse_args()


def enough_pass(arguments, report, target, folders):
    """Prints the counts of a target; whether they are what the suite wants of it."""
    backends = backends_of(arguments.tool)
    cases = {name.removeprefix(target + " "): outcome for name, outcome, _, _ in report.cases if name.startswith(target + " ")}
    outcomes = list(cases.values())
    passed = outcomes.count("passed")
    print(f"{target}: {passed} passed, {outcomes.count('failed')} failed, {outcomes.count('skipped')} skipped")
    if arguments.filter:
        return True
    kinds = kinds_of(target)
    minimum = arguments.minimum if takes_whole_models(backends[kinds[0]]) else 1
    if passed < minimum:
        print(f"FAILED: fewer than {minimum} tests pass on {target}")
        return False
    passing = [folder for folder in folders if cases.get(os.path.basename(folder)) == "passed"]
    if len(kinds) > 1 and not owns_something(arguments, target, passing):
        print(f"FAILED: {kinds[0]} owns nothing in any test on {target}")
        return False
    return True


def main():
    arguments = parse_arguments()
    node_tests = unpack(arguments.models, arguments.cache)
    reason = why_not(arguments.targets, arguments.tool)
    if node_tests is None:
        reason = f"no ONNX node tests at {arguments.models}; set TESSERA_MODELS"
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIP_EXIT_CODE)
    folders = sorted(path for path in glob.glob(os.path.join(node_tests, "*"))
                     if re.search(arguments.filter, os.path.basename(path)))
    start = time.monotonic()
    targets = target_lists(arguments, arguments.tool)
    report = run_suite(arguments, folders, claimed_operators(arguments.tool), targets)
    if arguments.results:
        report.write(arguments.results)
    for reason, count in report.skip_reasons():
        print(f"skipped {count:5}  {reason}")
    are_enough = [enough_pass(arguments, report, target, folders) for target in targets]
    print(f"{len(folders)} tests, {time.monotonic() - start:.0f} s")
    sys.exit(0 if report.count("failed") == 0 and all(are_enough) else 1)


if __name__ == "__main__":
    main()
