#!/usr/bin/env python3
"""What is public, from what the compiler's tools write.

    api.py list PRODUCT FOLDER   a line for each symbol, of the symbol graphs in FOLDER, sorted
    api.py public DUMP           the digester's dump without what only this package sees
"""

import json
import sys
from pathlib import Path

# What every type has unless it says otherwise.
SILENT = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable"}


def declaration(symbol):
    text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    extension = symbol.get("swiftExtension", {})
    if constraints := extension.get("constraints"):
        signs = {"conformance": ":", "superclass": ":", "sameType": " =="}
        told = [f"{each['lhs']}{signs[each['kind']]} {each['rhs']}" for each in constraints]
        missing = [each for each in told if each not in text and each.replace(":", " :") not in text]
        if missing:
            text += " [where " + ", ".join(missing) + "]"
    return " ".join(text.split())


def lines(graphs):
    """A line a symbol and a line a type that conforms, each with the path of what it belongs to."""
    names, found = {}, set()
    for graph in graphs:
        for symbol in graph["symbols"]:
            names[symbol["identifier"]["precise"]] = ".".join(symbol["pathComponents"])
    for graph in graphs:
        required = {r["source"] for r in graph["relationships"] if r["kind"] == "requirementOf"}
        for symbol in graph["symbols"]:
            precise = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" in precise:  # the standard library's own, by way of a conformance
                continue
            assert symbol["accessLevel"] in ("public", "open"), symbol
            owner = ".".join(symbol["pathComponents"][:-1])
            line = declaration(symbol)
            for item in symbol.get("availability", []):
                line = ("deprecated " if item.get("isUnconditionallyDeprecated") else "") + line
            if precise in required:
                line = "requirement " + line
            found.add(f"{owner + ': ' if owner else ''}{line}")
        for relation in graph["relationships"]:
            target = relation.get("targetFallback") or names.get(relation["target"], relation["target"])
            if relation["kind"] in ("conformsTo", "inheritsFrom") and target not in SILENT:
                source = names.get(relation["source"], relation["source"])
                where = " where " + ", ".join(
                    f"{c['lhs']}: {c['rhs']}" for c in relation["swiftConstraints"]) if relation.get("swiftConstraints") else ""
                found.add(f"{source}: conforms to {target}{where}")
    return sorted(found)


def public(node):
    """The node of a dump without its inner symbols; None for one itself."""
    if node.get("isInternal") or (node.get("declKind") == "Import"):
        return None
    if "children" in node:
        node["children"] = [kept for child in node["children"] if (kept := public(child))]
    return node


def main():
    if sys.argv[1] == "list":
        product, folder = sys.argv[2], Path(sys.argv[3])
        files = sorted(folder.glob(f"{product}.symbols.json")) + sorted(folder.glob(f"{product}@*.symbols.json"))
        found = lines([json.loads(file.read_text()) for file in files])
        assert found, product
        print("\n".join(found))
    else:
        dump = json.loads(Path(sys.argv[2]).read_text())
        dump["ABIRoot"] = public(dump["ABIRoot"])
        json.dump(dump, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
