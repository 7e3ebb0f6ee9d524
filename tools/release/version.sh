# shellcheck shell=bash
# The version and the URL of the package.

version_file=Sources/josectl/CommandLine/Version.swift
address_file=ADDRESS

# package_version: as in `josectl --version`.
package_version() { sed -n 's/^    static let number = "\(.*\)"$/\1/p' "${1:-.}/$version_file"; }

#: run address [URL]  prints and checks the package's URL, which is in ADDRESS; with URL replaces it everywhere
cmd_address() {
    if (( $# )); then
        [[ $1 =~ ^https://[A-Za-z0-9./_-]+\.git$ ]] || die "the URL must be https://…/NAME.git"
        set_address . "$1"
    fi
    need_build python3
    step "one URL, one version" python3 -B tools/release/address.py
    cat "$address_file"
}

# set_address FOLDER URL: replaces the URL everywhere, with or without .git; fails if another is left.
set_address() {
    local old
    old=$(<"$1/$address_file")
    old=${old%.git}
    git -C "$1" grep -lF -- "$old" | while read -r file; do
        sed -i -E "s#${old//./\\.}([^A-Za-z0-9_-]|\$)#${2%.git}\1#g" "$1/$file"
    done
    (cd "$1" && python3 -B tools/release/address.py)
}

# set_version FOLDER VERSION: sets the version, also in pages; fails if another one is left.
set_version() {
    local from='(\.package\(.*from: "|swift package add[-]dependency [^ ]+ --from )[^" ]+'
    sed -i "s/^    static let number = \".*\"\$/    static let number = \"$2\"/" "$1/$version_file"
    git -C "$1" grep -lE -- "$from" '*.md' | while read -r file; do sed -i -E "s/$from/\\1$2/" "$1/$file"; done
    (cd "$1" && python3 -B tools/release/address.py)
}
