#!/usr/bin/env python3
"""Runs the shell steps of the workflows of Examples/PerformanceCI in a repository of two revisions, and judges what they leave.

usage: performance_ci.py LIBRARY EXAMPLE FOLDER

LIBRARY is the root of the library, which the example's copy in FOLDER depends on by its path. The second revision copies the
token that it looks at: the gate must go red, and the report must name what moved. Actions, comments, caches and artifacts
need a runner: they are not run. `apt-get` is a stand-in that looks whether the packages are installed.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

LIBRARY, EXAMPLE, FOLDER = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
REPOSITORY = FOLDER / "orders"
APT = """#!/bin/sh
case "$1" in update) exit 0 ;; esac
for word; do case "$word" in -* | install) ;; *) dpkg-query -W -f '${db:Status-Status}' "$word" | grep -qx installed || exit 1 ;; esac; done
"""
# What makes the second revision ask for memory once more.
BEFORE, AFTER = "token.utf8.allSatisfy", "Array(token.utf8).map { $0 }.allSatisfy"
said = []


def fail(why):
    print(*said, sep="\n")
    sys.exit(f"performance-ci: {why}")


def git(*words):
    identity = ["-c", "user.name=page", "-c", "user.email=page@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, *words]
    return subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout.strip()


def make_repository():
    """The example as one's own package: two revisions, the first the main branch."""
    # What a cache brings to a runner: the build of the run before.
    kept = FOLDER / "cache"
    if (REPOSITORY / ".build").exists():
        shutil.rmtree(kept, ignore_errors=True)
        (REPOSITORY / ".build").rename(kept)
    shutil.rmtree(REPOSITORY, ignore_errors=True)
    shutil.copytree(EXAMPLE, REPOSITORY, ignore=shutil.ignore_patterns(".build", "Package.resolved"))
    if kept.exists():
        kept.rename(REPOSITORY / ".build")
    manifest = REPOSITORY / "Package.swift"
    text = manifest.read_text()
    if 'path: "../.."' not in text:
        fail("the example's manifest names no path")
    manifest.write_text(text.replace('path: "../.."', f'path: "{LIBRARY}"'))
    subprocess.run(["git", "-c", "init.defaultBranch=main", "init", "-q"], cwd=REPOSITORY, check=True)
    git("add", "-A")
    git("commit", "-qm", "orders")
    base = git("rev-parse", "HEAD")
    source = REPOSITORY / "Sources/Orders/OrderDesk.swift"
    text = source.read_text()
    if text.count(BEFORE) != 1:
        fail("the example's source has not what the second revision changes")
    source.write_text(text.replace(BEFORE, AFTER))
    git("commit", "-qam", "a copy of each token")
    return base, git("rev-parse", "HEAD")


def shell(script, environment):
    """One step as a runner has it; its exit status."""
    home = FOLDER / "home"
    home.mkdir(exist_ok=True)
    path = f"{FOLDER / 'bin'}:{os.environ['PATH']}"
    given = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TMPDIR": str(FOLDER), **environment}
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script], cwd=REPOSITORY, env=given, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said.append(f"$ {script}\n{done.stdout}")
    return done.returncode


def github(event, facts):
    """The `run` steps of the job until one fails; the name of that one, or nothing."""
    workflow = yaml.safe_load((REPOSITORY / "github-workflow.yml").read_text())
    [job] = workflow["jobs"].values()
    for step in job["steps"]:
        condition = step.get("if", f"github.event_name == '{event}'")
        known = re.fullmatch(r"github\.event_name == '(\w+)'", condition)
        if not known:
            fail(f"a condition that this reader does not know: {condition}")
        if "run" not in step or known[1] != event:
            continue
        environment = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: facts[found[1]], text)
            for name, text in step.get("env", {}).items()}
        if shell(step["run"], environment):
            return step["name"]
    return None


def gitlab(job, facts):
    """The script of a job until a line fails; that line, or nothing."""
    # Each in a shell of its own, where a runner has one for all: none relies on another's variables.
    pipeline = yaml.safe_load((REPOSITORY / "gitlab-ci.yml").read_text())
    for line in pipeline["default"]["before_script"] + pipeline[job]["script"]:
        if shell(line, facts):
            return line.split()[1]
    return None


def judge_report(base, head):
    text = (REPOSITORY / "report.md").read_text()
    rows = {line.split(" | ")[0].strip("| "): line.split(" | ") for line in text.splitlines() if line.startswith("| orders")}
    if set(rows) != {"orders/read", "orders/receipt"}:
        fail(f"the report has other rows: {text}")
    # One allocation more, or two where the copy is not made in one step.
    if not re.fullmatch(r"\*\*(\d+) → (\d+)\*\*", rows["orders/read"][4]) or "**" in rows["orders/receipt"][4]:
        fail(f"the report does not name what moved: {text}")
    if "moved" not in text or "libcrypto" not in text.splitlines()[-1] or "swift-" not in text.splitlines()[-1]:
        fail(f"the report does not say what it holds for: {text}")
    (REPOSITORY / "report.md").unlink()


def judge_json():
    """The shape of `customSmallerIsBetter`: name, unit and value; range and extra are texts."""
    entries = json.loads((REPOSITORY / "benchmark.json").read_text())
    names = [entry["name"] for entry in entries]
    shapes = all(
        isinstance(entry["name"], str) and isinstance(entry["unit"], str)
        and isinstance(entry["value"], (int, float)) and not isinstance(entry["value"], bool)
        and all(isinstance(entry.get(name, ""), str) for name in ("range", "extra"))
        and set(entry) <= {"name", "unit", "value", "range", "extra"}
        for entry in entries)
    if not shapes or len(set(names)) != len(names) or "orders/read" not in names:
        fail(f"the JSON is none for the action: {entries}")


def red(where, wanted):
    if where is None or wanted not in where:
        fail(f"red is {where}, not {wanted}")
    if "orders/read: our allocations" not in said[-1]:
        fail("the gate does not say what moved")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "bin").mkdir(exist_ok=True)
    (FOLDER / "bin/apt-get").write_text(APT)
    (FOLDER / "bin/apt-get").chmod(0o755)
    base, head = make_repository()
    red(github("pull_request", {"github.event.pull_request.base.sha": base}), "Gate")
    judge_report(base, head)
    git("checkout", "--quiet", base)
    if failed := github("push", {"github.sha": base}):
        fail(f"the first revision fails in {failed}")
    judge_json()
    git("checkout", "--quiet", head)
    request = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": head}
    red(gitlab("performance-of-request", request), "check")
    judge_report(base, head)
    # Main may have it after all, with the numbers of its own.
    if shell(".build/release/orders-benchmark check --baseline Benchmarks/baseline.tsv --update", {}):
        fail("--update fails")
    if failed := gitlab("performance-of-main", {"CI_COMMIT_SHA": head}):
        fail(f"the second revision fails with its own baseline in {failed}")
    judge_json()
    print("performance-ci: two workflows, their shell steps alone: red where an allocation came, green elsewhere")


if __name__ == "__main__":
    main()
