"""Runs all peers and this library in turns, and writes the page of what each processor gave: see `tools/run bench-peers`."""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys

from python_peers import LIBRARIES

OPERATIONS = {
    "verify": "verify RS256", "claims": "verify and check iss, aud, exp", "sign": "sign RS256, ours with its check",
    "encrypt-600": "JWE encrypt 600 B", "encrypt-64k": "JWE encrypt 64 KB",
    "decrypt-600": "JWE decrypt 600 B", "decrypt-64k": "JWE decrypt 64 KB",
    "nested-make": "sign, then encrypt", "nested-open": "decrypt, verify, read claims",
    "set-pick": "read a JWK Set of 10, pick one"}

NOTES = {
    "swift-jose": "every step strict; claims into a `Codable` of 20 members, policy included",
    "swift-jose-opted-in": "the same with keys `.withPrivateKeysAndFloatingPoint`, one operation at a time",
    "cjose": "reads no claims; `claims` is jansson's parser and three comparisons",
    "rhonabwy": "GnuTLS; keys kept as JWK",
    "libjwt": "takes a PEM key and reads it in every call; no JWE; reads claims always",
    "latchset-jose": "works on JSON objects; the compact form is split by hand; Debian's build has no RSA-OAEP",
    "jwcrypto": "pyca/cryptography below",
    "joserfc": "pyca/cryptography below",
    "Authlib": "pyca/cryptography below",
    "PyJWT": "pyca/cryptography below; no JWE",
    "python-jose": "pyca/cryptography below; its JWE reads a PEM key in every call; no JWK Sets",
    "node-jose": "panva/jose on Node's OpenSSL; every call is asynchronous",
    "jwt-kit": "vapor/jwt-kit on swift-crypto's BoringSSL; a key collection is an actor; no JWE; claims into the same type",
    "JWSETKit": "on swift-crypto's BoringSSL; claims are read by name, not into a type",
}


# The kinds of processor, by CPU feature level.
PROCESSORS = {
    "ifma": "A processor with AVX-512 IFMA",
    "fma": "A processor with AVX2 and FMA, without AVX-512",
}

# This library, and this library with keys that opted in to every kernel.
OURS, OPTED_IN = "swift-jose", "swift-jose-opted-in"


class Worker:
    def __init__(self, command, complaints):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, text=True, bufsize=1)
        word, self.name, self.version, *self.able = self.process.stdout.readline().split() or ["", "", ""]
        if word != "ready":
            raise RuntimeError(f"{command[0]} does not start")
        self.best = {}

    def asked(self, operation):
        """The word for an operation that this worker knows, or None."""
        return operation if operation in self.able else None

    def run(self, operation, count):
        """Nanoseconds of one repetition."""
        operation = self.asked(operation)
        self.process.stdin.write(f"{operation} {count}\n")
        answer = self.process.stdout.readline()
        if not answer.strip():
            raise RuntimeError(f"{self.name} fails at {operation}")
        return int(answer) / count

    def measure(self, operation, count):
        time = self.run(operation, count)
        self.best[operation] = min(time, self.best.get(operation, time))

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def swift_version(package, of="SwiftPeers"):
    """The version that SwiftPM resolved."""
    resolved = pathlib.Path(__file__).parent / of / "Package.resolved"
    pins = {pin["identity"]: pin["state"]["version"] for pin in json.loads(resolved.read_text())["pins"]}
    return pins[package.lower()]


def commands(program, swift, folder):
    here = pathlib.Path(__file__).parent
    yield [program, "peer"]
    yield [program, "peer", "opted-in"]
    for name in ("jwt-kit", "JWSETKit"):
        yield [swift, name, swift_version(name), str(folder)]
    for name in ("cjose", "rhonabwy", "libjwt", "latchset"):
        if (folder / name).exists():
            yield [str(folder / name), str(folder)]
    for name in LIBRARIES:
        yield [sys.executable, "-B", str(here / "python_peers.py"), name, str(folder)]
    if shutil.which("node") and pathlib.Path("/usr/share/nodejs/jose").exists():
        yield ["node", str(here / "node_peer.mjs"), str(folder)]


def compare(workers, operation, rounds, slice_ns):
    able = [worker for worker in workers if worker.asked(operation)]
    counts = {}
    for worker in able:
        once = min(worker.run(operation, 1) for _ in range(5))
        counts[worker] = max(1, int(slice_ns / once))
        worker.run(operation, counts[worker])
    for number in range(rounds):
        for worker in able:
            # A library that takes milliseconds is known well enough after a few.
            if counts[worker] > 1 or number < 20:
                worker.measure(operation, counts[worker])


def cell(worker, operation, ours):
    if operation not in worker["best"]:
        return "-"
    rate = 1e9 / worker["best"][operation]
    text = f"{rate:,.0f}"
    if worker is not ours and operation in ours["best"]:
        times = worker["best"][operation] / ours["best"][operation]
        text += f" ({times:.0f}x)" if times >= 10 else f" ({times:.2f}x)"
    return text


