#!/usr/bin/env python3
"""Counts the public symbols of symbol graphs, and names each that no comment documents.

usage: symbols.py FOLDER COUNTS

What the compiler makes (members of a protocol's extension that a type gets, conformances that it writes) is left out: these
have another symbol's text, or none to write. A member of an extension counts, of other modules' types too; the
extension itself, which is only where members stand, does not.
"""

import json
import sys
from pathlib import Path


def written(symbol):
    return (
        "location" in symbol
        and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
        and symbol["kind"]["identifier"] != "swift.extension")


def is_documented(symbol):
    return any(line["text"].strip() for line in symbol.get("docComment", {}).get("lines", []))


def main(folder, counts):
    count, bare = 0, []
    for path in sorted(Path(folder).rglob("*.symbols.json")):
        for symbol in json.loads(path.read_text())["symbols"]:
            if written(symbol):
                count += 1
                if not is_documented(symbol):
                    bare.append(symbol)
    for symbol in bare:
        file = symbol["location"]["uri"].rpartition("/Sources/")[2]
        line = symbol["location"]["position"]["line"] + 1
        print(f"Sources/{file}:{line}: {'.'.join(symbol['pathComponents'])} is not documented")
    if not count:
        print("there are no symbols")
    Path(counts).write_text(f"symbols {count}, documented {count - len(bare)}")
    return bool(bare) or not count


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
