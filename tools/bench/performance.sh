# shellcheck shell=bash
# Performance CI as a service has it: Examples/PerformanceCI and its two workflows.

#: run performance-ci  runs the shell steps of Examples/PerformanceCI's workflows on two revisions, one with an allocation more
cmd_performance_ci() {
    need_build performance-ci
    local folder=$PWD/.build/performance-ci
    mkdir -p "$folder"
    step "workflows of Examples/PerformanceCI" /usr/bin/python3 -B tools/bench/performance_ci.py . Examples/PerformanceCI "$folder"
    tail -n 1 "$log"
}
