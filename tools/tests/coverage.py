#!/usr/bin/env python3
"""Lines that the tests ran, from llvm-cov's lcov text: totals, files below their goal, and every line that was not run.

usage: coverage.py ROOT UNCOVERED LCOV…
"""

import sys
from collections import defaultdict
from pathlib import Path

# Where the goals hold, and the share of lines that they ask for.
GOALS = {
    "C": (98.0, ("CShims/",)),
    "Swift": (95.0, ("Sources/JOSE/", "Sources/JOSEBytes/", "Sources/JOSECrypto/", "Sources/JOSEFoundation/", "Sources/JOSEOpenID/", "Sources/JOSERemote/", "Sources/JOSERedis/", "Sources/JOSEPKCS11/")),
    "josectl": (None, ("Sources/josectl/",)),
    "JOSEBenchmark": (None, ("Sources/JOSEBenchmark/",)),
}


def read(path, root, lines):
    name = None
    for text in Path(path).read_text().split("\n"):
        if text.startswith("SF:"):
            file = Path(text[3:])
            name = str(file.relative_to(root)) if file.is_relative_to(root) else None
        elif text.startswith("DA:") and name:
            line, count = text[3:].split(",")[:2]
            lines[name][int(line)] += int(count)


def ranges(numbers):
    """1, 2, 3, 7 as 1-3, 7."""
    found = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def main():
    root, uncovered, *texts = sys.argv[1:]
    files = defaultdict(lambda: defaultdict(int))
    for text in texts:
        read(text, Path(root).resolve(), files)
    below = False
    with open(uncovered, "w") as out:
        for name, (goal, folders) in GOALS.items():
            chosen = {file: lines for file, lines in files.items() if file.startswith(folders)}
            total = sum(len(lines) for lines in chosen.values())
            ran = sum(count > 0 for lines in chosen.values() for count in lines.values())
            share = 100 * ran / total if total else 0
            asked = f", goal {goal} %" if goal else ""
            print(f"{name:13} {ran:6} of {total:6} lines, {share:.2f} %{asked}")
            below = below or (goal is not None and share < goal)
            for file, lines in sorted(chosen.items(), key=lambda item: -sum(c == 0 for c in item[1].values())):
                missed = [line for line, count in lines.items() if count == 0]
                if missed:
                    out.write(f"{file}: {len(missed)} of {len(lines)}: {ranges(missed)}\n")
    print(f"every line that was not run: {uncovered}")
    sys.exit(1 if below else 0)


main()
