# Benchmarks: the table, the gate, comparisons, drawings, other libraries. See docs/measurements.md.

bench_packages="libbenchmark-dev valgrind g++"
bench_scratch=.build/bench
bench_program=$bench_scratch/release/Bench
bench_baseline=Benchmarks/baseline/$(uname -m) # and -instructions.tsv, -WAY.tsv

# bench_build [ROOT [SCRATCH]]: one release build for everything here, the library's included.
bench_build() {
    local root=${1:-.} scratch=${2:-$bench_scratch}
    step "build the benchmarks (release)" env -u JOSE_STRICT \
        swift build -c release --package-path "$root/Benchmarks" --scratch-path "$scratch"
}

#: campaign bench  the table: ratio to the raw OpenSSL calls, times, allocations; `--only verify,sign` some of it
cmd_bench() {
    need_build $bench_packages
    bench_build
    step "build the tests' PKCS#11 module" bench_token_module
    (( $# )) || step "build the inner benchmarks" env -u JOSE_STRICT swift build -c release --product BenchInner --scratch-path "$bench_scratch/inner"
    "$bench_program" run --token-module "$PWD/$bench_scratch/token/token.so" "$@"
    (( $# )) || "$bench_scratch/inner/release/BenchInner"
}

# The small module that the tests lie with: what keys in tokens are measured by. It keeps RSA keys beside itself.
bench_token_module() {
    local folder=Tests/Unit/JOSEPKCS11Tests/Module
    mkdir -p "$bench_scratch/token"
    clang -std=gnu17 -O2 -shared -fPIC -Wl,-Bsymbolic "$folder"/*.c -o "$bench_scratch/token/token.so" -lcrypto
}

#: campaign bench-json [FILE]  the same as Google Benchmark's JSON
cmd_bench_json() {
    local file=${1:-$bench_scratch/bench.json}
    need_build $bench_packages
    bench_build
    "$bench_program" run --json "$file" >&2
    echo "$file"
}

# Instructions of every gated scenario, by callgrind, which knows the portable way alone; valgrind 3.19 cannot read
# DWARF 5, so a bare copy.
bench_profile() {
    rm -rf "$bench_scratch/profiles"
    mkdir -p "$bench_scratch/profiles"
    strip -g -o "$bench_scratch/profiles/Bench" "$bench_program"
    JOSE_TEST_WAY=portable SWIFT_DETERMINISTIC_HASHING=1 valgrind -q --tool=callgrind --instr-atstart=no \
        --callgrind-out-file="$bench_scratch/profiles/callgrind.out" \
        "$bench_scratch/profiles/Bench" count "$@"
}

#: gate bench-check  instructions, and by each way allocations and ratios, against the baselines; `--update` rewrites them
cmd_bench_check() {
    local only=() word way missing bad=0
    for word; do [[ $word == --update ]] || only+=("$word"); done
    need_build $bench_packages
    bench_build
    mkdir -p Benchmarks/baseline
    # Texts are read and written by AVX2 in every way: where it is not, other instructions run and take other times.
    if [[ $(uname -m) == x86_64 && $(processor_flags) != *" avx2 "* ]]; then
        echo "instructions and ratios: this processor lacks avx2, not checked"
        set -- "$@" --no-ratios
    else
        step "count instructions (callgrind)" bench_profile "${only[@]}"
        in_way portable "$bench_program" check-instructions --baseline "$bench_baseline" \
            --profiles "$bench_scratch/profiles" --program /Bench --arch "$(uname -m)" \
            --toolchain "$(swift --version 2>/dev/null | grep -oE 'swift-[0-9A-Za-z.-]+' | head -n 1)" "$@" || bad=1
    fi
    for way in $ways; do
        missing=$(way_missing "$way")
        if [[ -n $missing ]]; then
            echo "way $way: $missing, not checked"
        else
            in_way "$way" "$bench_program" check --baseline "$bench_baseline" --arch "$(uname -m)" "$@" || bad=1
        fi
    done
    return $bad
}

#: campaign bench-compare REV  times of a revision against the working tree, in turns: what differs by more than chance
cmd_bench_compare() {
    local rev=${1:-HEAD} rounds=${ROUNDS:-8} tree=$bench_scratch/compare/tree out=$PWD/$bench_scratch/compare
    shift || true
    git rev-parse --quiet --verify "$rev^{commit}" >/dev/null || die "no revision '$rev'"
    need_build $bench_packages
    bench_build
    rm -rf "$out/old" "$out/new"
    mkdir -p "$out/old" "$out/new"
    [[ -d $tree ]] || git worktree add --detach "$tree" "$rev" >/dev/null 2>&1
    git -C "$tree" checkout --quiet --detach "$rev"
    # The revision's library under today's scenarios where they still compile, else under its own.
    rm -rf "$tree/Benchmarks/Sources"
    cp -r Benchmarks/Sources Benchmarks/Package.swift "$tree/Benchmarks/"
    if ! env -u JOSE_STRICT swift build -c release --package-path "$tree/Benchmarks" --scratch-path "$out/build" >"$out/build.log" 2>&1; then
        echo "today's scenarios do not fit $rev: its own are used"
        git -C "$tree" checkout --quiet --force -- Benchmarks
        bench_build "$tree" "$out/build"
    fi
    local round
    for ((round = 1; round <= rounds; round++)); do
        printf '\rround %d of %d' "$round" "$rounds" >&2
        "$out/build/release/Bench" observe --out "$out/old/$round.tsv" "$@"
        "$bench_program" observe --out "$out/new/$round.tsv" "$@"
    done
    printf '\r' >&2
    "$bench_program" compare --old "$out/old" --new "$out/new"
    git worktree remove --force "$tree"
}

#: upkeep bench-plot  draws docs/plots: ratio to the floor by each way of computing, throughput by threads, cost by payload
cmd_bench_plot() {
    need_build $bench_packages
    bench_build
    local way missing
    rm -rf "$bench_scratch/ways"
    mkdir -p "$bench_scratch/ways"
    for way in $ways; do
        missing=$(way_missing "$way")
        if [[ -n $missing ]]; then
            echo "way $way: $missing, not drawn"
        else
            in_way "$way" "$bench_program" ways "$bench_scratch/ways/$way.tsv"
        fi
    done
    "$bench_program" plot docs/plots --ways "$bench_scratch/ways" "$@"
}

#: upkeep bench-peers  other libraries with the same keys and tokens, in turns with this one, by two ways; writes docs/peers.md
cmd_bench_peers() {
    need_build $bench_packages python3 python3-venv gcc libcjose-dev librhonabwy-dev libjwt-dev libjose-dev nodejs node-jose
    bench_build
    step "peers: Python packages" bench_peers_python
    step "peers: C programs" bench_peers_c
    "$bench_program" fixtures "$bench_scratch/peers"
    local way missing driver=("$bench_scratch/python/bin/python" -B Benchmarks/Peers/driver.py --folder "$bench_scratch/peers")
    rm -f "$bench_scratch"/peers/{ifma,fma}.json
    for way in ifma fma; do
        missing=$(way_missing "$way")
        if [[ -n $missing ]]; then
            echo "way $way: $missing, not measured"
        else
            in_way "$way" "${driver[@]}" --way "$way" --program "$bench_program" "$@"
        fi
    done
    "${driver[@]}" --out docs/peers.md "$@"
}

bench_peers_python() {
    local wanted=Benchmarks/Peers/requirements.txt
    cmp -s "$wanted" "$bench_scratch/python/requirements.txt" && return
    python3 -m venv --clear "$bench_scratch/python"
    "$bench_scratch/python/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
    cp "$wanted" "$bench_scratch/python/requirements.txt"
}

bench_peers_c() {
    local name libraries
    mkdir -p "$bench_scratch/peers"
    while read -r name libraries; do
        cc -O2 -Wall -Wextra -o "$bench_scratch/peers/$name" "Benchmarks/Peers/$name.c" \
            -DPEER_VERSION="\"$(pkg-config --modversion "${libraries%% *}")\"" $(pkg-config --cflags --libs $libraries)
    done <<'LIBRARIES'
cjose cjose jansson libcrypto
rhonabwy librhonabwy libyder jansson
libjwt libjwt
latchset jose jansson
LIBRARIES
}
