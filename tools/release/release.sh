# shellcheck shell=bash
# A release: everything that is published, made twice with the same bytes, and the tag. docs/releases.md.

release_place=.build/release

# The tree that each tier passed on; .ci/parts writes it.
gate_stamps=.build/dev/gates

# release_rejections VERSION: why this state cannot be that version, a line each.
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
        [[ $(cat "$gate_stamps/$gate" 2>/dev/null) == "$tree" ]] || echo "$gate has not passed on this state"
    done
    if [[ -n $last && ${last%%.*} == "${version%%.*}" && ${last%%.*} != 0 && -s $api_breakages ]]; then
        echo "$api_breakages allows what breaks: that is for a new major version"
    fi
}

# release_is_after OLD NEW: a version comes behind its own candidates.
release_is_after() {
    local first
    first=$(printf '%s\n%s\n' "${1/-/\~}" "${2/-/\~}" | sort -V | head -n 1)
    [[ $1 != "$2" && $first == "${1/-/\~}" ]]
}

# release_notes FOLDER: what the changelog says of the version to come.
release_notes() { awk '/^## /{told = $0 == "## Unreleased"; next} told' "$1/CHANGELOG.md" | sed -e '/./,$!d'; }

# release_commit VERSION CLONE: the version is set in one commit, as old as the state that it is made of: the same each time.
release_commit() {
    local version=$1 clone=$2 time
    time=$(git log -1 --format=%ct)
    rm -rf "$clone"
    git clone --quiet --shared . "$clone" && release_notes . >"${clone%/*}/NOTES.md" || return
    set_version "$clone" "$version" || return
    sed -i "s/^## Unreleased\$/## Unreleased\n\n## $version ($(date -u -d "@$time" +%F))/" "$clone/CHANGELOG.md"
    # By whoever made the last commit, if git knows no name here.
    git -C "$clone" config user.name "$(git config user.name || git log -1 --format=%an)"
    git -C "$clone" config user.email "$(git config user.email || git log -1 --format=%ae)"
    GIT_AUTHOR_DATE="@$time +0000" GIT_COMMITTER_DATE="@$time +0000" git -C "$clone" commit --quiet --all -m "Release $version"
}

# release_make VERSION CLONE FOLDER WORK: all that is published, built of its own source archive in WORK.
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

# What is built is that version and works.
release_works() {
    local program=$1/josectl-$2-linux-$(uname -m)
    wants_nothing_of_swift "$program" && "$program" selftest && [[ $("$program" --version | head -n 1) == "josectl $2" ]] &&
        [[ $(dpkg-deb -f "$1"/josectl_*.deb Version) == "$(deb_version "$2")" ]] && (cd "$1" && sha256sum --check --strict SHA256SUMS)
}

