# shellcheck shell=bash
# The Debian package: josectl with the Swift runtime, manual and completions.

deb_folder=.build/deb
# For the manual, the completions and the checks of the package.

# deb_version VERSION: 1.0.0-rc.1 comes before 1.0.0, which Debian writes 1.0.0~rc.1.
deb_version() { echo "${1/-/\~}"; }

# deb_make PROGRAM SOURCES TIME FOLDER: the package of a program with the pages of the sources, all as old as TIME (seconds
# since 1970): equal programs give equal bytes.
deb_make() {
    local program=$1 sources=$2 time=$3 folder=$4 version root name page command address
    version=$(deb_version "$(package_version "$sources")")
    address=$(<"$sources/$address_file")
    root=$(mktemp -d "${TMPDIR:-/tmp}/josectl-deb.XXXXXX")
    install -D -m 755 "$program" "$root/usr/bin/josectl"
    while read -r page command; do
        mkdir -p "$root/usr/share/man/man1"
        "$program" man $command >"$root/usr/share/man/man1/$page.1" || return
    done < <("$program" man --list)
    install -d "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
        "$root/usr/share/fish/vendor_completions.d" "$root/usr/share/doc/josectl" "$root/DEBIAN"
    # The page that `josectl explain` links to, for offline use.
    install -m 644 "$sources/Sources/JOSE/JOSE.docc/Errors.md" "$root/usr/share/doc/josectl/" || return
    "$program" completion bash >"$root/usr/share/bash-completion/completions/josectl" &&
        "$program" completion zsh >"$root/usr/share/zsh/vendor-completions/_josectl" &&
        "$program" completion fish >"$root/usr/share/fish/vendor_completions.d/josectl.fish" || return
    cat >"$root/usr/share/doc/josectl/copyright" <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: swift-jose
Source: $address

Files: *
Copyright: $(date -u -d "@$time" +%Y) the authors of swift-jose
License: Apache-2.0
 The program holds the runtime of Swift, whose licence is the same with the Runtime Library Exception.
 .
 On Debian systems the text of the licence is in /usr/share/common-licenses/Apache-2.0.
COPYRIGHT
    {
        printf 'josectl (%s) unstable; urgency=medium\n\n  * See %s: CHANGELOG.md.\n\n' "$version" "${address%.git}"
        printf ' -- the authors of swift-jose <josectl@%s>  %s\n' "$(cut -d/ -f3 <<<"$address")" "$(LC_ALL=C date -u -R -d "@$time")"
    } >"$root/usr/share/doc/josectl/changelog"
    gzip -9n "$root"/usr/share/man/man1/*.1 "$root/usr/share/doc/josectl/changelog"
    cat >"$root/DEBIAN/control" <<CONTROL
Package: josectl
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: the authors of swift-jose <josectl@$(cut -d/ -f3 <<<"$address")>
Installed-Size: $(du -k --apparent-size -s "$root/usr" | cut -f1)
Depends: $(deb_depends "$program")
Section: utils
Priority: optional
Homepage: ${address%.git}
Description: keys and tokens of JOSE on the command line
 josectl makes keys, certificates and key sets, signs and encrypts tokens
 (RFC 7515 to 7519), verifies and decrypts them, and explains rejections step
 by step. It validates ID Tokens as relying parties do.
CONTROL
    (cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
    chmod -R u=rwX,go=rX "$root"
    find "$root" -exec touch -h -d "@$time" {} +
    mkdir -p "$folder"
    SOURCE_DATE_EPOCH=$time dpkg-deb --root-owner-group -Zxz --build "$root" "$folder/" && rm -rf --one-file-system "$root"
}

# deb_depends PROGRAM: the packages of its libraries, with minimum versions by symbol.
deb_depends() {
    local work
    work=$(mktemp -d "${TMPDIR:-/tmp}/josectl-depends.XXXXXX")
    mkdir "$work/debian" && echo "Source: josectl" >"$work/debian/control"
    printf '\nPackage: josectl\nArchitecture: any\n' >>"$work/debian/control"
    cp "$1" "$work/josectl"
    (cd "$work" && dpkg-shlibdeps -O -ejosectl 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
    rm -rf --one-file-system "$work"
}

#: run deb  builds josectl as a package for this Debian, in .build/deb: tool, manual, completions
cmd_deb() {
    need_build deb
    build_static
    rm -rf "$deb_folder"
    step "the package" deb_make "$static_root/josectl" . "$(git log -1 --format=%ct)" "$deb_folder"
    ls -l "$deb_folder"/*.deb
}

# The package again, at another time and in another folder.
deb_is_reproducible() {
    deb_make "$static_root/josectl" . "$(git log -1 --format=%ct)" "$deb_folder/again" && cmp "$deb_folder"/*.deb "$deb_folder"/again/*.deb
}

# Every command has a manual page, and none has a warning.
deb_pages() {
    local root=$deb_folder/root page said
    rm -rf "$root" && dpkg-deb -x "$deb_folder"/josectl_*.deb "$root"
    [[ $(ls "$root/usr/share/man/man1" | sed 's/\.1\.gz$//' | LC_ALL=C sort) == "$("$static_root/josectl" man --list | cut -d' ' -f1 | LC_ALL=C sort)" ]] || return
    for page in "$root"/usr/share/man/man1/*.gz; do
        said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null; zcat "$page" | groff -ww -man -Tutf8 2>&1 >/dev/null)
        [[ -z $said ]] || { echo "$page: $said"; return 1; }
    done
}

# Run in a bare root: install by apt, then use as a person does.
deb_in_root='
apt-get -q update && apt-get -q install -y --no-install-recommends /josectl.deb man-db bash-completion zsh fish
dpkg --verify josectl
josectl --version
josectl selftest | tail -n 1 | grep -x "all checks passed"
grep -x "### claim exp" /usr/share/doc/josectl/Errors.md
josectl keys new --out /private --public /public
echo "{}" | josectl sign --key /private - | josectl verify --key /public - | grep -x "{}"
MANPAGER=cat man josectl-keys-new | grep -q -- "--bits N"
MANPAGER=cat man josectl | grep -q "josectl keys new"
bash /shells.bash'

#: run deb-check  checks the package: same bytes twice, lintian, each page of the manual, installed in a bare root (root)
cmd_deb_check() {
    need_root
    cmd_deb
    step "the same bytes again" deb_is_reproducible
    step "pages of the manual" deb_pages
    step "lintian" lintian --fail-on error,warning "$deb_folder"/josectl_*.deb
    fresh_root bookworm
    cp "$deb_folder"/josectl_*.deb "$fresh_root/josectl.deb"
    cp Tests/Shells/shells.bash "$fresh_root/"
    step "carry the host's network settings in" fresh_network "$fresh_root" bookworm "$deb_in_root"
    step "installed in a bare root" fresh_enter
    tail -n 4 "$log"
}
