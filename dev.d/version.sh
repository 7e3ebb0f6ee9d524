# shellcheck shell=bash
# What stands in one place: the version and the address of the package.

version_file=Sources/josectl/Jobs/Version.swift
address_file=ADDRESS

# package_version: as `josectl --version` says it.
package_version() { sed -n 's/^    static let number = "\(.*\)"$/\1/p' "${1:-.}/$version_file"; }

#: upkeep address [URL]  says the package's address, which stands in ADDRESS; with URL sets it there and wherever it is repeated
cmd_address() {
    local old
    old=$(<"$address_file")
    if (( $# )); then
        [[ $1 =~ ^https://[A-Za-z0-9./_-]+\.git$ ]] || die "an address is https://…/NAME.git"
        git grep -lF -- "$old" | while read -r file; do sed -i "s|${old//./\\.}|$1|g" "$file"; done
    fi
    need_build python3
    step "one address, one version" python3 -B dev.d/address.py
    cat "$address_file"
}

# set_version FOLDER VERSION: in its one place, and where a page says how to depend on the package; fails where another one is left.
set_version() {
    local from='(\.package\(.*from: "|swift package add[-]dependency [^ ]+ --from )[^" ]+'
    sed -i "s/^    static let number = \".*\"\$/    static let number = \"$2\"/" "$1/$version_file"
    git -C "$1" grep -lE -- "$from" '*.md' | while read -r file; do sed -i -E "s/$from/\\1$2/" "$1/$file"; done
    (cd "$1" && python3 -B dev.d/address.py)
}
