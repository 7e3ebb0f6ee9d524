# shellcheck shell=bash
# Do the tests bite? Mutants of the C core and the verdict code (dev.d/mutation, docs/security/mutation.md).

#: mutate    `mutate [SECONDS [FILES]]`: mutants of CShims and the verdict code in a random order, for so long (1200)
cmd_mutate() {
    need_build python3
    python3 -B dev.d/mutation/mutate.py --seconds "${1:-1200}" --files "${2:-.}"
}

#: mutate-critical  the mutants that must be killed to the last: tag compare, MAC, admission, crit, chains, exp, aud, iss
cmd_mutate_critical() {
    need_build python3
    python3 -B dev.d/mutation/mutate.py --critical --seconds "${1:-100000}"
}
