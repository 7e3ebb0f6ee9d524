# shellcheck shell=bash
# The bill of materials, docs/security/sbom.cdx.json: every C library that the package links, with
# its minimum version (why this minimum: docs/security/build.md). Written by hand; `./dev lint`
# compares it with the sources and the machine.

sbom_file=docs/security/sbom.cdx.json

# sbom_rows: name, pkg-config name and minimum of each.
sbom_rows() {
    python3 -c 'import json, sys
for part in json.load(sys.stdin)["components"]:
    names = [each["value"] for each in part["properties"] if each["name"] == "pkg-config"]
    print(part["name"], *names, part["version"])' <"$sbom_file"
}

# sbom_of VERSION: the same of a release.
sbom_of() { sed "s/\"name\": \"swift-jose\", /&\"version\": \"$1\", /" "$sbom_file"; }

sbom_agrees() {
    local name config minimum bad=0
    # hiredis is linked without pkg-config, and named in a comment.
    diff <(sbom_rows | cut -d' ' -f2 | sort) \
        <(grep -oE '(system\("\w+", |pkg-config.s )"\w+"' Package.swift | grep -oE '"\w+"$' |
            tr -d '"' | sort) || {
        echo "the libraries of $sbom_file are not those of Package.swift"
        bad=1
    }
    ! grep -qE '\.package\(' Package.swift || {
        echo "Package.swift has a package dependency, which $sbom_file does not name"
        bad=1
    }
    grep -q 'JOSE_OPENSSL_MIN 0x30000070UL' CShims/CJOSECrypto/include/cjosecrypto.h &&
        grep -q '^openssl .* 3\.0\.7$' <<<"$(sbom_rows)" || {
        echo "the minimum of openssl is not the one of cjosecrypto.h"
        bad=1
    }
    while read -r name config minimum; do
        pkg-config --atleast-version="$minimum" "$config" || {
            echo "$name is older than $minimum"
            bad=1
        }
    done < <(sbom_rows)
    return $bad
}
