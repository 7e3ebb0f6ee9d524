#!/usr/bin/env python3
"""The package's URL is in ADDRESS, its version in Sources/josectl/CommandLine/Version.swift: prints each file with another one.

Checked: how pages say to depend on the package, every URL that ends with its name, and the pages below that URL.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USE = re.compile(r'(?:\.package\(\s*url: "|swift package add-dependency )([^" \n]+)(?:(?:",\s*from: "| --from )([^" \n]+))?')


def errors(text, url, version):
    """The errors in a file."""
    for use in USE.finditer(text):
        if use[1] not in (url, "…", "../swift-jose"):
            yield f"another URL: {use[1]}"
        if use[2] not in (version, None):
            yield f"from {use[2]}, but this is {version}"
    page = url.removesuffix(".git")
    for found in re.finditer(r"(?:https?|ssh|git)(?:://|@)[^\s\"'<>()`]*?\b" + re.escape(page.split("/")[-1]) + r"(?:\.git)?\b", text):
        if found[0] not in (url, page):
            yield f"another spelling of the URL: {found[0]}"
    for found in re.finditer(re.escape(page) + r"/blob/main/([\w./-]+)", text):
        if not (ROOT / found[1]).exists():
            yield f"no page {found[1]}"


def main():
    url = (ROOT / "ADDRESS").read_text().strip()
    version = re.search(r'static let number = "(.*)"', (ROOT / "Sources/josectl/CommandLine/Version.swift").read_text())[1]
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True, text=True)
    bad = False
    for path in map(Path, names.stdout.splitlines()):
        if path.suffix in (".md", ".yml", ".sh", ".swift", "") and (ROOT / path).is_file():
            for error in errors((ROOT / path).read_text(errors="replace"), url, version):
                print(f"{path}: {error}")
                bad = True
    return bad


if __name__ == "__main__":
    sys.exit(main())
