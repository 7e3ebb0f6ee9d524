# shellcheck shell=bash
# Do the tests bite? Mutants of the C core and the verdict code (dev.d/mutation, docs/security/mutation.md).

#: campaign mutate [SECONDS [FILES]]  mutants of CShims and the verdict code in a random order, for so long (1200)
cmd_mutate() {
    need_build python3
    python3 -B dev.d/mutation/mutate.py --seconds "${1:-1200}" --files "${2:-.}"
}

#: campaign mutate-critical [SECONDS]  the mutants that must be killed to the last: verdicts, tags, chains, exp, aud, iss
cmd_mutate_critical() {
    need_build python3
    python3 -B dev.d/mutation/mutate.py --critical --seconds "${1:-100000}"
}
