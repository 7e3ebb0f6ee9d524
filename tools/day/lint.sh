# shellcheck shell=bash
# Format, lint, and the fast lane: what a change may break, before anything long runs.

# The formatter of C, pinned by its name: another version formats the same code in another way.
c_format=clang-format-14

need_c_format() {
    command -v "$c_format" >/dev/null || need "$c_format"
    command -v "$c_format" >/dev/null ||
        die "no $c_format: install clang-format 14 under that name (other versions format in other ways)"
}

swift_files() { find Package.swift Sources Tests Benchmarks Examples -name .build -prune -o -name '*.swift' -print0 2>/dev/null; }

# The C of Benchmarks is written in the style of what it calls.
c_files() { find CShims Tests Examples -name .build -prune -o -name '*.[ch]' -print0; }

#: dev format  rewrites Swift by .swift-format and C by .clang-format
cmd_format() {
    need_c_format
    swift_files | xargs -0 swift format --in-place --parallel
    c_files | xargs -0 "$c_format" -i
}

#: dev lint  checks the format, rules that no compiler checks, the order of layers, the lists of libraries and packages
cmd_lint() {
    need_build python3
    need_c_format
    step "swift format lint" bash -c 'swift format lint --strict --parallel "$@"' lint $(swift_files | tr '\0' ' ')
    step "clang-format lint" bash -c '"$0" --dry-run -Werror "$@"' "$c_format" $(c_files | tr '\0' ' ')
    step "rules of the sources" source_rules
    step "bill of materials" sbom_agrees
    step "package tables" package_tables
    step "results of the tiers" tier_results
    build_tests
    step "layers of folders and C targets" layers
}

# A part that cannot run (77) is named and neither passes nor fails; any other code fails the tier.
tier_results() {
    local result bad=0
    tier() { # tier CODE…: the last lines of a tier whose parts end with these codes
        bash -uo pipefail -c '. .ci/parts; begun=; for code; do part "p$code" - bash -c "exit $code"; done; report t' tier "$@"
    }
    result=$(tier 0 77) && [[ $result == *"t: not run: p77"*"t: passed"* ]] || { echo "0 and 77: $result"; bad=1; }
    result=$(tier 77 1 2) && bad=1
    [[ $result == *"t: not run: p77"*"t: FAILED: p1 p2"* ]] || { echo "77, 1 and 2: $result"; bad=1; }
    result=$(tier 0) && [[ $result == *"t: passed"* && $result != *"not run"* ]] || { echo "0: $result"; bad=1; }
    result=$( (not_run "no network") 2>&1) && bad=1 || (($? == 77)) || bad=1
    [[ $result == *": not run: no network" ]] || { echo "$result"; bad=1; }
    result=$( (JOSE_PACKAGES=/absent cmd_frameworks) 2>&1) && bad=1 || (($? == 1)) || bad=1
    [[ $result == *"JOSE_PACKAGES=/absent has no repository 'hummingbird'"* ]] || { echo "$result"; bad=1; }
    return $bad
}

# Which file uses which folder, by the index of the debug build.
layers() { python3 tools/day/layers.py .build/debug/index/store "$(index_library)"; }

# The path of libIndexStore in the toolchain.
index_library() { echo "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")/lib/libIndexStore.so"; }

# What no compiler checks: traps in shipped code, unsafe code and C imports outside their folders, untrusted text as String.
source_rules() {
    local bad=0
    forbid() { # forbid PATTERN WHY [FOLDER|…]: no line of Sources and CShims has it, except in these folders of Sources
        if grep -rnE --include='*.swift' --include='*.[ch]' -- "$1" Sources CShims | grep -vE "^Sources/(${3:-none})/"; then
            echo "  ^ $2"
            bad=1
        fi
    }
    forbid 'try!|fatalError|\b(TODO|FIXME)\b' 'no traps and no leftovers in shipped code'
    # libc for a tool without Foundation, libcurl, hiredis, modules of tokens, counters
    forbid '^[^/]*\bunsafe\b|import C(JOSE|Lib)' 'unsafe code and C imports live in JOSEBytes and JOSECrypto' \
        'JOSEBytes|JOSECrypto|josectl/FileSystem|JOSERemote/Curl|JOSERedis/Connection|JOSEPKCS11/Module|JOSEBenchmark/Probe'
    forbid 'import Foundation' 'Foundation only in JOSEFoundation' 'JOSEFoundation|JOSEBenchmark'
    # The texts of josectl come from its own user.
    forbid 'split\([^)]*separator: "|has(Pre|Suf)fix\(|\.contains\("|\.replacing\(|(first|last)Index\(of: "' \
        'untrusted text is parsed by bytes: String+Pieces.swift, or .utf8' 'josectl|JOSEBenchmark'
    forbid 'lowercased\(\)' 'the Kelvin sign becomes a k: lowercasedASCII' 'josectl|JOSEBenchmark'
    return $bad
}

# The files that differ from a revision, untracked ones too, and still exist.
changed_since() {
    { git diff --name-only --diff-filter=d "$1"; git ls-files --others --exclude-standard; } | sort -u
}

#: dev check [REV]  checks what a change may break, in minutes: lint of its files, its tests and their neighbours, the C core in short
cmd_check() {
    local rev=${1:-HEAD} files swift c filter
    need_build python3
    need_c_format
    files=$(changed_since "$rev")
    [[ -n $files ]] || die "nothing differs from $rev"
    swift=$(grep '\.swift$' <<<"$files" || true)
    [[ -z $swift ]] || step "swift format lint, $(wc -l <<<"$swift") files" swift format lint --strict --parallel $swift
    c=$(grep -E '^(CShims|Tests|Examples)/.*\.[ch]$' <<<"$files" || true)
    [[ -z $c ]] || step "clang-format lint, $(wc -l <<<"$c") files" "$c_format" --dry-run -Werror $c
    step "rules of the sources" source_rules
    build_tests
    step "layers of folders and C targets" layers
    filter=$(python3 tools/day/tests_of.py .build/debug/index/store "$(index_library)" <<<"$files")
    if grep -q '^CShims/CJOSE\(Crypto\|Kernels\)' <<<"$files"; then
        filter+="|JOSECryptoTests\\."
        cmd_core_check
    fi
    ! grep -q '^CShims/CJOSEBytes\|^Sources/JOSEBytes' <<<"$files" || filter+="|JOSEBytesTests\\."
    filter=${filter#|}
    # What no test names within two steps: the suites of the modules that changed, by their name.
    if [[ -z $filter && -n $swift ]]; then
        filter=$(grep -oE '^Sources/[A-Za-z]+' <<<"$swift" | sort -u | sed 's|Sources/\(.*\)|\1Tests\\.|' | paste -sd '|' -)
        echo "no test names these files: all suites of their modules run"
    fi
    [[ -z $filter ]] || swift_tests "tests of the change" --filter "$filter" --skip "$waiting_tests"
}
