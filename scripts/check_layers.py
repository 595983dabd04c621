#!/usr/bin/env python3
"""Every #include between our folders is an edge of layers.toml, every edge there has a use, every added one is in ARCHITECTURE.md."""

import os
import re
import sys
import tomllib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_common import CXX_SUFFIXES, read_lines, run_check, source_files

INCLUDE = re.compile(r'^\s*(?:#\s*)?include\s+(["<])([^">]+)[">]')


def matches(pattern, text, suffix=""):
    """The match of a pattern of layers.toml, whose `*` stands for one name, at the start of text."""
    return re.match("^" + re.escape(pattern).replace(r"\*", "([^/]+)") + suffix, text)


class Layers:
    """The table, with groups expanded and `*` folders matched by name."""

    def __init__(self, text):
        table = tomllib.loads(text)
        self.groups = table.get("groups", {})
        self.folders = {name: self._expand(edges) for name, edges in table["folders"].items()}
        self.planned = {name: self._expand(edges) for name, edges in table.get("planned", {}).items()}
        for edge in table.get("edge", []):
            if not edge.get("reason"):
                raise ValueError(f"layers.toml: edge {edge['from']} -> {edge['to']} has no reason")
            self.folders.setdefault(edge["from"], []).append(edge["to"])
        self.added_edges = [(edge["from"], edge["to"]) for edge in table.get("edge", [])]
        self.for_tests = self._expand(table.get("tests", {}).get("include", []))
        self.third_party = table.get("third_party", {})
        self.backend_of = {}

    def add_backend(self, folder, text):
        """The rows of a backend's own sub-folders: what every backend may include there, and what they name inside it."""
        for name, edges in tomllib.loads(text)["folders"].items():
            common, backend = self.folder_of(f"{folder}/{name}/")
            self.folders[f"{folder}/{name}"] = self.folders[common] + [f"{folder}/{edge}" for edge in edges]
            self.backend_of[f"{folder}/{name}"] = backend

    def edges_of_tests(self, folder):
        """What the tests of a folder may include: the oracle, what lies below it, and what that may include."""
        below = [name for name in self.folders if name.startswith(folder + "/")]
        return self.for_tests + below + [edge for name in below for edge in self.folders[name]]

    def _expand(self, edges):
        expanded = []
        for edge in edges:
            expanded += self._expand(self.groups[edge[1:]]) if edge.startswith("@") else [edge]
        return expanded

    def folder_of(self, path):
        """(the pattern that covers path, what its `*` stood for); the longest pattern wins."""
        best = (None, None)
        for pattern in [*self.folders, *self.planned]:
            match = matches(pattern, path, "/")
            if match and len(pattern) > len(best[0] or ""):
                best = (pattern, match.group(1) if match.groups() else self.backend_of.get(pattern))
        return best

    def edge_for(self, edges, source_star, target, target_star, target_path):
        """The one of `edges` that an include of `target_path` in folder `target` goes through, or None."""
        for edge in edges:
            if edge in ("*", target_path, target) and ("*" not in edge or edge == "*"):
                return edge
            if re.fullmatch(re.escape(edge).replace(r"\*", "[^/]+"), target_path):
                return edge  # an edge to single headers, as backends/*/compiler/register.h
            if "{own}" in edge and edge.replace("{own}", source_star or "") == target.replace("*", target_star or ""):
                return edge
        return None


def resolve(root, path, include):
    """The repository path an #include means, or None for a header that is not ours."""
    if include.startswith("tessera/"):
        return "include/" + include
    if "/" not in include:
        return os.path.join(os.path.dirname(path), include)
    return include if os.path.isdir(os.path.join(root, include.split("/")[0])) else None


def is_test_file(path):
    return "_test." in path or "/test/" in path


def is_test_code(path):
    """Whether the file is no part of the product, so that it may use what tests share."""
    return is_test_file(path) or path.startswith(("bench/", "tests/")) or "/bench/" in path


def undocumented_edges(root, layers):
    """Added edges without a row in ARCHITECTURE.md."""
    path = os.path.join(root, "ARCHITECTURE.md")
    rows = [line for line in read_lines(root, path) if line.startswith("|")] if os.path.isfile(path) else []
    for source, target in layers.added_edges:
        if not any(f"`{source}`" in row and f"`{target}`" in row for row in rows):
            yield f"layers.toml: the edge {source} -> {target} has no row in ARCHITECTURE.md"


def check_include(layers, path, source, source_star, target_path, used):
    """The finding about one include, or None; adds to `used` the edge that it goes through."""
    target, target_star = layers.folder_of(target_path)
    if target is None:
        return f"{target_path} is in no folder of layers.toml"
    if "/test/" in target_path and not is_test_code(path):
        return f"{target_path} is for tests only"
    if source == target and source_star == target_star:
        return None
    if source != target:
        goes_to = (source_star, target, target_star, target_path)
        edge = layers.edge_for(layers.folders[source], *goes_to)
        used.add((source, edge))
        if edge or is_test_file(path) and layers.edge_for(layers.edges_of_tests(source), *goes_to):
            return None
        if layers.edge_for(layers.planned.get(source, []), *goes_to):
            return f"{source} -> {target} is only planned: move the edge from [planned] to [folders] of layers.toml"
    return f"{source} may not include {target} ({target_path}); layers.toml has no such edge"


def unused_rows(layers, folders, used):
    """Rows without a source file, edges that no include goes through, planned edges that stand twice."""
    for folder, edges in layers.folders.items():
        if "*" in folder or folder in layers.backend_of:
            continue  # A backend may come or go without a change here.
        if folder not in folders:
            yield f"layers.toml: no source file is in {folder}: its row belongs into [planned]"
            continue
        for edge in edges:
            # Single headers are included by what the build generates.
            if edge != "*" and not edge.endswith(".h") and (folder, edge) not in used:
                yield f"layers.toml: no file of {folder} includes {edge}: the edge belongs into [planned]"
    in_groups = {edge for group in layers.groups.values() for edge in group}
    for folder, edges in layers.planned.items():
        for edge in sorted(set(edges) & set(layers.folders.get(folder, [])) - in_groups):
            yield f"layers.toml: the edge {folder} -> {edge} is in [planned], too"


def check(root):
    with open(os.path.join(root, "layers.toml"), encoding="utf-8") as file:
        layers = Layers(file.read())
    for path in source_files(root, ("/layers.toml",)):
        layers.add_backend(os.path.dirname(path), "\n".join(read_lines(root, path)))
    yield from undocumented_edges(root, layers)
    folders, used = set(), set()
    for path in source_files(root, CXX_SUFFIXES):
        source, source_star = layers.folder_of(path)
        if source not in layers.folders:
            yield (f"{path}: its folder is not in layers.toml" if source is None else
                   f"{path}: {source} is only planned: move its row to [folders] of layers.toml")
            continue
        folders.add(source)
        forbidden = () if is_test_file(path) else tuple(layers.third_party.get(source, []))
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
            finding = check_include(layers, path, source, source_star, target_path, used)
            if finding:
                yield f"{path}:{number}: {finding}"
    yield from unused_rows(layers, folders, used)


if __name__ == "__main__":
    run_check(check, __doc__)
