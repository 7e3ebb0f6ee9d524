# shellcheck shell=bash
# The fast lane: what a change may break, before anything long runs.

# Where the toolchain has the reader of its index.
index_library() { echo "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")/lib/libIndexStore.so"; }

# The files that differ from a revision, untracked ones too, and are still there.
changed_since() {
    { git diff --name-only --diff-filter=d "$1"; git ls-files --others --exclude-standard; } | sort -u
}

#: day check [REV]  what a change may break, in minutes: lint, its tests and their neighbours, smoke of the gates
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
    step "house rules" house_rules
    build_tests
    step "floors of docs/design.md" floors
    filter=$(python3 dev.d/tests_of.py .build/debug/index/store "$(index_library)" <<<"$files")
    if grep -q '^CShims/CJOSE\(Crypto\|Kernels\)' <<<"$files"; then
        filter+="|JOSECryptoTests\\."
        step "the C core with each 4,001st failing" ccore faults all 4001
        step "kernels against OpenSSL" ccore kernels plain 2
    fi
    ! grep -q '^CShims/CJOSEBytes\|^Sources/JOSEBytes' <<<"$files" || filter+="|JOSEBytesTests\\."
    filter=${filter#|}
    # What no test names within two steps: the suites of the modules that changed, by their name.
    if [[ -z $filter && -n $swift ]]; then
        filter=$(grep -oE '^Sources/[A-Za-z]+' <<<"$swift" | sort -u | sed 's|Sources/\(.*\)|\1Tests\\.|' | paste -sd '|' -)
        echo "no test names these files: all suites of their modules run"
    fi
    if [[ -n $filter ]]; then
        step "tests of the change" swift test --skip-build --disable-xctest --filter "$filter" --skip "$waiting_tests"
        grep -E 'Test run with [1-9][0-9]* test' "$log" || die "no test ran: $log"
    fi
    step "vectors by josectl (debug)" .build/debug/josectl selftest --vectors Vectors
}
