# shellcheck shell=bash
# The thread sanitizer over the suites whose name ends in Concurrency: few, small, and on shared keys.

# Where these suites are and what they need: nothing else is built.
tsan_tests="JOSETests:Support,Conformance,Robustness/ConcurrencyTests.swift,ExternalKeys/PoolConcurrencyTests.swift
    JOSECryptoTests:ConcurrencyTests.swift,SignatureFamilyConcurrency.swift,SignatureFamilyTests.swift,CurveNumbers.swift,Support.swift
    JOSEOpenIDTests:Support,Replay/ReplayConcurrencyTests.swift openid-example
    JOSERemoteTests:ConcurrencyTests.swift,CertificateModeTests.swift,Fakes.swift,TestServer.swift silent-name
    JOSERedisTests:RedisConcurrencyTests.swift,Support.swift,TestRedis.swift
    JOSEPKCS11Tests:TokenConcurrencyTests.swift,TestToken.swift"
tsan_tests=${tsan_tests//$'\n'/ }

#: run tsan-check  runs the Concurrency suites under the thread sanitizer
cmd_tsan_check() {
    need_build swift-tests
    # one suite after another: a suite that fills the pool keeps claims of another waiting past their limit
    JOSE_TESTS=$tsan_tests tsan_run tsan --filter Concurrency --no-parallel
}

tsan_options() { printf '%s\n' --scratch-path ".build/$1" --sanitize=thread -Xswiftc -DJOSE_THREAD_SANITIZER; }

# tsan_run FOLDER [TEST-OPTION…]: builds for the thread sanitizer and tests; any report fails.
tsan_run() {
    local folder=$1
    shift
    # a sanitizer that stops the process can hang in Swift's backtracer
    export SWIFT_BACKTRACE=enable=no
    # so that all reports are in the log, and the first does not hide the rest
    export TSAN_OPTIONS=exitcode=0
    step "build with the thread sanitizer" swift build --build-tests $(tsan_options "$folder")
    swift_tests "tests under the thread sanitizer" $(tsan_options "$folder") "$@"
    ! grep 'WARNING: ThreadSanitizer' "$log" || die "the thread sanitizer reports a race: $log"
}
