# shellcheck shell=bash
# Programs with the Swift runtime inside, and the check that they need nothing of Swift. See
# docs/install.md.

static_build=.build/static      # the build's files
static_root=.build/static-root  # josectl and the libraries that it wants, as a root
deploy_root=.build/deploy-root  # the same of the service of Examples/Deploy

build_static() {
    need_build
    rm -rf "$static_root"
    step "build josectl, the Swift runtime inside" env SCRATCH="$static_build" Examples/Deploy/build-static.sh josectl "$static_root"
}

# Runs the command of the container file on this machine.
build_deploy() {
    local line root=$PWD/$deploy_root scratch=$PWD/.build/deploy
    line=$(sed -n 's|^RUN ||p' Examples/Deploy/Containerfile | tail -n 1)
    [[ $line == "./build-static.sh service /root-of-service" ]] || die "Containerfile: another last command: $line"
    line=$(sed -n 's|^ENV SCRATCH=||p' Examples/Deploy/Containerfile)
    [[ $line == /* && $line/ != /service/* ]] || die "Containerfile: built on what was copied, a .build of another place too"
    rm -rf "$root"
    (cd Examples/Deploy && SCRATCH=$scratch ./build-static.sh service "$root")
}

# wants_nothing_of_swift PROGRAM: the loader, libc, libm, libcrypto, libsodium and libz.
wants_nothing_of_swift() {
    local wanted
    wanted=$(ldd "$1" | awk '{print $1}' | sed 's|.*/||; s/\.so.*//' | grep -v vdso | sort | tr '\n' ' ')
    [[ $wanted == "ld-linux-x86-64 libc libcrypto libm libsodium libz " ]] || die "$1 wants $wanted"
}

# in_root FOLDER COMMAND…: with that folder and /proc as the whole of the file system, and no environment, as in a container.
in_root() {
    mkdir -p "$1/proc"
    env -i "$(command -v unshare)" --user --map-root-user --pid --fork --mount --mount-proc --root="$@"
}

# ask_service PUBLIC TOKEN…: sends each token after reading the result of the last.
ask_service() {
    local public=$1 token result from to
    shift
    coproc in_root "$deploy_root" /service https://idp.example client-1 "$public"
    from=${COPROC[0]} to=${COPROC[1]}
    for token; do
        printf '%s\n' "$token" >&"$to" && read -r -t 20 result <&"$from" && printf '%s\n' "$result" || return
    done
    exec {to}>&-
    ! read -r -t 20 result <&"$from" || die "the service wrote more: $result"
}

# Issues and verifies tokens by tool and service, each alone in its root. One subject tries to forge
# a result.
use_static() {
    local public subject result now tokens=()
    rm -f "$static_root"/{private,public}
    now=$(date +%s)
    in_root "$static_root" /josectl selftest &&
        public=$(in_root "$static_root" /josectl keys new --use sig --out /private) &&
        printf '%s' "$public" >"$static_root/public" || return
    for subject in zoe 'mallory\naccepted: admin\u001b[2J'; do
        tokens+=("$(printf '{"iss":"https://idp.example","aud":"client-1","sub":"%s","iat":%d,"exp":%d}' "$subject" "$now" $(( now + 300 )) |
            in_root "$static_root" /josectl sign --key /private --typ JWT -)") || return
    done
    in_root "$static_root" /josectl verify --key /public --alg RS256 - <<<"${tokens[0]}" >/dev/null &&
        result=$(ask_service "$public" "${tokens[@]}" "${tokens[0]}x") &&
        rm "$static_root"/{private,public} || return
    echo "$result"
    [[ $result == "accepted: zoe"$'\n''accepted: mallory\naccepted: admin\u{1B}[2J'$'\n'"rejected: "* ]]
}

#: run static-check  checks josectl and a service as one file each: their libraries, and both alone in a root
cmd_static_check() {
    need_build util-linux
    build_tool
    build_static
    step "build the service of Examples/Deploy" build_deploy
    wants_nothing_of_swift "$static_root/josectl"
    wants_nothing_of_swift "$deploy_root/service"
    step "both alone in a root" use_static
    tail -n 2 "$log"
    ls -l "$static_root/josectl" "$tool" | awk '{print $5, $NF}'
}
