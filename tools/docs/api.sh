# shellcheck shell=bash
# What is public: a list for each product that a review reads, and no change of it that breaks who depends on it.

products="JOSE JOSEFoundation JOSEOpenID JOSERemote JOSERedis JOSEPKCS11 JOSEBenchmark"
api_lists=docs/api                   # PRODUCT.txt: one line a symbol
api_breakages=docs/api/breakages.txt # lines that may go or come although they break; empty but before a new major version
api_state=$state/api

# symbol_graphs PRODUCT FOLDER [OPTION…]: what is public in a product, read from the modules of the debug build.
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

# The committed lists are those of the sources.
api_lists_agree() {
    local product bad=0
    for product in $products; do
        diff -u "$api_lists/$product.txt" "$api_state/$product.txt" || bad=1
    done
    (( ! bad )) || echo "what is public is not what $api_lists says: read the difference, then ./dev api-check --update"
    return $bad
}

# api_last_tag: the newest version that is tagged before this state; nothing where there is none.
api_last_tag() { git describe --tags --abbrev=0 --match '[0-9]*' 2>/dev/null || true; }

# api_breaks COMMIT: what breaks who depends on us, by the lists of then and now: a line that went (removed, renamed, of
# another type, no longer conforming), or a new case or requirement of a type that was there. Not what breakages.txt holds.
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

#: dev api-check [REV|--update]  compares what is public with docs/api; names what breaks since the last tag or REV
cmd_api_check() {
    need_build python3
    build_tests
    step "lists of $(wc -w <<<"$products") products" api_write
    if [[ ${1:-} == --update ]]; then
        cp "$api_state"/*.txt "$api_lists/"
        wc -l "$api_lists"/*.txt
        return
    fi
    step "$api_lists is what is public" api_lists_agree
    local since=${1:-$(api_last_tag)} broken
    if [[ -z $since ]]; then
        echo "no version is tagged: nothing to break but the lists"
        return
    fi
    git rev-parse --verify --quiet "$since^{commit}" >/dev/null || die "no such revision: $since"
    broken=$(api_breaks "$since")
    [[ -z $broken ]] || die "breaks since $since ($api_breakages may allow it):"$'\n'"$broken"
    echo "nothing breaks since $since"
}
