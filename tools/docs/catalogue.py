#!/usr/bin/env python3
"""Copies a DocC catalogue, with links for docc instead of a Git host.

usage: catalogue.py ADDRESS CATALOGUE FOLDER

Articles link relatively (`Cookbook.md#a-heading`, `../../../docs/design.md`). A page of this catalogue becomes a `doc:` link, which
docc checks; a page of another one the address that it has on the site; any other file is in the repository, at ADDRESS.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

from pages import ROOT, Page


def fragment(page, anchor):
    """DocC's anchor of the heading that a Git host calls so: its words without punctuation, in their own case."""
    text = dict(zip(page.anchors, (text for _, text in page.headings)))[anchor]
    return "#" + re.sub(r"[\s–—-]+", "-", re.sub(r"[^\w\s–—-]", "", text)).strip("-")


def target(link, page, address):
    if re.match(r"[a-z]+:", link):
        return link
    path, _, anchor = link.partition("#")
    file = (page.parent / unquote(path)).resolve() if path else page
    if file.parent.suffix != ".docc":
        return f"{address}/blob/main/{file.relative_to(ROOT)}" + (f"#{anchor}" if anchor else "")
    anchor = fragment(Page(file), anchor) if anchor else ""
    if file.parent == page.parent:
        return f"doc:{file.stem}{anchor}"
    product = file.parent.stem
    name = "" if file.stem == product else f"/{file.stem.lower()}"
    return f"/documentation/{product.lower()}{name}{anchor}"


def main(address, catalogue, folder):
    Path(folder).mkdir(parents=True)
    for file in Path(catalogue).resolve().iterdir():
        text = file.read_text()
        for start, end, link in reversed(list(Page(file).places)):
            text = text[:start] + target(link, file, address) + text[end:]
        (Path(folder) / file.name).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
