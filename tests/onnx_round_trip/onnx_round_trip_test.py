#!/usr/bin/env python3
"""Models go through ONNX and come back. Of the ONNX node tests that the importer takes, and of the real networks:

  trip     import, export at opset 23, import: the two modules are equal but for locations, identities and the places of
           constants in their block (frontends/onnx/export/test/canonical_text.h says it in code)
  answers  export at opset 13 (--opset), node tests only, with shape-like inputs bound as constants: onnx.checker accepts the model
           in full and ONNX Runtime gives the recorded outputs; where it has no kernel, `tessera run` on `reference`
  placed   networks only: `compile --emit onnx` at opset 23 and at the other one; ONNX Runtime gives the original's outputs

What the exporter refuses in that opset is skipped and counted by its sentence. known_gaps.txt lists `check case  # reason`; a listed case that passes is a failure. Node tests and networks lie outside the repository
(TESSERA_MODELS, default ../shared/models); without them the test is skipped."""

import argparse
import concurrent.futures
import glob
import multiprocessing
import os
import re
import sys
import tempfile
import time

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(SOURCE_DIR, "tests", folder) for folder in ("harness", "conformance", "e2e")]
from junit import SKIP_EXIT_CODE, Report
from models_test import ALL, ALL_OPEN, MAX_RELATIVE_ERROR, data_sets, materialise
from onnx_node_tests import TOLERANCE, unpack
from process import default_models_folder, run_tool
from tensors import numbered, read_tensor, relative_error

RTOL, ATOL = float(TOLERANCE[1]), float(TOLERANCE[3])
MORE_NETWORKS = [
    "arch/bigru_ctc", "arch/gpt2_small_decode", "arch/lstm_lm", "arch/style_transfer", "arch/tv_resnet50", "arch/tv_ssdlite320",
    "trained/basic_pitch", "trained/dtln_1", "trained/dtln_2", "trained/micro_kws_qop", "trained/mlperf_tiny_ad_qdq",
    "trained/mlperf_tiny_kws_qdq", "trained/mlperf_tiny_resnet8_qdq", "trained/mlperf_tiny_vww_qdq", "trained/mobilenetv2_qdq",
    "trained/shufflenet_v2_int8", "trained/silero_vad_op15", "trained/silero_vad_op18_ifless", "trained/stories260k_decode",
]
NETWORKS = sorted({*ALL, *ALL_OPEN, *MORE_NETWORKS})
# Random draws: what is recorded is one of many answers.
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}


def run_round_trip(arguments, model, output):
    """The two lines that the program says, or what stopped it."""
    status, stdout, reason = run_tool([arguments.program, model, output, str(arguments.opset)], arguments.timeout)
    lines = stdout.splitlines()
    return lines if status == 0 and lines else [f"crashed: {reason}"]


def tensors_of(folder, stem):
    """The arrays of a data set; None for an entry that is no tensor."""
    import onnx
    arrays = []
    for path in numbered(folder, stem):
        try:
            arrays.append(read_tensor(path))
        except (onnx.onnx_cpp2py_export.checker.ValidationError, ValueError, TypeError):
            arrays.append(None)
    return arrays


def runtime_outputs(model, data):
    """What ONNX Runtime answers; None when it has no kernel for an operator."""
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # One kernel for one node: what is asked is what the nodes say.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
        return None
    inputs = tensors_of(data, "input")
    return session.run(None, {entry.name: array for entry, array in zip(session.get_inputs(), inputs)})


def differs(actual, expected):
    """Which output is wrong; None when all agree."""
    import numpy as np
    if len(actual) != len(expected):
        return f"{len(actual)} outputs instead of {len(expected)}"
    for i, (found, wanted) in enumerate(zip(actual, expected)):
        found, wanted = np.asarray(found), np.asarray(wanted)
        if found.shape != wanted.shape or found.dtype != wanted.dtype:
            return f"output {i} is {found.dtype}{list(found.shape)} instead of {wanted.dtype}{list(wanted.shape)}"
        if wanted.dtype.kind in "biuSUO":
            if not np.array_equal(found, wanted):
                return f"output {i} differs"
        elif not np.allclose(found.astype(np.float64), wanted.astype(np.float64), rtol=RTOL, atol=ATOL, equal_nan=True):
            return f"output {i} differs by {np.nanmax(np.abs(found.astype(np.float64) - wanted.astype(np.float64))):.3g}"
    return None


