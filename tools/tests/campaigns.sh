# shellcheck shell=bash
# Bounds of work, system calls and concurrency over the whole public surface: Benchmarks/Sources/Campaigns, docs/security.

campaigns_program=.build/bench/release/Campaigns

campaigns_build() {
    step "build the campaigns (release)" env -u JOSE_STRICT \
        swift build --disable-build-manifest-caching -c release --package-path Benchmarks --scratch-path .build/bench --product Campaigns
}

#: run work-bounds [NAME]  measures time, memory and growth of hostile inputs next to a valid input of their size
cmd_work_bounds() {
    need_build
    campaigns_build
    "$campaigns_program" work-bounds "$@"
}

#: run no-system-calls  checks that verify and decrypt make none except for memory, locks, random numbers and the clock
cmd_no_system_calls() {
    need_build
    campaigns_build
    "$campaigns_program" no-system-calls Vectors
}

#: run concurrency [OPERATIONS]  compares 64 threads on shared keys with one thread (1,000,000); `concurrency --tsan N` under the thread sanitizer
cmd_concurrency() {
    need_build
    if [[ ${1:-} != --tsan ]]; then
        campaigns_build
        nice -n 10 "$campaigns_program" concurrency "${1:-1000000}" Vectors
        return
    fi
    step "build the campaigns (thread sanitizer)" env -u JOSE_STRICT \
        swift build --disable-build-manifest-caching --package-path Benchmarks --scratch-path .build/bench-tsan \
        --product Campaigns --sanitize=thread -Xswiftc -DJOSE_THREAD_SANITIZER
    step "64 threads under the thread sanitizer" env SWIFT_BACKTRACE=enable=no TSAN_OPTIONS=exitcode=66 \
        nice -n 10 .build/bench-tsan/debug/Campaigns concurrency "${2:-100000}" Vectors
    cat "$log"
}
