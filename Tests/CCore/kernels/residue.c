// residue.c: what the built operations on secrets leave in registers and on the stack. Linked with
// the release objects.
//
// Each runs twice, on the same stack and with the same public input in the same memory; only the
// secrets differ. Whatever differs afterwards, in any register or any byte of the stack below,
// comes from a secret.

#include <openssl/bn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private_key.h"
#include "selftest_data.h"

#define need(condition)                                                      \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("FAILED  residue: %s (line %d)\n", #condition, __LINE__); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

enum { STACK = 1 << 17,
       VECTORS = 32 * 64,
       MASKS = 8 * 8,
       OTHERS = 9 * 8 };

// The offsets of what residue_run reads and writes.
typedef struct {
    void *function;            // 0
    uint64_t arguments[8];     // 8: six in registers, two on the stack
    uint8_t *stack;            // 72: its upper end
    uint64_t wide;             // 80: AVX-512
    uint64_t others[9];        // 88: rax rcx rdx rsi rdi r8 r9 r10 r11
    uint64_t masks[8];         // 160
    uint8_t vectors[VECTORS];  // 224
} call;

// The caller is the same in both runs: callee-saved registers have only constants.
void residue_run(call *c);
__asm__(
    ".local residue_call\n.comm residue_call,8,8\n.local residue_stack\n.comm residue_stack,8,8\n"
    ".text\n.globl residue_run\nresidue_run:\n\t"
    "pushq %rbx\n\tpushq %rbp\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
    "movq %rdi, residue_call(%rip)\n\tmovq %rsp, residue_stack(%rip)\n\tmovq %rdi, %r11\n\t"
    "movq 72(%r11), %rsp\n\tpushq 64(%r11)\n\tpushq 56(%r11)\n\t"
    "movq 8(%r11), %rdi\n\tmovq 16(%r11), %rsi\n\tmovq 24(%r11), %rdx\n\tmovq 32(%r11), %rcx\n\t"
    "movq 40(%r11), %r8\n\tmovq 48(%r11), %r9\n\tmovq (%r11), %rax\n\txorl %r10d, %r10d\n\t"
    "xorl %r11d, %r11d\n\txorl %ebx, %ebx\n\txorl %ebp, %ebp\n\txorl %r12d, %r12d\n\t"
    "xorl %r13d, %r13d\n\txorl %r14d, %r14d\n\txorl %r15d, %r15d\n\tcall *%rax\n\t"
    "movq residue_call(%rip), %rbx\n\tmovq residue_stack(%rip), %rsp\n\t"
    "movq %rax, 88(%rbx)\n\tmovq %rcx, 96(%rbx)\n\tmovq %rdx, 104(%rbx)\n\tmovq %rsi, 112(%rbx)\n\t"
    "movq %rdi, 120(%rbx)\n\tmovq %r8, 128(%rbx)\n\tmovq %r9, 136(%rbx)\n\tmovq %r10, 144(%rbx)\n\t"
    "movq %r11, 152(%rbx)\n\tcmpq $0, 80(%rbx)\n\tje 2f\n\t"
    "kmovq %k0, 160(%rbx)\n\tkmovq %k1, 168(%rbx)\n\tkmovq %k2, 176(%rbx)\n\tkmovq %k3, "
    "184(%rbx)\n\t"
    "kmovq %k4, 192(%rbx)\n\tkmovq %k5, 200(%rbx)\n\tkmovq %k6, 208(%rbx)\n\tkmovq %k7, "
    "216(%rbx)\n\t"
    ".irp "
    "n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
    "vmovdqu64 %zmm\\n, 224+64*\\n(%rbx)\n\t.endr\n\tjmp 3f\n"
    "2:\n\t.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
    "movdqu %xmm\\n, 224+64*\\n(%rbx)\n\t.endr\n"
    "3:\n\tpopq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbp\n\tpopq %rbx\n\tret\n");

static _Alignas(64) uint8_t stack[STACK];

typedef struct {
    call after;
    uint8_t below[STACK];
} snapshot;

static snapshot snapshots[2];

static void run(int which, void *function, const uint64_t arguments[8])
{
    snapshot *s = &snapshots[which];
    memset(stack, 0xa5, sizeof stack);
    memset(&s->after, 0, sizeof s->after);
    s->after.function = function;
    memcpy(s->after.arguments, arguments, sizeof s->after.arguments);
    s->after.stack = stack + sizeof stack - 64;
    s->after.wide = __builtin_cpu_supports("avx512bw") != 0;
    residue_run(&s->after);
    memcpy(s->below, stack, sizeof stack);
}

// Counts the bytes in which the two snapshots differ; the first one is reported.
static size_t differences(const char *what, bool report)
{
    const call *a = &snapshots[0].after, *b = &snapshots[1].after;
    size_t registers = 0, memory = 0, first = 0;
    for (size_t i = 0; i < VECTORS; i++) registers += a->vectors[i] != b->vectors[i];
    for (size_t i = 0; i < 8; i++) registers += a->masks[i] != b->masks[i];
    for (size_t i = 0; i < 9; i++) registers += a->others[i] != b->others[i];
    for (size_t i = STACK; i-- > 0;)
        if (snapshots[0].below[i] != snapshots[1].below[i] && memory++ == 0) first = STACK - 64 - i;
    if (report && registers + memory > 0)
        printf("FAILED  residue: %s leaves %zu differences in registers, %zu on the stack (the "
               "first %zu below)\n",
               what, registers, memory, first);
    return registers + memory;
}

static void noise(uint8_t *bytes, size_t len, uint64_t state)
{
    for (size_t i = 0; i < len; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (uint8_t)(state >> 56);
    }
}

