# shellcheck shell=bash
# Real parties at the other end of the wire, over HTTPS: what a newcomer's `./dev test` neither installs nor waits for.

# The browser, a font for its pictures, and what drives it.
parties_packages="chromium fonts-dejavu-core python3 python3-websockets"
parties_pictures=.build/login/pictures

# The parties, each a function party_NAME; `parties NAME…` plays these alone.
parties="browser"

#: gate parties [NAME…]  real parties over HTTPS: a login of the two examples in Chromium, with pictures
cmd_parties() {
    login_programs $parties_packages
    local party
    for party in ${*:-$parties}; do
        declare -F "party_$party" >/dev/null || die "no party '$party'; there are $parties"
        "party_$party"
    done
}

# The two programs of Examples/Login in a browser, under each profile; then with access tokens that end soon.
party_browser() {
    local profile
    rm -rf "$parties_pictures"
    for profile in itsme0 itsme1 itsme2 signicat nets openid; do
        step "login in a browser, $profile" browser_login "$profile"
    done
    step "login in a browser, tokens that end" browser_login openid --token-seconds 4
    echo "pictures of every page: $parties_pictures"
}

# browser_login PROFILE [OPTION…]: OPTIONs are for the programs.
browser_login() (
    profile=$1 keys=.build/login/keys-$1
    shift
    login_keys "$keys" "$profile"
    trap login_stop EXIT
    login_start "$profile" "$keys" "$@"
    /usr/bin/python3 -B Tests/Interop/Parties/login.py "$profile" "$login_site" "$parties_pictures${*:+/ending}" \
        "$(key_digest "$keys/idp.localhost.tls.pem"),$(key_digest "$keys/rp.localhost.tls.pem")" \
        ${*:+--short-tokens}
)

# key_digest CERTIFICATE: SHA-256 of its public key, by which a browser can be told to take it.
key_digest() {
    openssl x509 -in "$1" -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
}
