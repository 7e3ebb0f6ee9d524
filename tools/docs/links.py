#!/usr/bin/env python3
"""Checks every link of every page: files, anchors, and the pages and commands that pages and other files name.

usage: links.py COUNTS

Links of DocC (`doc:Name`) must name a page of their catalogue. Links to other hosts are counted, not
fetched.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

from pages import ROOT, Page, pages

# A page that is named in a comment, a message or a script, from the root of the repository.
NAMED = re.compile(r"(?<![\w/.-])((?:docs/|Sources/\w+/\w+\.docc/)[\w/-]+\.md)\b")
# A command that is named anywhere.
COMMAND = re.compile(r"(\./dev|tools/run)[ \n]([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
NAMING = {".swift", ".sh", ".py", ".c", ".h", ".yml", ".json", ""}


def errors(page, known):
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


def commands():
    """The commands of `./dev`, and those of `tools/run`, which runs the former too."""
    text = "".join(path.read_text() for path in sorted((ROOT / "tools").glob("*/*.sh")))
    day = set(re.findall(r"^#: dev ([a-z0-9-]+)", text, re.M))
    return {"./dev": day, "tools/run": day | set(re.findall(r"^#: run ([a-z0-9-]+)", text, re.M))}


def named_texts():
    """(file, text) of each other file that may name a page or a command."""
    for folder in ("Sources", "Tests", "CShims", "Benchmarks", "Examples", "tools", ".ci", ".github", "Package.swift", "dev"):
        start = ROOT / folder
        for path in [start] if start.is_file() else sorted(start.rglob("*")):
            if not path.is_file() or path.suffix not in NAMING or ".build" in path.parts:
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            yield path, text


def unknown_names(path, text, known):
    """(line, error) of each page and command that a text names and that does not exist."""
    for found in [] if path.suffix == ".md" else NAMED.finditer(text):
        if not (ROOT / found[1]).exists():
            yield text.count("\n", 0, found.start()) + 1, f"no page {found[1]}"
    for found in COMMAND.finditer(text):
        if found[2] not in known[found[1]]:
            yield text.count("\n", 0, found.start()) + 1, f"no command {found[1]} {found[2]}"


def main(counts):
    known, bad, links, blocks = {}, 0, 0, 0
    for path in pages():
        page = known.setdefault(path, Page(path))
        if page.unclosed:
            print(f"{path.relative_to(ROOT)}:{page.unclosed}: this block does not end")
            bad += 1
        links += sum(1 for _ in page.links)
        blocks += sum(1 for _, language, _ in page.blocks if language == "swift")
        for line, error in errors(page, known):
            print(f"{path.relative_to(ROOT)}:{line}: {error}")
            bad += 1
    there = commands()
    # The changelog names former commands.
    named = [path for path in pages() if path.name != "CHANGELOG.md"]
    for path, text in [*named_texts(), *((path, path.read_text()) for path in named)]:
        for line, error in unknown_names(path, text, there):
            print(f"{path.relative_to(ROOT)}:{line}: {error}")
            bad += 1
    Path(counts).write_text(f"links {links}, blocks {blocks}")
    return bad > 0 or not links


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
