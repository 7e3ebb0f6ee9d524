# shellcheck shell=bash
# What stands in one place: the version and the address of the package.

version_file=Sources/josectl/CommandLine/Version.swift
address_file=ADDRESS

# package_version: as `josectl --version` says it.
package_version() { sed -n 's/^    static let number = "\(.*\)"$/\1/p' "${1:-.}/$version_file"; }

#: run address [URL]  prints the package's URL, which is in ADDRESS, and checks it; with URL sets it wherever it is repeated
cmd_address() {
    if (( $# )); then
        [[ $1 =~ ^https://[A-Za-z0-9./_-]+\.git$ ]] || die "an address is https://…/NAME.git"
        set_address . "$1"
    fi
    need_build python3
    step "one address, one version" python3 -B tools/release/address.py
    cat "$address_file"
}

# set_address FOLDER URL: wherever it stands, with the ending that git takes or as the beginning of a page's address; fails where
# another one is left.
set_address() {
    local old
    old=$(<"$1/$address_file")
    old=${old%.git}
    git -C "$1" grep -lF -- "$old" | while read -r file; do
        sed -i -E "s#${old//./\\.}([^A-Za-z0-9_-]|\$)#${2%.git}\1#g" "$1/$file"
    done
    (cd "$1" && python3 -B tools/release/address.py)
}

# set_version FOLDER VERSION: in its one place, and where a page says how to depend on the package; fails where another one is left.
set_version() {
    local from='(\.package\(.*from: "|swift package add[-]dependency [^ ]+ --from )[^" ]+'
    sed -i "s/^    static let number = \".*\"\$/    static let number = \"$2\"/" "$1/$version_file"
    git -C "$1" grep -lE -- "$from" '*.md' | while read -r file; do sed -i -E "s/$from/\\1$2/" "$1/$file"; done
    (cd "$1" && python3 -B tools/release/address.py)
}
