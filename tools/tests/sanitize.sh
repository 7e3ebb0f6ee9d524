# shellcheck shell=bash
# The whole test suite under sanitizers. Long: each form builds everything for itself.

# sanitize_run NAME BUILD-OPTION…: the suite, in a scratch folder of its own.
sanitize_run() {
    local name=$1
    shift
    local build=(--scratch-path ".build/sanitize-$name" "$@")
    step "build for $name" swift build --build-tests "${build[@]}"
    swift_tests "tests under $name" "${build[@]}" --skip "$waiting_tests"
    swift_tests "tests of servers under $name" "${build[@]}" --filter "$waiting_tests" --no-parallel
}

#: run sanitize [FORM...]  runs the whole suite under the sanitizers: address (with leaks), undefined, thread
cmd_sanitize() {
    need_build swift-tests
    # a sanitizer that stops the process can hang in Swift's backtracer
    export SWIFT_BACKTRACE=enable=no
    local form
    for form in ${*:-address undefined thread}; do
        case $form in
        address)
            ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=$PWD/tools/tests/leaks.txt:print_suppressions=0 \
                sanitize_run address --sanitize=address
            ;;
        undefined)
            # Swift checks itself; in C every fault ends the process. The runtime of this sanitizer does not
            # link with Swift on Linux, hence the traps.
            sanitize_run undefined -Xcc -fsanitize=undefined,implicit-conversion,local-bounds \
                -Xcc -fsanitize-trap=undefined,implicit-conversion,local-bounds
            ;;
        thread)
            tsan_run sanitize-thread --skip "$waiting_tests"
            tsan_run sanitize-thread --filter "$waiting_tests" --no-parallel
            ;;
        *) die "no sanitizer '$form': address, undefined, thread" ;;
        esac
    done
}
