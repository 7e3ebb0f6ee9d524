# shellcheck shell=bash
# Keys in a token that others made: SoftHSM 2, with what is kept in a temporary folder.

softhsm=/usr/lib/softhsm/libsofthsm2.so

# with_softhsm COMMAND…: a token of its own, named in the environment, and gone afterwards. Its PIN is made up each time.
with_softhsm() (
    local folder
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mkdir "$folder/tokens"
    printf 'directories.tokendir = %s/tokens\nobjectstore.backend = file\nlog.level = ERROR\n' "$folder" >"$folder/conf"
    export SOFTHSM2_CONF=$folder/conf JOSE_TEST_TOKEN_MODULE=$softhsm JOSE_TEST_TOKEN_LABEL="jose; tests"
    export JOSE_TEST_TOKEN_PIN=$RANDOM$RANDOM
    softhsm2-util --init-token --free --label "$JOSE_TEST_TOKEN_LABEL" --pin "$JOSE_TEST_TOKEN_PIN" --so-pin "$RANDOM$RANDOM"
    "$@"
)

#: gate tokens [SECONDS]  the tests of keys in tokens against SoftHSM 2, which it installs; callers that lose sessions so long (3)
cmd_tokens() {
    need_build softhsm2
    build_tests
    if (( $# )); then
        export JOSE_TEST_TOKEN_SECONDS=$1
        step "callers that lose their sessions, $1 s" \
            swift test --skip-build --disable-xctest --filter TokenConcurrencyTests
        grep -E 'Test run with [1-9][0-9]* test' "$log" || die "no test ran: $log"
    fi
    step "swift test, with keys in SoftHSM 2" \
        with_softhsm swift test --skip-build --disable-xctest --filter 'JOSEPKCS11Tests\.' --no-parallel
    grep -E 'Test run with [1-9][0-9]* test' "$log" || die "no test ran: $log"
}

#: gate key-service  Examples/KeyService: its custodian at a service that works, is killed and comes back, talks nonsense
cmd_key_service() {
    need_build
    step "build the key service" swift build --build-tests --package-path Examples/KeyService --scratch-path .build/key-service
    step "swift test, the example's custodian" \
        swift test --skip-build --disable-xctest --package-path Examples/KeyService --scratch-path .build/key-service
    grep -E 'Test run with [1-9][0-9]* test' "$log" || die "no test ran: $log"
}
