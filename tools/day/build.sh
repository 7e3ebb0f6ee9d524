# shellcheck shell=bash
# Building, and the demo of what was built.

#: dev demo  plays a login on one screen: keys, each message, ten rejected attacks; `--profile NAME`, `--hsm` with keys in SoftHSM
cmd_demo() {
    if [[ ${1:-} == --hsm ]]; then
        shift
        need_build softhsm2
        build_tool demo
        softhsm_label=login with_softhsm demo_in_token "$@"
        return
    fi
    need_build
    build_tool demo
    "${tool%/*}/demo" "$@"
}

#: dev build  builds everything, debug, warnings as errors; `build --static` makes a release josectl with the Swift runtime inside
cmd_build() {
    if [[ ${1:-} == --static ]]; then
        build_static
        ls -l "$static_root/josectl"
        return
    fi
    need_build
    step "build" swift build --build-tests "$@"
}