def check_in_runtime(model, data):
    """What is wrong with a model's answers in ONNX Runtime: "" when nothing is, None when it has no kernel."""
    import onnx
    try:
        onnx.checker.check_model(model, full_check=True)
        outputs = runtime_outputs(model, data)
    except Exception as error:  # noqa: BLE001: whatever the libraries raise is the answer
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return None if outputs is None else differs(outputs, tensors_of(data, "output")) or ""


def check_answers(arguments, model, original, data):
    """(outcome, message) of an exported model on a recorded data set."""
    problem = check_in_runtime(model, data)
    if problem is None:
        status, _, reason = run_tool([arguments.tool, "run", model, "--data", data, "--targets", "reference", *TOLERANCE],
                                     arguments.timeout)
        if "has no reference implementation" in reason:
            return "skipped", "neither ONNX Runtime nor reference runs the operator"
        problem = "" if status == 0 else f"no kernel in ONNX Runtime; on reference {reason}"
    if problem and check_in_runtime(original, data):
        return "skipped", "onnx.checker or ONNX Runtime does not agree with what is recorded for the original either"
    return ("failed", problem) if problem else ("passed", "")


def trip_outcome(line):
    if line == "equal":
        return "passed", ""
    return ("skipped" if line.startswith("not imported:") else "failed"), line


def check_node_case(arguments, folder):
    """[(check, outcome, message)] of one node test."""
    from node_case import NodeCase
    case = NodeCase(folder)
    with tempfile.TemporaryDirectory() as scratch:
        output = os.path.join(scratch, "out.onnx")
        line = run_round_trip(arguments, os.path.join(folder, "model.onnx"), output)[0]
        if line.startswith("not imported:"):
            return [("trip", "skipped", "the importer refuses the model")]
        found = [("trip", *trip_outcome(line))]
        if case.op_types() & RANDOM:
            return [*found, ("answers", "skipped", "a random answer")]
        bound = case.write_bound(os.path.join(scratch, "case"))
        original = os.path.join(bound, "model.onnx")
        lines = run_round_trip(arguments, original, output)
        if len(lines) < 2 or lines[1].startswith("not exported:"):
            why = re.sub(r"^.*?: (node '.*?': )?", "", lines[-1])
            return [*found, ("answers", "skipped", why)]
        return [*found, ("answers", *check_answers(arguments, output, original, os.path.join(bound, "test_data_set_0")))]


def check_placed(arguments, model, data, scratch):
    """(outcome, message) of a network with owners, by ONNX Runtime."""
    import onnx
    expected, output = runtime_outputs(model, data), os.path.join(scratch, "placed.onnx")
    for opset in (23, arguments.opset):
        status, _, reason = run_tool([arguments.tool, "compile", model, "--emit", "onnx", "--opset", str(opset), "-o", output],
                                     arguments.timeout)
        if status != 0:
            return "failed", f"opset {opset}: {reason}"
        try:
            onnx.checker.check_model(output, full_check=True)
            outputs = runtime_outputs(output, data)
        except Exception as error:  # noqa: BLE001: whatever the libraries raise is the answer
            return "failed", f"opset {opset}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
        error = max(relative_error(actual, wanted) for actual, wanted in zip(outputs, expected, strict=True))
        if error > MAX_RELATIVE_ERROR:
            return "failed", f"opset {opset}: relative error {error:.1e}"
    return "passed", ""


def check_network(arguments, name):
    """The same for a network: there and back, and with owners."""
    folder = os.path.join(arguments.models, name)
    if not os.path.isdir(folder):
        return [("trip", "skipped", "the network is not there")]
    if name.startswith("arch/"):
        folder = materialise(arguments.models, name, arguments.cache)
    model = os.path.join(folder, "model.onnx")
    with tempfile.TemporaryDirectory() as scratch:
        outcome, message = trip_outcome(run_round_trip(arguments, model, os.path.join(scratch, "out.onnx"))[0])
        if outcome == "skipped":
            return [("trip", outcome, message)]
        placed = check_placed(arguments, model, os.path.join(folder, data_sets(folder)[0]), scratch)
    return [("trip", outcome, message), ("placed", *placed)]


