#!/usr/bin/env python3
"""Write the table of tensor operators from the dialect's records.

usage: generate_op_table.py RECORDS.json OUT.inc [--docs OUT.md]

RECORDS.json is `llvm-tblgen --dump-json` of compiler/ir/tsr_ops.td. OUT.inc has one TSR_OP(...) entry for each operator
that stands for an ONNX operator; OUT.md is the index of operators for people.
"""
import json
import re
import sys
import textwrap

ATTRIBUTE_KINDS = {
    "I64Attr": "kInt",
    "F32Attr": "kFloat",
    "StrAttr": "kString",
    "DenseI64ArrayAttr": "kInts",
    "F32ArrayAttr": "kFloats",
    "StrArrayAttr": "kStrings",
    "ElementsAttr": "kTensor",
}


def presence(record):
    supers = record["!superclasses"]
    if "Variadic" in supers:
        return "kVariadic"
    return "kOptional" if "Optional" in supers else "kRequired"


def attribute(records, record, name):
    """(name, kind, required, default as C string) of one attribute."""
    kind, required, default = record["!name"], True, ""
    while "OptionalAttr" in record["!superclasses"] or "DefaultValuedAttr" in record["!superclasses"]:
        required = False
        default = record.get("defaultWord") or (record["defaultValue"] or "").strip('"').rstrip("f")
        record = records[record["baseAttr"]["def"]]
        kind = record["!name"]
    if "Tsr_Word" in record["!superclasses"]:
        kind = "StrAttr"
    return name, ATTRIBUTE_KINDS[kind], required, default


def constraints(description):
    """The number of constraints labelled (C1), (C2), ...; they are without gaps."""
    labels = {int(n) for n in re.findall(r"\(C(\d+)\)", description)}
    assert labels == set(range(1, len(labels) + 1)), description
    return len(labels)


def operator(records, record):
    operands, attributes = [], []
    for (ref, name) in record["arguments"]["args"]:
        entry = records[ref["def"]]
        if "AttrConstraint" in entry["!superclasses"]:
            attributes.append(attribute(records, entry, name))
        else:
            operands.append((name, presence(entry)))
    results = [(name, presence(records[ref["def"]])) for (ref, name) in record["results"]["args"]]
    traits = {t["def"] for t in record["traits"]}
    return {
        "mnemonic": record["opName"], "onnx": record["onnxName"], "kind": record["fusionKind"],
        "summary": record["summary"], "constraints": constraints(record["description"]),
        "description": textwrap.dedent(record["description"]).strip(),
        "example": textwrap.dedent(record["example"]).strip(),
        "operands": operands, "results": results, "attributes": attributes,
        "operand_segments": "AttrSizedOperandSegments" in traits,
        "result_segments": "AttrSizedResultSegments" in traits,
    }


def c_bool(value):
    return "true" if value else "false"


def c_list(items, form):
    return "{" + ", ".join(form(*item) for item in items) + "}"


def write_table(ops, path):
    with open(path, "w") as out:
        out.write("// Written by scripts/generate_op_table.py from compiler/ir/*.td.\n")
        out.write("// NOLINTBEGIN(modernize-use-designated-initializers): rows of a table.\n")
        for op in ops:
            value = lambda name, presence: f'{{"{name}", Presence::{presence}}}'
            attr = lambda name, kind, required, default: (
                f'{{"{name}", AttributeKind::{kind}, {c_bool(required)}, "{default}"}}')
            out.write(
                f'{{"{op["mnemonic"]}", "{op["onnx"]}", FusionKind::{op["kind"]}, {c_bool(op["operand_segments"])}, '
                f'{c_bool(op["result_segments"])},\n {c_list(op["operands"], value)},\n {c_list(op["results"], value)},\n '
                f'{c_list(op["attributes"], attr)},\n {op["constraints"]}, R"({op["example"]})"}},\n')
        out.write("// NOLINTEND(modernize-use-designated-initializers)\n")


def signature(values):
    marks = {"kRequired": "", "kOptional": "?", "kVariadic": "..."}
    return ", ".join(f"`{name}`{marks[presence]}" for (name, presence) in values) or "none"


def write_docs(ops, path):
    with open(path, "w") as out:
        out.write("# Operators of the tsr dialect\n\nWritten by scripts/generate_op_table.py; do not edit.\n\n")
        out.write("| operator | ONNX | fusion kind | what it computes |\n|---|---|---|---|\n")
        for op in ops:
            name = op["mnemonic"]
            out.write(f'| [`tsr.{name}`](#tsr{name}) | {op["onnx"]} | {op["kind"]} | {op["summary"]} |\n')
        for op in ops:
            out.write(f'\n## tsr.{op["mnemonic"]}\n\nONNX {op["onnx"]}, {op["kind"]}: {op["summary"]}.\n')
            out.write(f'\nOperands: {signature(op["operands"])}. Results: {signature(op["results"])}.\n')
            if op["attributes"]:
                texts = [f"`{name}`" + (f" = {default}" if default else "" if required else "?")
                         for (name, _, required, default) in op["attributes"]]
                out.write(f'Attributes: {", ".join(texts)}.\n')
            if op["description"]:
                out.write(f'\n{op["description"]}\n')
            out.write(f'\n```mlir\n{op["example"]}\n```\n')


def main(argv):
    records = json.load(open(argv[1]))
    ops = sorted((operator(records, r) for r in records.values()
                  if isinstance(r, dict) and r.get("onnxName") and not r.get("!anonymous")),
                 key=lambda op: op["mnemonic"])
    write_table(ops, argv[2])
    if "--docs" in argv:
        write_docs(ops, argv[argv.index("--docs") + 1])


if __name__ == "__main__":
    main(sys.argv)
