#!/usr/bin/env python3
"""Each lint script reports a planted violation and stays silent on the tree without it."""

import os
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, SCRIPTS)
import lint

LAYERS = """
[groups]
contract = ["compiler/ir"]
[folders]
"include/tessera" = []
"compiler/ir" = ["include/tessera"]
"compiler/registry" = ["backends/*/compiler/register.h"]
"backends/*/compiler" = ["@contract", "backends/{own}/format"]
"backends/*/format" = []
[planned]
"compiler/ir" = ["reference"]
"reference" = ["include/tessera"]
[third_party]
"include/tessera" = ["llvm/"]
[[edge]]
from = "compiler/registry"
to = "compiler/ir"
reason = "names a type"
"""
CLEAN = {
    "LICENSE": "Apache License\n",
    "README.md": "See `compiler/ir/ops.h`; run `make check`.\n",
    "ARCHITECTURE.md": "| `compiler/registry` | `compiler/ir` |\n",
    "Makefile": "check:\n\ttrue\n",
    "layers.toml": LAYERS,
    "include/tessera/status.h": "#pragma once\n#include <string>\n",
    "compiler/ir/ops.h": '#pragma once\n#include "tessera/status.h"\n',
    "compiler/registry/all.cpp": '#include "compiler/ir/ops.h"\n',
    "backends/fast/format/blob.h": "#pragma once\n",
    "backends/fast/compiler/register.h": '#pragma once\n#include "backends/fast/format/blob.h"\n',
    "backends/slow/compiler/register.h": '#pragma once\n#include "compiler/ir/ops.h"\n',
    "compiler/ir/CMakeLists.txt": "tessera_add_library(NAME tessera_ir SOURCES a.cpp b.cpp)\n",
}


