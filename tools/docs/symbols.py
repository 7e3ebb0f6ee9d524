#!/usr/bin/env python3
"""Counts the public symbols of symbol graphs, and names each that no comment documents.

usage: symbols.py FOLDER COUNTS

A function of two parameters or more says what they are, or which other symbol to see; of operators anybody knows it.

What the compiler makes (members of a protocol's extension that a type gets, conformances that it writes) is left out: these
have another symbol's text, or none to write. A member of an extension counts, of other modules' types too; the
extension itself, which is only where members stand, does not.
"""

import json
import re
import sys
from pathlib import Path


def written(symbol):
    return (
        "location" in symbol
        and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
        and symbol["kind"]["identifier"] != "swift.extension")


# Another symbol's comment says the rest.
REFERS = re.compile(r"\bsee\b|^As ", re.I | re.M)


def fault(symbol):
    """What a symbol's comment lacks; None where it lacks nothing."""
    text = "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))
    if not text.strip():
        return "is not documented"
    parameters = symbol.get("functionSignature", {}).get("parameters", [])
    is_operator = not symbol["pathComponents"][-1][0].isalpha()
    if len(parameters) > 1 and not is_operator and "- Parameter" not in text and not REFERS.search(text):
        return "does not say what its parameters are"
    return None


def main(folder, counts):
    count, bare = 0, []
    for path in sorted(Path(folder).rglob("*.symbols.json")):
        for symbol in json.loads(path.read_text())["symbols"]:
            if written(symbol):
                count += 1
                if wrong := fault(symbol):
                    bare.append((symbol, wrong))
    for symbol, wrong in bare:
        file = symbol["location"]["uri"].rpartition("/Sources/")[2]
        line = symbol["location"]["position"]["line"] + 1
        print(f"Sources/{file}:{line}: {'.'.join(symbol['pathComponents'])} {wrong}")
    if not count:
        print("there are no symbols")
    Path(counts).write_text(f"symbols {count}, documented {count - len(bare)}")
    return bool(bare) or not count


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
