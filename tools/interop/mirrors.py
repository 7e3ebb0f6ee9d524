"""Writes SwiftPM's mirrors for local copies of packages: mirrors.py FOLDER OUT.

FOLDER has one Git repository a package, named as the package, with tags of its versions. Every URL that a
manifest there or one of ours names is served from it if it has that package.
"""

import json
import pathlib
import re
import subprocess
import sys

folder, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
copies = {path.parent.name: path.parent for path in folder.glob("*/.git")}
manifests = [path / "Package.swift" for path in copies.values()]
manifests += pathlib.Path(".").glob("Examples/*/Package.swift")
manifests += pathlib.Path(".").glob("Benchmarks/Peers/*/Package.swift")
mirrors = {}
for manifest in manifests:
    for url in re.findall(r'url:\s*"(https://[^"]+)"', manifest.read_text(encoding="utf-8")):
        base = url.rstrip("/").removesuffix(".git")
        copy = copies.get(base.rsplit("/", 1)[1])
        if copy is not None:
            mirrors |= {spelling: copy.as_uri() for spelling in (base, base + ".git")}
out.parent.mkdir(parents=True, exist_ok=True)
out.write_text(json.dumps({
    "object": [{"original": url, "mirror": mirror} for url, mirror in sorted(mirrors.items())], "version": 1}))
for name, copy in sorted(copies.items()):
    tag = subprocess.run(["git", "-C", copy, "tag"], capture_output=True, text=True, check=True).stdout.split()
    print(name, *tag)
