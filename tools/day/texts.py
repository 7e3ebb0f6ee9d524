#!/usr/bin/env python3
"""Public values that hold texts compare them byte for byte: none leaves its == to the compiler, which takes String's.

Run by `./dev lint`. For String texts are equal that Unicode calls equivalent (K and the Kelvin sign), for JOSE only the
same bytes are (RFC 7515, 10.13). A type that can be compared declares `==` with its own name, or holds `ExactText`.
"""

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Sources"

# Their words are constants of ours, which nobody else can make.
CLOSED = {"Kind", "Operation", "RedisFault", "JWKSetTransportFault", "ThumbprintHash"}

TYPE = re.compile(r"^ *public (?:struct|enum) (\w+)\s*(?::([^{]*))?\{", re.M)
LATER = re.compile(r"^ *extension (\w+)\s*:([^{]*)\{", re.M)
COMPARES = re.compile(r"\b(Hashable|Equatable|Comparable)\b")
# Stored, and perhaps watched: what is computed opens a brace for anything else.
STORED = re.compile(r"\s*(?:@\w+ )*(?:\w+(?:\(set\))? )*(?:let|var|case)\b[^{]*\bString\b[^{]*(\{ *(didSet\b|willSet\b).*)?$")


def body(text, start):
    """What stands between the brace before `start` and its partner."""
    depth, at = 1, start
    while depth and at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def stored_texts(text):
    """The lines of a type's own that store a String; what is nested or inside of a function stands deeper."""
    depth = 0
    code = re.sub(r"//.*", "", text)
    code = re.sub(r"\{\s*(didSet|willSet)\b", r"{ \1", code)
    for line in code.splitlines():
        if depth == 0 and STORED.match(line):
            yield line.strip()
        depth += line.count("{") - line.count("}")


def main():
    texts = {path: path.read_text() for path in sorted(SOURCES.rglob("*.swift"))}
    whole = "\n".join(texts.values())
    fine = CLOSED | set(re.findall(r"static func == *\(\s*\w+: (\w+)", whole))
    later = {found[1] for found in LATER.finditer(whole) if COMPARES.search(found[2])}
    seen, bad = set(), False
    for path, text in texts.items():
        for found in TYPE.finditer(text):
            name = found[1]
            seen.add(name)
            if name in fine or not (name in later or COMPARES.search(found[2] or "")):
                continue
            for line in stored_texts(body(text, found.end())):
                print(f"{path.relative_to(SOURCES.parent)}: {name} compares by String: {line}")
                bad = True
    for name in sorted(CLOSED - seen):
        print(f"{Path(__file__).name}: there is no public type {name}")
        bad = True
    return bad


if __name__ == "__main__":
    sys.exit(main())
