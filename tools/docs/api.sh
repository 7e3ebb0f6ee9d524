# shellcheck shell=bash
# The public symbols: a list for each product, and a check for changes that break users.

products="JOSE JOSEFoundation JOSEOpenID JOSERemote JOSERedis JOSEPKCS11 JOSEBenchmark"
api_lists=docs/api                   # PRODUCT.txt: one line for each symbol
api_breakages=docs/api/breakages.txt # permitted breakages; empty except before a new major version
api_state=$state/api

# symbol_graphs PRODUCT FOLDER [OPTION…]: the public symbols, from the modules of the debug build.
symbol_graphs() {
    local shim shims=()
    for shim in CShims/CLib* .build/debug/C*.build; do shims+=(-I "$shim"); done
    mkdir -p "$2"
    swift-symbolgraph-extract -module-name "$1" -minimum-access-level public -output-dir "$2" -I .build/debug/Modules \
        "${shims[@]}" -sdk / -target "$(uname -m)-unknown-linux-gnu" -module-cache-path .build/debug/ModuleCache "${@:3}"
}

api_write() {
    local product
    rm -rf "$api_state"
    for product in $products; do
        symbol_graphs "$product" "$api_state/graphs" &&
            python3 -B tools/docs/api.py "$product" "$api_state/graphs" >"$api_state/$product.txt" || return
    done
}

# Compares the committed lists with the sources.
api_lists_agree() {
    local product bad=0
    for product in $products; do
        diff -u "$api_lists/$product.txt" "$api_state/$product.txt" || bad=1
    done
    (( ! bad )) || echo "the public symbols differ from $api_lists: review the difference, then ./dev api-check --update"
    return $bad
}

# api_last_tag: the newest tagged version before this state, if any.
api_last_tag() { git describe --tags --abbrev=0 --match '[0-9]*' 2>/dev/null || true; }

# api_breaks COMMIT: what breaks users since COMMIT, by the lists: a missing line (removed, renamed,
# retyped, no longer conforming), or a new case or requirement of an existing type; without the lines
# of breakages.txt.
api_breaks() {
    local product old new=$api_state/new
    for product in $products; do
        old=$(git show "$1:$api_lists/$product.txt" 2>/dev/null | sed 's/deprecated //' | LC_ALL=C sort) || continue # a new product
        sed 's/deprecated //' "$api_lists/$product.txt" | LC_ALL=C sort >"$new"
        {
            LC_ALL=C comm -23 - "$new" <<<"$old" | sed 's/^/gone: /'
            LC_ALL=C comm -13 - "$new" <<<"$old" | grep -E '^[^ ]+: (requirement|case) ' | while read -r line; do
                ! grep -qF "${line%%: *}: " <<<"$old" || echo "new: $line"
            done
        } | sed "s/^/$product: /" | grep -vxFf "$api_breakages" || true
    done
}

#: dev api-check [REV|--update]  compares the public symbols with docs/api; names what breaks since the last tag or REV
cmd_api_check() {
    need_build python3
    build_tests
    step "lists of $(wc -w <<<"$products") products" api_write
    if [[ ${1:-} == --update ]]; then
        cp "$api_state"/*.txt "$api_lists/"
        wc -l "$api_lists"/*.txt
        return
    fi
    step "compare with $api_lists" api_lists_agree
    local since=${1:-$(api_last_tag)} broken
    if [[ -z $since ]]; then
        echo "no version is tagged yet"
        return
    fi
    git rev-parse --verify --quiet "$since^{commit}" >/dev/null || die "no such revision: $since"
    broken=$(api_breaks "$since")
    [[ -z $broken ]] || die "breaks since $since ($api_breakages may allow it):"$'\n'"$broken"
    echo "nothing breaks since $since"
}
