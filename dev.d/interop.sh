# Tokens exchanged with foreign implementations, and every vector, through `josectl batch`.

environment=$state/python

# The Python packages, pinned, in an environment of their own; made again when the pins change.
python_environment() {
    cmp -s Tests/Interop/requirements.txt "$environment/requirements.txt" && return
    rm -rf "$environment"
    local python=/usr/bin/python3
    [[ -x $python ]] || python=python3
    "$python" -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check -r Tests/Interop/requirements.txt
    cp Tests/Interop/requirements.txt "$environment/requirements.txt"
}

# The other side in C. The toolchain's own clang, so that nothing more need be installed.
cjose_tool() {
    local clang
    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    [[ -x $clang ]] || clang=clang
    "$clang" -std=gnu17 -O1 -g -Wall -Wextra -Werror $(pkg-config --cflags cjose) -o "$state/cjose-tool" \
        Tests/Interop/cjose_tool.c $(pkg-config --libs cjose jansson libcrypto)
}

#: interop   tokens to and from jwcrypto, joserfc, jose and cjose; all vectors through josectl batch
cmd_interop() {
    need_build $test_packages
    step "python environment" python_environment
    step "cjose program" cjose_tool
    build_tool
    "$environment/bin/python" -B Tests/Interop/run.py --josectl "$tool" --cjose "$state/cjose-tool" "$@"
}
