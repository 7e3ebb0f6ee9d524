# Proof of the set-up: both set-up commands on a bare Debian 12 that has nothing but the toolchain.

fresh_base=.build/fresh/bookworm.tar

#: campaign fresh  proves `demo` and `test` on a bare Debian 12 in a temporary folder (needs root)
cmd_fresh() {
    (( EUID == 0 )) || die "fresh makes a chroot: run it as root"
    need_build debootstrap
    local swift toolchain root
    swift=$(readlink -f "$(command -v swift)")
    toolchain=${swift%/usr/bin/*}
    [[ -n $toolchain && $toolchain != "$swift" ]] || die "the toolchain of $swift has no folder of its own"
    [[ -f $fresh_base ]] || step "debootstrap (kept for the next time)" fresh_make_base

    root=$(mktemp -d "${TMPDIR:-/var/tmp}/jose-fresh.XXXXXX")
    # The mounts live in a namespace of their own and end with it, so nothing but files is removed here.
    trap "rm -rf --one-file-system '$root'" EXIT
    step "unpack a bare Debian 12" tar -xf "$fresh_base" -C "$root"
    step "carry the host's network settings in" fresh_network "$root"
    step "unpack the sources" fresh_sources "$root/src"
    mkdir -p "$root$toolchain"
    unshare --mount --pid --fork --kill-child bash -euc '
        mount --make-rprivate /
        mount --bind "$2" "$1$2"
        mount -o remount,bind,ro "$1$2"
        mount --rbind /dev "$1/dev"
        mount -t proc proc "$1/proc"
        exec chroot "$1" /fresh-run' fresh "$root" "$toolchain" </dev/null
    echo "fresh: both commands work on a bare Debian 12"
}

fresh_make_base() {
    local work mirror
    mkdir -p "${fresh_base%/*}"
    work=$(mktemp -d "${TMPDIR:-/var/tmp}/jose-base.XXXXXX")
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Created-By: Packages' 2>/dev/null | head -n 1)
    debootstrap --variant=minbase bookworm "$work" $mirror && tar -cf "$fresh_base.part" -C "$work" . &&
        mv "$fresh_base.part" "$fresh_base"
    local code=$?
    rm -rf --one-file-system "$work"
    return $code
}

# What this host needs to reach its package registries: read from its own files, now.
fresh_network() {
    local root=$1 file name
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    for file in sources.list sources.list.d apt.conf.d preferences.d trusted.gpg.d keyrings; do
        [[ -e /etc/apt/$file ]] || continue
        rm -rf "$root/etc/apt/$file"
        cp -rL "/etc/apt/$file" "$root/etc/apt/"
    done
    [[ ! -e /etc/pip.conf ]] || cp -L /etc/pip.conf "$root/etc/"
    mkdir -p "$root/usr/local/share/ca-certificates" "$root/etc/ssl/certs"
    cp -rL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    local bundle=/etc/ssl/certs/ca-certificates.crt
    [[ ! -e $bundle ]] || cp -L $bundle "$root/etc/ssl/certs/"
    [[ ! -e $bundle ]] || cp -L $bundle "$root/etc/ssl/host.crt"

    { # an environment of a new machine: nothing of this one but the way to the network
        echo '#!/bin/bash'
        echo 'cd /src && exec env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" \'
        for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_EXTRA_INDEX_URL; do
            [[ -z ${!name:-} ]] || printf '    %s=%q \\\n' "$name" "${!name}"
        done
        [[ ! -e $bundle ]] || echo '    PIP_CERT=/etc/ssl/host.crt SSL_CERT_FILE=/etc/ssl/host.crt \'
        printf '    PATH=%q \\\n' "${swift%/*}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        echo '    bash -c "echo \"== ./dev demo\" && ./dev demo && echo \"== ./dev test\" && ./dev test"'
    } >"$root/fresh-run"
    chmod +x "$root/fresh-run"
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
