# Tokens exchanged with foreign implementations, every vector, NIST's PKITS, and OpenID logins with a foreign side.

environment=$state/python

# pip_pinned PYTHON-ENVIRONMENT FILE: installs what a file of pins names, from wheels with these
# hashes alone. `uv pip compile --generate-hashes --no-deps --universal --python-version 3.11 FILE
# -o FILE` writes the hashes.
pip_pinned() {
    "$1/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary=:all: -r "$2"
}

# The Python packages, pinned, in an environment of their own; made again when the pins change.
python_environment() {
    local pins=Tests/Interop/requirements.txt python=/usr/bin/python3
    cmp -s "$pins" "$environment/$(basename "$pins")" && return
    [[ -x $python ]] || python=python3
    rm -rf "$environment" && "$python" -m venv "$environment" &&
        pip_pinned "$environment" "$pins" && cp "$pins" "$environment/"
}

# The other side in C. The toolchain's own clang, so that nothing more need be installed.
cjose_tool() {
    "$(c_compiler)" -std=gnu17 -O1 -g -Wall -Wextra -Werror -o "$state/cjose-tool" \
        Tests/Interop/cjose_tool.c -lcjose -lcrypto
}

#: run interop  exchanges tokens with jwcrypto, joserfc, jose, cjose, node-jose; vectors; PKITS; OpenID with three Python packages
cmd_interop() {
    need_build $test_packages
    build_tool
    step "build openid-peer" swift build --product openid-peer
    interop_run "$tool" .build/debug/openid-peer "$@"
}

# interop_run JOSECTL PEER [OPTION…]
interop_run() {
    local josectl=$1 peer=$2
    shift 2
    mkdir -p "$state"
    step "python environment" python_environment
    step "cjose program" cjose_tool
    "$environment/bin/python" -B Tests/Interop/run.py --josectl "$josectl" --cjose "$state/cjose-tool" --peer "$peer" \
        "$@" || die "interop failed"
}
