#!/usr/bin/env python3
"""Prints each symbol and article that no group of its product's landing page names.

usage: topics.py ARCHIVE…
"""

import json
import sys
from pathlib import Path


def main(*archives):
    bad = False
    for archive in map(Path, archives):
        page = json.loads((archive / f"data/documentation/{archive.stem.lower()}.json").read_text())
        for section in page.get("topicSections", []):
            if section.get("generated") and section.get("title") != "Extended Modules":
                for name in section["identifiers"]:
                    print(f"{archive.stem}: {name.rpartition('/')[2]} is in no group of the topics")
                    bad = True
    return bad


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