def known_gaps():
    """{(check, case): reason}"""
    gaps = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known_gaps.txt"), encoding="utf-8") as file:
        for line in file:
            entry, _, reason = line.partition("#")
            if entry.strip():
                gaps[tuple(entry.split())] = reason.strip()
    return gaps


def collect(arguments, node_folders):
    report, gaps, pending = Report("onnx_round_trip"), known_gaps(), {}
    spawned = multiprocessing.get_context("spawn")  # A crash of a library is one broken pool and not a silent end.
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, mp_context=spawned) as pool:
        for folder in node_folders:
            pending[pool.submit(check_node_case, arguments, folder)] = os.path.basename(folder)
        for name in NETWORKS if arguments.part != "nodes" else []:
            if re.search(arguments.filter, name):
                pending[pool.submit(check_network, arguments, name)] = name
        for future in concurrent.futures.as_completed(pending):
            case = pending[future]
            for check, outcome, message in future.result():
                # What is listed of answers is about the oldest opset.
                gap = gaps.get((check, case)) if check == "trip" or arguments.opset == 13 else None
                if gap is not None and outcome == "failed":
                    outcome, message = "skipped", f"known gap: {gap}"
                elif gap is not None and outcome == "passed":
                    outcome, message = "failed", "passes although known_gaps.txt lists it: remove the line"
                if outcome == "failed":
                    print(f"FAILED {check} {case}: {message}", flush=True)
                report.add(f"{check} {case}", outcome, message)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tessera program")
    parser.add_argument("--program", required=True, help="the program round_trip")
    parser.add_argument("--models", default=default_models_folder(SOURCE_DIR))
    parser.add_argument("--cache", required=True, help="where node tests are unpacked and arch/ models materialised")
    parser.add_argument("--opset", type=int, default=13, help="the opset of the answers")
    parser.add_argument("--part", choices=["nodes", "networks", "all"], default="all")
    parser.add_argument("--filter", default="", help="regular expression for the names of tests and networks")
    parser.add_argument("--minimum-trips", type=int, default=1320, help="fail when fewer node tests come back equal")
    parser.add_argument("--minimum-answers", type=int, default=1000, help="fail when fewer give the recorded answers")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run of a program")
    parser.add_argument("--results", help="JUnit file to write")
    arguments = parser.parse_args()
    start = time.monotonic()
    node_tests = unpack(arguments.models, arguments.cache)
    if node_tests is None:
        print(f"no ONNX node tests and no networks at {arguments.models}; set TESSERA_MODELS")
        sys.exit(SKIP_EXIT_CODE)
    folders = sorted(path for path in glob.glob(os.path.join(node_tests, "*"))
                     if re.search(arguments.filter, os.path.basename(path)) and arguments.part != "networks")
    report = collect(arguments, folders)
    if arguments.results:
        report.write(arguments.results)
    for reason, count in report.skip_reasons():
        print(f"skipped {count:5}  {reason}")
    too_few = False
    # Of node tests; a part of the cases has no least number.
    for check, minimum in (("trip", arguments.minimum_trips), ("answers", arguments.minimum_answers), ("placed", 0)):
        outcomes = [outcome for name, outcome, _, _ in report.cases if name.startswith(check + " ")]
        passed = outcomes.count("passed")
        print(f"{check}: {passed} passed, {outcomes.count('failed')} failed, {outcomes.count('skipped')} skipped")
        if not arguments.filter and folders and passed < minimum:
            print(f"FAILED: fewer than {minimum} pass")
            too_few = True
    print(f"{len(folders)} node tests, {time.monotonic() - start:.0f} s")
    sys.exit(1 if report.count("failed") or too_few else 0)


if __name__ == "__main__":
    main()
