#!/usr/bin/env python3
"""What operators mean is decoded once, in compiler/ir.

- The words of enumerated attributes ("SAME_UPPER", "half_pixel", ...; compiler/ir/tsr_enums.td) are text in compiler/ir and
  in the front end alone; everybody else has enum classes.
- Backends and passes read attributes of operators through typed accessors, which know the defaults, never by name.
- That negative axes and positions count from the back is written in compiler/ir/spec alone.

`reference/` is exempt: the oracle decodes for itself.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import read_lines, run_check, source_files

PRODUCT = ("compiler/", "backends/", "frontends/", "runtime/", "tools/", "include/")
ENUMS = "compiler/ir/tsr_enums.td"
SPELLS_WORDS = ("compiler/ir/", "frontends/onnx/")
WORD = re.compile(r'EnumAttrCase<"\w+", \d+, "(\w+)">')
# A word as a string of its own where it cannot be anything else, otherwise where it is compared.
DISTINCT = re.compile(r"[A-Z]{3}|_")
READ_BY_NAME = re.compile(r'\b(getAttr|getAttrOfType<[^>]*>|getInherentAttr|intOr|intsOr)\((\w+, )?"')
FROM_THE_BACK = re.compile(
    r"(?P<a>\w[\w.]*) < 0 \? (?P=a) \+|if \((?P<b>\w[\w.]*) < 0\) (?P=b) \+=|(?P<c>\w[\w.]*) \+= (?P=c) < 0 \?")


def words(root):
    if not os.path.isfile(os.path.join(root, ENUMS)):
        return []
    return sorted({word for line in read_lines(root, ENUMS) for word in WORD.findall(line)})


def word_pattern(word):
    literal = rf'"{re.escape(word)}"'
    return re.compile(literal if DISTINCT.search(word) else rf"(?:mode|reduction|direction|policy)\w*(?:\(\))? [=!]= {literal}", re.IGNORECASE)


def is_product(path):
    return path.startswith(PRODUCT) and "_test." not in path and "/test/" not in path and "op_cases" not in path


def check(root):
    patterns = [(word, word_pattern(word)) for word in words(root)]
    for path in source_files(root, (".cpp", ".h")):
        if not is_product(path):
            continue
        for number, line in enumerate(read_lines(root, path), 1):
            code = line.split("//")[0]
            if not path.startswith(SPELLS_WORDS):
                for word, pattern in patterns:
                    if pattern.search(code):
                        yield f"{path}:{number}: spells the word '{word}', which is an enum class for it ({ENUMS})"
            if path.startswith(("backends/", "compiler/transforms/", "compiler/partition/")) and READ_BY_NAME.search(code):
                yield f"{path}:{number}: reads an attribute by its name, use the operator's accessor: {line.strip()}"
            if not path.startswith("compiler/ir/spec/") and FROM_THE_BACK.search(code):
                yield f"{path}:{number}: counts from the back, use compiler/ir/spec: {line.strip()}"


if __name__ == "__main__":
    run_check(check, __doc__)
