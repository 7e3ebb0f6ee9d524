# Proof and measurement of the vector kernels (docs/kernels.md), by plain C programs in Tests/CCore/kernels.

kernels_compiler() {
    local clang
    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    [[ -x $clang ]] || clang=clang
    echo "$clang"
}

kernels_clang() { CC=$(kernels_compiler) Tests/CCore/kernels/prove "$@"; }

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

# What the release objects leave in registers and on the stack: josectl's and, where they are of today's sources, the
# benchmarks', which have the flags of any package that depends on this one.
kernels_residue() {
    local objects
    for objects in .build/tool/release/CJOSECrypto.build/kernels "$bench_scratch/release/CJOSECrypto.build/kernels"; do
        if [[ $objects != .build/tool/* ]]; then
            [[ -e $objects/residue.c.o && -z $(find CShims/CJOSECrypto/kernels -newer "$objects/residue.c.o") ]] || continue
        fi
        echo "$objects"
        CC=$(kernels_compiler) Tests/CCore/kernels/residue "$objects" || return 1
    done
}

#: kernels-check  the smoke form of prove-kernels, for CI: by each way of computing; what the release objects leave behind
cmd_kernels_check() {
    need_build python3
    step_by_way "kernels against OpenSSL" kernels_clang plain 4
    step "no branch on a secret" kernels_clang secrets
    build_tool
    step "no secret left by the release objects" kernels_residue
    grep '^residue' "$log"
}
