#!/usr/bin/env python3
"""The package's address stands in ADDRESS, its version in Sources/josectl/Jobs/Version.swift: nothing says another one.

Run by `tools/run address` and before a release. What repeats them is the same: how to depend on it in every page, every
address that ends with the package's name, and the address of the page that explains refusals.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USES = (
    re.compile(r'\.package\(\s*url: "([^"]*)",\s*(?:from: "([^"]*)")?'),
    re.compile(r"swift package add-dependency (\S+)(?: --from (\S+))?"),
)

# What says the address of a page, and of which.
PAGES = {"Sources/JOSE/Base/ErrorPage.swift": "Sources/JOSE/JOSE.docc/Errors.md"}


def faults(texts, address, version):
    """What is wrong in the texts, by file: a list of sentences."""
    name = re.split("[/:]", address)[-1].removesuffix(".git")
    anywhere = re.compile(r"(?:https?|ssh|git)(?:://|@)[^\s\"'<>()`]*\b" + re.escape(name) + r"(?:\.git)?\b")
    found = []
    if not re.fullmatch(r"https://[A-Za-z0-9./_-]+\.git", address):
        found.append(f"ADDRESS: no address: {address}")
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", version):
        found.append(f"Version.swift: no version: {version}")
    uses = 0
    for path, text in texts.items():
        for use in (use for form in USES for use in form.finditer(text)):
            if use[1] not in (address, "…"):
                found.append(f"{path}: another address: {use[1]}")
            if use[2] and use[2] != version:
                found.append(f"{path}: from {use[2]}, but this is {version}")
            uses += use[1] == address
        for use in anywhere.finditer(text):
            if not use[0] in (address, address.removesuffix(".git")):
                found.append(f"{path}: another spelling of the address: {use[0]}")
    for path, page in PAGES.items():
        whole = f'"{address.removesuffix(".git")}/blob/main/{page}"'
        if path in texts and whole not in texts[path]:
            found.append(f"{path}: does not say {whole}")
    if not uses:
        found.append("no page says how to depend on the package")
    return found


def main():
    address = (ROOT / "ADDRESS").read_text().strip()
    version = re.search(r'static let number = "(.*)"', (ROOT / "Sources/josectl/Jobs/Version.swift").read_text())[1]
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    texts = {}
    for name in names:
        path = ROOT / name
        if name and path.suffix in (".md", ".yml", ".sh", ".swift", ".py", "") and path.is_file() and name != "tools/release/address.py":
            texts[name] = path.read_bytes().decode("utf-8", "replace")
    found = faults(texts, address, version)
    found += [f"{page}: is not there" for path in PAGES for page in (path, PAGES[path]) if page not in texts]
    for fault in found:
        print(fault)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
