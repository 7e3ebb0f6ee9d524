# The page of all algorithms. See Sources/JOSE/JOSE.docc/Algorithms.md.

# Rows that are newer than the oldest series of libcrypto are measured beside one that has them, apart.
rows_measured=Benchmarks/results/algorithms/$(uname -m).tsv
newer_rows_measured=Benchmarks/results/algorithms/$(uname -m)-openssl-3.5.tsv

#: run algorithms [--measure]  writes Sources/JOSE/JOSE.docc/Algorithms.md from the tables; `--measure` times every algorithm first
cmd_algorithms() {
    if [[ ${1:-} == --measure ]]; then
        need_build $bench_packages
        bench_build
        mkdir -p "${rows_measured%/*}"
        if [[ $(pkg-config --modversion libcrypto) == 3.0.* ]]; then
            "$bench_program" run --only row- --rows "$rows_measured"
        else
            "$bench_program" run --only row-ML-DSA --rows "$newer_rows_measured"
        fi
    fi
    need_build
    # With PBES2, whose rows the page has too.
    traits_build
    step "write Sources/JOSE/JOSE.docc/Algorithms.md" env JOSE_PIN=1 swift test --skip-build --disable-xctest $traits_options \
        --filter 'AlgorithmPageTests/writeAgain'
}