class LintTest(unittest.TestCase):
    def run_script(self, script, changes):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**CLEAN, **changes}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            command = [sys.executable, os.path.join(SCRIPTS, script), "--root", root]
            return subprocess.run(command, capture_output=True, text=True)

    def expect_clean(self, script, changes=None):
        result = self.run_script(script, changes or {})
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def expect_finding(self, script, changes, text):
        result = self.run_script(script, changes)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(text, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_layers_clean(self):
        self.expect_clean("check_layers.py",
                          {"compiler/registry/b.cpp": '#include "backends/fast/compiler/register.h"\n'})

    def test_layers_upward_include(self):
        self.expect_finding("check_layers.py", {"include/tessera/x.h": '#include "compiler/ir/ops.h"\n'},
                            "include/tessera may not include compiler/ir")

    def test_layers_backend_to_backend(self):
        self.expect_finding("check_layers.py",
                            {"backends/slow/compiler/a.cpp": '#include "backends/fast/format/blob.h"\n'},
                            "backends/*/compiler may not include backends/*/format")

    def test_layers_registry_takes_one_header(self):
        self.expect_finding("check_layers.py",
                            {"compiler/registry/b.cpp": '#include "backends/fast/compiler/emit.h"\n'},
                            "compiler/registry may not include backends/*/compiler")

    def test_layers_third_party(self):
        self.expect_finding("check_layers.py", {"include/tessera/x.h": '#include "llvm/ADT/StringRef.h"\n'},
                            "third-party header llvm/ADT/StringRef.h")

    def test_layers_unknown_folder(self):
        self.expect_finding("check_layers.py", {"misc/a.cpp": "\n"}, "not in layers.toml")

    def test_layers_row_needs_folder(self):
        gone = LAYERS.replace("[folders]", '[folders]\n"runtime" = []')
        self.expect_finding("check_layers.py", {"layers.toml": gone}, "no source file is in runtime")

    def test_layers_edge_needs_use(self):
        unused = LAYERS.replace('"include/tessera" = []', '"include/tessera" = ["compiler/ir"]', 1)
        self.expect_finding("check_layers.py", {"layers.toml": unused}, "no file of include/tessera includes compiler/ir")

    def test_layers_planned(self):
        self.expect_finding("check_layers.py", {"reference/a.cpp": "\n"}, "reference is only planned: move its row")
        rows = LAYERS.replace('"reference" = ["include/tessera"]', "").replace("[folders]", '[folders]\n"reference" = []')
        changes = {"layers.toml": rows, "reference/a.h": "\n", "compiler/ir/a.cpp": '#include "reference/a.h"\n'}
        self.expect_finding("check_layers.py", changes, "compiler/ir -> reference is only planned: move the edge")
        twice = LAYERS.replace('"compiler/ir" = ["reference"]', '"compiler/ir" = ["include/tessera"]')
        self.expect_finding("check_layers.py", {"layers.toml": twice}, "compiler/ir -> include/tessera is in [planned], too")

    def test_layers_rows_of_a_backend(self):
        rows = {"backends/fast/layers.toml": '[folders]\n"compiler" = ["compiler/emit"]\n"compiler/emit" = []\n',
                "backends/fast/compiler/emit/a.h": '#pragma once\n#include "compiler/ir/ops.h"\n',
                "backends/fast/compiler/a.cpp": '#include "backends/fast/compiler/emit/a.h"\n'}
        self.expect_clean("check_layers.py", rows)
        upward = {"backends/fast/compiler/emit/b.cpp": '#include "backends/fast/compiler/register.h"\n'}
        self.expect_finding("check_layers.py", {**rows, **upward},
                            "backends/fast/compiler/emit may not include backends/fast/compiler")

    def test_layers_tests_may_reach_below_their_folder(self):
        rows = LAYERS.replace("[folders]", '[folders]\n"compiler/ir/io" = []\n')
        header = {"layers.toml": rows, "compiler/ir/io/a.h": "#pragma once\n"}
        include = '#include "compiler/ir/io/a.h"\n'
        self.expect_clean("check_layers.py", {**header, "compiler/ir/test/a_test.cpp": include})
        self.expect_finding("check_layers.py", {**header, "compiler/ir/a.cpp": include}, "may not include compiler/ir/io")

    def test_layers_headers_of_tests_are_for_tests(self):
        rows = LAYERS.replace('"compiler/registry" = [', '"compiler/registry" = ["compiler/ir", ').replace("[[edge]]", "[[old]]")
        header = {"layers.toml": rows, "compiler/ir/test/fixture.h": "#pragma once\n"}
        include = '#include "compiler/ir/test/fixture.h"\n'
        self.expect_clean("check_layers.py", {**header, "compiler/registry/test/a.cpp": include})
        self.expect_finding("check_layers.py", {**header, "compiler/registry/a.cpp": include}, "fixture.h is for tests only")
        self.expect_finding("check_layers.py", {**header, "compiler/ir/a.cpp": include}, "fixture.h is for tests only")

    def test_layers_edge_needs_row(self):
        self.expect_finding("check_layers.py", {"ARCHITECTURE.md": "none\n"}, "has no row in ARCHITECTURE.md")

    def test_layers_edge_needs_reason(self):
        bad = LAYERS.replace('reason = "names a type"', "")
        result = self.run_script("check_layers.py", {"layers.toml": bad})
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("has no reason", result.stderr)

    def test_isolation_clean(self):
        self.expect_clean("check_backend_isolation.py", {"compiler/ir/a_test.cpp": 'auto x = "fast";\n'})

    def test_isolation_name_in_core(self):
        self.expect_finding("check_backend_isolation.py", {"compiler/ir/a.cpp": "// for Fast only\n"},
                            "names the backend 'fast'")

    def test_isolation_word_as_name(self):
        changes = {"backends/native/compiler/a.cpp": "\n", "compiler/ir/a.cpp": "// the native format\n"}
        self.expect_clean("check_backend_isolation.py", changes)
        changes["compiler/ir/b.cpp"] = 'if (target == "native") f();\n'
        self.expect_finding("check_backend_isolation.py", changes, "names the backend 'native'")
        changes["compiler/ir/b.cpp"] = 'help("one of a CPU: -mcpu=native");\n'
        self.expect_clean("check_backend_isolation.py", changes)
        changes["compiler/ir/b.cpp"] = 'help("targets, such as native: \\"native -mcpu=native\\"");\n'
        self.expect_finding("check_backend_isolation.py", changes, "names the backend 'native'")

    def test_placement_rules(self):
        tables = {"compiler/ir/nn_ops.td": 'def Tsr_ConvOp : Tsr_CountedOp<"conv", "Conv"> {\n',
                  "bench/placement/results.py": 'MODELS = ["arch/some_network"]\n'}
        script, path = "check_placement_rules.py", "compiler/placement/a.cpp"
        self.expect_clean(script, {**tables, path: "return isa<ir::ConstantOp>(op);  // conv\n"})
        self.expect_clean(script, {**tables, "compiler/ir/a.cpp": "return isa<ir::ConvOp>(op);\n"})
        self.expect_finding(script, {**tables, path: "return isa<ir::ConvOp>(op);\n"}, "placement has a rule about ConvOp")
        self.expect_finding(script, {**tables, path: 'if (name == "conv") f();\n'}, 'placement has a rule about "conv"')
        self.expect_finding(script, {**tables, path: 'if (model == "some_network") f();\n'}, "placement has a rule about some_network")

    def test_file_size(self):
        self.expect_clean("check_file_size.py", {"compiler/ir/a.cpp": "\n" * 400})
        self.expect_finding("check_file_size.py", {"compiler/ir/a.cpp": "\n" * 801}, "801 lines")

        self.expect_finding("check_file_size.py", {"compiler/ir/a.cpp": "// " + "x" * 98 + "\n"}, "a.cpp:1: 101 columns")
        self.expect_clean("check_file_size.py", {"compiler/ir/a.cpp": 'auto x = R"(' + "x" * 98 + ')";\n'})

    def test_function_length(self):
        def source(lines, head="void f(int a,\n       int b) {"):
            return "namespace x {\n" + head + "\n" + "  g();\n" * lines + "}\n\nstatic int table[] = {\n" + "    1,\n" * 99 + \
                "};\n}  // namespace x\n"
        self.expect_clean("check_function_length.py", {"compiler/ir/a.cpp": source(57)})
        self.expect_finding("check_function_length.py", {"compiler/ir/a.cpp": source(58)}, "a.cpp:2: 61 lines")
        self.expect_clean("check_function_length.py", {"compiler/ir/a_test.cpp": source(58)})
        method = "class X {\n public:\n  void f() const override {\n" + "    g();\n" * 70 + "  }\n};\n"
        self.expect_finding("check_function_length.py", {"compiler/ir/a.h": method}, "a.h:3: 72 lines")

    def test_headers(self):
        self.expect_clean("check_headers.py", {"compiler/ir/ops.cpp": '#include "compiler/ir/ops.h"\n\n#include <string>\n'})
        self.expect_finding("check_headers.py", {"compiler/ir/a.h": "#ifndef A\n#endif\n"}, "a.h: its first directive")
        late = '#include <string>\n\n#include "compiler/ir/ops.h"\n'
        self.expect_finding("check_headers.py", {"compiler/ir/ops.cpp": late}, "ops.h is not its first include")

    def test_commits(self):
        with tempfile.TemporaryDirectory() as root:
            def git(*arguments):
                author = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
                subprocess.run(["git", "-C", root, *author, *arguments], check=True, capture_output=True)

            def run(base="base"):
                command = [sys.executable, os.path.join(SCRIPTS, "check_commits.py"), "--root", root, "--base", base]
                return subprocess.run(command, capture_output=True, text=True)
            git("init", "-q")
            git("commit", "-q", "--allow-empty", "-m", "what the base has is not looked at: " + "x" * 72)
            git("branch", "base")
            git("commit", "-q", "--allow-empty", "-m", "ir, onnx: names of dimensions stay")
            self.assertEqual((run().returncode, run().stderr), (0, ""))
            self.assertIn("commits are not looked at: fatal: ", run("missing").stdout)
            git("commit", "-q", "--allow-empty", "-m", "ir: " + "x" * 69)
            self.assertIn("a subject of 73 characters", run().stderr)
            git("commit", "-q", "--amend", "--allow-empty", "-m", "Fix things")
            self.assertIn("is not `scope", run().stderr)
            self.assertEqual(run().returncode, 1)

    def test_doc_paths(self):
        self.expect_clean("check_doc_paths.py")
        self.expect_finding("check_doc_paths.py", {"README.md": "See `compiler/ir/gone.h`.\n"}, "gone.h does not exist")
        self.expect_finding("check_doc_paths.py", {"README.md": "[x](docs/gone.md)\n"}, "docs/gone.md does not exist")
        self.expect_finding("check_doc_paths.py", {"README.md": "See `base/gone.h`.\n"}, "base/gone.h does not exist")
        self.expect_clean("check_doc_paths.py", {"README.md": "See `compiler/*/ops.*` and `backends/mine/README.md`.\n"})
        self.expect_finding("check_doc_paths.py", {"README.md": "See `compiler/ir/gone_*.h`.\n"}, "gone_*.h does not exist")
        self.expect_finding("check_doc_paths.py", {"README.md": "See `backends/fast/gone.h`.\n"}, "gone.h does not exist")
        self.expect_finding("check_doc_paths.py", {"README.md": "`make gone`\n"}, "no target 'gone'")

    def test_markers(self):
        self.expect_clean("check_markers.py", {"compiler/ir/a.cpp": "// TODO(#12): later\n"})
        self.expect_finding("check_markers.py", {"compiler/ir/a.cpp": "// TODO: later\n"}, "unfinished work")
        self.expect_finding("check_markers.py", {"compiler/ir/a.cpp": "// DO NOT SUBMIT\n"}, "forbids submitting")
        self.expect_finding("check_markers.py", {"LICENSE": "All rights reserved\n"}, "LICENSE")

    def test_sorted_lists(self):
        self.expect_clean("check_sorted_lists.py")
        unsorted = "tessera_add_library(NAME x SOURCES b.cpp a.cpp DEPS z y)\n"
        self.expect_finding("check_sorted_lists.py", {"compiler/ir/CMakeLists.txt": unsorted}, "a.cpp comes after b.cpp")

    def test_semantics(self):
        changes = {
            "compiler/ir/tsr_enums.td": 'I32EnumAttrCase<"SameUpper", 2, "SAME_UPPER">, I32EnumAttrCase<"Edge", 2, "edge">\n',
            "compiler/ir/spec/axes.cpp": "return axis < 0 ? axis + rank : axis;\n",
            "frontends/onnx/a.cpp": 'f("SAME_UPPER");\n',
            "reference/a.cpp": 'if (mode == "edge") axis = axis < 0 ? axis + rank : axis;\n',
            "compiler/ir/a.cpp": 'f("edge", op->getAttr("axis"), size < 0 ? 0 : size);\n',
        }
        self.expect_clean("check_semantics.py", changes)
        for line, finding in (
                ('if (x.getAutoPad() == "SAME_UPPER") f();', "spells the word 'SAME_UPPER'"),
                ('if (pad.getMode() == "edge") f();', "spells the word 'edge'"),
                ('f(op->getAttrOfType<IntegerAttr>("axis"));', "reads an attribute by its name"),
                ('f(intOr(op, "axis", 1));', "reads an attribute by its name"),
                ("if (axis < 0) axis += rank;", "counts from the back"),
                ("at = value < 0 ? value + rank : value;", "counts from the back"),
                ("axis += axis < 0 ? rank : 0;", "counts from the back")):
            self.expect_finding("check_semantics.py", {**changes, "backends/fast/compiler/a.cpp": line + "\n"}, finding)

    def test_format(self):
        self.expect_clean("check_format.py", {".clang-format": "BasedOnStyle: Google\n"})
        self.expect_finding("check_format.py", {"compiler/ir/a.cpp": "int  x ;\n"}, "is not formatted")

    def test_tidy_sees_the_sources_of_a_unit(self):
        with tempfile.TemporaryDirectory() as folder:
            unit = os.path.join(folder, "Unity", "unity_0_cxx.cxx")
            os.makedirs(os.path.dirname(unit))
            with open(unit, "w", encoding="utf-8") as file:
                file.write('/* made */\n#include "/x/a.cpp"\n\n#include "/x/b.cpp"\n')
            entries = [{"file": unit, "command": f"g++ -o u.o -c {unit}"}, {"file": "/x/c.cpp", "command": "g++ -c /x/c.cpp"}]
            self.assertEqual([(entry["file"], entry["command"]) for entry in lint.entries_by_source(entries)],
                             [("/x/a.cpp", "g++ -o u.o -c /x/a.cpp"), ("/x/b.cpp", "g++ -o u.o -c /x/b.cpp"),
                              ("/x/c.cpp", "g++ -c /x/c.cpp")])


if __name__ == "__main__":
    unittest.main()
