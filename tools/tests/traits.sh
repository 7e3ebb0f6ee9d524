# shellcheck shell=bash
# The package with its traits switched, so that what is compiled out is not missed anywhere.

# Naming one trait leaves out the default one, the kernels.
traits_options="--scratch-path .build/traits --traits PBES2"
traits_tests="JOSETests:Support,Conformance,Documents,Rules,Serialisations
    JOSETests:Robustness/MutationTests.swift,Robustness/KeyMutationTests.swift,Robustness/RoundTripTests.swift
    JOSECryptoTests josectlTests:SelftestTests.swift,Tool.swift josectl demo openid-peer"
traits_tests=${traits_tests//$'\n'/ }
traits_build() {
    export JOSE_TESTS=$traits_tests
    step "build the tests with PBES2, without kernels" swift build --build-tests $traits_options
}

#: run traits  runs tests, vectors and foreign implementations without the vector kernels and with PBES2
cmd_traits() {
    need_build swift-tests foreign
    local bin
    traits_build
    step "tests with PBES2, without kernels" swift test --skip-build --disable-xctest $traits_options \
        --filter 'JOSECryptoTests|JOSETests.*(Vector|Hostile|Table|Mutation|RoundTrip|Acceleration|Batch|ForgedBlock|Nested|HeaderCache|Password|KeyTypeSet|JSONEncryption|AlgorithmPage)|josectlTests.SelftestTests'
    tests_ran
    bin=$(swift build $traits_options --show-bin-path)
    step "self-test with PBES2" "$bin/josectl" selftest
    interop_run "$bin/josectl" "$bin/openid-peer" --trait PBES2
}
