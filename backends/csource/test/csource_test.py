#!/usr/bin/env python3
"""Generated C through the tool: TVM's scenarios of external code generation (E1 to E10) and of operators by themselves (J1 to
J10), a user's own C, and what is refused. Ownership is asserted everywhere, so that a region that quietly moves fails."""

import argparse
import contextlib
import json
import os
import re
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPTIONS = argparse.Namespace()

# The sign tells that the function, and no generated loop, computed the sum.
GOOD_HEADER = """
static int32_t negative_sum(const csource_operation* op) {
  int64_t count = 1;
  for (int32_t d = 0; d < op->outputs[0].rank; ++d) count *= op->outputs[0].dims[d];
  const float* a = op->inputs[0].data;
  const float* b = op->inputs[1].data;
  float* y = op->outputs[0].data;
  for (int64_t i = 0; i < count; ++i) y[i] = -(a[i] + b[i]);
  return 0;
}
static int32_t failing(const csource_operation* op) { return op->num_inputs; }
static int32_t window_sum(const csource_operation* op) {
  float* y = op->outputs[0].data;
  const csource_window* w = op->window;
  y[0] = (float)(w->strides[0] * 1000 + w->pads_begin[0] * 100 + w->pads_end[1] * 10 + op->group);
  return op->inputs[2].data == NULL && op->num_inputs == 3 && op->axis == -1 ? 0 : 1;
}
"""

SUMMANDS = {"a": np.full((2, 3), 1, np.float32), "b": np.full((2, 3), 2, np.float32)}


