"""What the lists of this folder name that is not there: a renamed function would leave the list in silence.

Run by mutate.py before anything is built.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def functions(files):
    """The functions of each file in which a mutant can be put."""
    return {
        name: {mutant.function for site in file.text.sites for mutant in site.mutants}
        for name, file in files.items()
    }


def missing_functions(critical, there):
    for topic, places in critical.items():
        for file, names in places:
            if not there.get(file):
                yield f"{topic}: no mutant in {file}"
            else:
                for name in names or []:
                    if name not in there[file]:
                        yield f"{topic}: no function {name} with a mutant in {file}"


def missing_files(globs):
    for pattern in globs:
        if not any(ROOT.glob(pattern)):
            yield f"no file {pattern}"


def alternatives(pattern):
    """The parts of a pattern between its outermost bars."""
    parts, depth = [""], 0
    for letter in pattern:
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def suites():
    """The names by which the test program filters: Module.Type, and what tests are called."""
    found = set()
    for path in (ROOT / "Tests").glob("*/*Tests/**/*.swift"):
        text = path.read_text()
        module = path.relative_to(ROOT / "Tests").parts[1]
        found |= {f"{module}.{name}" for name in re.findall(r"\b(?:struct|class|enum) (\w+)", text)}
        found |= set(re.findall(r'@Test\(\s*"([^"]*)"', text))
    return found


def missing_suites(staged):
    names = suites()
    patterns = {
        part
        for stages in staged.values()
        for _, stage in stages
        if stage[0] != "bash"
        for pattern in stage
        for part in alternatives(pattern)
    }
    for pattern in sorted(patterns):
        if not any(re.search(pattern, name) for name in names):
            yield f"no suite and no test {pattern}"


def missing(critical, files, globs, staged):
    """All that is named and not there."""
    return [
        *missing_functions(critical, functions(files)), *missing_files(globs), *missing_suites(staged),
    ]
