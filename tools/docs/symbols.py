#!/usr/bin/env python3
"""Counts the public symbols of symbol graphs, and names the undocumented ones.

usage: symbols.py FOLDER COUNTS

The comment of a function with two or more parameters, except operators, must document them or refer
to another symbol.

Symbols that the compiler makes (members of protocol extensions, synthesised conformances) do not
count, nor extensions themselves. Members of extensions count, of other modules' types too.
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


# Refers to another symbol's comment.
REFERS = re.compile(r"\bsee\b|^As ", re.I | re.M)


def error(symbol):
    """What a symbol's comment lacks, or None."""
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
                if wrong := error(symbol):
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
