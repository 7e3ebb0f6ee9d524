# shellcheck shell=bash
# Tests the set-up commands on a bare Debian with only the toolchain.

# The releases of Debian that `need_build` knows, with their names. sid has the OpenSSL of
# experimental.
declare -A fresh_releases=([bookworm]=12 [trixie]=13 [sid]=sid)

#: run fresh [RELEASE [COMMAND...]]  runs `demo` and `test`, then more, on a bare Debian: bookworm, trixie, or sid with OpenSSL 4 (root)
cmd_fresh() {
    local release=${1:-bookworm} commands=(demo test "${@:2}")
    need_root
    need_build
    fresh_root "$release"
    step "unpack the sources" fresh_sources "$fresh_root/src"
    step "carry the host's network settings in" fresh_network "$fresh_root" "$release" 'cd /src; for command; do echo "== $command"; tools/run "$command"; done; pkg-config --modversion libcrypto >/libcrypto' "${commands[@]}"
    fresh_enter
    echo "fresh: ${commands[*]} work on a bare Debian ${fresh_releases[$release]} with OpenSSL $(cat "$fresh_root/libcrypto")"
}

#: run openssl-4 [COMMAND...]  `fresh sid` with these commands; "not run" (exit code 77) if Debian sid or OpenSSL 4 cannot be had here (root)
cmd_openssl_4() {
    local base=.build/fresh/sid.tar tried=$state/log/debootstrap-sid.log
    need_root
    need debootstrap
    mkdir -p "$state/log"
    if [[ ! -f $base ]] && ! fresh_make_base sid "$base" >"$tried" 2>&1; then
        not_run "no Debian sid from this machine's mirror: $tried"
    fi
    cmd_fresh sid "$@"
    [[ $(cat "$fresh_root/libcrypto") == 4.* ]] || not_run "the mirror has no OpenSSL 4 in experimental"
}

# fresh_root RELEASE: unpacks a bare Debian into $fresh_root, which goes when the command ends.
fresh_root() {
    local base=.build/fresh/$1.tar number=${fresh_releases[$1]:-}
    [[ -n $number ]] || die "no release '$1': ${!fresh_releases[*]}"
    need debootstrap
    [[ -f $base ]] || step "debootstrap (kept for the next time)" fresh_make_base "$1" "$base"
    local folder
    folder=$(mktemp -d "${TMPDIR:-/var/tmp}/jose-fresh.XXXXXX")
    # The mounts live in a namespace of their own and end with it, so nothing but files is removed here.
    trap "rm -rf --one-file-system '$folder'" EXIT
    # Settings of this host that go there may hold credentials. Only root enters the folder around it: the archive sets
    # the mode of what it is unpacked into.
    fresh_root=$folder/root
    mkdir "$fresh_root"
    step "unpack a bare Debian $number" tar -xf "$base" -C "$fresh_root"
}

# fresh_enter: runs the script of fresh_network there, with the toolchain mounted.
fresh_enter() {
    local swift toolchain
    swift=$(readlink -f "$(command -v swift)")
    toolchain=${swift%/usr/bin/*}
    [[ -n $toolchain && $toolchain != "$swift" ]] || die "the toolchain of $swift has no folder of its own"
    mkdir -p "$fresh_root$toolchain"
    unshare --mount --pid --fork --kill-child bash -euc '
        mount --make-rprivate /
        mount --bind "$2" "$1$2"
        mount -o remount,bind,ro "$1$2"
        mount --rbind /dev "$1/dev"
        mount -t proc proc "$1/proc"
        exec chroot "$1" /fresh-run' fresh "$fresh_root" "$toolchain" </dev/null
}

# fresh_sources_of RELEASE: Debian's own sources of this host, for that release; a line for sources.list each.
fresh_sources_of() {
    local own
    own=$(. /etc/os-release; echo "${VERSION_CODENAME:-}")
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
        sed -n "s/^\([^ ]* \)$own/deb \1$1/p" | sort -u |
        # sid has no updates; what is not in it yet is in experimental
        sed -e '/ sid-/d' -e 's/^\(.* \)sid\( .*\)/&\n\1experimental\2/'
}

# fresh_make_base RELEASE FILE
fresh_make_base() {
    local release=$1 base=$2 work mirror
    mkdir -p "${base%/*}"
    work=$(mktemp -d "${TMPDIR:-/var/tmp}/jose-base.XXXXXX")
    mirror=$(fresh_sources_of "$release" | awk -v release="$release" '$3 == release {print $2; exit}')
    # It contains the URL of the mirror.
    debootstrap --variant=minbase "$release" "$work" $mirror && (umask 077 && tar -cf "$base.part" -C "$work" .) && mv "$base.part" "$base"
    local code=$?
    rm -rf --one-file-system "$work"
    return $code
}

# fresh_network ROOT RELEASE SCRIPT WORD…: what this host needs to reach its package registries, read from its own files, now;
# and what runs the script there.
fresh_network() {
    local root=$1 release=$2 script=$3 file name swift
    # Proxies and indexes are named with their passwords.
    (umask 077 && : >"$root/fresh-run")
    chmod 700 "$root/fresh-run"
    swift=$(readlink -f "$(command -v swift)")
    shift 3
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    for file in apt.conf.d trusted.gpg.d keyrings; do
        [[ -e /etc/apt/$file ]] || continue
        rm -rf "$root/etc/apt/$file"
        cp -rL "/etc/apt/$file" "$root/etc/apt/"
    done
    # Otherwise the mirror of debootstrap stays.
    fresh_sources_of "$release" >"$root/sources"
    [[ ! -s $root/sources ]] || mv "$root/sources" "$root/etc/apt/sources.list"
    [[ $release != sid ]] || printf '%s\n' 'Package: src:openssl' 'Pin: release a=experimental' 'Pin-Priority: 990' >"$root/etc/apt/preferences.d/openssl"
    [[ ! -e /etc/pip.conf ]] || cp -L /etc/pip.conf "$root/etc/"
    mkdir -p "$root/usr/local/share/ca-certificates" "$root/etc/ssl/certs"
    cp -rL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    local bundle=/etc/ssl/certs/ca-certificates.crt
    [[ ! -e $bundle ]] || cp -L $bundle "$root/etc/ssl/certs/"
    [[ ! -e $bundle ]] || cp -L $bundle "$root/etc/ssl/host.crt"

    { # an environment of a new machine: nothing of this one but the way to the network
        echo '#!/bin/bash'
        echo 'exec env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" \'
        for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_EXTRA_INDEX_URL; do
            [[ -z ${!name:-} ]] || printf '    %s=%q \\\n' "$name" "${!name}"
        done
        [[ ! -e $bundle ]] || echo '    PIP_CERT=/etc/ssl/host.crt SSL_CERT_FILE=/etc/ssl/host.crt \'
        printf '    PATH=%q \\\n' "${swift%/*}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        printf '    bash -eo pipefail -c %q fresh' "$script"
        printf ' %q' "$@"
    } >"$root/fresh-run"
}

# The committed state, without its history.
fresh_sources() {
    mkdir -p "$1"
    if [[ -e .git ]]; then
        git archive HEAD | tar -x -C "$1"
    else
        tar -c --exclude=.build . | tar -x -C "$1"
    fi
}
