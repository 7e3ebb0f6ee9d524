# shellcheck shell=bash
# The Swift tests. Foreign implementations: tools/interop.

# Suites that wait for responses of other processes within time limits: another suite in their
# process that fills the thread pool for minutes would keep them waiting past these. One process a
# target, each one test after another; the three processes run at once, since they mostly wait.
waiting_tests='JOSERedisTests|JOSERemoteTests|JOSEPKCS11Tests'

test_against_servers() {
    local suites bad=0
    for suites in ${waiting_tests//|/ }; do
        .build/debug/swift-josePackageTests.xctest --testing-library swift-testing --filter "$suites" --no-parallel \
            >"$log.$suites" 2>&1 &
    done
    for suites in ${waiting_tests//|/ }; do wait -n || bad=1; done
    cat "$log".JOSE*Tests
    # each of them ran at least one test
    grep -hE 'Test run with [1-9][0-9]* test' "$log".JOSE*Tests >"$log.counts"
    (( ! bad && $(wc -l <"$log.counts") == 3 ))
}

# Tests of what the installed libcrypto does not have, each by its name.
name_not_run() { sed -n 's/^➜ Test \(.*\) skipped: "\(this libcrypto .*\)"$/not run, \2: \1/p' "$log"; }

#: dev test  runs all tests, vectors and foreign implementations; `test --swift` all Swift tests; `test --filter X` some of them
cmd_test() {
    local foreign=foreign
    if [[ ${1:-} == --swift ]]; then
        foreign=
        shift
    fi
    need_build swift-tests $([[ -n ${1:-} ]] || echo $foreign)
    build_tests
    if (( $# )); then
        swift_tests "swift test" "$@"
        name_not_run
        return
    fi
    # The tool that these start hundreds of times is the one that is shipped; with --filter it is
    # the debug one.
    build_tool
    JOSE_TEST_TOOL="$PWD/$tool" swift_tests "swift test" --skip "$waiting_tests"
    name_not_run
    step "swift test, against servers" test_against_servers
    cat "$log.counts"
    [[ -z $foreign ]] || cmd_interop
}
