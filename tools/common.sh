# shellcheck shell=bash
# Shared by `./dev` and `tools/run`: steps, packages, builds, the list of commands. A command is a
# function `cmd_NAME` in tools/FOLDER/*.sh. The line above it is `#: dev NAME  purpose` if `./dev`
# lists it, or `#: run NAME  purpose`.
export JOSE_STRICT=1 # warnings are errors
state=.build/dev     # logs, stamps, the Python environment
log=

# ---- reporting ------------------------------------------------------------------------------

die() { printf '%s: %s\n' "$called" "$*" >&2; exit 1; }

# not_run WHY: ends a command that this machine cannot run. .ci/parts knows the code and names the
# part; it does not count as passed.
not_run() { printf '%s: not run: %s\n' "$called" "$*" >&2; exit 77; }

# since START: the seconds since START (a value of $EPOCHREALTIME), with one decimal.
since() {
    local us=$(( ${EPOCHREALTIME/[^0-9]/} - ${1/[^0-9]/} ))
    printf '%d.%d s' $(( us / 1000000 )) $(( us / 100000 % 10 ))
}

# step NAME COMMAND…: runs COMMAND and prints one line with its time; its output only on failure.
step() {
    local name=$1 start=$EPOCHREALTIME code=0
    shift
    mkdir -p "$state/log"
    log=$state/log/${name//[^A-Za-z0-9]/-}.log
    printf '%-46s' "$name"
    "$@" </dev/null >"$log" 2>&1 || code=$?
    if (( code )); then
        printf ' FAILED after %s\n' "$(since "$start")"
        { grep -E '^[^ ]+: error:|^error:|^ERROR|✘' "$log" | sort -u | sed -n 1,20p || tail -n 40 "$log"; } >&2
        die "$name failed (exit $code); its whole output: $log"
    fi
    printf ' %10s\n' "$(since "$start")"
}

# tests_ran: prints the summary of the last step's Swift tests; fails if none ran.
tests_ran() { grep -E 'Test run with [1-9][0-9]* test' "$log" || die "no test ran: $log"; }

# swift_tests NAME OPTION…: a step of Swift tests that are built already.
swift_tests() {
    step "$1" swift test --skip-build --disable-xctest "${@:2}"
    tests_ran
}

# ---- packages -------------------------------------------------------------------------------

# The tables of tools/packages for this system, the release's own before the family's. `system` is
# its name for messages, `family` is apt, dnf or empty. JOSE_OS_RELEASE is for packages-check.
read_system() {
    local id likes version like file release=${JOSE_OS_RELEASE:-/etc/os-release}
    tables=() family=
    IFS='|' read -r id likes version system < <(
        [[ ! -r $release ]] || . "$release"
        echo "${ID:-}|${ID_LIKE:-}|${VERSION_ID:-${VERSION_CODENAME:-}}|${PRETTY_NAME:-this system}")
    for like in $id $likes; do
        for file in "$like-$version" "$like-${version%%.*}"; do
            file=tools/packages/$file.txt
            [[ ! -r $file || " ${tables[*]} " == *" $file "* ]] || tables+=("$file")
        done
        case $like in
            debian | ubuntu) family=${family:-apt} ;;
            fedora | rhel | amzn) family=${family:-dnf} ;;
        esac
    done
    [[ -z $family ]] || tables+=("tools/packages/$family.txt")
}

# line_of NEED: the rest of its line in the first table that has one.
line_of() { awk -v need="$1" '$1 == need { sub(/^[^ ]+ +/, ""); print; exit }' "${tables[@]}"; }

# packages_for NEED…: sets `packages` to those of all these needs, or ends with the one that cannot
# be installed. A release that is not known may have a toolchain that needs nothing.
packages_for() {
    local name line
    packages=()
    for name; do
        line=$(line_of "$name")
        [[ -n $line || $name == toolchain || $family != apt ]] || line=$name
        [[ -n $line || $name == toolchain ]] || line='none its package here is not known'
        [[ $line != 'none '* ]] || die "$system: '$name' cannot be installed: ${line#none } (tools/packages)"
        packages+=($line)
    done
}

# installed: of `packages`, those that this system has, one a line.
installed() {
    if [[ $family == apt ]]; then
        dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^installed //p'
        return
    fi
    local package
    for package in "${packages[@]}"; do
        ! rpm -q --quiet --whatprovides "$package" || echo "$package"
    done
}

