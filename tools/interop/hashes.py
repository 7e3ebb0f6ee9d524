#!/usr/bin/env python3
"""hashes.py FILE...: writes the SHA-256 of every wheel that a requirements file may be installed from, next to its pins.

The wheels are those for Linux on x86-64 and AArch64 and for the versions of Python below. pip downloads them from the
index that it is set to; look at the difference before you commit it. `./dev` installs with --require-hashes, so that an
index cannot give other files under the same versions.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]  # Debian 12 has 3.11, Debian 13 has 3.13
MACHINES = ["x86_64", "aarch64"]
LIBRARIES = ["manylinux2014", "manylinux_2_17", "manylinux_2_28", "manylinux_2_34"]


def name_of(text):
    """A project's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", text).lower()


def download(pins, folder):
    for python in PYTHONS:
        for machine in MACHINES:
            platforms = [word for library in LIBRARIES for word in ("--platform", f"{library}_{machine}")]
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                 "--only-binary=:all:", "--implementation", "cp", "--python-version", python, *platforms,
                 "--dest", folder, *pins], check=True)


def write(file):
    lines = [line for line in file.read_text().replace(" \\\n", "\n").splitlines() if not line.startswith("    --hash=")]
    pins = [line for line in lines if line and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder:
        download(pins, folder)
        found = {}
        for wheel in Path(folder).iterdir():
            found.setdefault(name_of(wheel.name.split("-")[0]), set()).add(hashlib.sha256(wheel.read_bytes()).hexdigest())
    text = []
    for line in lines:
        hashes = sorted(found[name_of(re.match(r"[\w.-]+", line)[0])]) if line in pins else []
        text += [f"{word} \\" for word in [line, *(f"    --hash=sha256:{one}" for one in hashes)][:-1]]
        text.append(f"    --hash=sha256:{hashes[-1]}" if hashes else line)
    file.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    for argument in sys.argv[1:] or sys.exit(__doc__):
        write(Path(argument))
