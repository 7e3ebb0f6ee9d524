# The package with its traits switched, so that what is compiled out is not missed anywhere.

#: traits    builds without the vector kernels, then with PBES2, and runs the tests of keys, tokens and tables so
cmd_traits() {
    need_build
    local build=(--scratch-path .build/traits --disable-default-traits)
    step "build the tests without kernels" swift build --build-tests "${build[@]}"
    step "tests without kernels" swift test --skip-build --disable-xctest "${build[@]}" \
        --filter 'JOSECryptoTests|JOSETests.*(Vector|Hostile|Table|Mutation|RoundTrip|Acceleration|Batch|Nested|HeaderMemory)'
    grep -E 'Test run with [0-9]+ test' "$log" || die "no test ran without the kernels: $log"
    build=(--scratch-path .build/traits --traits PBES2)
    step "build the tests with PBES2" swift build --build-tests "${build[@]}"
    # Every table of rows, every vector, the page of algorithms, and the tool's self-test.
    step "tests with PBES2" swift test --skip-build --disable-xctest "${build[@]}" \
        --filter 'JOSECryptoTests.KeyFamily|JOSETests.(.*(Vector|Password|EncryptionTable|KeyTypeSet)|Hostile|JSONEncryption|AlgorithmPage)|josectlTests.StoryTests'
    grep -E 'Test run with [0-9]+ test' "$log" || die "no test ran with PBES2: $log"
    step "self-test with PBES2" "$(swift build "${build[@]}" --show-bin-path)/josectl" selftest --vectors Vectors
}
