# Benchmarks: the table, the check, comparisons, drawings, other libraries. See
# docs/performance.md.

bench_scratch=.build/bench
bench_program=$bench_scratch/release/Bench
bench_baseline=Benchmarks/baseline/$(uname -m) # -instructions.tsv, -LEVEL.tsv

# bench_build [ROOT [SCRATCH]]: one release build for everything here, the library's included. With
# manifest caching, SwiftPM misses that a file of the library was renamed.
bench_build() {
    local root=${1:-.} scratch=${2:-$bench_scratch}
    step "build the benchmarks (release)" env -u JOSE_STRICT \
        swift build --disable-build-manifest-caching -c release --package-path "$root/Benchmarks" --scratch-path "$scratch"
}

#: dev bench  prints the ratio to the raw OpenSSL calls, times and allocations; `--only verify,sign` of some; `--json FILE`
cmd_bench() {
    need_build bench
    bench_build
    step "build the tests' PKCS#11 module" bench_token_module
    (( $# )) || step "build the inner benchmarks" env -u JOSE_STRICT swift build -c release --product BenchInner --scratch-path "$bench_scratch/inner"
    "$bench_program" run --token-module "$PWD/$bench_scratch/token/token.so" "$@"
    (( $# )) || "$bench_scratch/inner/release/BenchInner"
}

#: run bench-server [SECONDS]  prints the latency of a server that gets 1.5 times the signatures that EVP can make, on one processor
cmd_bench_server() {
    need_build bench
    bench_build
    taskset -c 0 "$bench_program" server "$@"
}

# The PKCS#11 module of the tests, to measure keys in tokens. It caches RSA keys next to itself.
bench_token_module() {
    local folder=Tests/Unit/JOSEPKCS11Tests/Module
    mkdir -p "$bench_scratch/token"
    clang -std=gnu17 -O2 -shared -fPIC -Wl,-Bsymbolic "$folder"/*.c -o "$bench_scratch/token/token.so" -lcrypto
}

# The groups that the check holds, as `--only` takes them: all but the algorithm entries and the
# threads.
bench_held() { "$bench_program" list | sed 's|/.*|/|' | grep -vE '^(row-|threads/)' | sort -u | paste -sd ,; }

#: run bench-check [--update]  compares instructions, and by each kernel level allocations and ratios, with the baselines
cmd_bench_check() {
    local bad=0
    need_build bench
    bench_build
    # The program starts itself under callgrind, which supports only the portable level.
    JOSE_TEST_CPU=portable "$bench_program" check --parts instructions \
        --instructions "$bench_baseline-instructions.tsv" "$@" || bad=1
    bench_check_at() { "$bench_program" check --parts allocations,ratios --baseline "$bench_baseline-${*: -1}.tsv" "${@:1:$#-1}"; }
    for_each_cpu_level bench_check_at "$@" || bad=1
    return $bad
}

# bench_old REV: the program of a revision in $bench_scratch/compare, with today's scenarios where they still compile.
bench_old() {
    local rev=$1 tree=$bench_scratch/compare/tree out=$PWD/$bench_scratch/compare
    git rev-parse --quiet --verify "$rev^{commit}" >/dev/null || die "no revision '$rev'"
    mkdir -p "$out"
    [[ -d $tree ]] || git worktree add --detach "$tree" "$rev" >/dev/null 2>&1
    git -C "$tree" checkout --quiet --force --detach "$rev"
    # The revision's library under today's scenarios where they still compile, else under its own.
    rm -rf "$tree/Benchmarks/Sources"
    cp -r Benchmarks/Sources Benchmarks/Package.swift "$tree/Benchmarks/"
    if ! env -u JOSE_STRICT swift build -c release --package-path "$tree/Benchmarks" --scratch-path "$out/build" >"$out/build.log" 2>&1; then
        echo "today's scenarios do not fit $rev: its own are used"
        rm -rf "$tree/Benchmarks/Sources"
        git -C "$tree" checkout --quiet --force -- Benchmarks
        bench_build "$tree" "$out/build"
    fi
    git worktree remove --force "$tree"
}

#: run bench-compare [REV]  compares times, allocations and instructions of a revision and the working tree; `--out FILE` Markdown
cmd_bench_compare() {
    local rev=${1:-HEAD}
    shift || true
    need_build bench
    bench_build
    bench_old "$rev"
    "$bench_program" report --against "$bench_scratch/compare/build/release/Bench" --rounds "${ROUNDS:-8}" "$@"
}

bench_history=Benchmarks/results/history/$(uname -m).tsv

#: run bench-history [REV]  adds the committed state's numbers to Benchmarks/results/history; bench-plot draws it
cmd_bench_history() {
    local rev
    rev=$(git rev-parse --short=10 --verify "${1:-HEAD}^{commit}") || die "no revision '${1:-HEAD}'"
    [[ -z $(git status --porcelain -- Sources CShims Benchmarks/Sources) ]] || die "what is measured is not committed"
    [[ $rev == "$(git rev-parse --short=10 HEAD)" ]] || die "check $rev out first: the working tree is what is measured"
    need_build bench
    bench_build
    mkdir -p "${bench_history%/*}"
    "$bench_program" history --file "$bench_history" --revision "$rev" --only "$(bench_held)"
}

#: run bench-plot  draws docs/plots: ratio to OpenSSL by kernel level and by revision, throughput by threads, cost by payload
cmd_bench_plot() {
    need_build bench
    bench_build
    rm -rf "$bench_scratch/cpu-levels"
    mkdir -p "$bench_scratch/cpu-levels"
    measure_level() { "$bench_program" cpu-levels "$bench_scratch/cpu-levels/$1.tsv"; }
    for_each_cpu_level measure_level
    "$bench_program" draw docs/plots --cpu-levels "$bench_scratch/cpu-levels" "$@"
    [[ ! -f $bench_history ]] || "$bench_program" plot --file "$bench_history" --out docs/plots/history.svg \
        --only verify/,sign/,encrypt/,decrypt/,nested/
}

#: run bench-peers  measures other libraries with the same keys and tokens, interleaved; writes Benchmarks/results/peers.md, fails if one is faster
cmd_bench_peers() {
    public_packages $swift_peers || not_run "no network, and JOSE_PACKAGES names no folder with ${swift_peers// /, }"
    need_build bench bench-rivals
    bench_build
    step "peers: Python packages" python_environment "$bench_scratch/python" Benchmarks/Peers/requirements.txt
    step "peers: C programs" bench_peers_c
    bench_swift SwiftPeers
    "$bench_program" fixtures "$bench_scratch/peers"
    local driver=("$bench_scratch/python/bin/python" -B Benchmarks/Peers/driver.py --folder "$bench_scratch/peers")
    rm -f "$bench_scratch"/peers/{ifma,fma}.json
    measure_peers() {
        "${driver[@]}" --program "$bench_program" --swift "$frameworks/SwiftPeers/release/SwiftPeers" \
            "${@:1:$#-1}" --cpu-level "${*: -1}"
    }
    cpu_levels="ifma fma" for_each_cpu_level measure_peers "$@"
    "${driver[@]}" --out Benchmarks/results/peers.md "$@"
}

swift_peers="jwt-kit JWSETKit"
swift_routes="hummingbird jwt-kit"

# bench_swift FOLDER: a package of Benchmarks/Peers with the newest versions. Without warnings as errors: the packages are
# built with them too.
bench_swift() {
    rm -f "Benchmarks/Peers/$1/Package.resolved"
    step "peers: $1 (release)" env -u JOSE_STRICT swift build -c release --package-path "Benchmarks/Peers/$1" \
        --config-path "$frameworks/config" --scratch-path "$frameworks/$1"
}

#: run bench-routes  a Hummingbird route without verification, with ours and with jwt-kit's, in turns; writes Benchmarks/results/routes.md
cmd_bench_routes() {
    public_packages $swift_routes || not_run "no network, and JOSE_PACKAGES names no folder with ${swift_routes// /, }"
    need_build bench wrk python3
    bench_build
    bench_swift Routes
    mkdir -p "$bench_scratch/peers"
    "$bench_program" fixtures "$bench_scratch/peers"
    python3 -B Benchmarks/Peers/routes.py --program "$frameworks/Routes/release/Routes" \
        --bench "$bench_program" --folder "$bench_scratch/peers" \
        --out Benchmarks/results/routes.md "$@"
}

#: run migration  compiles the calls of the pages on jwt-kit and JWSETKit with these libraries, and exchanges tokens with them
cmd_migration() {
    public_packages $swift_peers || not_run "no network, and JOSE_PACKAGES names no folder with ${swift_peers// /, }"
    need_build
    bench_swift SwiftPeers
    "$frameworks/SwiftPeers/release/Migration"
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
