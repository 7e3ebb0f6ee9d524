# shellcheck shell=bash
# Fuzzing of every surface that foreign bytes reach (docs/security/fuzzing.md). The targets are in Tests/Fuzz.

fuzz_scratch=.build/fuzz
fuzz_program=$fuzz_scratch/release/Fuzz
fuzz_corpus=Tests/Fuzz/Corpus

fuzz_build() {
    # optimised, as shipped: the vector kernels of the slow build are not the ones that run
    # (the order of two sanitizers on the command line would otherwise change, and all be built anew)
    step "build the fuzz targets (release, address)" env JOSE_TESTS=Fuzz SWIFT_DETERMINISTIC_HASHING=1 swift build -c release --product Fuzz \
        --scratch-path "$fuzz_scratch" --sanitize fuzzer --sanitize address
}

# The names: every target has a corpus of its name (a test says so).
fuzz_targets() { ls "$fuzz_corpus"; }

# fuzz_run TARGET SECONDS [OPTION…]: new inputs go to .build, what breaks a property to .build/fuzz/found.
fuzz_run() {
    local target=$1 seconds=$2 own=$fuzz_scratch/corpus/$1
    shift 2
    mkdir -p "$own" "$fuzz_scratch/found" "$fuzz_corpus/$target"
    # a crash would otherwise wait for Swift's backtracer; -rss counts the quarantine of the sanitizer too
    JOSE_FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=16 \
        nice -n 15 "$fuzz_program" -max_total_time="$seconds" -max_len=16384 -timeout=25 -rss_limit_mb=1024 \
        -dict=Tests/Fuzz/jose.dict -artifact_prefix="$fuzz_scratch/found/$target-" -print_final_stats=1 \
        "$@" "$own" "$fuzz_corpus/$target"
}

# Says how many inputs ran, from libFuzzer's own statistics.
fuzz_count() { grep -oE 'number_of_executed_units: *[0-9]+' "$log" | grep -oE '[0-9]+$'; }

#: run fuzz [SECONDS [TARGET...]]  fuzzes every target for that long (60), with its properties
cmd_fuzz() {
    need_build
    local seconds=${1:-60} target
    shift || true
    fuzz_build
    for target in ${*:-$(fuzz_targets)}; do
        step "fuzz $target, $seconds s" fuzz_run "$target" "$seconds"
        printf '    %s inputs\n' "$(fuzz_count)"
    done
}

#: run fuzz-check [SECONDS]  `fuzz` in short: every corpus and three seconds a target; JSON compared with Python's
cmd_fuzz_check() {
    need_build python3
    local seconds=${1:-3}
    fuzz_build
    step "fuzz every target for $seconds s" fuzz_side_by_side "$seconds"
    fuzz_differential
}

# fuzz_side_by_side SECONDS: every target, as many at once as there are processors; all output, failures last.
fuzz_side_by_side() {
    local target running=0 bad=0
    for target in $(fuzz_targets); do
        { fuzz_run "$target" "$1" >"$log.$target" 2>&1 || { echo "error: $target: $log.$target"; exit 1; } } &
        if (( ++running >= $(nproc) )); then wait -n || bad=1; (( running-- )) || true; fi
    done
    while (( running-- )); do wait -n || bad=1; done
    return $bad
}

# The JSON reader against Python's, made strict, on the corpus and what fuzzing added to it.
fuzz_differential() {
    local answers=$fuzz_scratch/json-answers
    JOSE_FUZZ_ANSWERS=$answers step "JSON answers" fuzz_run json 0 -runs=0
    step "JSON against Python" python3 -B Tests/Fuzz/differential.py "$answers"
    cat "$log"
}

#: run fuzz-corpus [TARGET...]  rebuilds the corpora in Tests/Fuzz: seeds from Vectors/, what fuzzing found, minimised
cmd_fuzz_corpus() {
    need_build openssl python3
    fuzz_build
    rm -rf "$fuzz_scratch/seeds"
    step "seeds" python3 -B Tests/Fuzz/seeds.py "$fuzz_scratch/seeds"
    local target
    for target in ${*:-$(fuzz_targets)}; do
        step "minimise $target" fuzz_minimise "$target"
    done
    du -sh --apparent-size "$fuzz_corpus"
}

fuzz_minimise() {
    local target=$1 new=$fuzz_scratch/minimised/$1
    rm -rf "$new"
    mkdir -p "$new" "$fuzz_scratch/corpus/$target" "$fuzz_corpus/$target" "$fuzz_scratch/seeds/$target"
    JOSE_FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no nice -n 15 "$fuzz_program" -merge=1 -max_len=6000 -timeout=25 \
        "$new" "$fuzz_corpus/$target" "$fuzz_scratch/seeds/$target" "$fuzz_scratch/corpus/$target"
    rm -rf "${fuzz_corpus:?}/$target"
    mv "$new" "$fuzz_corpus/$target"
}
