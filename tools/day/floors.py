#!/usr/bin/env python3
"""Checks the layers of tools/day/layers.txt: no folder uses a folder above it or one of its own layer.

usage: floors.py INDEX-STORE LIBINDEXSTORE

tools/day/layers.txt has the order, and docs/design.md names each of its folders. The
compiler's own index of the last build tells who refers to what: members of extensions and operators too, no word in a
comment. For C the #include lines do too, and a C target names no other of ours than Package.swift says it depends on.
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


def foreign_names(found, package):
    """One line for each name of another C target on which Package.swift does not let this one depend."""
    targets = re.findall(
        r'(?:\bshim\(|name:)\s*"(\w+)"(?:,\s*(?:dependencies: )?\[([^\]]*)\])?', package)
    allowed = {target: re.findall(r'"(\w+)"', names) for target, names in targets}
    return sorted({
        f"{path}: '{name}' is of {to.parts[1]}, on which {path.parts[1]} does not depend"
        for path, to, name, _ in found
        if path.parts[0] == to.parts[0] == "CShims" and path.parts[1] != to.parts[1]
        # Counters' malloc stands for that of libc.
        and "Counters" not in to.parts[1] and to.parts[1] not in allowed.get(path.parts[1], [])
    })


def breaches(found, orders):
    """One line for each file that names what it must not, and for each folder that has no floor."""
    said = {}
    for path, to, name, line in found:
        module = "/".join(path.parts[:2])
        if module not in orders or to.parts[:2] != path.parts[:2]:
            continue
        floor = {folder: k for k, row in enumerate(orders[module]) for folder in row}
        own, other = (file.parts[2] if len(file.parts) > 3 else "." for file in (path, to))
        if own == other:
            continue
        if own not in floor or other not in floor:
            folder = own if own not in floor else other
            said[module, folder] = f"{module}: `{folder}/` is not in tools/day/layers.txt"
        elif floor[other] <= floor[own]:
            where = "above" if floor[other] < floor[own] else "beside"
            said.setdefault((path, to), f"{path}:{line}: '{name}' is {where}: {to}")
    return sorted(said.values())


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    orders = read_orders(root / "tools/day/layers.txt")
    index = Index(*sys.argv[1:3])
    found = list(references(root, index, ("Sources", "CShims")))
    seen = {"/".join(path.parts[:2]) for path, *_ in found}
    said = [
        f"{module}: has folders but is not in tools/day/layers.txt"
        for module in sorted(str(p.relative_to(root)) for p in (root / "Sources").iterdir())
        if module not in orders and any(p.is_dir() and p.suffix != ".docc" for p in (root / module).iterdir())
    ]
    said += [
        f"{module}: not in the index; build first"
        for module in sorted(orders)
        if module not in seen
    ]
    for target in sorted(orders):
        if target.startswith("CShims/"):
            found += c_references(root, target)
    said += not_on_page(root / "docs/design.md", orders)
    said += foreign_names(found, (root / "Package.swift").read_text())
    said += breaches(found, orders)
    print(*said, sep="\n", end="\n" if said else "")
    print(f"floors: {len(orders)} modules, {len(found)} references, {len(said)} that break an order")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
