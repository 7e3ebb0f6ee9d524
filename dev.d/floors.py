#!/usr/bin/env python3
"""Holds the floors of docs/design.md: no folder names anything of a folder above it, or beside it.

usage: floors.py INDEX-STORE LIBINDEXSTORE

The order stands in docs/design.md alone: behind a line that names `Sources/MODULE` or `CShims/TARGET`, the rows of a
table, from the top down. Folders in one row are siblings that never see each other; `./` is what lies in none. For
Swift the compiler's own index of the last build tells who refers to what: members of extensions and operators too,
no word in a comment. For C the #include lines do.
"""

import collections
import ctypes
import pathlib
import re
import sys

DEFINITION, REFERENCE = 1 << 1, 1 << 2  # roles of an occurrence
RECORD = 2  # a kind of dependency


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


class Index:
    """What the build wrote: for each file the symbols it defines and those it refers to."""

    def __init__(self, store, library):
        self.lib = ctypes.CDLL(library)
        pointers = (
            "store_create unit_reader_create record_reader_create occurrence_get_symbol"
        )
        for name in pointers.split():
            getattr(self.lib, "indexstore_" + name).restype = ctypes.c_void_p
        for name in (
            "unit_reader_get_main_file unit_dependency_get_name unit_dependency_get_filepath symbol_get_usr "
            "symbol_get_name"
        ).split():
            getattr(self.lib, "indexstore_" + name).restype = Text
        self.lib.indexstore_occurrence_get_roles.restype = ctypes.c_uint64
        error = ctypes.c_void_p()
        self.store = ctypes.c_void_p(
            self.lib.indexstore_store_create(store.encode(), ctypes.byref(error))
        )
        if not self.store:
            raise SystemExit(f"floors: no index at {store}")

    def apply(self, function, subject, action, argument=ctypes.c_void_p):
        callback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, argument)
        call = callback(lambda _, item: action(item) or True)
        arguments = (False,) if function.endswith("units_apply_f") else ()
        getattr(self.lib, "indexstore_" + function)(subject, *arguments, None, call)

    def units(self):
        names = []
        self.apply(
            "store_units_apply_f", self.store, lambda n: names.append(str(n)), Text
        )
        return names

    def records(self, unit):
        """(file, record) pairs of a unit."""
        error, found = ctypes.c_void_p(), []
        reader = self.lib.indexstore_unit_reader_create(
            self.store, unit.encode(), ctypes.byref(error)
        )
        if not reader:
            return found
        reader = ctypes.c_void_p(reader)

        def take(dependency):
            dependency = ctypes.c_void_p(dependency)
            if self.lib.indexstore_unit_dependency_get_kind(dependency) == RECORD:
                found.append(
                    (
                        str(
                            self.lib.indexstore_unit_dependency_get_filepath(dependency)
                        ),
                        str(self.lib.indexstore_unit_dependency_get_name(dependency)),
                    )
                )

        self.apply("unit_reader_dependencies_apply_f", reader, take)
        self.lib.indexstore_unit_reader_dispose(reader)
        return found

    def occurrences(self, record):
        """(symbol, name, roles, line) of a record."""
        error, found = ctypes.c_void_p(), []
        reader = self.lib.indexstore_record_reader_create(
            self.store, record.encode(), ctypes.byref(error)
        )
        if not reader:
            return found
        reader = ctypes.c_void_p(reader)
        line, column = ctypes.c_uint(), ctypes.c_uint()

        def take(occurrence):
            occurrence = ctypes.c_void_p(occurrence)
            symbol = ctypes.c_void_p(
                self.lib.indexstore_occurrence_get_symbol(occurrence)
            )
            self.lib.indexstore_occurrence_get_line_col(
                occurrence, ctypes.byref(line), ctypes.byref(column)
            )
            found.append(
                (
                    str(self.lib.indexstore_symbol_get_usr(symbol)),
                    str(self.lib.indexstore_symbol_get_name(symbol)),
                    self.lib.indexstore_occurrence_get_roles(occurrence),
                    line.value,
                )
            )

        self.apply("record_reader_occurrences_apply_f", reader, take)
        self.lib.indexstore_record_reader_dispose(reader)
        return found


def order_of_page(page):
    """{module folder: [[folders of a row], ...]}, from the top down."""
    orders, module = {}, None
    for line in page.read_text().splitlines():
        row = re.match(r"\| *((?:`[\w./]+/` *)+)\|", line)
        if row and module:
            orders[module].append(re.findall(r"`([\w./]+)/`", row[1]))
        named = None if line.startswith("|") else re.search(r"`((?:Sources|CShims)/\w+)`", line)
        if named:
            module = named[1]
            orders.setdefault(module, [])
    return {module: rows for module, rows in orders.items() if rows}


def swift_references(root, index):
    """(file, file it refers to, name, line) for what one file of Sources/ names of another."""
    records = collections.defaultdict(set)
    for unit in index.units():
        for path, record in index.records(unit):
            path = pathlib.Path(path)
            if path.is_relative_to(root / "Sources") and path.exists():
                records[path.relative_to(root)].add(record)
    occurrences = {
        path: [one for record in found for one in index.occurrences(record)]
        for path, found in records.items()
    }
    home = {}
    for path, found in occurrences.items():
        for symbol, _, roles, _ in found:
            if roles & DEFINITION:
                home.setdefault(symbol, path)
    for path, found in occurrences.items():
        for symbol, name, roles, line in found:
            if roles & REFERENCE and home.get(symbol, path) != path:
                yield path, home[symbol], name, line


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


def breaches(references, orders):
    """One line for each file that names what it must not, and for each folder that has no floor."""
    said = {}
    for path, to, name, line in references:
        module = "/".join(path.parts[:2])
        if module not in orders or to.parts[:2] != path.parts[:2]:
            continue
        floor = {folder: k for k, row in enumerate(orders[module]) for folder in row}
        own, other = (file.parts[2] if len(file.parts) > 3 else "." for file in (path, to))
        if own == other:
            continue
        if own not in floor or other not in floor:
            folder = own if own not in floor else other
            said[module, folder] = f"{module}: `{folder}/` has no row in docs/design.md"
        elif floor[other] <= floor[own]:
            where = "above" if floor[other] < floor[own] else "beside"
            said.setdefault((path, to), f"{path}:{line}: '{name}' is {where}: {to}")
    return sorted(said.values())


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    orders = order_of_page(root / "docs/design.md")
    index = Index(*sys.argv[1:3])
    references = list(swift_references(root, index))
    seen = {"/".join(path.parts[:2]) for path, *_ in references}
    said = [
        f"{module}: folders and no order in docs/design.md"
        for module in sorted(str(p.relative_to(root)) for p in (root / "Sources").iterdir())
        if module not in orders and any(p.is_dir() for p in (root / module).iterdir())
    ]
    said += [
        f"{module}: not in the index; build first"
        for module in sorted(orders)
        if module.startswith("Sources/") and module not in seen
    ]
    for target in sorted(orders):
        if target.startswith("CShims/"):
            references += c_references(root, target)
    said += breaches(references, orders)
    print(*said, sep="\n", end="\n" if said else "")
    print(f"floors: {len(orders)} modules, {len(references)} references, {len(said)} that break an order")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
