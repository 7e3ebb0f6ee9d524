#!/usr/bin/env python3
"""Prints the public symbols of a product, one line each, sorted.

usage: api.py PRODUCT FOLDER
"""

import json
import sys
from pathlib import Path

# Conformances that every type has by default.
SILENT = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable"}
SIGNS = {"conformance": ":", "superclass": ":", "sameType": " =="}


def declaration(symbol):
    text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    constraints = symbol.get("swiftExtension", {}).get("constraints", [])
    conditions = [f"{each['lhs']}{SIGNS[each['kind']]} {each['rhs']}" for each in constraints]
    missing = [each for each in conditions if each not in text and each.replace(":", " :") not in text]
    if missing:
        text += " [where " + ", ".join(missing) + "]"
    return " ".join(text.split())


def lines(graphs):
    """A line for each symbol and each conformance, with the path of its type."""
    names = {
        symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for graph in graphs for symbol in graph["symbols"]}
    for graph in graphs:
        required = {r["source"] for r in graph["relationships"] if r["kind"] == "requirementOf"}
        for symbol in graph["symbols"]:
            precise = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" in precise:  # the standard library's own, by way of a conformance
                continue
            owner = ".".join(symbol["pathComponents"][:-1])
            deprecated = any(item.get("isUnconditionallyDeprecated") for item in symbol.get("availability", []))
            yield (
                (f"{owner}: " if owner else "") + ("requirement " if precise in required else "")
                + ("deprecated " if deprecated else "") + declaration(symbol))
        for relation in graph["relationships"]:
            target = relation.get("targetFallback") or names.get(relation["target"], relation["target"])
            if relation["kind"] in ("conformsTo", "inheritsFrom") and target not in SILENT:
                where = ", ".join(f"{c['lhs']}: {c['rhs']}" for c in relation.get("swiftConstraints", []))
                source = names.get(relation["source"], relation["source"])
                yield f"{source}: conforms to {target}" + (f" where {where}" if where else "")


def main(product, folder):
    files = [*Path(folder).glob(f"{product}.symbols.json"), *Path(folder).glob(f"{product}@*.symbols.json")]
    found = sorted(set(lines([json.loads(file.read_text()) for file in files])))
    print("\n".join(found))
    return not found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
