// residue.c: clears the registers and the stack below the caller; touches the pages of that stack.
//
// With kernels, assembly clears: a compiler would choose registers and a frame of its own. On entry
// rsp points at the return address, and the frames of the functions called before were directly
// below it. Without kernels only the stack is cleared.

#include "cjosekernels.h"

#include "kernels.h"

// From the top down, so that no page is skipped. A guard page has at least 4,096 bytes.
__attribute__((noinline)) void jose_stack_touch(size_t below)
{
    enum { PAGE = 4096,
           FRAMES = 512 };  // at least the frames of jose_residue_clear and of what it calls
    const volatile uint8_t *frame = __builtin_alloca(below + FRAMES);
    for (size_t end = below + FRAMES; end >= PAGE; end -= PAGE) (void)frame[end - 1];
    (void)frame[0];
}

#if JOSE_KERNELS_X86

// JOSE_CLEAR_STACK zeroes the rdi bytes below rsp. rsp moves down first, so that no signal handler
// writes there and memory checkers accept the stores. Registers with secrets are cleared before
// rsp moves: a signal would save them below the cleared stack. Only the first store is unaligned.
#define JOSE_CLEAR_STACK(FIRST, OTHERS)                                              \
    "xorl %esi, %esi\n\txorl %r8d, %r8d\n\txorl %r9d, %r9d\n\txorl %r10d, %r10d\n\t" \
    "xorl %r11d, %r11d\n\t"                                                          \
    "movq %rsp, %rdx\n\t"                                                            \
    "leaq -64(%rdx), %rax\n\t"                                                       \
    "movq %rdx, %rcx\n\t"                                                            \
    "subq %rdi, %rcx\n\t"                                                            \
    "movq %rcx, %rsp\n\t"                                                            \
    "subq $64, %rcx\n\t" FIRST                                                       \
    "andq $-64, %rax\n"                                                              \
    "1:\n\t" OTHERS                                                                  \
    "subq $64, %rax\n\t"                                                             \
    "cmpq %rcx, %rax\n\t"                                                            \
    "ja 1b\n\t"                                                                      \
    "movq %rdx, %rsp\n\t"

#define JOSE_CLEAR_OTHERS \
    "xorl %eax, %eax\n\txorl %ecx, %ecx\n\txorl %edx, %edx\n\txorl %edi, %edi\n\tret"

#define JOSE_ZERO(name) "vpxorq %" name ", %" name ", %" name "\n\t"

__attribute__((naked)) static void clear_avx512(__attribute__((unused)) size_t below)
{
    __asm__(
        "vzeroall\n\t" JOSE_ZERO("zmm16") JOSE_ZERO("zmm17") JOSE_ZERO("zmm18") JOSE_ZERO("zmm19")
            JOSE_ZERO("zmm20") JOSE_ZERO("zmm21") JOSE_ZERO("zmm22") JOSE_ZERO("zmm23") JOSE_ZERO(
                "zmm24") JOSE_ZERO("zmm25") JOSE_ZERO("zmm26") JOSE_ZERO("zmm27") JOSE_ZERO("zmm28")
                JOSE_ZERO("zmm29") JOSE_ZERO("zmm30") JOSE_ZERO(
                    "zmm31") "kxorq %k0, %k0, %k0\n\tkxorq %k1, %k1, %k1\n\tkxorq %k2, %k2, %k2\n\t"
                             "kxorq %k3, %k3, %k3\n\tkxorq %k4, %k4, %k4\n\tkxorq %k5, %k5, %k5\n\t"
                             "kxorq %k6, %k6, %k6\n\tkxorq %k7, %k7, %k7\n\t" JOSE_CLEAR_STACK(
                                 "vmovdqu64 %zmm0, (%rax)\n\t", "vmovdqa64 %zmm0, (%rax)\n\t")
                                 JOSE_CLEAR_OTHERS);
}

__attribute__((naked)) static void clear_avx(__attribute__((unused)) size_t below)
{
    __asm__(
        "vzeroall\n\t" JOSE_CLEAR_STACK("vmovdqu %ymm0, (%rax)\n\tvmovdqu %ymm0, 32(%rax)\n\t",
                                        "vmovdqa %ymm0, (%rax)\n\tvmovdqa %ymm0, 32(%rax)\n\t")
            JOSE_CLEAR_OTHERS);
}

__attribute__((naked)) static void clear_sse(__attribute__((unused)) size_t below)
{
    __asm__(
        "pxor %xmm0, %xmm0\n\tpxor %xmm1, %xmm1\n\tpxor %xmm2, %xmm2\n\tpxor %xmm3, %xmm3\n\t"
        "pxor %xmm4, %xmm4\n\tpxor %xmm5, %xmm5\n\tpxor %xmm6, %xmm6\n\tpxor %xmm7, %xmm7\n\t"
        "pxor %xmm8, %xmm8\n\tpxor %xmm9, %xmm9\n\tpxor %xmm10, %xmm10\n\tpxor %xmm11, %xmm11\n\t"
        "pxor %xmm12, %xmm12\n\tpxor %xmm13, %xmm13\n\tpxor %xmm14, %xmm14\n\t"
        "pxor %xmm15, %xmm15\n\t" JOSE_CLEAR_STACK(
            "movdqu %xmm0, (%rax)\n\tmovdqu %xmm0, 16(%rax)\n\t"
            "movdqu %xmm0, 32(%rax)\n\tmovdqu %xmm0, 48(%rax)\n\t",
            "movdqa %xmm0, (%rax)\n\tmovdqa %xmm0, 16(%rax)\n\t"
            "movdqa %xmm0, 32(%rax)\n\tmovdqa %xmm0, 48(%rax)\n\t") JOSE_CLEAR_OTHERS);
}

// A processor with AVX-512 but without BW (Xeon Phi) runs only the kernel of doubles, which uses
// ymm0 to ymm15. clear_avx clears all bits of these.
void jose_residue_clear(size_t below)
{
    if (__builtin_cpu_supports("avx512bw"))
        clear_avx512(below);
    else if (__builtin_cpu_supports("avx"))
        clear_avx(below);
    else
        clear_sse(below);
}

#else

// The assembly makes the compiler assume that the zeros are read, so that it keeps the stores.
__attribute__((noinline)) void jose_residue_clear(size_t below)
{
    uint8_t *frame = __builtin_alloca(below);
    for (size_t i = 0; i < below; i++) frame[i] = 0;
    __asm__ volatile(""
                     :
                     : "r"(frame)
                     : "memory");
}

#endif