#: run release VERSION [--tag]  makes all that is published, twice, in .build/release/VERSION; `--tag` commits and tags it
cmd_release() {
    local version=${1:-} rejections clone folder
    [[ -n $version && ( $# == 1 || ( $# == 2 && $2 == --tag ) ) ]] || die "usage: tools/run release VERSION [--tag]"
    rejections=$(release_rejections "$version")
    [[ -z $rejections ]] || die "no release:"$'\n'"$rejections"
    need_build python3 $deb_packages
    cmd_api_check
    folder=$release_place/$version clone=$release_place/work/clone
    mkdir -p "${clone%/*}"
    step "the commit of $version" release_commit "$version" "$clone"
    step "the release" release_make "$version" "$clone" "$folder" "$PWD/$release_place/work/one"
    step "the release again, elsewhere" release_make "$version" "$clone" "$folder.again" "$PWD/$release_place/work/another/one"
    step "the same bytes" diff -r "$folder" "$folder.again"
    step "it works" release_works "$folder" "$version"
    rm -rf "$folder.again" "$release_place"/work/{one,another}
    cat "$folder/SHA256SUMS"
    ! grep -q '//example\.org/' "$address_file" || echo "note: the address of the package is a placeholder: tools/run address URL sets it"
    if [[ ${2:-} == --tag ]]; then
        step "the tag" release_tag "$version" "$clone" "$folder"
        git log -1 --format='%h %s' "$version"
    fi
    rm -rf "$release_place/work"
}

# release_tag VERSION CLONE FOLDER: this branch goes forward to the release's commit, which gets the tag with the notes.
release_tag() {
    git -C "$2" tag --annotate --cleanup=verbatim --file "$PWD/$3/NOTES.md" "$1" &&
        git fetch --quiet "$2" "refs/tags/$1:refs/tags/$1" && git merge --ff-only --quiet "$1"
}

# rejected VERSION [TEXT]: TEXT is among the reasons against this version; without TEXT there is none.
rejected() {
    local reasons
    reasons=$(release_rejections "$1")
    if [[ -n ${2:-} ]]; then [[ $reasons == *"$2"* ]]; else [[ -z $reasons ]]; fi ||
        { echo "of $1: wanted '${2:-}', not '$reasons'"; return 1; }
}

# Each reason, made in a clone.
release_rejects() {
    local gate
    passed() {
        git commit --quiet --allow-empty --all -m change
        mkdir -p "$gate_stamps"
        for gate in ci ci-long release-tests; do git rev-parse 'HEAD^{tree}' >"$gate_stamps/$gate"; done
    }
    printf '# Changelog\n\n## Unreleased\n\n- a change\n' >CHANGELOG.md
    rejected 1.0.0 "differs from what is committed"
    passed
    rejected 1.0.0
    rejected 1.0.0-rc.1
    rejected 1.0 "no semantic version"
    rejected 01.0.0 "no semantic version"
    touch new
    rejected 1.0.0 "differs from what is committed"
    rm new
    git commit --quiet --allow-empty -m "the same tree"
    rejected 1.0.0
    for gate in ci ci-long release-tests; do
        echo other >"$gate_stamps/$gate"
        rejected 1.0.0 "$gate has not passed"
    done
    printf '# Changelog\n\n## Unreleased\n\n## 0.9.0 (2026-01-01)\n\n- a change\n' >CHANGELOG.md
    passed
    rejected 1.0.0 "nothing under Unreleased"
    git revert --no-edit HEAD >/dev/null
    passed
    git tag 1.0.0-rc.2
    rejected 1.0.0
    rejected 1.0.0-rc.10
    rejected 1.0.0-rc.1 "does not come after 1.0.0-rc.2"
    rejected 1.0.0-rc.2 "tagged already"
    git tag 1.0.0
    rejected 1.0.1-rc.1
    rejected 1.1.0
    rejected 0.9.9 "does not come after"
    echo "JOSE: gone: func gone()" >"$api_breakages"
    passed
    rejected 1.1.0 "for a new major version"
    rejected 2.0.0-rc.1
}

# What breaks is found in a changed list of the clone, and what may come is not.
api_breaks_are_found() {
    local list=$api_lists/JOSE.txt owner
    owner=$(sed -n 's/: case .*//p' "$list" | head -n 1)
    printf '%s\n' "$owner: case another" "NewType: case first" "func another()" >>"$list"
    sed -i 1d "$list"
    [[ $(api_breaks HEAD | cut -d' ' -f2,3 | tr '\n' ' ') == "gone: $owner: new: $owner: " ]]
    api_breaks HEAD >"$state/allowed"
    api_breakages=$state/allowed
    [[ -z $(api_breaks HEAD) ]]
}

# says_another TEXT: a page with it is rejected.
says_another() {
    printf "$1\n" >page.md
    if python3 -B tools/release/address.py; then return 1; fi
    rm page.md
}

# The version and the URL of the clone are set wherever they are repeated, and a page that repeats another is found.
release_sets() {
    local url other='https://elsewhere.example/group'/other-name # in two parts: this file is in the clone too
    url=$(<"$address_file")
    set_version . 98.7.6-rc.5
    [[ $(package_version) == 98.7.6-rc.5 ]]
    grep -qF -- 'from: "98.7.6-rc.5"' docs/install.md
    git checkout --quiet .
    says_another ".package(\n    url: \"$url\",\n    from: \"98.0.0\")"
    says_another '.package(\n    url: "https://other.example/name.git",'
    says_another "${url/https:/http:}"
    says_another "git@${url#https://}"
    says_another "${url%.git}/blob/main/docs/none.md"
    set_address . "$other.git"
    [[ $(<"$address_file") == "$other.git" ]]
    set_address . "$url"
    [[ -z $(git status --porcelain) ]]
}

# in_clone COMMAND: runs one of the functions above in a clone of the committed state; its first failing line fails it.
in_clone() (
    folder=$(mktemp -d "${TMPDIR:-/tmp}/jose-release.XXXXXX")
    trap 'rm -rf --one-file-system "$folder"' EXIT
    git clone --quiet --shared . "$folder/clone" && cd "$folder/clone" &&
        git config user.name releases && git config user.email releases@example.org &&
        bash -euo pipefail -c 'called=$1; . tools/common.sh; mkdir -p "$api_state"; "$1"' in_clone "$1"
)

#: run release-rejections  makes each reason for which `release` stops, in a clone; sets version and address there
cmd_release_rejections() {
    command -v git >/dev/null || die "no git"
    need_build python3
    step "what no release is made of" in_clone release_rejects
    step "a breakage of the API is found" in_clone api_breaks_are_found
    step "one version and one URL everywhere" in_clone release_sets
}