static unsigned cases, bad;
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

static void check_rsa(const jose_rsa_kernel *kernel, const char *name, int bits)
{
    static uint8_t modulus[512], in[512], out[512];
    const size_t size = (size_t)bits / 8;
    noise(modulus, size, 1);
    modulus[0] |= 0x80;
    modulus[size - 1] |= 1;
    BIGNUM *n = BN_bin2bn(modulus, (int)size, NULL), *e = BN_new();
    BN_set_word(e, 65537);
    void *key = kernel->key_new(n, e);
    need(key != NULL);
    const uint64_t arguments[8] = {ADDRESS(key), ADDRESS(out), ADDRESS(in)};
    for (int leaky = 0; leaky < 2; leaky++) {
        for (int which = 0; which < 2; which++) {
            noise(in, size, 7 + (uint64_t)which);
            in[0] = 0;
            // The bare operation clears nothing: the check must detect that.
            run(which, leaky ? (void *)kernel->run : (void *)kernel->encrypt, arguments);
        }
        if (leaky)
            need(differences("the operation without its end", false) > 0);
        else
            bad += differences(name, true) > 0;
        cases++;
    }
    kernel->key_free(key);
    BN_free(n);
    BN_free(e);
}

// A private key in memory of its own, so that both runs have it at one address. The runs differ in
// exponents, coefficient, blinding and message; the primes are the same. Nothing is prime: a
// private operation is a formula whatever its numbers are.
static void check_private(int kernel, size_t size)
{
    static jose_private_numbers numbers;
    static _Alignas(64) jose_rsa_blinding blinding;
    static uint8_t in[512], out[512], noises[2][512], parts[JOSE_SELFTEST_NUMBERS][256];
    const int half = (int)size / 2;
    const bool is_floating = jose_rsa_private_kernels[kernel].is_floating;
    BN_CTX *context = BN_CTX_new();
    BIGNUM *n = BN_new(), *e = BN_new();
    for (int i = 0; i < 2; i++)
        jose_selftest_private(parts[i], size / 2, 0, (jose_selftest_number)i);
    BIGNUM *p = BN_bin2bn(parts[0], half, NULL), *q = BN_bin2bn(parts[1], half, NULL);
    need(BN_mul(n, p, q, context) == 1 && BN_set_word(e, 65537) == 1);
    jose_rsa_private_key key;
    void *modulus = jose_rsa_kernels[kernel].key_new(n, e);
    need(modulus != NULL);
    jose_private_key_set(&key, &numbers, modulus, kernel, size);
    void *const without_end =
        is_floating ? (void *)jose_rsa_fma_private_run : (void *)jose_rsa_ifma_private_run;
    const uint64_t arguments[8] = {ADDRESS(&key), ADDRESS(&blinding), ADDRESS(out), ADDRESS(in)};
    for (int leaky = 0; leaky < (size < 512 ? 2 : 1); leaky++) {
        for (int which = 0; which < 2; which++) {
            for (int i = 2; i < JOSE_SELFTEST_NUMBERS; i++)
                jose_selftest_private(parts[i], size / 2, 10 + which, (jose_selftest_number)i);
            const jose_rsa_crt crt = {n, e, parts[0], parts[1], parts[2], parts[3], parts[4]};
            need(jose_private_fill(&numbers, &crt, size));
            for (int i = 0; i < 2; i++) jose_selftest_message(noises[i], size, 10 * which + i);
            jose_selftest_message(in, size, 20 + which);
            jose_rsa_blinding_set(&key, &blinding, noises[0], noises[1]);
            run(which, leaky ? without_end : (void *)jose_rsa_private_run, arguments);
        }
        if (leaky)
            need(differences("the operation without its end", false) > 0);
        else
            bad += differences(is_floating ? "fma_private" : "ifma_private", true) > 0;
        cases++;
    }
    jose_rsa_kernels[kernel].key_free(modulus);
    BN_free(n), BN_free(e), BN_free(p), BN_free(q);
    BN_CTX_free(context);
}

// A function that keeps a secret, to test the check itself without an RSA kernel.
static __attribute__((noinline)) void keeps(const uint8_t *secret)
{
    uint8_t copy[48];
    memcpy(copy, secret, sizeof copy);
    __asm__ volatile(""
                     :
                     : "r"(copy)
                     : "memory");
}

int main(void)
{
    static uint8_t secret[48];
    const uint64_t arguments[8] = {ADDRESS(secret)};
    for (int which = 0; which < 2; which++) {
        noise(secret, sizeof secret, (uint64_t)which);
        run(which, (void *)keeps, arguments);
    }
    need(differences("keeps", false) > 0);
    static const char *const names[JOSE_RSA_KERNELS] = {"jose_rsa_ifma_encrypt",
                                                        "jose_rsa_fma_encrypt"};
    for (int i = 0; i < JOSE_RSA_KERNELS; i++) {
        if (!jose_rsa_kernels[i].is_present())
            printf("residue  %s cannot run here: its objects were read only\n", names[i]);
        else
            for (int bits = 2048; bits <= 4096; bits += 1024)
                check_rsa(&jose_rsa_kernels[i], names[i], bits);
        const jose_rsa_private_kernel *kernel = &jose_rsa_private_kernels[i];
        for (size_t size = 256; kernel->is_present() && size <= kernel->max_one; size += 128)
            check_private(i, size);
    }
    if (bad == 0)
        printf("residue  %u runs: nothing in registers or on the stack comes from a secret\n",
               cases);
    return bad > 0;
}
