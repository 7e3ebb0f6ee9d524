"""Runs all checks over `josectl batch`: protocol, vectors, random corruption, NIST's revocation
suite, and tokens exchanged with foreign libraries. Also OpenID logins between our side, in a
separate process, and a foreign one.

Prints one line per group with its count, and fails on a failed check or on a count that differs
from expected.json. `--update` writes that file. `--seed N` repeats a run.
"""

import argparse
import json
import os
import pathlib
import random
import secrets
import subprocess
import sys
import tempfile
import time

import damage
import encryption_rows
import exchange
import fips204
import foreign
import json_forms
import key_forms
import oauth2client
import oauth2messages
import openid
import pkits
import protocol
import published
import signature_rows
import vectors
from batch import Batch, Tally

HERE = pathlib.Path(__file__).parent


# The trait that a josectl was built with, and the checks that it adds.
EXPECTED = {None: "expected.json", "PBES2": "expected-pbes2.json"}
WAYS = ["automatic", "with-encryption", "with-private-keys", "with-floating-point", "no-kernels",
    "openssl-only"]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--josectl", required=True)
    options.add_argument("--trait", choices=["PBES2"],
        help="josectl was built with it: only what it adds is run")
    options.add_argument("--cjose", required=True, help="the program made from cjose_tool.c")
    options.add_argument("--peer", required=True, help="our side of OpenID logins, made from Peer/")
    options.add_argument("--seed", type=int, default=secrets.randbits(32))
    options.add_argument("--only",
        choices=["protocol", "vectors", "pkits", "published", "exchange", "rows", "openid"])
    options.add_argument("--sides", default="jwcrypto,joserfc,jose,cjose,node-jose")
    options.add_argument("--report", default=".build/dev/log/vectors-not-run.txt",
        help="where to list the vectors that did not run")
    options.add_argument("--update", action="store_true")
    chosen = options.parse_args()
    if chosen.trait:
        vectors.SUPPORTED["key_algs"].update(vectors.PASSWORDS)
    lacking = lacks(chosen.josectl)
    vectors.SUPPORTED["algs"] -= lacking
    signature_rows.LACKING.update(lacking)
    # Some checks run the tool in a separate folder.
    chosen.josectl, chosen.cjose = os.path.abspath(chosen.josectl), os.path.abspath(chosen.cjose)
    whole = (chosen.only is None or chosen.trait) and chosen.sides == options.get_default("sides")

    tally, random_source, counts = Tally(), random.Random(chosen.seed), {}
    print(f"interop: seed {chosen.seed}")
    if chosen.trait is None and chosen.only in (None, "protocol"):
        side = foreign.Jwcrypto()
        private, public = side.new_key()
        timed("protocol",
            lambda: protocol.run(chosen.josectl, public,
                side.sign(private, b"{}", {"alg": "RS256"}), tally))
    if chosen.only in (None, "vectors"):
        counts |= timed("vectors", lambda: run_vectors(chosen, tally))
    if chosen.trait is None and chosen.only in (None, "vectors"):
        timed("FIPS 204",
            lambda: fips204.run(Batch(chosen.josectl), tally, vectors.NEWER - lacking))
    if chosen.trait is None and chosen.only in (None, "pkits"):
        timed("PKITS", lambda: pkits.run(Batch(chosen.josectl), tally))
    if chosen.trait is None and chosen.only in (None, "published"):
        with tempfile.TemporaryDirectory() as folder:
            sides = [foreign.Jwcrypto(), foreign.Joserfc(), foreign.Jose(folder),
                foreign.Cjose(chosen.cjose, folder)]
            timed("published sets",
                lambda: published.run(sides, chosen.josectl, folder, Batch(chosen.josectl), tally))
    if chosen.trait is None and chosen.only in (None, "exchange"):
        with tempfile.TemporaryDirectory() as folder:
            sides = {"jwcrypto": foreign.Jwcrypto, "joserfc": foreign.Joserfc,
                "jose": lambda: foreign.Jose(folder),
                     "cjose": lambda: foreign.Cjose(chosen.cjose, folder),
                     "node-jose": foreign.NodeJose}
            batch = Batch(chosen.josectl, "--max-bytes", str(8 << 20))
            timed("keys", lambda: key_forms.run(sides["jwcrypto"](), batch, tally))
            timed("JSON serialisations",
                lambda: json_forms.run(sides["jwcrypto"](), batch, random_source, tally))
            timed("random damage", lambda: damage.run(batch, random_source, tally))
            for name in chosen.sides.split(","):
                timed(name,
                    lambda: exchange.run([sides[name]()], chosen.josectl, folder, batch,
                        random_source, tally))

    if chosen.only in (None, "rows"):
        with tempfile.TemporaryDirectory() as folder:
            batch = Batch(chosen.josectl)
            sides = chosen.sides.split(",")
            made = (chosen.josectl, folder, batch, random_source, tally, sides)
            if chosen.trait:
                timed("rows of passwords",
                    lambda: encryption_rows.run(*made, only=vectors.PASSWORDS))
            else:
                timed("signature rows", lambda: signature_rows.run(*made))
                timed("encryption rows",
                    lambda: encryption_rows.run(*made, without=vectors.PASSWORDS))

    if chosen.trait is None and chosen.only in (None, "openid"):
        timed("OpenID logins", lambda: openid.run(os.path.abspath(chosen.peer), tally))
        timed("OAuth clients", lambda: oauth2client.run(os.path.abspath(chosen.peer), tally))
        timed("OAuth messages", lambda: oauth2messages.run(os.path.abspath(chosen.peer), tally))

    counts |= tally.passed
    show(counts)
    for failure in tally.failures[:200]:
        print(f"FAILED  {failure}")
    passed, failed = sum(tally.passed.values()), len(tally.failures)
    if chosen.update and whole and not failed:
        (HERE / EXPECTED[chosen.trait]).write_text(json.dumps(counts, indent=2) + "\n")
    elif whole and not failed:
        failed += compare_counts(counts, EXPECTED[chosen.trait], lacking)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def run_vectors(chosen, tally):
    path = pathlib.Path(chosen.report)
    path.parent.mkdir(parents=True, exist_ok=True)
    batch = Batch(chosen.josectl)
    with path.open("w") as report:
        numbers, closed, elsewhere = vectors.run(batch, tally, report)
    vectors.rejected(batch, tally, closed)
    if not chosen.trait:  # the kernels are a trait too
        vectors.every_path({way: Batch(chosen.josectl, "--acceleration", way) for way in WAYS},
            tally)
    vectors.uniform(batch, tally)
    counts = dict(numbers)
    left = {reason: ids for reason, ids in closed.items() if reason not in vectors.NEWER}
    counts |= {f"cases rejected without their trait: {reason}": len(ids) for reason,
        ids in sorted(left.items())}
    counts |= {f"cases without an operation in batch: {reason}": len(ids) for reason,
        ids in sorted(elsewhere.items())}
    unrun = sum(map(len, [*closed.values(), *elsewhere.values()]))
    print(f"the {unrun} cases that did not run here, by name: {path}")
    return counts


