# shellcheck shell=bash
# Interoperability with real servers and browsers over HTTPS, which `./dev test` neither installs
# nor waits for.

parties_pictures=.build/login/pictures

# The parties, each a function party_NAME; `parties NAME…` plays these alone.
parties="browser apache glewlwyd options mozilla social simple toolkit oidc_provider local_provider"

#: run parties [NAME...]  logs in over HTTPS: both examples in Chromium, with pictures; mod_auth_openidc; glewlwyd; Python packages
cmd_parties() {
    login_programs parties
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
    for profile in itsme0 itsme1 itsme2 signicat nets openid nested fapi2 fapi2-message-signing; do
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

# Apache with mod_auth_openidc as relying party of the example's provider, and all that either must reject. No service of the
# machine: the server of this package alone, started with a configuration of its own.

party_apache() {
    local keys=$PWD/.build/login/keys-apache
    rm -rf "$keys"
    # Of RSA-OAEP its library knows the one with SHA-1 alone.
    Examples/Login/make-keys.sh "$keys" "$PWD/$tool" RSA-OAEP >/dev/null
    step "mod_auth_openidc and the example's provider" \
        /usr/bin/python3 -B Tests/Interop/Parties/apache.py "$examples/debug/provider" "$PWD/$tool" "$keys"
    tail -n 1 "$log"
}

# Relying parties in Python at the example's provider.
party_mozilla() { python_party mozilla.py provider; }
party_social() { python_party social.py provider client_secret_basic; python_party social.py provider client_secret_post; }
party_simple() { python_party simple.py provider; }

# Providers in Python for the example's relying party.
party_toolkit() { python_party toolkit.py relying-party; }
party_local_provider() { python_party local_provider.py relying-party; }
party_oidc_provider() { python_party oidc_provider_party.py relying-party; }

# Both of the example's programs, by what their options say.
party_options() {
    local signature keys=.build/parties/options-keys
    parties_environment
    for signature in RS256 ES256; do
        rm -rf "$keys"
        Examples/Login/make-keys.sh "$keys" "$PWD/$tool" RSA-OAEP-256 "$signature" >/dev/null
        step "options of the example, $signature" "$parties_python" -B Tests/Interop/Parties/options.py \
            "$examples/debug/provider" "$examples/debug/relying-party" "$keys" "$signature"
        tail -n 1 "$log"
    done
}

# python_party SCRIPT PROGRAM [ARGUMENT…]: a party of the pinned packages, in this process of Python alone.
python_party() {
    local script=$1 program=$2 keys=.build/parties/python-keys
    shift 2
    parties_environment
    login_keys "$keys" openid >/dev/null
    step "${script%.py} and the example's $program${*:+, $*}" \
        "$parties_python" -B "Tests/Interop/Parties/$script" "$examples/debug/$program" "$keys" "$@"
    tail -n 1 "$log"
}

parties_python=.build/parties/python/bin/python
parties_environment() {
    step "packages of the parties in Python" python_environment .build/parties/python Tests/Interop/Parties/requirements.txt
}

# key_digest CERTIFICATE: SHA-256 of its public key, by which a browser can be told to take it.
key_digest() {
    openssl x509 -in "$1" -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
}

# Our relying party, and that of Examples/Login, at glewlwyd.
party_glewlwyd() {
    local folder=.build/parties/glewlwyd port
    need_build glewlwyd
    step "unpack glewlwyd" glewlwyd_unpack "$folder/package"
    step "build openid-peer" swift build --product openid-peer
    step "keys and certificates" login_keys "$folder/keys" openid
    port=$(free_port 8543)
    /usr/bin/python3 -B Tests/Interop/Parties/glewlwyd_run.py "$folder/package" "$folder/run" "$folder/keys" "$port" \
        .build/debug/openid-peer "$examples/debug/relying-party" "$(free_port $(( port + 1 )))" ||
        die "glewlwyd failed; what it said: $folder/run"
}

# glewlwyd_unpack FOLDER
glewlwyd_unpack() {
    [[ ! -x $1/usr/bin/glewlwyd ]] || return 0
    rm -rf "$1"
    mkdir -p "$1"
    (cd "$1" && { apt-get download glewlwyd || { apt-get update && apt-get download glewlwyd; }; })
    dpkg-deb -x "$1"/glewlwyd_*.deb "$1"
}
