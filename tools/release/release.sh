# shellcheck shell=bash
# A release: all published files, made twice with equal bytes, and the tag. See docs/releases.md.

release_folder=.build/release

# gate_result TIER: the tree that the tier passed with and the parts that did not run; .ci/parts writes it.
gate_result() { cat ".build/dev/gates/$1" 2>/dev/null || true; }

# release_rejections VERSION: the reasons against releasing this state as VERSION, a line each.
release_rejections() {
    local version=$1 tree gate last
    [[ $version =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$ ]] ||
        echo "'$version' is no semantic version"
    [[ -z $(git status --porcelain) ]] || echo "the tree differs from what is committed"
    ! git rev-parse --quiet --verify "refs/tags/$version" >/dev/null || echo "$version is tagged already"
    [[ -n $(release_notes .) ]] || echo "the changelog has nothing under Unreleased"
    last=$(api_last_tag)
    [[ -z $last ]] || release_is_after "$last" "$version" || echo "$version does not come after $last"
    tree=$(git rev-parse 'HEAD^{tree}')
    for gate in ci ci-long release-tests; do
        [[ $(gate_result "$gate") == "$tree "* ]] || echo "$gate has not passed on this state"
    done
    if [[ -n $last && ${last%%.*} == "${version%%.*}" && ${last%%.*} != 0 && -s $api_breakages ]]; then
        echo "$api_breakages allows what breaks: that is for a new major version"
    fi
}

# release_is_after OLD NEW: whether NEW is later; a version is later than its candidates.
release_is_after() {
    local first
    first=$(printf '%s\n%s\n' "${1/-/\~}" "${2/-/\~}" | sort -V | head -n 1)
    [[ $1 != "$2" && $first == "${1/-/\~}" ]]
}

# release_notes FOLDER: the "Unreleased" part of the changelog.
release_notes() { awk '/^## /{found = $0 == "## Unreleased"; next} found' "$1/CHANGELOG.md" | sed -e '/./,$!d'; }

# release_commit VERSION CLONE: sets the version in one reproducible commit, dated as its parent.
release_commit() {
    local version=$1 clone=$2 time
    time=$(git log -1 --format=%ct)
    rm -rf "$clone"
    git clone --quiet --shared . "$clone" && release_notes . >"${clone%/*}/NOTES.md" || return
    set_version "$clone" "$version" || return
    sed -i "s/^## Unreleased\$/## Unreleased\n\n## $version ($(date -u -d "@$time" +%F))/" "$clone/CHANGELOG.md"
    # By the author of the last commit, if git has no name configured.
    git -C "$clone" config user.name "$(git config user.name || git log -1 --format=%an)"
    git -C "$clone" config user.email "$(git config user.email || git log -1 --format=%ae)"
    GIT_AUTHOR_DATE="@$time +0000" GIT_COMMITTER_DATE="@$time +0000" git -C "$clone" commit --quiet --all -m "Release $version"
}

# release_make VERSION CLONE FOLDER WORK: makes all files, built from the source archive in WORK.
release_make() {
    local version=$1 clone=$2 folder=$3 work=$4 name=swift-jose-$1 time machine
    time=$(git -C "$clone" log -1 --format=%ct)
    machine=linux-$(uname -m)
    rm -rf "$folder" "$work" && mkdir -p "$folder" "$work"
    git -C "$clone" archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$folder/$name.tar.gz" &&
        tar -xzf "$folder/$name.tar.gz" -C "$work" || return
    (cd "$work/$name" && SCRATCH=$PWD/.build Examples/Deploy/build-static.sh josectl "$PWD/root") || return
    cp "$work/$name/root/josectl" "$folder/josectl-$version-$machine"
    deb_make "$work/$name/root/josectl" "$work/$name" "$time" "$folder" &&
        sbom_of "$version" >"$folder/$name.cdx.json" && cp "$clone/../NOTES.md" "$folder/NOTES.md" &&
        (cd "$folder" && sha256sum -- * >SHA256SUMS)
}

# Checks that the program is that version and works.
release_works() {
    local program=$1/josectl-$2-linux-$(uname -m)
    wants_nothing_of_swift "$program" && "$program" selftest && [[ $("$program" --version | head -n 1) == "josectl $2" ]] &&
        [[ $(dpkg-deb -f "$1"/josectl_*.deb Version) == "$(deb_version "$2")" ]] && (cd "$1" && sha256sum --check --strict SHA256SUMS)
}

#: run release VERSION [--tag]  makes all files twice in .build/release/VERSION; `--tag` commits and tags
cmd_release() {
    local version=${1:-} rejections clone folder gate missing
    [[ -n $version && ( $# == 1 || ( $# == 2 && $2 == --tag ) ) ]] || die "usage: tools/run release VERSION [--tag]"
    rejections=$(release_rejections "$version")
    [[ -z $rejections ]] || die "no release:"$'\n'"$rejections"
    for gate in ci ci-long release-tests; do
        read -r _ missing <<<"$(gate_result "$gate")"
        [[ -z $missing ]] || echo "note: not run in $gate: $missing"
    done
    need_build python3 deb
    cmd_api_check
    folder=$release_folder/$version clone=$release_folder/work/clone
    mkdir -p "${clone%/*}"
    step "the commit of $version" release_commit "$version" "$clone"
    step "the release" release_make "$version" "$clone" "$folder" "$PWD/$release_folder/work/one"
    step "the release again, elsewhere" release_make "$version" "$clone" "$folder.again" "$PWD/$release_folder/work/another/one"
    step "the same bytes" diff -r "$folder" "$folder.again"
    step "it works" release_works "$folder" "$version"
    rm -rf "$folder.again" "$release_folder"/work/{one,another}
    cat "$folder/SHA256SUMS"
    ! grep -q '//example\.org/' "$address_file" || echo "note: the URL of the package is a placeholder: tools/run address URL sets it"
    if [[ ${2:-} == --tag ]]; then
        step "the tag" release_tag "$version" "$clone" "$folder"
        git log -1 --format='%h %s' "$version"
    fi
    rm -rf "$release_folder/work"
}

# release_tag VERSION CLONE FOLDER: tags the release's commit with the notes, and moves the branch.
release_tag() {
    git -C "$2" tag --annotate --cleanup=verbatim --file "$PWD/$3/NOTES.md" "$1" &&
        git fetch --quiet "$2" "refs/tags/$1:refs/tags/$1" && git merge --ff-only --quiet "$1"
}
