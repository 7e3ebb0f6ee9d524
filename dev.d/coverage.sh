# shellcheck shell=bash
# Which lines the tests run, C and Swift (docs/security/coverage.md).

coverage_scratch=.build/coverage

#: coverage  lines that the tests run: C 98 %, Swift 95 %; `coverage FILTER` with some of the tests
cmd_coverage() {
    need_build $test_packages
    local tools folder=$coverage_scratch/profiles
    tools=$(dirname "$(readlink -f "$(command -v swift)")")
    step "build the tests (coverage)" swift build --build-tests --enable-code-coverage --scratch-path "$coverage_scratch" \
        -Xcc -fprofile-instr-generate -Xcc -fcoverage-mapping
    rm -rf "$folder"
    mkdir -p "$folder"
    # the test program and every josectl that it starts write a profile each
    step "tests (coverage)" env LLVM_PROFILE_FILE="$PWD/$folder/%p-%m.profraw" \
        "$coverage_scratch/debug/swift-josePackageTests.xctest" --testing-library swift-testing \
        --filter "${1:-.}" --skip "Concurrency|100,000 members"
    step "merge" "$tools/llvm-profdata" merge -sparse "$folder"/*.profraw -o "$coverage_scratch/all.profdata"
    step "export" bash -c "'$tools/llvm-cov' export -format=lcov -instr-profile '$coverage_scratch/all.profdata' \
        '$coverage_scratch/debug/swift-josePackageTests.xctest' -object '$coverage_scratch/debug/josectl' >'$coverage_scratch/lcov'"
    python3 -B Tests/Coverage/report.py "$coverage_scratch/lcov" . "$coverage_scratch/uncovered.txt"
}
