# Proof of the byte kernels (docs/kernels.md), by plain C programs in Tests/CCore/kernels/bytes.

#: prove-bytes  the base64url kernels against the definition, with sanitizers, NEON by emulation
cmd_prove_bytes() {
    need_build qemu-user libc6-dev-arm64-cross libgcc-12-dev-arm64-cross
    local clang mode
    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    [[ -x $clang ]] || clang=clang
    for mode in plain address integer arm secrets; do
        CC=$clang step "byte kernels, $mode" Tests/CCore/kernels/bytes/prove "$mode"
    done
}
