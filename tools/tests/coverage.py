#!/usr/bin/env python3
"""Adds up which lines the tests ran, from llvm-cov's lcov texts: totals, and a file with every line that was not run.

usage: coverage.py ROOT UNCOVERED LCOV…
"""

import sys
from collections import Counter, defaultdict
from pathlib import Path

# The share of lines that must run, by the folder below the root; the other folders of Sources have no goal.
GOALS = {"C": 98.0, "Swift": 95.0}
WITHOUT_GOAL = ("josectl", "JOSEBenchmark")


def group(file):
    if file.parts[0] == "CShims":
        return "C"
    if file.parts[0] == "Sources":
        return file.parts[1] if file.parts[1] in WITHOUT_GOAL else "Swift"
    return None


def main(root, uncovered, *texts):
    root, files = Path(root).resolve(), defaultdict(Counter)
    for text in texts:
        for line in Path(text).read_text().splitlines():
            if line.startswith("SF:"):
                path = Path(line[3:])
                lines = files[path.relative_to(root)] if path.is_relative_to(root) else Counter()
            elif line.startswith("DA:"):
                number, count = line[3:].split(",")[:2]
                lines[int(number)] += int(count)
    ran, total = Counter(), Counter()
    with open(uncovered, "w") as out:
        for file, lines in sorted(files.items(), key=lambda item: -list(item[1].values()).count(0)):
            missed = [number for number, count in sorted(lines.items()) if not count]
            total[group(file)] += len(lines)
            ran[group(file)] += len(lines) - len(missed)
            if missed and group(file):
                print(f"{file}: {len(missed)} of {len(lines)}:", *missed, file=out)
    shares = {name: 100 * ran[name] / total[name] for name in (*GOALS, *WITHOUT_GOAL) if total[name]}
    for name, share in shares.items():
        goal = f", goal {GOALS[name]} %" if name in GOALS else ""
        print(f"{name:13} {ran[name]:6} of {total[name]:6} lines, {share:.2f} %{goal}")
    print(f"every line that was not run: {uncovered}")
    return any(shares.get(name, 0) < goal for name, goal in GOALS.items())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
