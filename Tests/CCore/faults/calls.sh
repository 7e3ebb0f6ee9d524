# shellcheck shell=bash
# Part of Tests/CCore/run: the calls of the core that can fail, by calls.txt, each behind a wrapper.

# The table of calls against what the compiled target asks of others.
comm -23 <(nm -u "$out"/CShims-*.o | awk '$1 == "U" || $1 == "w" {print $2}' | sed 's/^__asan_mem/mem/' |
    grep -vE '^__(asan|ubsan|sanitizer|lsan|llvm|start|stop)_' | sort -u) \
    <(nm "$out"/CShims-*.o | awk '$2 ~ /[TDRBC]/ {print $3}' | sort -u) >"$out/called"
grep -v '^#' "$here/faults/calls.txt" | sed 's/^[^:]*: *//' | tr ' ' '\n' | grep . | sort >"$out/listed"
if [[ -z $mutants ]] && ! diff <(sort -u "$out/called") "$out/listed" >"$out/difference"; then
    echo "FAILED  faults: calls.txt is not what CJOSECrypto calls (< called, > listed):" >&2
    grep '^[<>]' "$out/difference" >&2
    exit 1
fi

# A wrapper for each call: it asks faults_call_fails with all arguments kept, then goes on or returns the value. It
# shows its second and third argument: what is fetched.
# And for the kernels, whose results unit/edges_judge.c spoils.
wrapped=(jose_rsa_ifma_run jose_content_kernel_encrypt zlibVersion)
{
    echo '.text'
    while read -r kind value names; do
        for name in $names; do
            wrapped+=("$name")
            cat <<ASM
.globl __wrap_$name
__wrap_$name:
    pushq %rax; pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9
    movq %rdx, %rcx
    movq %rsi, %rdx
    leaq name_$name(%rip), %rdi
    movl \$$([[ $kind == fails ]] && echo 0 || { [[ $kind == quiet ]] && echo 1 || echo 2; }), %esi
    call faults_call_fails@PLT
    testb %al, %al
    popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi; popq %rax
    jnz 1f
    jmp __real_$name@PLT
1:  movq \$$value, %rax
    ret
name_$name: .asciz "$name"
ASM
        done
    done < <(grep -E '^(fails|quiet|says) ' "$here/faults/calls.txt" | sed 's/://')
    echo '.section .note.GNU-stack,"",@progbits'
} >"$out/wraps.s"
objects+=("$out/wraps.s")
