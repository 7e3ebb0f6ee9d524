# The page of all algorithms. See docs/algorithms.md.

rows_measured=Benchmarks/rows/$(uname -m).tsv

#: upkeep algorithms  writes docs/algorithms.md from the tables; `--measure` times every row first, on an idle machine
cmd_algorithms() {
    if [[ ${1:-} == --measure ]]; then
        need_build $bench_packages
        bench_build
        mkdir -p "${rows_measured%/*}"
        "$bench_program" run --only row- --rows "$rows_measured"
    fi
    need_build
    # With PBES2, whose rows the page has too.
    traits_build
    step "write docs/algorithms.md" env JOSE_PIN=1 swift test --skip-build --disable-xctest $traits_options \
        --filter 'AlgorithmPageTests/writeAgain'
}
