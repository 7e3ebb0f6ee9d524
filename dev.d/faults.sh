# Faults, timing and secrets in memory (docs/security/faults.md, timing.md, secrets.md): plain C programs.

faults_clang() {
    local clang
    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    [[ -x $clang ]] || clang=clang
    CC=$clang "$@"
}

#: faults      each allocation, random draw and outside call of the C core fails once, bits of private keys flip, crafted keys, forks; `[STRIDE]`
cmd_faults() {
    need_build openssl
    local stride=${1:-1}
    faults_clang Tests/Faults/check all "$stride"
    FAULTS_ONLY=chain faults_clang Tests/Faults/check all 1009 # the first chain of a process
    faults_clang Tests/Faults/check cold "$stride"
    faults_clang Tests/Faults/check flip "$stride"
    faults_clang Tests/Faults/check outside
    faults_clang Tests/Faults/check fork
    faults_clang Tests/Faults/check stripped
}

#: faults-check  the smoke form of faults, for CI: each 401st of them; `--ways` each 61st, by each way of computing
cmd_faults_check() {
    need_build openssl
    local run stride=401
    run=$(step_or_ways "$@")
    [[ ${1:-} != --ways ]] || stride=61
    "$run" "the C core with each ${stride}th failing" faults_clang Tests/Faults/check all "$stride"
    FAULTS_ONLY=chain step "chains, the first of a process too" faults_clang Tests/Faults/check all 1009
    step_by_way "bits of private keys, each 4,099th" faults_clang Tests/Faults/check flip 4099
    "$run" "ten thousand crafted keys and signatures" faults_clang Tests/Faults/check outside
    step "random values after a fork" faults_clang Tests/Faults/check fork
    step "a libcrypto that lacks something" faults_clang Tests/Faults/check stripped
}

#: timing      do failures of a decryption differ in time? `timing [SAMPLES [ROW]]`: a million; alone on the machine
cmd_timing() {
    need_build
    faults_clang Tests/Timing/check "${@:-1000000}"
}

#: timing-check  the smoke form of timing, for CI: twenty thousand samples a row; `--ways` by each way of computing
cmd_timing_check() {
    need_build
    "$(step_or_ways "$@")" "failures of a decryption take one time" faults_clang Tests/Timing/check 20000
    tail -n 1 "$log"
}

#: secrets-check  no branch and no index of the C core depends on a secret, by valgrind, which knows the portable way; for CI
cmd_secrets_check() {
    need_build valgrind
    step "no branch on a secret in the C core" faults_clang Tests/Secrets/check
}

#: cores       after each operation of the C core no writable memory holds a key, a private number or a plaintext; for CI; `--ways` by each way of computing
cmd_cores() {
    need_build openssl
    "$(step_or_ways "$@")" "no secret stays in memory" faults_clang Tests/Cores/check
    grep '^cores' "$log"
}
