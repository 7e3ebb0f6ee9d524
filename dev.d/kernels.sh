# Proof and measurement of the vector kernels (docs/kernels.md), by plain C programs in Tests/Kernels.

kernels_clang() {
    local clang
    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    [[ -x $clang ]] || clang=clang
    CC=$clang Tests/Kernels/prove "$@"
}

#: prove-kernels  the kernels against OpenSSL, with sanitizers and the secrets check; `[SECONDS [SEED]]`
cmd_prove_kernels() {
    need_build
    local seconds=${1:-60}
    kernels_clang secrets
    kernels_clang address "$((seconds / 4 + 1))" "${@:2}"
    kernels_clang plain "$seconds" "${@:2}"
}

#: measure-kernels  the kernels against the fastest OpenSSL calls, best of many rounds in one run
cmd_measure_kernels() {
    need_build
    kernels_clang measure
}

#: kernels-check  the smoke form of prove-kernels, for CI
cmd_kernels_check() {
    need_build
    step "kernels against OpenSSL" kernels_clang plain 8
    step "no branch on a secret" kernels_clang secrets
}
