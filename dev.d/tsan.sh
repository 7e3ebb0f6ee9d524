# shellcheck shell=bash
# The thread sanitizer over the suites whose name ends in Concurrency: few, small, and on shared keys.

#: tsan-check  the Concurrency suites under the thread sanitizer
cmd_tsan_check() {
    need_build
    local build=(--scratch-path .build/tsan --sanitize=thread)
    # a sanitizer that stops the process can hang in Swift's backtracer
    export SWIFT_BACKTRACE=enable=no
    step "build with the thread sanitizer" swift build --build-tests "${build[@]}"
    step "Concurrency under the thread sanitizer" \
        swift test --skip-build --disable-xctest "${build[@]}" --filter Concurrency
    grep -E 'Test run with [0-9]+ test' "$log" || die "no test ran under the thread sanitizer: $log"
    ! grep -q 'WARNING: ThreadSanitizer' "$log" || die "the thread sanitizer reports a race: $log"
}
