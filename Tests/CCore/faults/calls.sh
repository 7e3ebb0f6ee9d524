# shellcheck shell=bash
# Part of Tests/CCore/run: wraps the calls of the core that can fail (calls.txt).

# The calls are compared only on this processor: compilers for others call helpers of their own.
checked_elsewhere=$ARCH

# The table for the major version of these headers.
major=$(echo OPENSSL_VERSION_MAJOR | "$cc" "${target[@]}" -E -P -include openssl/opensslv.h -x c - | tail -n 1)
sed -n -e '/^#/d' -e "s/^$major: //" -e '/^[0-9]: /!p' "$here/faults/calls.txt" >"$out/calls"

# Compares the table of calls with what the compiled target imports.
mapfile -t core_objects < <(printf '%s\n' "${objects[@]}" | grep /CShims-)
comm -23 <(nm -u "${core_objects[@]}" | awk '$1 == "U" || $1 == "w" {print $2}' | sed 's/^__asan_mem/mem/' |
    grep -vE '^__(asan|ubsan|sanitizer|lsan|llvm|start|stop)_' | sort -u) \
    <(nm "${core_objects[@]}" | awk '$2 ~ /[TDRBC]/ {print $3}' | sort -u) >"$out/called"
sed 's/^[^:]*: *//' "$out/calls" | tr ' ' '\n' | grep . | sort >"$out/listed"
if [[ -z $mutants$checked_elsewhere ]] && ! diff <(sort -u "$out/called") "$out/listed" >"$out/difference"; then
    echo "FAILED  faults: calls.txt is not what CJOSECrypto calls (< called, > listed):" >&2
    grep '^[<>]' "$out/difference" >&2
    exit 1
fi

wrapper_x86_64() {
    cat <<ASM
.globl __wrap_$1
__wrap_$1:
    pushq %rax; pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9
    movq %rdx, %rcx
    movq %rsi, %rdx
    leaq name_$1(%rip), %rdi
    movl \$$3, %esi
    call faults_call_fails@PLT
    testb %al, %al
    popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi; popq %rax
    jnz 1f
    jmp __real_$1@PLT
1:  movq \$$2, %rax
    ret
name_$1: .asciz "$1"
ASM
}

wrapper_aarch64() {
    cat <<ASM
.globl __wrap_$1
__wrap_$1:
    stp x29, x30, [sp, #-96]!
    stp x0, x1, [sp, #16]; stp x2, x3, [sp, #32]; stp x4, x5, [sp, #48]; stp x6, x7, [sp, #64]; str x8, [sp, #80]
    mov x3, x2
    mov x2, x1
    adrp x0, name_$1; add x0, x0, :lo12:name_$1
    mov w1, #$3
    bl faults_call_fails
    and w9, w0, #0xff
    ldp x0, x1, [sp, #16]; ldp x2, x3, [sp, #32]; ldp x4, x5, [sp, #48]; ldp x6, x7, [sp, #64]; ldr x8, [sp, #80]
    ldp x29, x30, [sp], #96
    cbnz w9, 1f
    b __real_$1
1:  mov x0, #$2
    ret
name_$1: .asciz "$1"
.balign 4
ASM
}

# Writes a wrapper for each call, NAME VALUE KIND. It calls faults_call_fails, with all arguments
# kept and the second and third passed (what is fetched), then continues or returns the value. The
# kernels are wrapped too: unit/edges_verify.c changes their results.
wrapped=(zlibVersion)
[[ -n $ARCH ]] || wrapped+=(jose_rsa_ifma_run jose_rsa_fma_run jose_rsa_bn_run)
{
    echo '.text'
    while read -r kind value names; do
        for name in $names; do
            wrapped+=("$name")
            wrapper_"${ARCH:-x86_64}" "$name" "$value" $([[ $kind == fails ]] && echo 0 || { [[ $kind == quiet ]] && echo 1 || echo 2; })
        done
    done < <(grep -E '^(fails|quiet|says) ' "$out/calls" | sed 's/://')
    echo '.section .note.GNU-stack,"",@progbits'
} >"$out/wraps.s"
objects+=("$out/wraps.s")
