# shellcheck shell=bash
# The login of Examples/Login: its two programs, built and started.

login_programs() {
    need_build login "$@"
    build_tool
    build_example Login
}

# free_port FIRST: the first unused port from FIRST on.
free_port() {
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$(( port + 1 )); done
    echo "$port"
}

# login_keys FOLDER PROFILE: keys and certificates for one pair of programs.
login_keys() {
    rm -rf "$1"
    case $2 in
        itsme0 | itsme1) Examples/Login/make-keys.sh "$1" "$PWD/$tool" RSA-OAEP ;;
        fapi2*) Examples/Login/make-keys.sh "$1" "$PWD/$tool" RSA-OAEP-256 ES256 ;;
        *) Examples/Login/make-keys.sh "$1" "$PWD/$tool" ;;
    esac
}

# login_start PROFILE KEYS [OPTION…]: starts both; sets login_site to the address, login_pids to both processes.
login_start() {
    local profile=$1 keys=$2 port side words
    shift 2
    port=$(free_port 8443)
    words=(--profile "$profile" --provider-port "$port" --site-port "$(free_port $(( port + 1 )))" --keys "$keys" "$@")
    login_site=https://rp.localhost:${words[5]}
    login_pids=()
    for side in provider relying-party; do
        "$examples/debug/$side" "${words[@]}" &
        login_pids+=($!)
    done
    for port in "${words[3]}" "${words[5]}"; do
        until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
            for side in "${login_pids[@]}"; do
                kill -0 "$side" 2>/dev/null || return 1 # it has ended with an error
            done
            sleep 0.05
        done
    done
}

login_stop() { kill "${login_pids[@]}" 2>/dev/null || true; wait "${login_pids[@]}" 2>/dev/null || true; }

#: dev login  starts a provider and a relying party over HTTPS for your browser; `--profile NAME`; Ctrl-C ends both
cmd_login() {
    local profile=itsme2 keys=.build/login/keys
    if [[ ${1:-} == --profile ]]; then
        profile=${2:-}
        shift $(( $# < 2 ? $# : 2 ))
    fi
    [[ $# == 0 || $1 == --* ]] || die "no such option: $1; usage: login [--profile NAME] [OPTION VALUE]…"
    login_programs
    "$examples/debug/provider" --help | grep -Eq "^profiles:.*[ ,]$profile(,|\$)" ||
        die "no such profile: $profile; $("$examples/debug/provider" --help | grep '^profiles:')"
    step "keys and certificates" login_keys "$keys" "$profile"
    trap login_stop EXIT
    trap 'exit 0' INT TERM
    login_start "$profile" "$keys" "$@" || die "one of the programs does not start"
    printf '\n  %s\n\n' "$login_site"
    printf 'Your browser does not trust the CA of the two servers: continue anyway, or trust\n%s\n' \
        "$PWD/$keys/tls-root.pem, valid only for names of this machine. Ctrl-C ends both."
    wait -n "${login_pids[@]}" || true
}
