# Tokens exchanged with foreign implementations, every vector, NIST's PKITS, and OpenID logins with a foreign side.

environment=$state/python

# python_environment FOLDER PINS: an environment with the packages of a file of pins, from wheels with the hashes there
# alone; made again when the pins change. docs/development.md says what writes the hashes.
python_environment() {
    local folder=$1 pins=$2 python=/usr/bin/python3
    cmp -s "$pins" "$folder/requirements.txt" && return
    [[ -x $python ]] || python=python3
    rm -rf "$folder" && mkdir -p "$(dirname "$folder")" && "$python" -m venv "$folder" &&
        "$folder/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary=:all: -r "$pins" &&
        cp "$pins" "$folder/requirements.txt"
}

# What both runs with foreign implementations need besides packages of Debian.
foreign_sides() {
    step "python environment" python_environment "$environment" Tests/Interop/requirements.txt
    step "cjose program" cjose_tool
}

# The other side in C. The toolchain's own clang, so that nothing more need be installed.
cjose_tool() {
    "$(c_compiler)" -std=gnu17 -O1 -g -Wall -Wextra -Werror -o "$state/cjose-tool" \
        Tests/Interop/cjose_tool.c -lcjose -lcrypto
}

#: run interop  exchanges tokens with jwcrypto, joserfc, jose, cjose, node-jose; vectors; PKITS; OpenID with three Python packages
cmd_interop() {
    need_build foreign
    build_tool
    step "build openid-peer" swift build --product openid-peer
    interop_run "$tool" .build/debug/openid-peer "$@"
}

# interop_run JOSECTL PEER [OPTION…]
interop_run() {
    local josectl=$1 peer=$2
    shift 2
    mkdir -p "$state"
    foreign_sides
    "$environment/bin/python" -B Tests/Interop/run.py --josectl "$josectl" --cjose "$state/cjose-tool" --peer "$peer" \
        "$@" || die "interop failed"
}
