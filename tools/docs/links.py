#!/usr/bin/env python3
"""Checks every link of every page: files, anchors, and the paths of pages that other files name in their text.

usage: links.py COUNTS

Links of DocC (`doc:Name`) must name a page of their catalogue; what is on other hosts is counted, not asked.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

from pages import ROOT, Page, pages

# A page that is named in a comment, a message or a script, from the root of the repository.
NAMED = re.compile(r"(?<![\w/.-])((?:docs/|Sources/\w+/\w+\.docc/)[\w/-]+\.md)\b")
NAMING = {".swift", ".sh", ".py", ".c", ".h", ".yml", ".json", ""}


def faults(page, known):
    for line, target in page.links:
        if re.match(r"(https?|mailto):", target):
            continue
        if target.startswith("doc:"):
            name = target[4:].split("#")[0]
            if not (page.path.parent / f"{name}.md").exists():
                yield line, f"no page {name} in this catalogue"
            continue
        path, _, anchor = target.partition("#")
        file = (page.path.parent / unquote(path)).resolve() if path else page.path
        if not file.exists():
            yield line, f"no file {target}"
        elif not file.is_relative_to(ROOT):
            yield line, f"{target} is outside of the repository"
        elif anchor and file.suffix == ".md":
            if file not in known:
                known[file] = Page(file)
            if anchor not in known[file].anchors:
                yield line, f"no heading for {target}"
        elif anchor and file.is_dir():
            yield line, f"{target}: a folder has no anchors"


def named_pages():
    """(file, line, path) of each page that is no link but named in the text of another file."""
    for folder in ("Sources", "Tests", "CShims", "Benchmarks", "Examples", "tools", ".ci", "Package.swift", "dev"):
        start = ROOT / folder
        for path in [start] if start.is_file() else sorted(start.rglob("*")):
            if not path.is_file() or path.suffix not in NAMING or ".build" in path.parts:
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            for number, line in enumerate(text.splitlines(), 1):
                for found in NAMED.finditer(line):
                    yield path, number, found[1]


def main(counts):
    known, bad, links, blocks = {}, 0, 0, 0
    for path in pages():
        page = known.setdefault(path, Page(path))
        if page.unclosed:
            print(f"{path.relative_to(ROOT)}:{page.unclosed}: this block does not end")
            bad += 1
        links += sum(1 for _ in page.links)
        blocks += sum(1 for _, language, _ in page.blocks if language == "swift")
        for line, fault in faults(page, known):
            print(f"{path.relative_to(ROOT)}:{line}: {fault}")
            bad += 1
    for path, line, name in named_pages():
        links += 1
        if not (ROOT / name).exists():
            print(f"{path.relative_to(ROOT)}:{line}: no page {name}")
            bad += 1
    Path(counts).write_text(f"links {links}, blocks {blocks}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
