"""The compiler's own index of the last build: which file defines what, and who refers to it."""

import collections
import ctypes
import pathlib
import re

DEFINITION, REFERENCE = 1 << 1, 1 << 2  # roles of an occurrence
RECORD = 2  # a kind of dependency


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


# The functions of libIndexStore that are called here, by what they return.
FUNCTIONS = {
    ctypes.c_void_p: "store_create unit_reader_create record_reader_create occurrence_get_symbol",
    ctypes.c_uint64: "occurrence_get_roles",
    Text: "unit_dependency_get_name unit_dependency_get_filepath symbol_get_usr symbol_get_name",
    ctypes.c_bool: "store_units_apply_f unit_reader_dependencies_apply_f record_reader_occurrences_apply_f",
    ctypes.c_int: "unit_dependency_get_kind",
    None: "unit_reader_dispose record_reader_dispose occurrence_get_line_col",
}


class Index:
    """What the build wrote: for each file the symbols it defines and those it refers to."""

    def __init__(self, store, library):
        lib = ctypes.CDLL(library)
        for result, names in FUNCTIONS.items():
            for name in names.split():
                function = getattr(lib, "indexstore_" + name)
                function.restype = result
                setattr(self, name, function)
        self.store = ctypes.c_void_p(self.store_create(store.encode(), ctypes.byref(ctypes.c_void_p())))
        if not self.store:
            raise SystemExit(f"no index at {store}")

    @staticmethod
    def all(apply, subject, *flags, kind=ctypes.c_void_p, read=ctypes.c_void_p):
        """What `read` makes of each item while the library shows it."""
        found = []
        callback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, kind)
        apply(subject, *flags, None, callback(lambda _, item: found.append(read(item)) or True))
        return found

    def units(self):
        return self.all(self.store_units_apply_f, self.store, False, kind=Text, read=str)

    def records(self, unit):
        """(file, record) pairs of a unit."""

        def read(item):
            item = ctypes.c_void_p(item)
            if self.unit_dependency_get_kind(item) == RECORD:
                return str(self.unit_dependency_get_filepath(item)), str(self.unit_dependency_get_name(item))

        reader = ctypes.c_void_p(self.unit_reader_create(self.store, unit.encode(), ctypes.byref(ctypes.c_void_p())))
        found = self.all(self.unit_reader_dependencies_apply_f, reader, read=read) if reader else []
        self.unit_reader_dispose(reader)
        return filter(None, found)

    def occurrences(self, record):
        """(symbol, name, roles, line) of a record."""
        line, column = ctypes.c_uint(), ctypes.c_uint()

        def read(item):
            item = ctypes.c_void_p(item)
            symbol = ctypes.c_void_p(self.occurrence_get_symbol(item))
            self.occurrence_get_line_col(item, ctypes.byref(line), ctypes.byref(column))
            return str(self.symbol_get_usr(symbol)), str(self.symbol_get_name(symbol)), self.occurrence_get_roles(item), line.value

        reader = ctypes.c_void_p(self.record_reader_create(self.store, record.encode(), ctypes.byref(ctypes.c_void_p())))
        found = self.all(self.record_reader_occurrences_apply_f, reader, read=read) if reader else []
        self.record_reader_dispose(reader)
        return found


def references(root, index, folders=("Sources",)):
    """(file, file it refers to, name, line) for what one file of these folders names of another."""
    records = collections.defaultdict(set)
    for unit in index.units():
        for path, record in index.records(unit):
            path = pathlib.Path(path)
            if any(path.is_relative_to(root / folder) for folder in folders) and path.exists():
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
            # Of C functions and variables: the name of a type may stand where the type is not known.
            is_type = symbol.startswith("c:") and not re.match(r"c:(.*@F@|@\w+$)", symbol)
            if roles & REFERENCE and home.get(symbol, path) != path and not is_type:
                yield path, home[symbol], name, line
