#!/usr/bin/env python3
"""Write what ONNX's operators look like in each opset, from the schemas of the onnx wheel.

usage: generate_onnx_schemas.py OUT.inc

OUT.inc has the arrays that frontends/onnx/export/schema.cpp looks things up in: one row of kSchemas for each operator of
the default domain and each of its versions in effect from opset 13 to 23, sorted by name and version.
"""
import sys

import onnx
from onnx import defs

MIN_OPSET, MAX_OPSET = 13, 23
# Element types by the numbers of TensorProto.DataType that Tessera has (include/tessera/element_type.h).
ELEMENT_TYPES = {
    "float": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "string": 8, "bool": 9,
    "float16": 10, "double": 11, "uint32": 12, "uint64": 13, "bfloat16": 16,
}


def mask(types):
    """Bit n for each `tensor(...)` whose element type has the number n."""
    found = 0
    for text in types:
        if text.startswith("tensor(") and text[7:-1] in ELEMENT_TYPES:
            found |= 1 << ELEMENT_TYPES[text[7:-1]]
    return found


def versions(name):
    """The schemas in effect from MIN_OPSET to MAX_OPSET, oldest first."""
    found = {}
    for opset in range(MIN_OPSET, MAX_OPSET + 1):
        try:
            schema = defs.get_schema(name, opset)
        except onnx.defs.SchemaError:
            continue
        if not schema.deprecated:
            found[schema.since_version] = schema
    return [found[version] for version in sorted(found)]


def values(schema, formal):
    """A row of kValues for each formal input or output."""
    variables = {constraint.type_param_str for constraint in schema.type_constraints}
    for value in formal:
        is_variadic = value.option == defs.OpSchema.FormalParameterOption.Variadic
        shared = value.type_str in variables and (not is_variadic or value.is_homogeneous)
        yield f'{{"{value.type_str if shared else ""}", {mask(value.types):#x}, {"true" if is_variadic else "false"}}},'


def main(argv):
    names = sorted({schema.name for schema in defs.get_all_schemas_with_history() if schema.domain == ""})
    value_rows, attribute_rows, schema_rows = [], [], []
    for name in names:
        for schema in versions(name):
            first_value, first_attribute = len(value_rows), len(attribute_rows)
            value_rows += values(schema, schema.inputs)
            value_rows += values(schema, schema.outputs)
            attribute_rows += [f'"{attribute}",' for attribute in sorted(schema.attributes)]
            schema_rows.append(f'{{"{name}", {schema.since_version}, {first_value}, {len(schema.inputs)}, '
                               f'{len(schema.outputs)}, {first_attribute}, {len(schema.attributes)}}},')
    with open(argv[1], "w", encoding="utf-8") as out:
        out.write("// Written by scripts/generate_onnx_schemas.py from the onnx wheel.\n")
        out.write("// NOLINTBEGIN(modernize-use-designated-initializers): rows of tables.\n")
        for kind, array, rows in (("SchemaValue", "kValues", value_rows), ("std::string_view", "kAttributes", attribute_rows),
                                  ("SchemaRow", "kSchemas", schema_rows)):
            out.write(f"constexpr {kind} {array}[] = {{\n" + "\n".join(rows) + "\n};\n")
        out.write("// NOLINTEND(modernize-use-designated-initializers)\n")


if __name__ == "__main__":
    main(sys.argv)
