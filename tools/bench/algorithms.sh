# The page of all algorithms. See Sources/JOSE/JOSE.docc/Algorithms.md.

# Algorithms that libcrypto 3.0 lacks are measured with a newer one, into a file of their own.
entries_measured=Benchmarks/results/algorithms/$(uname -m).tsv
newer_entries_measured=Benchmarks/results/algorithms/$(uname -m)-openssl-3.5.tsv

#: run algorithms [--measure]  writes Sources/JOSE/JOSE.docc/Algorithms.md from the tables; `--measure` times every algorithm first
cmd_algorithms() {
    if [[ ${1:-} == --measure ]]; then
        need_build bench
        bench_build
        mkdir -p "${entries_measured%/*}"
        if [[ $(pkg-config --modversion libcrypto) == 3.0.* ]]; then
            "$bench_program" run --only row- --entries "$entries_measured"
        else
            "$bench_program" run --only row-ML-DSA --entries "$newer_entries_measured"
        fi
    fi
    need_build
    # With PBES2, which the page lists too.
    traits_build
    step "write Sources/JOSE/JOSE.docc/Algorithms.md" env JOSE_PIN=1 swift test --skip-build --disable-xctest $traits_options \
        --filter 'AlgorithmPageTests/writeAgain'
}