def tensor(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def weights(seed=1, **shapes):
    random = np.random.default_rng(seed)
    return [numpy_helper.from_array(random.standard_normal(shape).astype(np.float32), name) for name, shape in shapes.items()]


class CSourceTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.model = os.path.join(self.folder, "model.onnx")
        self.artifact = os.path.join(self.folder, "model.tsr")

    def write(self, nodes, inputs, outputs, initializers=(), opset=17):
        graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), self.model)

    def run_tool(self, *arguments):
        return subprocess.run([OPTIONS.tool, *arguments], capture_output=True, text=True, timeout=120)

    def succeed(self, *arguments):
        result = self.run_tool(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout + result.stderr

    def owned(self, target="csource"):
        """What the backend's regions hold, strictly compiled with warnings as errors."""
        self.succeed("compile", self.model, "--strict", "--targets", f'{target} -cflags="-Wall -Wextra -Werror"', "-o", self.artifact)
        regions = json.loads(self.succeed("inspect", self.artifact, "--json"))["regions"]
        return [region["ops"] for region in regions if region["backend"] == "csource"]

    def check(self, expected, *options):
        """One region that holds `expected`, with the right answers."""
        self.assertEqual(self.owned(), expected)
        self.assertIn(": ok", self.succeed("compare", self.model, "--targets", "csource,reference", *options))

    def header(self, text):
        folder = tempfile.mkdtemp(dir=self.folder)
        path = os.path.join(folder, "own.h")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def write_sum(self):
        self.write([helper.make_node("Add", ["a", "b"], ["y"])], [tensor("a", [2, 3]), tensor("b", [2, 3])], [tensor("y", [2, 3])])

    def run_on(self, program, inputs, *options):
        """The finished process, which leaves its outputs where `outputs` finds them."""
        arguments = []
        for name, value in inputs.items():
            np.save(os.path.join(self.folder, name + ".npy"), value)
            arguments += ["--input", f"{name}={self.folder}/{name}.npy"]
        return self.run_tool("run", program, *arguments, "--output", f"{self.folder}/out.npz", *options)

    def output(self, program, inputs, *options):
        result = self.run_on(program, inputs, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return np.load(os.path.join(self.folder, "out.npz"))["y"]

    # ---- E: external code generation ----

    def test_E1_several_nodes_beside_those_of_the_host(self):
        nodes = [helper.make_node("Add", ["x", "w0"], ["z0"]), helper.make_node("Sub", ["z0", "w1"], ["p0"]),
                 helper.make_node("Mul", ["p0", "w2"], ["q0"]), helper.make_node("Add", ["x", "w3"], ["z1"]),
                 helper.make_node("Mul", ["z1", "w3"], ["q1"]), helper.make_node("CumSum", ["q1", "axis"], ["c"]),
                 helper.make_node("Concat", ["q0", "q1", "c"], ["y"], axis=0)]
        axis = numpy_helper.from_array(np.array(0, np.int64), "axis")
        self.write(nodes, [tensor("x", [10, 10])], [tensor("y", [30, 10])],
                   [*weights(w0=(10, 10), w1=(10, 10), w2=(10, 10), w3=(10, 10)), axis])
        owned = "+".join(self.owned())
        self.assertEqual({op: owned.count(op) for op in ("add", "sub", "mul", "cumsum")}, {"add": 2, "sub": 1, "mul": 2, "cumsum": 0})
        self.assertIn(": ok", self.succeed("compare", self.model, "--targets", "csource,reference"))

    def test_E2_one_operator_on_floats(self):
        self.write_sum()
        self.check(["add"])

    def test_E3_one_operator_on_integers(self):
        kind = TensorProto.INT32
        self.write([helper.make_node("Add", ["a", "b"], ["y"])], [tensor("a", [8, 8], kind), tensor("b", [8, 8], kind)],
                   [tensor("y", [8, 8], kind)])
        self.check(["add"])

    def test_E4_a_chain_is_one_loop(self):
        nodes = [helper.make_node("Add", ["x", "w"], ["a"]), helper.make_node("Mul", ["a", "w"], ["b"]),
                 helper.make_node("Sub", ["b", "x"], ["y"])]
        self.write(nodes, [tensor("x", [4, 4])], [tensor("y", [4, 4])], weights(w=(4, 4)))
        self.check(["add+mul+sub"])
        self.succeed("compile", self.model, "--targets", f"csource -keep={self.folder}/c", "-o", self.artifact)
        with open(os.path.join(self.folder, "c", "csource.c"), encoding="utf-8") as file:
            self.assertEqual(file.read().count("static void"), 1)

    def test_E5_a_good_header(self):
        target = f'csource -header={self.header(GOOD_HEADER)} -symbols="add=negative_sum"'
        self.write_sum()
        np.testing.assert_array_equal(self.output(self.model, SUMMANDS, "--targets", target), np.full((2, 3), -3, np.float32))

    def test_E5_a_header_of_the_present_folder(self):
        folder, name = os.path.split(self.header(GOOD_HEADER))
        self.write_sum()
        with contextlib.chdir(folder):
            self.succeed("compile", self.model, "--strict", "--targets", f'csource -header={name} -symbols="add=negative_sum"', "-o",
                         self.artifact)

    def test_E5_a_bogus_header_fails_clearly(self):
        self.write_sum()
        cases = [(f"-header={self.folder}/absent.h", r"-header: .*absent\.h"),
                 (f"-header={self.header('this is no C;')}", r"own\.h: the C compiler 'cc' fails: .*own\.h:1:1: error:"),
                 ('-symbols="add=f"', "C functions are declared in a header"),
                 (f'-header={self.header("")} -symbols="gemm=f"', "no C function can stand for 'gemm'"),
                 (f'-header={self.header("")} -symbols="add=1f"', "expected operator=function, found 'add=1f'"),
                 (f'-header={self.header("")} -symbols="nothing=f"', "there is no operator 'nothing'")]
        for attributes, message in cases:
            with self.subTest(attributes=attributes):
                result = self.run_tool("compile", self.model, "--targets", f"csource {attributes}", "-o", self.artifact)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertRegex(result.stderr, message)
                self.assertEqual(len(result.stderr.strip().splitlines()), 1)

    def test_E5_a_function_that_is_not_declared_is_refused_with_the_compilers_words(self):
        self.write_sum()
        target = f'csource -header={self.header("")} -symbols="add=absent"'
        result = self.run_tool("compile", self.model, "--strict", "--targets", target, "-o", self.artifact)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertRegex(result.stderr, r"the C compiler 'cc' fails: csource\.c:\d+:\d+: (error|warning): .*absent")

    def test_E5_a_function_that_fails_fails_the_run_by_name(self):
        self.write_sum()
        target = f'csource -header={self.header(GOOD_HEADER)} -symbols="add=failing"'
        result = self.run_on(self.model, SUMMANDS, "--targets", target)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the C function failed: failing", result.stderr)

    def test_E5_a_function_gets_windows_groups_and_absent_inputs(self):
        node = helper.make_node("Conv", ["x", "w"], ["y"], group=2, strides=[3, 3], pads=[1, 0, 0, 2])
        self.write([node], [tensor("x", [1, 2, 2, 2])], [tensor("y", [1, 2, 1, 1])], weights(w=(2, 1, 3, 3)))
        target = f'csource -header={self.header(GOOD_HEADER)} -symbols="conv=window_sum"'
        output = self.output(self.model, {"x": np.zeros((1, 2, 2, 2), np.float32)}, "--targets", target)
        self.assertEqual(output.ravel()[0], 3122)

    def test_E6_constants_in_the_code(self):
        nodes = [helper.make_node("Mul", ["x", "s"], ["a"]), helper.make_node("Add", ["a", "b"], ["y"])]
        constants = [numpy_helper.from_array(np.array(-1.5, np.float32), "s"), numpy_helper.from_array(np.float32([2.5]), "b")]
        self.write(nodes, [tensor("x", [3, 4])], [tensor("y", [3, 4])], constants)
        self.check(["mul+add"])
        self.succeed("compile", self.model, "--targets", f"csource -keep={self.folder}/c", "-o", self.artifact)
        with open(os.path.join(self.folder, "c", "csource.c"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"\* \(-1\.5f\)(.|\n)*\+ 2\.5f")

    def test_E7_asymmetric_padding(self):
        node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[0, 1, 2, 3])
        self.write([node], [tensor("x", [1, 3, 9, 9])], [tensor("y", [1, 4, 9, 11])], weights(w=(4, 3, 3, 3)))
        self.check(["conv"])

    def test_E8_a_weight_that_two_nodes_share_is_stored_once(self):
        nodes = [helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]), helper.make_node("Conv", ["a", "w"], ["y"], pads=[1, 1, 1, 1])]
        self.write(nodes, [tensor("x", [1, 32, 8, 8])], [tensor("y", [1, 32, 8, 8])], weights(w=(32, 32, 3, 3)))
        self.check(["conv+conv"], "--rtol", "1e-3", "--atol", "1e-3")
        self.assertLess(os.path.getsize(self.artifact), 1.9 * 32 * 32 * 9 * 4)

    def test_E9_constant_weights(self):
        nodes = [helper.make_node("Conv", ["x", "w", "b"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
        self.write(nodes, [tensor("x", [1, 3, 8, 8])], [tensor("y", [1, 4, 6, 6])], weights(w=(4, 3, 3, 3), b=(4,)))
        self.check(["conv+relu"])

    def test_E10_constants_and_parameters_are_there_after_loading(self):
        nodes = [helper.make_node("Mul", ["x", "s"], ["a"]), helper.make_node("Add", ["a", "w"], ["y"])]
        constant = numpy_helper.from_array(np.float32([3]), "s")
        self.write(nodes, [tensor("x", [20, 20])], [tensor("y", [20, 20])], [*weights(w=(20, 20)), constant])
        self.owned()
        x = np.ones((20, 20), np.float32)
        np.testing.assert_allclose(self.output(self.artifact, {"x": x}), 3 * x + numpy_helper.to_array(weights(w=(20, 20))[0]), rtol=1e-6)

    # ---- J: operators by themselves ----

    def check_node(self, expected, op, input_shapes, output_shape, constants=(), **attributes):
        names = [f"x{i}" for i in range(len(input_shapes))] + [value.name for value in constants]
        inputs = [tensor(name, shape) for name, shape in zip(names, input_shapes)]
        self.write([helper.make_node(op, names, ["y"], **attributes)], inputs, [tensor("y", output_shape)], constants)
        self.check(expected)

    def test_J1_convolution(self):
        self.check_node(["conv"], "Conv", [[1, 8, 14, 14]], [1, 6, 7, 7], weights(w=(6, 8, 3, 3)), strides=[2, 2], pads=[1, 1, 1, 1])

    def test_J2_sum(self):
        self.check_node(["add"], "Add", [[1, 8, 3, 3], [1, 8, 3, 3]], [1, 8, 3, 3])

    def test_J3_product(self):
        self.check_node(["mul"], "Mul", [[1, 8, 3, 3], [8, 1, 1]], [1, 8, 3, 3])

    def test_J4_relu(self):
        self.check_node(["relu"], "Relu", [[1, 32, 14, 14]], [1, 32, 14, 14])

    def test_J5_dense(self):
        self.check_node(["gemm"], "Gemm", [[1, 16]], [1, 10], weights(w=(10, 16), b=(10,)), transB=1)

    def test_J6_batch_normalisation(self):
        variance = numpy_helper.from_array(np.float32([1, 2, 3]), "v")
        self.check_node(["mul+add"], "BatchNormalization", [[2, 3, 4, 4]], [2, 3, 4, 4], [*weights(s=(3,), b=(3,), m=(3,)), variance])

    def test_J7_several_operators_in_a_region(self):
        nodes = [helper.make_node("Add", ["a", "b"], ["s"]), helper.make_node("Relu", ["s"], ["r"]),
                 helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2]), helper.make_node("Conv", ["p", "w"], ["y"])]
        self.write(nodes, [tensor("a", [1, 4, 6, 6]), tensor("b", [1, 4, 6, 6])], [tensor("y", [1, 2, 3, 3])], weights(w=(2, 4, 1, 1)))
        self.check(["add+relu+max_pool+conv"])

    def test_J8_a_composite(self):
        nodes = [helper.make_node("Sigmoid", ["x"], ["s"]), helper.make_node("Mul", ["x", "s"], ["y"])]
        self.write(nodes, [tensor("x", [2, 5])], [tensor("y", [2, 5])])
        self.check(["silu"])

    def test_J9_constant_inputs_alone(self):
        nodes = [helper.make_node("Conv", ["w", "w"], ["c"]), helper.make_node("Add", ["c", "x"], ["y"])]
        self.write(nodes, [tensor("x", [1, 1, 1, 1])], [tensor("y", [4, 4, 1, 1])], weights(w=(4, 4, 3, 3)))
        self.check(["add"])

    def test_J10_some_inputs_constant(self):
        nodes = [helper.make_node("Add", ["x", "w"], ["a"]), helper.make_node("Sub", ["v", "a"], ["y"])]
        self.write(nodes, [tensor("x", [10, 10])], [tensor("y", [10, 10])], weights(w=(10, 10), v=(10,)))
        self.check(["add+sub"])

    # ---- The compiler ----

    def test_a_missing_compiler_is_a_refusal(self):
        self.write_sum()
        result = self.run_tool("compile", self.model, "--targets", "csource -cc=no-such-cc", "-o", self.artifact)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("others run it: there is no C compiler 'no-such-cc'", result.stderr)
        strict = self.run_tool("compile", self.model, "--strict", "--targets", "csource -cc=no-such-cc", "-o", self.artifact)
        self.assertEqual(strict.returncode, 3, strict.stderr)

    def test_a_compiler_that_fails_is_a_refusal_with_its_first_error(self):
        self.write_sum()
        result = self.run_tool("compile", self.model, "--targets", "csource -cflags=-fno-such-flag", "-o", self.artifact)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"others run it: the C compiler 'cc' fails: .*error: .*-fno-such-flag")
        self.assertNotIn("/tmp", result.stderr)

    def test_nothing_is_left_in_the_temporary_folder(self):
        self.write_sum()
        scratch = os.path.join(self.folder, "scratch")
        os.mkdir(scratch)
        for flags, code in (("-O1", 0), ("-fno-such-flag", 3)):
            result = subprocess.run([OPTIONS.tool, "compile", self.model, "--strict", "--targets", f"csource -cflags={flags}", "-o", self.artifact],
                                    capture_output=True, text=True, timeout=120, env={**os.environ, "TMPDIR": scratch})
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertEqual(os.listdir(scratch), [])

    def test_the_code_says_which_cpu_it_needs(self):
        self.write_sum()
        self.succeed("compile", self.model, "--targets", "csource -mcpu=x86-64-v3", "-o", self.artifact)
        needs = re.search(r"needs +(.*)", self.succeed("inspect", self.artifact)).group(1).split()
        self.assertIn("avx2", needs)
        self.assertNotIn("avx512f", needs)

    def test_equal_models_give_equal_artifacts(self):
        self.write_sum()
        artifacts = []
        for _ in range(2):
            self.succeed("compile", self.model, "--targets", "csource", "-o", self.artifact)
            with open(self.artifact, "rb") as file:
                artifacts.append(file.read())
        self.assertEqual(*artifacts)

    def test_an_index_outside_is_refused_when_running(self):
        indices = tensor("i", [2], TensorProto.INT64)
        self.write([helper.make_node("Gather", ["x", "i"], ["y"], name="look_up")], [tensor("x", [3, 2]), indices], [tensor("y", [2, 2])])
        self.assertEqual(self.owned(), ["gather"])
        result = self.run_on(self.artifact, {"x": np.ones((3, 2), np.float32), "i": np.array([-3, 3], np.int64)})
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("index 3 is outside of a dimension of 3 elements", result.stderr)
        self.assertIn("look_up", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the tessera program")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=["csource_test", *rest])
