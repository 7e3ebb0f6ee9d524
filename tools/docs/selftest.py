#!/usr/bin/env python3
"""The checkers of `./dev docs` find what is wrong, each kind once, and take what is right."""

import json
import sys
import tempfile
from pathlib import Path

import archive
import links
import pages
import symbols

GOOD = """# A page

See [the part](#a-part-of-it), [it again](#a-part-of-it-1), [`code`](b.md "b"), [![x](b.md)](b.md), <doc:b> and `[no](link.md)`.

```
[none](of.md)
# nor a heading
```

## A part, of *it*

[a link
over two lines](b.md)

## A part of it
"""
BAD = {
    "[x](none.md)": "no file none.md",
    "[x](b.md#none)": "no heading for b.md#none",
    "[x](#none)": "no heading for #none",
    "[`x`](none.md)": "no file none.md",
    "![x](none.svg)": "no file none.svg",
    "[![x](none.svg)](b.md)": "no file none.svg",
    "[x](doc:none)": "no page none in this catalogue",
    "[x](../../../../../../../../etc/hostname)": "outside of the repository",
}


def symbol(lines, names, path="f(a:b:)", **more):
    return {
        "identifier": {"precise": "s:f"}, "kind": {"identifier": "swift.func"}, "pathComponents": [path], "location": {},
        "docComment": {"lines": [{"text": line} for line in lines]},
        "functionSignature": {"parameters": [{"name": name} for name in names]}, **more}


def test_links(folder):
    pages.ROOT = links.ROOT = folder
    (folder / "b.md").write_text("# B\n")
    page = folder / "a.md"
    page.write_text(GOOD)
    assert list(links.faults(pages.Page(page), {})) == [], list(links.faults(pages.Page(page), {}))
    assert len(list(pages.Page(page).links)) == 6, list(pages.Page(page).links)
    for text, wanted in BAD.items():
        page.write_text(f"# A\n\n{text}\n")
        found = list(links.faults(pages.Page(page), {}))
        assert len(found) == 1 and found[0][0] == 3 and wanted in found[0][1], (text, found)
    there = {"./dev": {"test"}, "tools/run": {"test", "fuzz"}}
    assert list(links.unknown_names(page, "`./dev test`, `tools/run fuzz`, `./dev` alone", there)) == []
    for words in (("./dev", "fuzz"), ("tools/run", "none 1"), ("./dev", "test-all")):
        assert [line for line, _ in links.unknown_names(page, "x\n" + " ".join(words), there)] == [2], words
    page.write_text("# A\n\n```swift\nlet a = 1\n")
    assert pages.Page(page).unclosed == 3


def test_symbols():
    assert symbols.fault(symbol(["Does."], ["a"])) is None
    assert symbols.fault(symbol(["Does; see `g(_:)`."], ["a", "b"])) is None
    assert symbols.fault(symbol(["Does.", "", "- Parameters:", "  - a: A."], ["a", "b"])) is None
    assert symbols.fault(symbol(["Compares."], ["a", "b"], path="==(_:_:)")) is None
    assert symbols.fault(symbol([], [])) == symbols.fault(symbol([" "], [])) == "is not documented"
    assert symbols.fault(symbol(["Does."], ["a", "b"])) == "does not say what its parameters are"
    assert symbols.written(symbol([], []))
    assert not symbols.written(symbol([], [], kind={"identifier": "swift.extension"}))
    assert not symbols.written(symbol([], [], identifier={"precise": "s:f::SYNTHESIZED::s:g"}))


def test_site(folder):
    archive.ROOT = folder
    product = folder / "P.doccarchive"
    catalogue = folder / "Sources/P/P.docc"
    catalogue.mkdir(parents=True)
    data = product / "data/documentation"
    (data / "p").mkdir(parents=True)

    def write(*urls, generated=False):
        (data / "p.json").write_text(json.dumps({
            "references": {url: {"type": "link" if "md" in url else "topic", "url": url} for url in urls},
            "topicSections": [{"title": "T", "identifiers": ["doc://P/documentation/P/T"], "generated": generated}]}))
        (data / "p/a.json").write_text(json.dumps({
            "primaryContentSections": [{"content": [{"type": "heading", "text": "Two words", "anchor": "Two-words"}]}]}))
        return list(archive.mend(archive.Site("https://h.example", [product]), product))

    assert write("A.md#two-words", "../../../docs/x.md#y", "P.md", "/documentation/p/a#Two-words") == []
    mended = json.loads((data / "p.json").read_text())["references"]
    assert [entry["url"] for entry in mended.values()] == [
        "/documentation/p/a#Two-words", "https://h.example/blob/main/docs/x.md#y", "/documentation/p",
        "/documentation/p/a#Two-words"]
    for url in ("None.md", "A.md#none", "/documentation/p/none", "/documentation/p/a#None"):
        assert len(write(url)) == 1, url
    assert list(archive.ungrouped(product)) == []
    write(generated=True)
    assert list(archive.ungrouped(product)) == ["P: T is in no group of the topics"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        test_links(Path(place).resolve())
    test_symbols()
    with tempfile.TemporaryDirectory() as place:
        test_site(Path(place).resolve())
    sys.exit(0)
