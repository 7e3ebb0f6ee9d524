"""The compiler's own index of the last build: which file defines what, and who refers to it."""

import collections
import ctypes
import pathlib

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
            if roles & REFERENCE and home.get(symbol, path) != path:
                yield path, home[symbol], name, line
