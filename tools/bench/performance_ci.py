#!/usr/bin/env python3
"""Runs the shell steps of the workflows of Examples/PerformanceCI on two revisions, of which the second allocates more.

usage: performance_ci.py LIBRARY EXAMPLE FOLDER

LIBRARY is the root of the library, on which the example's copy in FOLDER depends by path. On the second revision the gate must
fail and the report must name what moved. Actions, comments, caches and artifacts need a runner and are not run; `apt-get` is a
stand-in that asks whether the packages are installed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

LIBRARY, EXAMPLE, FOLDER = (Path(word).resolve() for word in sys.argv[1:4])
REPOSITORY = FOLDER / "orders"
APT = """#!/bin/sh
case "$1" in update) exit 0 ;; esac
for word; do case "$word" in -* | install) ;; *) dpkg-query -W -f '${db:Status-Status}' "$word" | grep -qx installed || exit 1 ;; esac; done
"""
# What makes the second revision ask for memory once more.
BEFORE, AFTER = "token.utf8.allSatisfy", "Array(token.utf8).map { $0 }.allSatisfy"
outputs = []


def expect(truth, why):
    if not truth:
        print(*outputs, sep="\n")
        sys.exit(f"performance-ci: {why}")


def git(*words):
    identity = ["-c", "user.name=page", "-c", "user.email=page@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *words], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout.strip()


def replace(file, before, after):
    text = (REPOSITORY / file).read_text()
    expect(text.count(before) == 1, f"{file} has not one '{before}'")
    (REPOSITORY / file).write_text(text.replace(before, after))


def make_repository():
    """The example as a package of its own, and its two revisions; the build of the run before stays, as a runner's cache."""
    cache = FOLDER / "cache"
    if (REPOSITORY / ".build").exists():
        shutil.rmtree(cache, ignore_errors=True)
        (REPOSITORY / ".build").rename(cache)
    shutil.rmtree(REPOSITORY, ignore_errors=True)
    shutil.copytree(EXAMPLE, REPOSITORY, ignore=shutil.ignore_patterns(".build", "Package.resolved"))
    if cache.exists():
        cache.rename(REPOSITORY / ".build")
    replace("Package.swift", 'path: "../.."', f'path: "{LIBRARY}"')
    git("-c", "init.defaultBranch=main", "init", "-q")
    git("add", "-A")
    git("commit", "-qm", "orders")
    base = git("rev-parse", "HEAD")
    replace("Sources/Orders/OrderHandler.swift", BEFORE, AFTER)
    git("commit", "-qam", "a copy of each token")
    return base, git("rev-parse", "HEAD")


def fails(script, environment):
    """Whether a step fails, run as a runner does."""
    path = f"{FOLDER / 'bin'}:{os.environ['PATH']}"
    given = {"HOME": str(FOLDER / "home"), "PATH": path, "LANG": "C.UTF-8", "TMPDIR": str(FOLDER), **environment}
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script], cwd=REPOSITORY, env=given, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    outputs.append(f"$ {script}\n{done.stdout}")
    return done.returncode != 0


def github(event, facts):
    """Runs the `run` steps of the job; the name of the first that fails."""
    [job] = yaml.safe_load((REPOSITORY / "github-workflow.yml").read_text())["jobs"].values()
    for step in job["steps"]:
        condition = step.get("if", f"github.event_name == '{event}'")
        known = re.fullmatch(r"github\.event_name == '(\w+)'", condition)
        expect(known, f"a condition that this reader does not know: {condition}")
        if "run" not in step or known[1] != event:
            continue
        environment = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: facts[found[1]], text) for name, text in step.get("env", {}).items()}
        if fails(step["run"], environment):
            return step["name"]
    return None


def gitlab(job, facts):
    """Runs the script of a job; the first line that fails. Each line has a shell of its own: none relies on variables."""
    pipeline = yaml.safe_load((REPOSITORY / "gitlab-ci.yml").read_text())
    return next((line for line in pipeline["default"]["before_script"] + pipeline[job]["script"] if fails(line, facts)), None)


def rejects_second_revision(failed, wanted):
    """The gate fails and the report names what moved, and what it holds for."""
    expect(failed and wanted in failed, f"the failing step is {failed}, not {wanted}")
    expect("orders/read: our allocations" in outputs[-1], "the gate does not name what moved")
    text = (REPOSITORY / "report.md").read_text()
    (REPOSITORY / "report.md").unlink()
    rows = {line.split(" | ")[0].strip("| "): line.split(" | ")[4] for line in text.splitlines() if line.startswith("| orders")}
    # One allocation more, or two where the copy is not made in one step.
    expect(
        set(rows) == {"orders/read", "orders/receipt"} and re.fullmatch(r"\*\*(\d+) → (\d+)\*\*", rows["orders/read"])
        and "**" not in rows["orders/receipt"] and "moved" in text
        and all(word in text.splitlines()[-1] for word in ("libcrypto", "swift-")), f"the report is another: {text}")


def accepts(failed):
    """No step fails, and the numbers have the shape of `customSmallerIsBetter`: range and extra are texts."""
    expect(failed is None, f"it fails in {failed}")
    entries = json.loads((REPOSITORY / "benchmark.json").read_text())
    texts = all(isinstance(entry.get(name, ""), str) for entry in entries for name in ("name", "unit", "range", "extra"))
    numbers = all(type(entry["value"]) in (int, float) and {"name", "unit"} <= set(entry) for entry in entries)
    members = {name for entry in entries for name in entry} <= {"name", "unit", "value", "range", "extra"}
    names = [entry["name"] for entry in entries]
    expect(
        texts and numbers and members and len(set(names)) == len(names) and "orders/read" in names,
        f"the JSON is none for the action: {entries}")


def main():
    for name in ("bin", "home"):
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
    (FOLDER / "bin/apt-get").write_text(APT)
    (FOLDER / "bin/apt-get").chmod(0o755)
    base, head = make_repository()
    rejects_second_revision(github("pull_request", {"github.event.pull_request.base.sha": base}), "Check")
    git("checkout", "--quiet", base)
    accepts(github("push", {"github.sha": base}))
    git("checkout", "--quiet", head)
    request = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": head}
    rejects_second_revision(gitlab("performance-of-request", request), "check")
    # Main may have it after all, with numbers of its own.
    expect(not fails(".build/release/orders-benchmark check --baseline Benchmarks/baseline.tsv --update", {}), "--update fails")
    accepts(gitlab("performance-of-main", {"CI_COMMIT_SHA": head}))
    print("performance-ci: two workflows, their shell steps alone: rejected where an allocation came, accepted elsewhere")


if __name__ == "__main__":
    main()
