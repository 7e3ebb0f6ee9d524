# shellcheck shell=bash
# The bill of materials: every C library that the package links, with its minimum version.

sbom_file=docs/security/sbom.cdx.json

# name, pkg-config name, minimum, licence, why this minimum (docs/security/build.md)
sbom_rows() {
    cat <<'ROWS'
openssl libcrypto 3.0.7 Apache-2.0
libsodium libsodium 1.0.18 ISC
libcurl libcurl 7.85.0 curl
zlib zlib 1.2.12 Zlib
hiredis hiredis 0.14.1 BSD-3-Clause
ROWS
}

# sbom_write [VERSION]: CycloneDX 1.5 without times and serial numbers: equal inputs give equal bytes.
sbom_write() {
    local name config minimum licence comma= version=${1:+"\"version\": \"$1\", "}
    printf '{\n  "bomFormat": "CycloneDX",\n  "specVersion": "1.5",\n  "version": 1,\n  "metadata": {\n'
    printf '    "component": { "type": "library", "name": "swift-jose", %s"licenses": [{ "license": { "id": "Apache-2.0" } }] }\n' "$version"
    printf '  },\n  "components": ['
    while read -r name config minimum licence; do
        printf '%s\n    {\n      "type": "library",\n      "bom-ref": "%s",\n      "name": "%s",\n' "$comma" "$name" "$name"
        printf '      "version": "%s",\n      "licenses": [{ "license": { "id": "%s" } }],\n' "$minimum" "$licence"
        printf '      "properties": [\n        { "name": "versionMeaning", "value": "minimum" },\n'
        printf '        { "name": "pkg-config", "value": "%s" }\n      ]\n    }' "$config"
        comma=,
    done < <(sbom_rows)
    printf '\n  ]\n}\n'
}

# The rows against the manifest, the C core and what is installed.
sbom_agrees() {
    local name config minimum licence bad=0
    diff <(sbom_rows | cut -d' ' -f2 | sort) <(grep -oE 'pkgConfig: "[^"]+"' Package.swift | cut -d'"' -f2 | sort) || {
        echo "the rows of tools/release/sbom.sh are not the libraries of Package.swift"
        bad=1
    }
    ! grep -qE '\.package\(' Package.swift || { echo "Package.swift has a package dependency, which no row names"; bad=1; }
    grep -q 'JOSE_OPENSSL_MINIMUM 0x30000070UL' CShims/CJOSECrypto/include/cjosecrypto.h ||
        { echo "the minimum of openssl here is not the one of cjosecrypto.h"; bad=1; }
    while read -r name config minimum licence; do
        pkg-config --atleast-version="$minimum" "$config" || { echo "$name is older than $minimum"; bad=1; }
    done < <(sbom_rows)
    return $bad
}

# The written file is what the rows give, and these are the libraries.
sbom_is_current() { sbom_agrees && diff <(sbom_write) "$sbom_file"; }

#: run sbom  writes docs/security/sbom.cdx.json (CycloneDX) and prints what is installed; `./dev lint` checks it
cmd_sbom() {
    need_build
    step "the libraries and their minimum versions" sbom_agrees
    sbom_write >"$sbom_file"
    local name config minimum licence
    while read -r name config minimum licence; do
        printf '%-12s at least %-8s installed %s\n' "$name" "$minimum" "$(pkg-config --modversion "$config")"
    done < <(sbom_rows)
}