def show(counts):
    """One line per group (the text before the first comma or colon). All counts are in
    expected.json."""
    together = {}
    for group, count in counts.items():
        head, _, rest = group.partition(":" if ":" in group else ",")
        together.setdefault(head, []).append((rest.strip(), count))
    for head, parts in together.items():
        names = ", ".join(f"{name} {count}" for name, count in parts if name)
        print(f"{sum(count for _, count in parts):7}  {head}"
            + (f": {names}" if head.startswith("cases") and names else ""))


def lacks(josectl):
    """The newer algorithms that the tool's libcrypto lacks."""
    answer = subprocess.run([josectl, "selftest", "--json"], capture_output=True, text=True,
        check=True).stdout
    return vectors.NEWER & set(json.loads(answer)["unavailable"])


def compare_counts(counts, file, lacking):
    """A check that no longer runs is a failure, and so is one that is not listed. Checks of
    algorithms missing in this libcrypto cannot run: they are named, and only their rejection was
    counted."""
    expected = json.loads((HERE / file).read_text())
    unrun = [group for group in expected
        if any(group.endswith(name) or f"{name}," in group for name in lacking)]
    for name in sorted(lacking):
        checks = sum(expected[group] for group in unrun if name in group)
        print(f"not in this libcrypto: {name}, {checks} checks of {file} cannot run here")
    expected = {group: count for group, count in expected.items() if group not in unrun}
    leave_out_absent(expected)
    counts = {group: count for group,
        count in counts.items() if not group.startswith(vectors.NOT_HERE)}
    wrong = [group for group in expected | counts if expected.get(group) != counts.get(group)]
    for group in wrong:
        print(f"FAILED  count of '{group}': expected {expected.get(group)}, "
              f"got {counts.get(group)}")
    return len(wrong)


def leave_out_absent(expected):
    """Leaves out the checks with what this version of node-jose lacks, and names it. Each curve has
    the same number of checks."""
    absent = foreign.NodeJose.absent
    curves = [*encryption_rows.NIST, *encryption_rows.MONTGOMERY]
    for name in sorted(absent):
        print(f"not in this node-jose: {name}, whose checks cannot run here")
    for group in [group for group in expected if "node-jose" in group and ", row " in group]:
        row = group.split(", row ")[1].split(",")[0]
        if row in absent:
            del expected[group]
        elif row.startswith("ECDH-ES"):
            expected[group] -= expected[group] * len(absent & {*curves}) // len(curves)


def timed(name, work):
    start = time.monotonic()
    result = work()
    print(f"{name}: {time.monotonic() - start:.1f} s")
    return result


if __name__ == "__main__":
    sys.exit(main())
