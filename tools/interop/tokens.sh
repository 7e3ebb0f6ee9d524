# shellcheck shell=bash
# Keys in a token that others made: SoftHSM 2, with what is kept in a temporary folder.

softhsm=/usr/lib/softhsm/libsofthsm2.so

# with_softhsm COMMAND…: a token of its own, by the label $softhsm_label, named in the environment, and gone
# afterwards. Its PIN is made up each time.
with_softhsm() (
    local folder
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mkdir "$folder/tokens"
    printf 'directories.tokendir = %s/tokens\nobjectstore.backend = file\nlog.level = ERROR\n' "$folder" >"$folder/conf"
    export SOFTHSM2_CONF=$folder/conf JOSE_TEST_TOKEN_MODULE=$softhsm JOSE_TEST_TOKEN_LABEL=${softhsm_label:-jose; tests}
    export JOSE_TEST_TOKEN_PIN=$((RANDOM + 10000))$RANDOM JOSE_TEST_TOKEN_PIN_FILE=$folder/pin
    (umask 077 && echo "$JOSE_TEST_TOKEN_PIN" >"$JOSE_TEST_TOKEN_PIN_FILE")
    softhsm2-util --init-token --free --label "$JOSE_TEST_TOKEN_LABEL" --pin "$JOSE_TEST_TOKEN_PIN" --so-pin "$((RANDOM + 10000))$RANDOM"
    "$@"
)

#: run tokens [SECONDS]  tests keys in SoftHSM 2, with foreign implementations; callers that lose sessions for so long (3)
cmd_tokens() {
    need_build softhsm2 swift-tests foreign
    build_tests
    if (( $# )); then
        export JOSE_TEST_TOKEN_SECONDS=$1
        swift_tests "callers that lose their sessions, $1 s" --filter TokenConcurrencyTests
    fi
    step "swift test, with keys in SoftHSM 2" \
        with_softhsm swift test --skip-build --disable-xctest --filter 'JOSEPKCS11Tests\.|josectlTests\.Token(Key|Batch|Usage)Tests' --no-parallel
    tests_ran
    foreign_sides
    step "tokens by keys in SoftHSM 2" with_softhsm \
        "$environment/bin/python" -B Tests/Interop/held.py --josectl .build/debug/josectl --cjose "$state/cjose-tool"
    tail -n 1 "$log"
}

# The login, with the client's keys made in the token.
demo_in_token() {
    "${tool%/*}/demo" --module "$softhsm" --token pkcs11:token=login --pin-file "$JOSE_TEST_TOKEN_PIN_FILE" "$@"
}

#: run key-service  tests Examples/KeyService: a service that works, is killed and comes back, sends nonsense
cmd_key_service() {
    need_build
    build_example KeyService --build-tests
    swift_tests "swift test, the example's external key" --package-path Examples/KeyService --scratch-path "$examples"
    step "what the example's page types" key_service_page
}

# The page's commands as they stand, in other folders; the client starts when the service listens, as a person sees it.
key_service_page() (
    folder=$(mktemp -d "${TMPDIR:-/tmp}/jose-page.XXXXXX")
    trap 'kill $(jobs -p) 2>/dev/null; rm -rf --one-file-system "$folder"' EXIT
    sed -n '/^```console$/,/^```$/s/^\$ //p' Examples/KeyService/README.md | grep -v '^swift build$' |
        sed "s#\.build/#$PWD/$examples/#g; s#/tmp/#$folder/#g; s#&\$#\&\nwait_for_it#" >"$folder/typed"
    wait_for_it() { for _ in {1..600}; do [[ ! -S $folder/keys.socket ]] || return 0; sleep 0.05; done; return 1; }
    . "$folder/typed" >"$folder/said" 2>&1
    cat "$folder/said"
    grep -qx "decrypted by the service: a secret text" "$folder/said" && grep -q '^1000 signatures at once: ' "$folder/said"
)
