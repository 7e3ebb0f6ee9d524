# shellcheck shell=bash
# All builds of .ci/run: the release build, which uses one core, runs in parallel with the debug build.

#: run builds  compiles what .ci/run needs, two builds at a time
cmd_builds() {
    need_build swift-tests bench
    mkdir -p "$state/log"
    local report=$state/log/builds-beside bad=0
    (build_tool && bench_build) >"$report" 2>&1 &
    local beside=$!
    build_tests
    wait "$beside" || bad=1
    cat "$report"
    return $bad
}
