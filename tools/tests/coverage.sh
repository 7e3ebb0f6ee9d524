# shellcheck shell=bash
# Which lines the tests run, C and Swift (docs/security/coverage.md).

coverage_scratch=.build/coverage

#: run coverage [FILTER]  counts the lines that the tests run; at least C 98 %, Swift 95 %
cmd_coverage() {
    need_build swift-tests
    local tools folder=$coverage_scratch/profiles tests
    tools=$(dirname "$(readlink -f "$(command -v swift)")")
    step "build the tests (coverage)" swift build --build-tests --enable-code-coverage --scratch-path "$coverage_scratch" \
        -Xcc -fprofile-instr-generate -Xcc -fcoverage-mapping
    rm -rf "$folder"
    mkdir -p "$folder"
    # The test program and every josectl that it starts write a profile each.
    tests=(env LLVM_PROFILE_FILE="$PWD/$folder/%p-%m.profraw"
        "$coverage_scratch/debug/swift-josePackageTests.xctest" --testing-library swift-testing)
    local skip="Concurrency|100,000 members|FaultTests"
    (( $# )) || skip+="|$waiting_tests"
    step "tests (coverage)" "${tests[@]}" --filter "${1:-.}" --skip "$skip"
    (( $# )) || step "tests against servers (coverage)" "${tests[@]}" --filter "$waiting_tests" --skip Concurrency --no-parallel
    coverage_of_failures "$tools"
    step "merge" "$tools/llvm-profdata" merge -sparse "$folder"/*.profraw -o "$coverage_scratch/all.profdata"
    step "export" coverage_lines "$tools" "$coverage_scratch/all.profdata" "$coverage_scratch/lcov" \
        "$coverage_scratch/debug/swift-josePackageTests.xctest" -object "$coverage_scratch/debug/josectl"
    python3 -B tools/tests/coverage.py . "$coverage_scratch/uncovered.txt" "$coverage_scratch/lcov" \
        "$coverage_scratch/failures.lcov"
}

# What only a failing machine reaches, the fault driver does: each 61st allocation and draw fails, each call, and the
# start's.
coverage_of_failures() {
    local profiles=$PWD/$coverage_scratch/failures
    rm -rf "$profiles"
    mkdir -p "$profiles"
    local faults=(env FAULTS_PROFILE="$profiles/%m.profraw" FAULTS_EVERY_CALL=1 CC="$1/clang" Tests/CCore/run faults)
    step "failures (coverage)" "${faults[@]}" all 61
    step "failures of the start (coverage)" "${faults[@]}" cold 400
    step "merge (failures)" "$1/llvm-profdata" merge -sparse "$profiles"/*.profraw -o "$coverage_scratch/failures.profdata"
    step "export (failures)" coverage_lines "$1" "$coverage_scratch/failures.profdata" "$coverage_scratch/failures.lcov" \
        .build/ccore/faults-profiled/faults
}

# coverage_lines TOOLS PROFILE OUT PROGRAM…
coverage_lines() {
    "$1/llvm-cov" export -format=lcov -instr-profile "$2" "${@:4}" >"$3"
}
