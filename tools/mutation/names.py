"""What the lists of this folder name that is not there: a renamed function would leave the list in silence.

Run by mutate.py before anything is built.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def missing_functions(critical, files):
    for topic, places in critical.items():
        for name, wanted in places:
            there = {mutant.function for site in files[name].text.sites for mutant in site.mutants} if name in files else set()
            if not there:
                yield f"{topic}: no mutant in {name}"
            for function in wanted or []:
                if there and function not in there:
                    yield f"{topic}: no function {function} with a mutant in {name}"


def missing_files(globs):
    for pattern in globs:
        if not any(ROOT.glob(pattern)):
            yield f"no file {pattern}"


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
    stages = [stage for stages in staged.values() for _, stage in stages if stage[0] != "bash"]
    for pattern in sorted({part for stage in stages for pattern in stage for part in pattern.split("|")}):
        if not any(re.search(pattern, name) for name in names):
            yield f"no suite and no test {pattern}"


def missing(critical, files, globs, staged):
    """All that is named and not there."""
    return [*missing_functions(critical, files), *missing_files(globs), *missing_suites(staged)]
