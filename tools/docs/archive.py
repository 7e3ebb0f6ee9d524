#!/usr/bin/env python3
"""Makes the links of a DocC archive those of the site, and checks each: pages, anchors, topics.

usage: archive.py ADDRESS ARCHIVE...

Articles link as a Git host wants it (`Cookbook.md#a-heading`, `../../../docs/design.md`). On the site the first is another
page, whose headings have other anchors, and the second a file of the repository, which is at ADDRESS. Every public symbol of a
product with a catalogue must be in a group of its topics.
"""

import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote

from pages import ROOT, slug


class Site:
    """All archives: their pages by address."""

    def __init__(self, repository, archives):
        self.files = repository.rstrip("/") + "/blob/main"
        self.pages = {}
        for archive in archives:
            data = archive / "data"
            for file in sorted(data.rglob("*.json")):
                self.pages["/" + str(file.relative_to(data).with_suffix(""))] = file
        self.read = {}

    def headings(self, address):
        """{a Git host's anchor: this site's} of a page, and the symbols' sections."""
        if address not in self.read:
            found, seen = {}, {}
            page = json.loads(self.pages[address].read_text())
            for section in page.get("primaryContentSections", []):
                for part in section.get("content", []):
                    if part.get("type") == "heading":
                        name = slug(part["text"])
                        count = seen.get(name, 0)
                        seen[name] = count + 1
                        found[f"{name}-{count}" if count else name] = part["anchor"]
            self.read[address] = found
        return self.read[address]

    def address(self, target, catalogue):
        """Where a link of a catalogue leads on the site; None if nowhere."""
        path, _, anchor = target.partition("#")
        file = (catalogue / unquote(path)).resolve()
        if file.parent.suffix != ".docc":
            return f"{self.files}/{file.relative_to(ROOT)}" + (f"#{anchor}" if anchor else "")
        product = file.parent.stem.lower()
        name = "" if file.stem == file.parent.stem else "/" + file.stem.lower()
        page = f"/documentation/{product}{name}"
        if page not in self.pages:
            return None
        if not anchor:
            return page
        own = self.headings(page).get(anchor)
        return f"{page}#{own}" if own else None

    def holds(self, url):
        """Whether an address within the site is a page, with that anchor."""
        page, _, anchor = url.partition("#")
        if page not in self.pages:
            return False
        return not anchor or anchor in self.headings(page).values() or anchor in (
            "app-top", "topics", "overview", "discussion", "parameters", "return-value", "relationships", "see-also")


def mend(site, archive):
    """Rewrites the links of one archive; yields what leads nowhere."""
    product = archive.stem
    catalogue = ROOT / "Sources" / product / f"{product}.docc"
    for file in sorted((archive / "data").rglob("*.json")):
        page, changed = json.loads(file.read_text()), False
        for key, reference in page.get("references", {}).items():
            url = reference.get("url")
            if reference.get("type") == "link" and not re.match(r"[a-z]+:", url):
                address = url if url.startswith("/") else site.address(url, catalogue)
                if address is None or (address.startswith("/") and not site.holds(address)):
                    yield f"{file.relative_to(archive)}: {url} leads nowhere"
                    continue
                reference["url"], changed = address, True
            elif url and url.startswith("/documentation/") and not site.holds(url):
                yield f"{file.relative_to(archive)}: {url} leads nowhere"
        if changed:
            file.write_text(json.dumps(page, separators=(",", ":")))


def ungrouped(archive):
    """Symbols and articles that no group of the landing page names: DocC groups these by their kind."""
    page = json.loads((archive / f"data/documentation/{archive.stem.lower()}.json").read_text())
    for section in page.get("topicSections", []):
        if section.get("generated") and section.get("title") != "Extended Modules":
            for name in section["identifiers"]:
                yield f"{archive.stem}: {name.rpartition('/')[2]} is in no group of the topics"


def main(repository, *archives):
    archives = [Path(archive) for archive in archives]
    site = Site(repository, archives)
    bad = []
    for archive in archives:
        bad += mend(site, archive)
        if (ROOT / "Sources" / archive.stem / f"{archive.stem}.docc").exists():
            bad += ungrouped(archive)
    for line in bad:
        print(line)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