# need NEED…: installs what is missing of their packages (tools/packages), or names it if it lacks
# the rights.
need() {
    command -v swift >/dev/null || die "no 'swift' in PATH: install a Swift 6.3 toolchain first"
    local tables system family packages have missing=() package as=() repository
    read_system
    if [[ -z $family ]]; then
        command -v pkg-config >/dev/null && pkg-config --exists libcrypto libsodium libcurl zlib hiredis p11-kit-1 && return
        die "$system is not known (tools/packages): please install what Debian calls $(
            family=apt tables=(tools/packages/apt.txt); packages_for "$@"; echo "${packages[*]}")"
    fi
    packages_for "$@"
    have=$(installed || true)
    for package in "${packages[@]}"; do
        [[ $'\n'$have$'\n' == *$'\n'"$package"$'\n'* ]] || missing+=("$package")
    done
    (( ${#missing[@]} )) || return 0
    read -r -a repository <<<"$(line_of repository)"
    if (( ${#repository[@]} )) && ! rpm -q --quiet "${repository[0]}"; then
        die "$system: ${repository[*]:2} come from another repository. Add it as root: dnf install -y ${repository[1]}"
    fi
    if (( EUID )); then
        as=(sudo)
        { command -v sudo && { [[ -t 0 ]] || sudo -n true; }; } >/dev/null 2>&1 ||
            die "please install as root: ${family/apt/apt-get} install ${missing[*]}"
        sudo true # asks for the password while the terminal is ours
    fi
    apt() { "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 "$@"; }
    if [[ $family == apt ]]; then
        step "apt-get update" apt update
        step "apt-get install (${#missing[@]} packages)" apt install -y --no-install-recommends "${missing[@]}"
    else
        step "dnf install (${#missing[@]} packages)" "${as[@]}" dnf install -y --setopt=install_weak_deps=False "${missing[@]}"
    fi
}

need_build() { need toolchain library "$@"; }

need_root() { (( EUID == 0 )) || die "this makes a chroot: run it as root"; }

# ---- building -------------------------------------------------------------------------------

# build_tool [PRODUCT]: the release build of josectl or another program, with hardening flags that a
# manifest may not have. The manifest defines _FORTIFY_SOURCE for C only: as a flag it would reach
# Swift, where glibc 2.40 and later then have `read`, `poll` and `realpath` twice.
tool=.build/tool/release/josectl
build_tool() {
    local jumps=-fcf-protection
    [[ $(uname -m) == x86_64 ]] || jumps=-mbranch-protection=standard
    step "build ${1:-josectl} (release)" swift build -c release --product "${1:-josectl}" --scratch-path .build/tool \
        -Xcc -fstack-protector-strong -Xcc "$jumps" \
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
}

build_tests() { step "build the tests" swift build --build-tests; }

# The examples are packages that compile the library with the same flags, so they share a folder.
# Without manifest caching, SwiftPM does not reuse the targets of the package built there last.
examples=.build/examples
build_example() { # NAME OPTION…
    step "build the example $1" swift build --disable-build-manifest-caching --package-path "Examples/$1" \
        --scratch-path "$examples" "${@:2}"
}

# The toolchain's clang, if it has one.
c_compiler() {
    local clang
    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    [[ -x $clang ]] || clang=clang
    echo "$clang"
}

# ---- the list of commands -------------------------------------------------------------------

declare -A folder_purposes=(
    [bench]="Performance" [core]="The C core alone" [docs]="Documentation and public API" [interop]="Other implementations and servers"
    [mutation]="Mutation testing" [release]="Releases and what is shipped" [tests]="Tests under other conditions"
)

# list_commands KIND FILE…: the commands of that kind in these files, with their purposes.
list_commands() {
    local line
    sed -n "s/^#: $1 //p" "${@:2}" | sort | while read -r line; do
        printf '  %-31s %s\n' "${line%%  *}" "${line#*  }"
    done
}

# dispatch KIND [COMMAND [ARGUMENT…]]: runs a command, or lists those of KIND. Kind `run` can run
# those of `dev` too.
dispatch() {
    local kind=$1 name=${2:-help} kinds=dev folder
    if [[ $name == help || $name == --help ]]; then
        printf 'usage: %s COMMAND\n' "$called"
        if [[ $kind == dev ]]; then
            list_commands dev tools/*/*.sh
            printf '\nAll other commands: tools/run. Before a change lands: .ci/run\n'
            return
        fi
        for folder in "${!folder_purposes[@]}"; do echo "$folder"; done | sort | while read -r folder; do
            printf '\n%s (tools/%s)\n' "${folder_purposes[$folder]}" "$folder"
            list_commands run "tools/$folder"/*.sh
        done
        return
    fi
    [[ $kind == dev ]] || kinds='(dev|run)'
    grep -qE "^#: $kinds $name( |\$)" tools/*/*.sh || die "no command '$name'; for the list: ./dev, tools/run"
    shift 2
    "cmd_${name//-/_}" "$@"
}

for part in tools/*/*.sh; do
    . "$part"
done
