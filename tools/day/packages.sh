# shellcheck shell=bash
# What each system must install, by the tables of tools/packages, and the test of that choice.

#: dev packages [NEED...]  names the packages of this system for a build and the Swift tests, or for other needs; installs nothing
cmd_packages() {
    local tables system family packages
    read_system
    [[ -n $family ]] || die "$system is not known (tools/packages)"
    (( $# )) || set -- toolchain library swift-tests
    packages_for "$@"
    printf '%s\n' "${packages[@]}"
}

# as_system FOLDER RELEASE COMMAND…: with an os-release "ID|VERSION_ID|ID_LIKE", and rpm, dnf and
# swift that only note their calls. `rpm` has the packages in FOLDER/installed.
as_system() {
    local folder=$1 id version likes
    IFS='|' read -r id version likes <<<"$2"
    printf 'ID="%s"\nVERSION_ID="%s"\nID_LIKE="%s"\nPRETTY_NAME="%s %s"\n' \
        "$id" "$version" "$likes" "$id" "$version" >"$folder/os-release"
    shift 2
    (export JOSE_OS_RELEASE=$folder/os-release PATH=$folder:$PATH state=$folder/state; "$@" 2>&1)
}

# The choice for systems that are not at hand: release, needs, and what must be in the result.
package_choices() {
    cat <<'END'
debian|12|;toolchain;libstdc++-12-dev
debian|13|;toolchain;libstdc++-14-dev
debian|13|;clang-format-14;'clang-format-14' cannot be installed
debian|14|;toolchain library;libssl-dev
raspbian|12|debian;toolchain;libstdc++-12-dev
ubuntu|24.04|debian;toolchain;libstdc++-13-dev
ubuntu|24.04|debian;foreign;node-jose
ubuntu|26.04|debian;toolchain;libstdc++-15-dev
ubuntu|26.04|debian;foreign;Ubuntu 26.04 has no node-jose
linuxmint|22|ubuntu debian;library;libhiredis-dev
linuxmint|22|ubuntu debian;valgrind;valgrind
rhel|9.6|fedora;toolchain;gcc-c++
rhel|9.6|fedora;library;hiredis-devel
rocky|9.5|rhel centos fedora;toolchain;gcc-c++
fedora|43|;library;p11-kit-devel
fedora|43|;debootstrap;'debootstrap' cannot be installed: its package here is not known
amzn|2023|fedora;library;libsodium-devel
amzn|2023|fedora;toolchain;glibc-static
amzn|2023|fedora;swift-tests;redis6
alpine|3.22|;library;alpine 3.22 is not known
END
}

# ci_facts FILE: the images, versions, hashes and URLs of a CI file.
ci_facts() { grep -oE 'swift:6[^ ]+|debian:[a-z]+|[0-9.]+ [0-9a-f]{64}|6\.[0-9]+\.[0-9]+ debian[0-9]+|https://[^ ]+\.rpm' "$1" | sort -u; }

# package_tables: their form, the choice for each system, what dnf is told to do, and what is
# repeated elsewhere: facts of the two CI files, and each table in docs/platforms.md.
package_tables() {
    local folder bad=0 release needs expected result table url
    folder=$(mktemp -d "${TMPDIR:-/tmp}/jose-packages.XXXXXX")
    trap "rm -rf '$folder'" RETURN
    wrong() { echo "tools/packages: $*"; bad=1; }
    for table in tools/packages/*.txt; do
        ! grep -nvE '^(#.*|[a-z][a-z0-9-]* +[^ ].*)$' "$table" || wrong "$table: a line that is no need with packages"
        result=$(grep -v '^#' "$table" | cut -d ' ' -f 1 | sort | uniq -d)
        [[ -z $result ]] || wrong "$table: twice: $result"
        [[ $table != *[0-9]* ]] || grep -qF "${table##*/}" docs/platforms.md || wrong "$table is not in docs/platforms.md"
    done
    while IFS=';' read -r release needs expected; do
        result=$(as_system "$folder" "$release" cmd_packages $needs || true)
        [[ $result == *"$expected"* ]] || wrong "$release, $needs: '$expected' expected, not '$result'"
    done < <(package_choices)
    # Only what is missing is installed, and not before the repository that it comes from is there.
    : >"$folder/installed"
    printf '#!/bin/bash\ngrep -qxF -- "${*: -1}" %q\n' "$folder/installed" >"$folder/rpm"
    printf '#!/bin/bash\necho "$*" >>%q\n' "$folder/calls" >"$folder/dnf"
    printf '#!/bin/bash\nexec "${@}"\n' >"$folder/sudo"
    printf '#!/bin/bash\n' >"$folder/swift"
    chmod +x "$folder"/{rpm,dnf,sudo,swift}
    url=$(sed -n 's/^repository .*\(https:[^ ]*\).*/\1/p' tools/packages/rhel-9.txt)
    result=$(as_system "$folder" 'rhel|9.6|fedora' need library || true)
    [[ $result == *"dnf install -y $url" && ! -e $folder/calls ]] || wrong "without EPEL: $result"
    printf '%s\n' epel-release openssl-devel zlib-devel libcurl-devel >"$folder/installed"
    as_system "$folder" 'rhel|9.6|fedora' need library >"$folder/said" || wrong "with EPEL: $(cat "$folder/said")"
    expected="install -y --setopt=install_weak_deps=False libsodium-devel hiredis-devel p11-kit-devel pkgconf-pkg-config"
    [[ $(cat "$folder/calls") == "$expected" ]] || wrong "dnf was called with: $(cat "$folder/calls")"
    result=$(diff <(ci_facts .github/workflows/ci.yml) <(ci_facts .gitlab-ci.yml)) || wrong "the CI files differ: $result"
    grep -qF "$url" .gitlab-ci.yml && grep -qF "$url" Examples/Deploy/Containerfile.ubi && grep -qF "$url" docs/install.md ||
        wrong "the CI files, Containerfile.ubi or docs/install.md do not add $url"
    return $bad
}
