# shellcheck shell=bash
# Do the tests bite? Mutants of the C core and the verdict code (tools/mutation,
# docs/security/mutation.md).

#: run mutate [SECONDS [FILES]]  tests mutants of the C core and the deciding Swift code in a random order, for so long (1200); `--programs`
cmd_mutate() {
    need_build python3
    python3 -B tools/mutation/mutate.py --seconds "${1:-1200}" --files "${2:-.}" "${@:3}"
}

#: run mutate-critical [SECONDS]  tests the mutants that must all be killed: results, tags, chains, exp, aud, iss
cmd_mutate_critical() {
    need_build python3
    python3 -B tools/mutation/mutate.py --critical --seconds "${1:-100000}" "${@:2}"
}
