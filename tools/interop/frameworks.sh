# shellcheck shell=bash
# The examples with web frameworks, whose packages come from the network, or from local copies: JOSE_PACKAGES is a folder
# with one Git repository a package, named as the package, with a tag of its version.

frameworks=.build/frameworks

# public_packages NAME…: prepares SwiftPM's configuration in $frameworks/config. Returns 1 without network. Fails if
# JOSE_PACKAGES is set and lacks one of these packages.
public_packages() {
    local name
    mkdir -p "$frameworks/config"
    if [[ -n ${JOSE_PACKAGES-} ]]; then
        python3 -B tools/interop/mirrors.py "$JOSE_PACKAGES" "$frameworks/config/mirrors.json" >"$frameworks/copies.txt" ||
            die "JOSE_PACKAGES=$JOSE_PACKAGES has a package that git cannot read"
        for name in "$@"; do
            grep -q "^$name ." "$frameworks/copies.txt" ||
                die "JOSE_PACKAGES=$JOSE_PACKAGES has no repository '$name' with a tag"
        done
        return
    fi
    rm -f "$frameworks/config/mirrors.json"
    GIT_TERMINAL_PROMPT=0 timeout 20 git ls-remote -q https://github.com/hummingbird-project/hummingbird.git HEAD >/dev/null 2>&1
}

# public_build FOLDER OPTION…: builds a package that names public packages by URL.
public_build() {
    swift build --package-path "$1" --config-path "$frameworks/config" --scratch-path "$frameworks/${1##*/}" "${@:2}"
}

#: run frameworks  builds Examples/HummingbirdApp and VaporApp, and drives them by HTTP; JOSE_PACKAGES=FOLDER for local copies of packages
cmd_frameworks() {
    public_packages hummingbird vapor || not_run "no network, and JOSE_PACKAGES names no folder with packages"
    need_build python3 python3-venv openssl
    step "python environment" python_environment "$environment" Tests/Interop/requirements.txt
    local app drive=("$environment/bin/python" -B)
    for app in ${*:-HummingbirdApp VaporApp}; do step "build $app" public_build "Examples/$app"; done
    for app in ${*:-HummingbirdApp VaporApp}; do
        step "drive $app" "${drive[@]}" Tests/Frameworks/drive.py "$frameworks/$app/debug/Service" \
            "$frameworks/HummingbirdApp/debug/provider" "$frameworks/log"
        tail -n 1 "$log"
    done
    step "HTTP clients" "${drive[@]}" Tests/Frameworks/clients.py "$frameworks/HummingbirdApp/debug/Clients" "$frameworks/log"
    cat "$log"
    grep -ohE '"(identity|version)" : "[^"]*"' Examples/{HummingbirdApp,VaporApp}/Package.resolved | paste - - |
        sed 's/"identity" : //; s/"version" : //; s/"//g' | sort -u |
        grep -E '^(hummingbird|vapor|swift-nio|async-http-client|swift-log|swift-metrics|swift-distributed-tracing|swift-service-lifecycle)\s'
}
