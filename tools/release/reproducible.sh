# shellcheck shell=bash
# Two builds of the same sources in two folders give the same objects.

# The release build of josectl in a folder of its own, with no path of it in the objects, and without the hash of each
# module by which the compiler skips code generation: it is taken before paths are mapped.
reproducible_build() {
    local folder=$1
    mkdir -p "$folder"
    git archive HEAD | tar -x -C "$folder"
    (cd "$folder" && swift build -c release --product josectl \
        -Xcc "-ffile-prefix-map=$PWD=/swift-jose" -Xswiftc -file-prefix-map -Xswiftc "$PWD=/swift-jose" \
        -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs \
        -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen)
}

reproducible_sums() { (cd "$1/.build/release" && find . -name '*.o' | sort | xargs sha256sum); }

#: run reproducible  builds the committed state twice, in two folders, and compares every object
cmd_reproducible() {
    need_build
    local root
    root=$(mktemp -d "${TMPDIR:-/tmp}/jose-reproducible.XXXXXX")
    trap "rm -rf --one-file-system '$root'" EXIT
    step "first build" reproducible_build "$root/one"
    step "second build" reproducible_build "$root/another"
    step "objects are equal" diff <(reproducible_sums "$root/one") <(reproducible_sums "$root/another")
    reproducible_sums "$root/one" | wc -l | sed 's/$/ objects are equal byte for byte/'
}
