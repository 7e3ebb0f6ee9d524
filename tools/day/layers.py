#!/usr/bin/env python3
"""Checks the layers of tools/day/layers.txt: no folder uses a folder above it or one of its own layer.

usage: layers.py INDEX-STORE LIBINDEXSTORE

docs/design.md must name each folder of the list. References come from the compiler's index of the last build, with members of
extensions and operators and without comments; for C also from the #include lines. A C target uses only the targets of ours
that Package.swift lists as its dependencies.
"""

import pathlib
import re
import sys

from index import Index, references


def read_orders(path):
    """{module folder: [[folders of a layer], ...]}, from the top down."""
    orders, module = {}, None
    for line in path.read_text().splitlines():
        if line.startswith(" "):
            orders[module].append(line.split())
        elif line and not line.startswith("#"):
            module = line
            orders[module] = []
    return orders


def not_on_page(page, orders):
    """One line for each folder that the page does not name as `Folder/`."""
    text = page.read_text()
    return [
        f"{page.name}: `{folder}/` of {module} is missing"
        for module, rows in orders.items()
        for folder in sum(rows, [])
        if folder != "." and f"`{folder}/`" not in text
    ]


def c_references(root, target):
    folder = root / target
    for path in sorted([*folder.rglob("*.c"), *folder.rglob("*.h")]):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            included = re.match(r'#include "([^"]+)"', line)
            if not included:
                continue
            for base in (path.parent, folder, folder / "include"):
                if (base / included[1]).exists():
                    to = (base / included[1]).resolve()
                    yield path.relative_to(root), to.relative_to(root), included[1], number
                    break


def undeclared_dependencies(found, package):
    """One line for each name of another C target that is not a dependency in Package.swift."""
    targets = re.findall(
        r'(?:\bshim\(|name:)\s*"(\w+)"(?:,\s*(?:dependencies: )?\[([^\]]*)\])?', package)
    allowed = {target: re.findall(r'"(\w+)"', names) for target, names in targets}
    return sorted({
        f"{path}: '{name}' is in {to.parts[1]}, which is no dependency of {path.parts[1]}"
        for path, to, name, _ in found
        if path.parts[0] == to.parts[0] == "CShims" and path.parts[1] != to.parts[1]
        # The malloc of Counters replaces that of libc.
        and "Counters" not in to.parts[1] and to.parts[1] not in allowed.get(path.parts[1], [])
    })


def errors_of(found, orders):
    """One line for each file that uses a layer above its own, and for each folder without a layer."""
    errors = {}
    for path, to, name, line in found:
        module = "/".join(path.parts[:2])
        if module not in orders or to.parts[:2] != path.parts[:2]:
            continue
        layer = {folder: k for k, row in enumerate(orders[module]) for folder in row}
        own, other = (file.parts[2] if len(file.parts) > 3 else "." for file in (path, to))
        if own == other:
            continue
        if own not in layer or other not in layer:
            folder = own if own not in layer else other
            errors[module, folder] = f"{module}: `{folder}/` is not in tools/day/layers.txt"
        elif layer[other] <= layer[own]:
            where = "a layer above" if layer[other] < layer[own] else "the same layer"
            errors.setdefault((path, to), f"{path}:{line}: '{name}' is in {where}: {to}")
    return sorted(errors.values())


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    orders = read_orders(root / "tools/day/layers.txt")
    index = Index(*sys.argv[1:3])
    found = list(references(root, index, ("Sources", "CShims")))
    seen = {"/".join(path.parts[:2]) for path, *_ in found}
    errors = [
        f"{module}: has folders but is not in tools/day/layers.txt"
        for module in sorted(str(p.relative_to(root)) for p in (root / "Sources").iterdir())
        if module not in orders and any(p.is_dir() and p.suffix != ".docc" for p in (root / module).iterdir())
    ]
    errors += [
        f"{module}: not in the index; build first"
        for module in sorted(orders)
        if module not in seen
    ]
    for target in sorted(orders):
        if target.startswith("CShims/"):
            found += c_references(root, target)
    errors += not_on_page(root / "docs/design.md", orders)
    errors += undeclared_dependencies(found, (root / "Package.swift").read_text())
    errors += errors_of(found, orders)
    print(*errors, sep="\n", end="\n" if errors else "")
    print(f"layers: {len(orders)} modules, {len(found)} references, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