def table(workers):
    ours = workers[0]
    lines = ["| operations a second | " + " | ".join(worker["name"] for worker in workers) + " |",
             "| --- |" + " ---: |" * len(workers)]
    for operation, title in OPERATIONS.items():
        cells = [cell(worker, operation, ours) for worker in workers]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def ahead(workers, name):
    """Where another library is faster than the one of this name."""
    ours = next(worker for worker in workers if worker["name"] == name)
    return [
        f"{worker['name']} {operation}" for operation in OPERATIONS for worker in workers
        if worker["name"] not in (OURS, OPTED_IN) and operation in worker["best"] and operation in ours["best"]
        and worker["best"][operation] < ours["best"][operation]]


def beaten(workers):
    """Where another library is faster, with keys that opted in where that makes a difference."""
    opted_in = next(worker for worker in workers if worker["name"] == OPTED_IN)
    return ahead(workers, OPTED_IN) + [
        line for line in ahead(workers, OURS) if line.split()[1] not in opted_in["best"]]


def processor():
    """The name that Linux has for it, with family and model: a virtual machine has one name for many generations."""
    about = {}
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon:
                break
            about[name.strip()] = value.strip()
    return f"{about.get('model name', '?')} (family {about.get('cpu family', '?')}, model {about.get('model', '?')})"


def page(levels, rounds):
    workers = next(iter(levels.values()))
    notes = "\n".join(f"- {w['name']} {w['version']}: {NOTES.get(w['name'], '')}" for w in workers)
    cpu = processor()
    tables = "\n\n".join(f"## {PROCESSORS[level]}\n\n{table(workers)}" for level, workers in levels.items())
    return f"""# Other libraries

Written by `tools/run bench-peers` on {datetime.date.today().isoformat()}, {cpu}, load of the last minute {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors.
One thread; the same 2048-bit RSA keys and tokens for all; keys prepared where a library can. The programs run interleaved, and a number is the best of {rounds} runs of a few milliseconds of wall time.
In brackets: how many times as long as swift-jose takes. JWE is RSA-OAEP with A128CBC-HS256. A dash means that the library cannot do it.

On a machine with more load than processors, operations of many milliseconds look slower than they are, and so does node-jose, which uses several threads.

A processor with AVX-512 simulates one without: the instructions are hidden from our kernels, and from every libcrypto by `OPENSSL_ia32cap`. GnuTLS (rhonabwy) keeps what it finds.

swift-jose uses `.automatic` and verifies each signature before it leaves, 2 % of a signature's time; the others do not. `sign` and `sign, then encrypt` use each library's defaults. In the second column the keys [opted in](../../docs/kernels.md#private-keys) to every kernel; a dash there means that this changes nothing.

{tables}

## Versions

{notes}

jose-swift 6.0.4 (beatt83) is not in the tables. It needs swift-crypto below 4.0, but jwt-kit needs 4.1 and JWSETKit 4.5, so no package can have all three. It was not built alone: its secp256k1.swift 0.15 comes with Git submodules, of which there was no copy.

`Benchmarks/Peers` has the calls of each library. The others are as Debian or PyPI ships them. A Python call costs more than a C call; the tables show what a user of the library sees.
"""


def measure(given):
    """One CPU feature level: a JSON file of the best times of every library."""
    complaints = open(given.folder / "complaints.log", "w")
    workers = [Worker(command, complaints) for command in commands(given.program, given.swift, given.folder)]
    for operation in OPERATIONS:
        print(f"\r{operation:16}", end="", file=sys.stderr, flush=True)
        compare(workers, operation, given.rounds, given.slice_ms * 1e6)
    print("\r" + " " * 16 + "\r", end="", file=sys.stderr)
    for worker in workers:
        worker.stop()
    measured = [{"name": w.name, "version": w.version, "best": w.best} for w in workers]
    print(table(measured))
    for name in (OURS, OPTED_IN):
        print(f"faster than {name}: " + (", ".join(ahead(measured, name)) or "none"))
    (given.folder / f"{given.cpu_level}.json").write_text(json.dumps(measured))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--folder", required=True, type=pathlib.Path)
    options.add_argument("--cpu-level", choices=PROCESSORS, help="measure at this level")
    options.add_argument("--program")
    options.add_argument("--swift", help="the program of SwiftPeers")
    options.add_argument("--out", type=pathlib.Path, help="write the page of what was measured")
    options.add_argument("--rounds", type=int, default=100)
    options.add_argument("--slice-ms", type=float, default=2)
    given = options.parse_args()
    if given.cpu_level:
        measure(given)
    if given.out:
        files = {level: given.folder / f"{level}.json" for level in PROCESSORS}
        levels = {level: json.loads(file.read_text()) for level, file in files.items() if file.exists()}
        given.out.write_text(page(levels, given.rounds))
        faster = {level: lines for level, workers in levels.items() if (lines := beaten(workers))}
        if faster:
            sys.exit(f"faster than swift-jose: {faster}")


if __name__ == "__main__":
    main()
