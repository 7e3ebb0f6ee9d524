# shellcheck shell=bash
# The documentation: DocC's site of all products, and its checks. See docs/development.md.

docs_root=$state/docs

#: dev docs [BASE-PATH]  makes the site in .build/dev/docs/site; fails on undocumented symbols, broken links, uncompiled code
cmd_docs() {
    local base=${1:-/} documenter counts
    need_build python3
    build_tests
    documenter=$(dirname "$(readlink -f "$(command -v swift)")")
    rm -rf "$docs_root"
    mkdir -p "$docs_root/archives"
    step "symbol graphs" docs_graphs
    step "public symbols are documented" python3 -B tools/docs/symbols.py "$docs_root/graphs" "$docs_root/symbols.txt"
    step "links of all pages" python3 -B tools/docs/links.py "$docs_root/links.txt"
    swift_tests "blocks of all pages are compiled" --filter 'PageBlockTests'
    step "docc" docs_convert "$documenter" "$base"
    step "topics name every symbol" python3 -B tools/docs/topics.py "$docs_root"/archives/*.doccarchive
    step "one site" "$documenter/docc" merge "$docs_root"/archives/*.doccarchive \
        --synthesized-landing-page-name swift-jose --output-path "$docs_root/site"
    counts="$(cat "$docs_root/symbols.txt"), $(cat "$docs_root/links.txt")"
    echo "docs: $counts: $docs_root/site"
}

docs_graphs() {
    local product
    for product in $products; do
        symbol_graphs "$product" "$docs_root/graphs/$product" -skip-inherited-docs -emit-extension-block-symbols || return
    done
}

# docs_convert TOOLCHAIN BASE-PATH: an archive of each product; any warning of docc is a failure.
docs_convert() {
    local product catalogue output
    for product in $products; do
        catalogue=$docs_root/catalogues/$product.docc
        python3 -B tools/docs/catalogue.py "$(sed 's/\.git$//' "$address_file")" "Sources/$product/$product.docc" "$catalogue" || return
        output=$("$1/docc" convert "$catalogue" --additional-symbol-graph-dir "$docs_root/graphs/$product" \
            --output-dir "$docs_root/archives/$product.doccarchive" --hosting-base-path "$2" \
            --fallback-display-name "$product" --fallback-bundle-identifier "swift-jose.$product" \
            --fallback-default-module-kind Library 2>&1) || { echo "$output"; return 1; }
        if grep -E '^(warning|error):' <<<"$output"; then
            echo "$output"
            return 1
        fi
    done
}

# The maximum time from an empty folder to the verified token.
first_page_seconds=300

#: run first-page [RELEASE]  types the README's first page into an empty folder; with RELEASE on a bare Debian (root)
cmd_first_page() {
    if (( $# )); then
        first_page_in_root "$1"
        return
    fi
    local folder lines packages begun took
    packages=$(first_page_packages || true)
    [[ -n $packages ]] || die "the first page does not say which packages it needs"
    need toolchain $packages
    folder=$(mktemp -d "${TMPDIR:-/var/tmp}/jose-first.XXXXXX")
    trap "rm -rf --one-file-system '$folder'" EXIT
    lines=$(( $(first_page console | grep -c '[^ ]') + $(first_page swift | grep -c '[^ ]') ))
    (( lines < 15 )) || die "the first page has $lines lines to type"
    step "the committed state, as what the page adds" first_page_source "$folder"
    begun=$SECONDS
    step "the first page ($lines lines)" first_page_run "$folder"
    took=$((SECONDS - begun))
    [[ $(tail -n 1 "$log") == alice ]] || die "the program of the first page printed something else: $log"
    (( took <= first_page_seconds )) || die "the first page took $took s of $first_page_seconds"
    echo "first-page: $lines lines, $took s, with" $packages
}

# first_page_in_root RELEASE: the same on a bare Debian with the toolchain.
first_page_in_root() {
    need_root
    fresh_root "$1"
    step "unpack the sources" fresh_sources "$fresh_root/src"
    step "carry the host's network settings in" fresh_network "$fresh_root" "$1" 'cd /src; tools/run first-page'
    fresh_enter
}

# first_page_packages: what the README installs with apt-get.
first_page_packages() { sed -n 's/^\$ sudo apt-get install -y //p' README.md; }

# first_page LANGUAGE: the README's first program as printed (swift), or the lines that add the package (console).
first_page() {
    awk -v language="$1" '
        /^## / { here = language == "swift" ? /Issue a JWT/ : /Install/ }
        /^```/ { inside = here && !done && !inside && substr($0, 4) == language; next }
        inside && /apt-get install|mkdir/ { next }
        inside { print }
        here && inside && language == "swift" && /print/ { done = 1 }' README.md
}

# first_page_source FOLDER: writes the committed state, and a script of the lines to type.
first_page_source() {
    local folder=$1
    mkdir "$folder/home" "$folder/hello"
    fresh_sources "$folder/swift-jose"
    { # what is typed, in the order of the page
        echo 'set -euo pipefail'
        first_page console | sed -n 's/^\$ //p'
        echo 'rm Sources/hello/hello.swift; cp ../main.swift Sources/hello/main.swift'
        echo 'swift run hello'
    } >"$folder/typed"
    first_page swift >"$folder/main.swift"
    # SwiftPM finds its caches by the user, not by HOME.
    mkdir "$folder/bin"
    printf '#!/bin/sh\nword=$1; shift\nexec "%s" "$word" --cache-path "%s" --security-path "%s" "$@"\n' \
        "$(command -v swift)" "$folder/home/cache" "$folder/home/security" >"$folder/bin/swift"
    chmod +x "$folder/bin/swift"
}

first_page_run() (
    cd "$1/hello"
    env -i HOME="$1/home" PATH="$1/bin:$PATH" LANG=C.UTF-8 bash ../typed
)
