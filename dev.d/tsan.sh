# shellcheck shell=bash
# The thread sanitizer over the suites whose name ends in Concurrency: few, small, and on shared keys.

#: tsan-check  the Concurrency suites under the thread sanitizer
cmd_tsan_check() {
    need_build
    local build=(--scratch-path .build/tsan --sanitize=thread)
    # a sanitizer that stops the process can hang in Swift's backtracer
    export SWIFT_BACKTRACE=enable=no
    # "Swift access race" is a false alarm of Mutex.withLock (docs/workarounds.md); a real race on the same
    # memory is reported as a "data race" too, so the reports are judged here and not by the exit code.
    export TSAN_OPTIONS="exitcode=0 suppressions=$PWD/Tests/thread-sanitizer.supp"
    step "build with the thread sanitizer" swift build --build-tests "${build[@]}"
    step "Concurrency under the thread sanitizer" \
        swift test --skip-build --disable-xctest "${build[@]}" --filter Concurrency
    grep -E 'Test run with [0-9]+ test' "$log" || die "no test ran under the thread sanitizer: $log"
    ! grep 'WARNING: ThreadSanitizer' "$log" | grep -v 'Swift access race' ||
        die "the thread sanitizer reports a race: $log"
}
