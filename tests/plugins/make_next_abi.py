#!/usr/bin/env python3
"""Writes headers as the next version of the plugin ABI may have them: every struct of the present ones has a field more at
its end, and both halves an optional function."""

import argparse
import os
import re

HEADERS = ("backend_compile.h", "backend_runtime.h")
OWN_SHAPE = ("tessera_dtype", "tessera_device", "tessera_dltensor")  # DLPack's.


def grown(text):
    """The header with its version and its structs one further."""
    text = re.sub(r"(TESSERA_BACKEND_(?:COMPILE|RUNTIME)_ABI_VERSION = )(\d+)", lambda m: m[1] + str(int(m[2]) + 1), text)

    def grow(match):
        name = match[1]
        if name in OWN_SHAPE:
            return match[0]
        function = "  int32_t (*added_function)(void);\n" if name.startswith("tessera_backend_") else ""
        return f"  uint64_t added;\n{function}}} {name};"
    return re.sub(r"^\} (tessera_\w+);", grow, text, flags=re.MULTILINE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", required=True, help="the folder with tessera/backend_compile.h")
    parser.add_argument("--output", required=True, help="the folder to write tessera/*.h into")
    options = parser.parse_args()
    os.makedirs(os.path.join(options.output, "tessera"), exist_ok=True)
    for header in HEADERS:
        with open(os.path.join(options.include, "tessera", header), encoding="utf-8") as file:
            text = grown(file.read())
        with open(os.path.join(options.output, "tessera", header), "w", encoding="utf-8") as file:
            file.write(text)
