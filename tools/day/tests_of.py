#!/usr/bin/env python3
"""Which Swift tests a change may break: a regular expression for `swift test --filter`, or nothing.

usage: tests_of.py INDEX-STORE LIBINDEXSTORE < LIST-OF-CHANGED-FILES

A suite is named if its file changed, if it refers to something that a changed file defines, or if it refers to what
names that: the change and its neighbours, by the compiler's index of the last build. Data and documents are read by
suites that say so in their text.
"""

import pathlib
import re
import sys

from index import Index, references

SUITE = re.compile(r"^(?:@\w+(?:\(.*?\))? )*(?:public |private |final )*(?:struct|class|enum) (\w+)", re.M)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    changed = {pathlib.Path(line.strip()) for line in sys.stdin if line.strip()}
    users = {}
    for path, to, _, _ in references(root, Index(*sys.argv[1:3]), ("Sources", "Tests")):
        users.setdefault(to, set()).add(path)
    tests = {path for path in changed if path.parts[0] == "Tests"}
    near = {user for path in changed if path.parts[0] == "Sources" for user in users.get(path, ())}
    tests |= {path for path in near if path.parts[0] == "Tests"}
    for path in near:
        if path.parts[0] == "Sources":
            tests |= {user for user in users.get(path, ()) if user.parts[0] == "Tests"}
    # A file of support names no test: the suites that use it do.
    tests |= {user for path in list(tests & changed) for user in users.get(path, ())}
    data = {path for path in changed if path.parts[0] in ("Vectors", "docs") or path.suffix == ".md"}
    for path in root.glob("Tests/*/*Tests/**/*.swift"):
        text = path.read_text()
        if any(name.name in text for name in data):
            tests.add(path.relative_to(root))
    names = set()
    for path in tests:
        text = (root / path).read_text() if (root / path).exists() else ""
        if path.suffix == ".swift" and "@Test" in text:
            # Tests/KIND/TARGET/…, but the replay of the fuzzing corpora, which is a target of its own.
            target = "FuzzTests" if path.parts[1] == "Fuzz" else path.parts[2]
            names |= {f"{target}.{name}" for name in SUITE.findall(text)}
    print("|".join(f"{name}/" for name in sorted(names)))


if __name__ == "__main__":
    main()
