# shellcheck shell=bash
# What is public: a list for each product that a review reads, and no change of it that breaks who depends on it.

api_products="JOSE JOSEFoundation JOSEOpenID JOSERemote JOSERedis JOSEPKCS11 JOSEBenchmark"
api_lists=docs/api             # PRODUCT.txt: one line a symbol
api_breakages=docs/api/breakages.txt # what may break, as the digester says it; empty but before a new major version
api_state=.build/dev/api

# api_tool NAME MODULE OUTPUT…: a tool of the toolchain over a module of the debug build of FOLDER ($api_of).
api_tool() {
    local name=$1 module=$2 shim shims=()
    shift 2
    for shim in "$api_of"/CShims/CLib* "$api_of"/.build/debug/C*.build; do shims+=(-I "$shim"); done
    "swift-$name" $module -I "$api_of/.build/debug/Modules" "${shims[@]}" -sdk / \
        -target "$(uname -m)-unknown-linux-gnu" "$@"
}

# api_write FOLDER: the list and the digest of each product of the debug build of $api_of.
api_write() {
    local product
    rm -rf "$1" && mkdir -p "$1/graphs"
    for product in $api_products; do
        api_tool symbolgraph-extract "-module-name $product" -minimum-access-level public -output-dir "$1/graphs" &&
            python3 -B tools/docs/api.py list "$product" "$1/graphs" >"$1/$product.txt" &&
            api_tool api-digester "-dump-sdk -module $product" -swift-version 6 -o "$1/$product.whole" &&
            python3 -B tools/docs/api.py public "$1/$product.whole" >"$1/$product.json" &&
            rm "$1/$product.whole" || return
    done
    rm -r "$1/graphs"
}

# api_of_revision COMMIT: the same of a committed state, built once and kept.
api_of_revision() {
    local kept=$api_state/$1 work=$api_state/$1.work
    [[ ! -d $kept ]] || return 0
    rm -rf "$work" && mkdir -p "$work/source" && git archive "$1" | tar -x -C "$work/source" || return
    # Libraries alone.
    (cd "$work/source" && JOSE_TESTS=none swift build) && api_of=$work/source api_write "$work/api" &&
        mv "$work/api" "$kept" && rm -rf "$work"
}

# api_last_tag: the newest version that is tagged before this state; nothing where there is none.
api_last_tag() { git describe --tags --abbrev=0 --match '[0-9]*' 2>/dev/null || true; }

# Lists that are there are those of the sources.
api_lists_agree() {
    local product bad=0
    for product in $api_products; do
        diff -u "$api_lists/$product.txt" "$api_state/now/$product.txt" || bad=1
    done
    (( ! bad )) || echo "what is public is not what $api_lists says: read the difference, then ./dev api-check --update"
    return $bad
}

# api_breaks COMMIT: the digester's sentences about what breaks, but those that breakages.txt allows.
api_breaks() {
    local product
    for product in $api_products; do
        [[ -f $api_state/$1/$product.json ]] || continue
        swift-api-digester -diagnose-sdk -breakage-allowlist-path "$api_breakages" -module "$product" \
            -input-paths "$api_state/$1/$product.json" -input-paths "$api_state/now/$product.json" 2>&1 |
            sed -n "/^\/\*/d; /./s/^/$product: /p"
    done
}

# api_unbroken COMMIT NAME
api_unbroken() {
    local product broken
    for product in $api_products; do
        [[ -f $api_state/$1/$product.txt ]] || { echo "$product: a new product"; continue; }
        LC_ALL=C comm -13 "$api_state/$1/$product.txt" "$api_state/now/$product.txt" | sed "s/^/$product: added: /"
    done
    broken=$(api_breaks "$1")
    [[ -z $broken ]] || { sed 's/^/ERROR: breaks since '"$2"': /' <<<"$broken"; return 1; }
}

# api_judged COMMIT: what api_unbroken says of a small module, whose text is standard input, since that state.
api_judged() {
    mkdir -p "$api_of/.build/debug/Modules" &&
        swiftc -parse-as-library -package-name tiny -emit-module -module-name Tiny -o "$api_of/.build/debug/Modules/Tiny.swiftmodule" - &&
        api_write "$api_state/now" && api_unbroken "$1" "$1"
}

# A small module through the same tools and functions: a breakage fails, an addition passes. Run by
# release-rejections.
api_proves() (
    root=$(mktemp -d "${TMPDIR:-/tmp}/jose-api.XXXXXX")
    trap 'rm -rf --one-file-system "$root"' EXIT
    api_products=Tiny api_of=$root/source api_state=$root/state api_lists=$root/lists api_breakages=$root/breakages.txt
    text='public struct S { public var a: Int { 1 }; public func f(_ b: Int) {} }; public func g() {}; package func inner() {}'
    touch "$api_breakages" && mkdir "$api_lists"
    # red WHAT TEXT: refused, and for nothing else. green WHAT TEXT: passes, and WHAT is all that is listed.
    red() {
        said=$(api_judged old <<<"$2") && { echo "not red: $2"; return 1; }
        [[ $(grep ^ERROR <<<"$said") == "ERROR: breaks since old: Tiny: $1" ]] || { echo "other words: $said"; return 1; }
    }
    green() { said=$(api_judged old <<<"$2") && [[ $said == "${1:+Tiny: added: $1}" ]] || { echo "not green, or other words: $said"; return 1; }; }
    said=$(api_judged old <<<"$text") && [[ $said == "Tiny: a new product" ]] || { echo "$said"; return 1; }
    mv "$api_state/now" "$api_state/old" && cp "$api_state/old/Tiny.txt" "$api_lists/" || return
    green "" "$text" && api_lists_agree && green "" "${text%package*}" &&
        green "func h()" "$text; public func h() {}" && ! api_lists_agree >/dev/null &&
        red "Func g() has been removed" "${text/public func g() \{\}; /}" &&
        red "Func S.f(_:) has parameter 0 type change from Swift.Int to Swift.UInt" "${text/b: Int/b: UInt}" &&
        echo "Func g() has been removed" >"$api_breakages" && green "" "${text/public func g() \{\}; /}"
)

#: dev api-check [REV|--update]  compares what is public with docs/api and the last tag or REV; additions are listed, breakages fail
cmd_api_check() {
    need_build python3
    build_tests
    step "lists and digests of $(wc -w <<<"$api_products") products" eval 'api_of=$PWD api_write "$api_state/now"'
    if [[ ${1:-} == --update ]]; then
        mkdir -p "$api_lists"
        for product in $api_products; do cp "$api_state/now/$product.txt" "$api_lists/"; done
        touch "$api_breakages"
        wc -l "$api_lists"/*.txt
        return
    fi
    step "$api_lists is what is public" api_lists_agree
    local since=${1:-$(api_last_tag)} commit
    if [[ -z $since ]]; then
        echo "no version is tagged: nothing to break but the lists"
        return
    fi
    commit=$(git rev-parse --verify --quiet "$since^{commit}") || die "no such revision: $since"
    step "build $since, once" api_of_revision "$commit"
    step "nothing breaks since $since" api_unbroken "$commit" "$since"
    cat "$log"
}
