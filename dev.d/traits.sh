# shellcheck shell=bash
# The package with its traits switched, so that what is compiled out is not missed anywhere.

#: traits    builds without the vector kernels and with PBES2: tests of keys, tokens and tables, vectors, foreign sides
cmd_traits() {
    need_build $test_packages
    # Naming one trait leaves out the default one, the kernels.
    local build=(--scratch-path .build/traits --traits PBES2) bin
    step "build the tests with PBES2, without kernels" swift build --build-tests "${build[@]}"
    step "tests with PBES2, without kernels" swift test --skip-build --disable-xctest "${build[@]}" \
        --filter 'JOSECryptoTests|JOSETests.*(Vector|Hostile|Table|Mutation|RoundTrip|Acceleration|Batch|Nested|HeaderMemory|HeaderPattern|Password|KeyTypeSet|JSONEncryption|AlgorithmPage)|josectlTests.StoryTests'
    grep -E 'Test run with [0-9]+ test' "$log" || die "no test ran with other traits: $log"
    bin=$(swift build "${build[@]}" --show-bin-path)
    step "self-test with PBES2" "$bin/josectl" selftest --vectors Vectors
    interop_run "$bin/josectl" "$bin/openid-peer" --trait PBES2
}
