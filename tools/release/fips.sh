# shellcheck shell=bash
# Tests with a FIPS provider: the C core, the Swift library and josectl (docs/fips.md).

#: run fips  runs `fips-check` on a bare Debian 13 (root)
cmd_fips() {
    need_root
    need_build
    fresh_root trixie
    step "unpack the sources" fresh_sources "$fresh_root/src"
    step "carry the host's network settings in" fresh_network "$fresh_root" trixie 'cd /src; tools/run fips-check'
    fresh_enter
}

#: run fips-check [MODULE]  tests a FIPS provider, by default Debian 13's: algorithms, what leaves it, bad configurations, speed
cmd_fips_check() {
    local folder=.build/fips module
    mkdir -p "$folder"
    if (($# > 0)); then
        need_build openssl python3
        module=$(realpath "$1")
    else
        need_build openssl openssl-provider-fips python3
        module=$(openssl version -m | sed -n 's/^MODULESDIR: "\(.*\)"$/\1/p')/fips.so
    fi
    [[ -r $module ]] || die "no FIPS provider: $module"
    step "install the FIPS provider's configuration" openssl fipsinstall -quiet -module "$module" -out "$folder/fipsmodule.cnf"
    local mode
    for mode in process keys late stopped stopped-{sign,verify,verify-rsa,tag} measure; do
        step "the C core by the FIPS provider: $mode" ccore fips "$mode" "$module" "$folder/fipsmodule.cnf"
        grep -E '^fips |ratio' "$log"
    done
    step "a module whose path has @, comma and ~" fips_odd_path "$folder/a@b,c~d" "$module" "$folder/fipsmodule.cnf"
    step "a damaged module and configuration" fips_broken "$folder" "$module"
    (($# == 0)) || echo "module = $module" | tee -a "$folder/wrong.cnf" >>"$folder/fipsmodule.cnf"
    # Only these tests, and josectl in the same build.
    export JOSE_TESTS="JOSETests:Support,FIPS josectl"
    step "build josectl and the tests" swift build --build-tests
    export JOSE_TEST_FIPS=$PWD/$folder/fipsmodule.cnf
    for mode in none forced forbidden; do
        fips_host "$folder" "$mode"
        # Not by `swift test`: the libcurl of the toolchain may end the process with such a configuration.
        step "keys and processes, the host's FIPS $mode" env OPENSSL_CONF="$PWD/$folder/$mode.cnf" \
            .build/debug/swift-josePackageTests.xctest --testing-library swift-testing --filter FIPS
        tests_ran
    done
    step "josectl --fips" fips_tool "$folder" "$module"
    grep -E '^(FIPS provider|version|build|status|[^ ]+ +rejected)' "$folder/selftest"
}

# fips_host FOLDER none|forced|forbidden: a configuration of the host, which OPENSSL_CONF names. It must not change our
# calls.
fips_host() {
    local properties= providers="default = on"
    [[ $2 != forced ]] || { properties="fips=yes"; providers="base = on"; }
    [[ $2 != forbidden ]] || properties="fips=no"
    printf '%s\n' "openssl_conf = init" "[init]" "providers = all" ${properties:+"alg_section = evp"} "[all]" "$providers" \
        "[on]" "activate = 1" "[evp]" ${properties:+"default_properties = $properties"} >"$1/$2.cnf"
}

# fips_odd_path FOLDER MODULE CONFIGURATION: a copy of the module in that folder starts.
fips_odd_path() { mkdir -p "$1" && cp "$2" "$1/fips.so" && ccore fips late "$PWD/$1/fips.so" "$3"; }

# fips_broken FOLDER MODULE: neither a module with one other byte nor another MAC starts.
fips_broken() {
    local folder=$1 size
    size=$(stat -c %s "$2")
    python3 - "$2" "$folder/broken.so" "$((size / 2))" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[int(sys.argv[3])] ^= 1
open(sys.argv[2], "wb").write(data)
END
    ccore fips broken "$PWD/$folder/broken.so" "$folder/fipsmodule.cnf" || return 1
    sed 's/^module-mac = ../module-mac = 00/' "$folder/fipsmodule.cnf" >"$folder/wrong.cnf"
    ccore fips broken "$2" "$folder/wrong.cnf"
}

# fips_tool FOLDER MODULE: tokens between a process with the provider and one without, and one message for each bad input.
fips_tool() (
    folder=$PWD/$1 here=.build/debug/josectl
    fips=--fips=$folder/fipsmodule.cnf
    rm -rf "$folder/keys" && mkdir "$folder/keys" && cd "$folder/keys" || exit 1
    tool=$OLDPWD/$here
    "$tool" selftest "$fips" >"$folder/selftest" || { cat "$folder/selftest"; exit 1; }
    grep -q '^ES256 .* ok' "$folder/selftest" && grep -q '^ES256K .*rejected' "$folder/selftest" || exit 1
    "$tool" keys new --alg ES256 --out private --public public "$fips" || exit 1
    "$tool" keys new --alg RSA-OAEP-256 --out own --public theirs || exit 1
    [[ $("$tool" keys thumbprint public "$fips") == "$("$tool" keys thumbprint public)" ]] || exit 1
    for pair in "$fips " " $fips"; do
        one=${pair%% *} other=${pair#* }
        echo text | "$tool" sign --key private --out token $one - && "$tool" verify --key public token $other &&
            echo text | "$tool" encrypt --key theirs --out secret $one - && "$tool" decrypt --key own secret $other || exit 1
        rm token secret
    done
    # rejects TEXT COMMAND…: the command fails, with this text.
    rejects() {
        local text=$1
        shift
        if "$tool" "$@" >out 2>&1; then echo "accepted: $*"; exit 1; fi
        grep -qF -- "$text" out || { echo "another message for: $*"; cat out; exit 1; }
    }
    rejects "must be one of" keys new --use enc --curve X25519 --out x "$fips"
    rejects "no approved secp256k1" keys new --alg ES256K --out x "$fips"
    "$tool" keys new --alg ES256K --out k1 --public k1.public || exit 1
    "$tool" keys new --use enc --curve X25519 --out x --public x.public || exit 1
    rejects "not supported by the FIPS provider" sign --key k1 "$fips" k1.public
    rejects "not supported by the FIPS provider" encrypt --key x.public "$fips" k1.public
    rejects "cannot read /absent" selftest --fips=/absent
    rejects "after '='" selftest --fips "$folder/fipsmodule.cnf"
    rejects "no section" selftest --fips="$folder/none.cnf"
    rejects "did not start" selftest --fips="$folder/wrong.cnf"
    sed '/^module = /d' "$folder/fipsmodule.cnf" >plain.cnf
    sed '/module-mac/d' "$folder/fipsmodule.cnf" >half.cnf
    rejects "half.cnf: the FIPS configuration has no 'module-mac'" selftest --fips=half.cnf
    sed 's/security-checks = 1/security-checks = 0/' "$folder/fipsmodule.cnf" >off.cnf
    rejects "switches a check" selftest --fips=off.cnf
    { cat plain.cnf; echo "module = $folder/absent.so"; } >absent.cnf
    rejects "not installed" selftest --fips=absent.cnf
    { cat plain.cnf; echo "module = $folder/broken.so"; } >broken.cnf
    rejects "did not start" selftest --fips=broken.cnf
)
