#!/usr/bin/env python3
"""Every #include between our folders is an edge of layers.toml, and every added edge is in ARCHITECTURE.md."""

import os
import re
import sys
import tomllib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import CXX_SUFFIXES, read_lines, run_check, source_files

INCLUDE = re.compile(r'^\s*(?:#\s*)?include\s+(["<])([^">]+)[">]')


class Layers:
    """The table, with groups expanded and `*` folders matched by name."""

    def __init__(self, text):
        table = tomllib.loads(text)
        self.groups = table.get("groups", {})
        self.folders = {name: self._expand(edges) for name, edges in table["folders"].items()}
        for edge in table.get("edge", []):
            if not edge.get("reason"):
                raise ValueError(f"layers.toml: edge {edge['from']} -> {edge['to']} has no reason")
            self.folders.setdefault(edge["from"], []).append(edge["to"])
        self.added_edges = [(edge["from"], edge["to"]) for edge in table.get("edge", [])]
        self.for_tests = self._expand(table.get("tests", {}).get("include", []))
        self.third_party = table.get("third_party", {})

    def _expand(self, edges):
        expanded = []
        for edge in edges:
            expanded += self._expand(self.groups[edge[1:]]) if edge.startswith("@") else [edge]
        return expanded

    def folder_of(self, path):
        """(the pattern of layers.toml that covers path, what its `*` stood for); the longest pattern wins."""
        best = (None, None)
        for pattern in self.folders:
            match = re.match("^" + re.escape(pattern).replace(r"\*", "([^/]+)") + "/", path)
            if match and len(pattern) > len(best[0] or ""):
                best = (pattern, match.group(1) if match.groups() else None)
        return best

    def allows(self, source, source_star, target, target_star, target_path, is_test):
        """Whether a file of folder `source` may include `target_path` of folder `target`."""
        if source == target:
            return source_star == target_star
        edges = self.folders[source] + (self.for_tests if is_test else [])
        for edge in edges:
            if edge in ("*", target_path) or (edge == target and "*" not in edge):
                return True
            if re.fullmatch(re.escape(edge).replace(r"\*", "[^/]+"), target_path):
                return True  # an edge to single headers, as backends/*/compiler/register.h
            if "{own}" in edge and edge.replace("{own}", source_star or "") == target.replace("*", target_star or ""):
                return True
        return False


def resolve(root, path, include):
    """The repository path an #include means, or None for a header that is not ours."""
    if include.startswith("tessera/"):
        return "include/" + include
    if "/" not in include:
        return os.path.join(os.path.dirname(path), include)
    return include if os.path.isdir(os.path.join(root, include.split("/")[0])) else None


def is_test_file(path):
    return "_test." in path or "/test/" in path


def undocumented_edges(root, layers):
    """Added edges without a row in ARCHITECTURE.md."""
    path = os.path.join(root, "ARCHITECTURE.md")
    rows = [line for line in read_lines(root, path) if line.startswith("|")] if os.path.isfile(path) else []
    for source, target in layers.added_edges:
        if not any(f"`{source}`" in row and f"`{target}`" in row for row in rows):
            yield f"layers.toml: the edge {source} -> {target} has no row in ARCHITECTURE.md"


def check(root):
    with open(os.path.join(root, "layers.toml"), encoding="utf-8") as file:
        layers = Layers(file.read())
    yield from undocumented_edges(root, layers)
    for path in source_files(root, CXX_SUFFIXES):
        source, source_star = layers.folder_of(path)
        if source is None:
            yield f"{path}: its folder is not in layers.toml"
            continue
        forbidden = tuple(prefix for name, prefixes in layers.third_party.items()
                          if name == source and not is_test_file(path) for prefix in prefixes)
        for number, line in enumerate(read_lines(root, path), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            include = match.group(2)
            target_path = resolve(root, path, include) if match.group(1) == '"' or "tessera/" in include else None
            if target_path is None:
                if include.startswith(forbidden) and forbidden:
                    yield f"{path}:{number}: {source} must not include the third-party header {include}"
                continue
            target, target_star = layers.folder_of(target_path)
            if target is None:
                yield f"{path}:{number}: {include} is in no folder of layers.toml"
            elif not layers.allows(source, source_star, target, target_star, target_path, is_test_file(path)):
                yield f"{path}:{number}: {source} may not include {target} ({include}); layers.toml has no such edge"


if __name__ == "__main__":
    run_check(check, __doc__)
