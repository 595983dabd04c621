#!/usr/bin/env python3
"""Runs what the documents tell a reader to run: the tour of README.md on a small model, the commands and the recipe of a
pass of CONTRIBUTING.md, the example at the top of include/tessera/runtime.h."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import lint

OPTIONS = argparse.Namespace()
# What stands for a reader's choice in a command of CONTRIBUTING.md.
CHOICES = {"NAME": "target_test", "test_name": "test_relu"}
EXAMPLE_PROGRAM = """
#include <stdio.h>
#include "tessera/runtime.h"

int main(void) {
  float values[2] = {-1, 3};
  int64_t shape[1] = {2};
  tessera_dltensor x = {values, {TESSERA_DEVICE_CPU, 0}, 1, {TESSERA_DTYPE_FLOAT, 32, 1}, shape, NULL, 0}, y;
%s
  if (status != TESSERA_OK) return 1;
  return 0;
}
"""
# A pass as CONTRIBUTING's recipe makes one.
PASS_ROW = """
def CountNothingPass : SimplifyPass<"count-nothing"> {
  let summary = "does nothing, as the recipe's example";
  let options = [Option<"limit", "limit", "int64_t", "7", "an option">];
}
"""
PASS_SOURCE = """// Does nothing.
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"

namespace tessera::transforms {

#define GEN_PASS_DEF_COUNTNOTHINGPASS
#include "compiler/transforms/passes.h.inc"

namespace {

struct CountNothing : impl::CountNothingPassBase<CountNothing> {
  using Base::Base;
  void runOnOperation() override {
    if (limit < 0) signalPassFailure();
  }
};

}  // namespace

/// What step 4 adds to a pipeline.
void addToPipeline(mlir::OpPassManager& manager) { manager.addPass(createCountNothingPass()); }

}  // namespace tessera::transforms
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def section(text, title):
    """The text under a heading, up to the next one of its level."""
    return re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL).group(1)


def save_model(path, nodes, inputs, outputs, weights=()):
    def value(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "g", [value(*i) for i in inputs], [value(*o) for o in outputs], list(weights))
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def small_classifier(folder):
    """What `make demo` leaves behind, untrained: digits.onnx with an open batch, and pictures for it."""
    rng = np.random.default_rng(1)
    weights = [numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), name)
               for name, shape in (("w", (4, 1, 3, 3)), ("fc", (4, 10)))]
    nodes = [helper.make_node("Conv", ["picture", "w"], ["c"], "conv"), helper.make_node("Relu", ["c"], ["r"], "relu"),
             helper.make_node("GlobalAveragePool", ["r"], ["p"], "pool"),
             helper.make_node("Flatten", ["p"], ["f"], "flatten"), helper.make_node("MatMul", ["f", "fc"], ["y"], "fc")]
    save_model(os.path.join(folder, "digits.onnx"), nodes, [("picture", ["batch", 1, 8, 8])], [("y", ["batch", 10])], weights)
    np.save(os.path.join(folder, "sample.npy"), rng.standard_normal((8, 1, 8, 8)).astype(np.float32))


class DocumentsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def succeed(self, *command, **options):
        options.setdefault("cwd", self.scratch)
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, **options)
        self.assertEqual(result.returncode, 0, f"{' '.join(command)}\n{result.stdout}{result.stderr}")
        return result.stdout

    def run_at_root(self, command):
        """Exit code 77 says that what the command needs is not on this machine, and what."""
        return self.succeed("bash", "-c", f"{command} || [ $? = 77 ]", cwd=ROOT)

    def test_the_tour_of_the_readme(self):
        block = re.search(r"^```\n(.*?)^```", section(read("README.md"), "A tour"), re.MULTILINE | re.DOTALL).group(1)
        self.assertGreater(block.count("\ntessera "), 5)
        os.makedirs(os.path.join(self.scratch, "build", "demo"))
        os.symlink(OPTIONS.build_dir, os.path.join(self.scratch, "build", "release"))
        small_classifier(os.path.join(self.scratch, "build", "demo"))
        self.succeed("bash", "-e", "-c", block)

    def test_the_commands_of_contributing(self):
        # Line breaks inside of a command are the document's, not the command's.
        commands = [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", read("CONTRIBUTING.md"))]
        commands = [code for code in commands if re.match(r"(ctest|build/venv/bin/\S+) ", code)]
        self.assertGreaterEqual(len(commands), 3)
        for command in commands:
            for word, choice in CHOICES.items():
                command = re.sub(rf"\b{word}\b", choice, command)
            command = command.replace("build/release", OPTIONS.build_dir)
            with self.subTest(command=command):
                if "/lit " in command:
                    command = command.replace(CHOICES["NAME"], "remove_no_ops")
                    self.assertIn("PASS: tessera :: compiler/transforms/test/remove_no_ops.mlir", self.run_at_root(command))
                elif command.startswith("ctest"):
                    self.assertIn("100% tests passed", self.run_at_root(command))
                else:
                    self.assertRegex(self.run_at_root(command), r"\d+ passed|no ONNX node tests")

    def test_the_recipe_of_a_pass(self):
        """A row in passes.td and a source beside it are enough: both go into a scratch folder that stands in front."""
        recipe = section(read("CONTRIBUTING.md"), "Add a pass")
        self.assertRegex(recipe, r"1\. Declare it in the folder's `passes.td`.*\n2\. Write `name.cpp`")
        with open(os.path.join(OPTIONS.build_dir, "compile_commands.json"), encoding="utf-8") as file:
            entries = lint.entries_by_source(json.load(file))
            sibling = next(entry for entry in entries if entry["file"].endswith("/transforms/remove_no_ops.cpp"))
        folder = os.path.join(self.scratch, "compiler", "transforms")
        os.makedirs(folder)
        table = read("compiler/transforms/passes.td")
        with open(os.path.join(folder, "passes.td"), "w", encoding="utf-8") as file:
            end = table.rindex("#endif")
            file.write(table[:end] + PASS_ROW + table[end:])
        with open(os.path.join(folder, "count_nothing.cpp"), "w", encoding="utf-8") as file:
            file.write(PASS_SOURCE)
        includes = re.findall(r"-isystem (\S+llvm\S+)", sibling["command"])
        self.succeed(OPTIONS.tblgen, "-gen-pass-decls", "-name", "Transforms", *(f"-I{path}" for path in includes),
                     os.path.join(folder, "passes.td"), "-o", os.path.join(folder, "passes.h.inc"))
        command = sibling["command"].replace(sibling["file"], os.path.join(folder, "count_nothing.cpp"))
        command = re.sub(r" -o \S+", "", command).replace(" -I", f" -I{self.scratch} -I", 1)
        self.succeed("bash", "-c", command + " -fsyntax-only", cwd=sibling["directory"])

    def test_the_example_of_the_c_abi(self):
        header = read("include/tessera/runtime.h")
        lines = re.search(r"\A/\*.*?\*/", header, re.DOTALL).group(0).splitlines()
        example = [line[5:] for line in lines if line.startswith(" *   ")]
        self.assertGreater(len(example), 5)
        with open(os.path.join(self.scratch, "example.c"), "w", encoding="utf-8") as file:
            file.write(EXAMPLE_PROGRAM % "\n".join("  " + line for line in example))
        save_model(os.path.join(self.scratch, "model.onnx"), [helper.make_node("Relu", ["x"], ["y"], "relu")],
                   [("x", [2])], [("y", [2])])
        self.succeed(os.path.join(OPTIONS.build_dir, "bin", "tessera"), "compile", "model.onnx", "-o", "model.tsr")
        library = os.path.join(OPTIONS.build_dir, "lib")
        self.succeed(OPTIONS.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(ROOT, "include"), "example.c",
                     "-o", "example", "-L", library, "-ltessera_runtime", f"-Wl,-rpath,{library}")
        self.succeed("./example")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--cc", default=shutil.which("cc"))
    parser.add_argument("--tblgen", default="mlir-tblgen-19", help="the mlir-tblgen of the build")
    parser.parse_known_args(namespace=OPTIONS)
    OPTIONS.build_dir = os.path.abspath(OPTIONS.build_dir)
    unittest.main(argv=sys.argv[:1])
