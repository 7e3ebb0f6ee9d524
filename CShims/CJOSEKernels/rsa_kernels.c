// rsa_kernels.c: the tables of the vector kernels for RSA, the fastest first, and the operations on
// secrets.

#include "fma_mode.h"
#include "kernels.h"
#include "private_key.h"

#if JOSE_KERNELS_X86

bool jose_rsa_vector_takes(const BIGNUM *n, const BIGNUM *e)
{
    const int bits = BN_num_bits(n);
    if (bits != 2048 && bits != 3072 && bits != 4096) return false;
    if (BN_is_negative(n) || !BN_is_odd(n)) return false;
    return !BN_is_negative(e) && BN_is_odd(e) && !BN_is_one(e) && BN_num_bits(e) <= 32;
}

// Operations on a secret message: a function of another file does all the work, and
// jose_residue_clear then clears what that function left. A function that sets MXCSR needs no stack
// protector: it writes only values of MXCSR to its stack.

#define JOSE_SETS_MODE __attribute__((noinline, no_stack_protector))

JOSE_SETS_MODE jose_rsa_outcome jose_rsa_ifma_encrypt(const jose_rsa_ifma_key *key, uint8_t *out,
                                                      const uint8_t *in)
{
    const uint32_t had = jose_ifma_mode_enter();
    const jose_rsa_outcome outcome = jose_rsa_ifma_run(key, out, in);
    jose_mode_leave(had);
    jose_residue_clear(JOSE_RESIDUE_RSA);
    return outcome;
}

__attribute__((noinline)) jose_rsa_outcome jose_rsa_fma_encrypt(const jose_rsa_fma_key *key,
                                                                uint8_t *out, const uint8_t *in)
{
    const jose_rsa_outcome outcome = jose_rsa_fma_run(key, out, in);
    jose_residue_clear(JOSE_RESIDUE_DOUBLES);
    return outcome;
}

// JOSE_CLEARS defines the function `NAME PARAMETERS`, which does `WORK` and clears what that left.
// JOSE_CLEARS_IFMA also sets MXCSR; the kernel of doubles sets it where it computes.
#define JOSE_CLEARS(RESULT, NAME, PARAMETERS, WORK, BELOW)  \
    static __attribute__((noinline)) RESULT NAME PARAMETERS \
    {                                                       \
        const RESULT result = WORK;                         \
        jose_residue_clear(BELOW);                          \
        return result;                                      \
    }

#define JOSE_CLEARS_IFMA(RESULT, NAME, PARAMETERS, WORK, BELOW) \
    static JOSE_SETS_MODE RESULT NAME PARAMETERS                \
    {                                                           \
        const uint32_t had = jose_ifma_mode_enter();            \
        const RESULT result = WORK;                             \
        jose_mode_leave(had);                                   \
        jose_residue_clear(BELOW);                              \
        return result;                                          \
    }

JOSE_CLEARS_IFMA(jose_rsa_outcome, ifma_private,
                 (const jose_rsa_private_key *key, jose_rsa_blinding *blinding, uint8_t *out,
                  const uint8_t *in),
                 jose_rsa_ifma_private_run(key, blinding, out, in), JOSE_RESIDUE_PRIVATE)
JOSE_CLEARS(jose_rsa_outcome, fma_private,
            (const jose_rsa_private_key *key, jose_rsa_blinding *blinding, uint8_t *out,
             const uint8_t *in),
            jose_rsa_fma_private_run(key, blinding, out, in), JOSE_RESIDUE_PRIVATE)
JOSE_CLEARS_IFMA(jose_rsa_lanes, ifma_private_x4,
                 (const jose_rsa_private_key *const *keys, jose_rsa_blinding *const *blindings,
                  uint8_t *const *out, const uint8_t *const *in),
                 jose_rsa_ifma_private_run_x4(keys, blindings, out, in), JOSE_RESIDUE_PRIVATE_X4)
JOSE_CLEARS_IFMA(jose_rsa_outcome, ifma_renew,
                 (const jose_rsa_private_key *key, jose_rsa_blinding *blinding,
                  const uint8_t *random),
                 jose_rsa_ifma_private_renew(key, blinding, random), JOSE_RESIDUE_PRIVATE)
JOSE_CLEARS(jose_rsa_outcome, fma_renew,
            (const jose_rsa_private_key *key, jose_rsa_blinding *blinding, const uint8_t *random),
            jose_rsa_fma_private_renew(key, blinding, random), JOSE_RESIDUE_PRIVATE)
JOSE_CLEARS_IFMA(jose_rsa_outcome, ifma_renew_x4,
                 (const jose_rsa_private_key *key, jose_rsa_blinding *blinding,
                  const uint8_t *random),
                 jose_rsa_ifma_private_renew_x4(key, blinding, random), JOSE_RESIDUE_PRIVATE_X4)

__attribute__((noinline)) bool jose_private_prepare(jose_private_numbers *numbers,
                                                    const jose_rsa_crt *key, size_t size)
{
    const bool is_taken = jose_private_fill(numbers, key, size);
    jose_residue_clear(JOSE_RESIDUE_PRIVATE);
    return is_taken;
}

// The functions of an entry of jose_rsa_kernels, which take keys as void pointers.
#define JOSE_RSA_ENTRY(NAME, TOGETHER)                                                           \
    static void *NAME##_key_new(const BIGNUM *n, const BIGNUM *e)                                \
    {                                                                                            \
        return jose_rsa_##NAME##_key_new(n, e);                                                  \
    }                                                                                            \
    static void NAME##_key_free(void *key)                                                       \
    {                                                                                            \
        jose_rsa_##NAME##_key_free(key);                                                         \
    }                                                                                            \
    static jose_rsa_outcome NAME##_run(const void *key, uint8_t *out, const uint8_t *in)         \
    {                                                                                            \
        jose_stack_touch(JOSE_RESIDUE_DOUBLES);                                                  \
        return jose_rsa_##NAME##_run(key, out, in);                                              \
    }                                                                                            \
    static jose_rsa_outcome NAME##_encrypt(const void *key, uint8_t *out, const uint8_t *in)     \
    {                                                                                            \
        jose_stack_touch(JOSE_RESIDUE_DOUBLES);                                                  \
        return jose_rsa_##NAME##_encrypt(key, out, in);                                          \
    }                                                                                            \
    static jose_rsa_lanes NAME##_run_together(const void *const *keys, uint8_t *const *out,      \
                                              const uint8_t *const *in)                          \
    {                                                                                            \
        jose_stack_touch(JOSE_STACK_LANES);                                                      \
        return jose_rsa_##NAME##_run_##TOGETHER((const jose_rsa_##NAME##_key *const *)keys, out, \
                                                in);                                             \
    }

JOSE_RSA_ENTRY(ifma, x8)
JOSE_RSA_ENTRY(fma, x4)

#define JOSE_RSA_FUNCTIONS(NAME)                                                           \
    .name = #NAME, .is_present = jose_kernel_has_##NAME, .takes = jose_rsa_##NAME##_takes, \
    .key_new = NAME##_key_new, .key_free = NAME##_key_free, .run = NAME##_run,             \
    .encrypt = NAME##_encrypt, .run_together = NAME##_run_together

const jose_rsa_kernel jose_rsa_kernels[] = {
    {.one = JOSE_KERNEL_RSA,
     .together = JOSE_KERNEL_RSA_X8,
     .lanes = JOSE_RSA_KERNEL_LANES,
     .worthwhile = 7,  // eight lanes take as long as 6.6 alone
     JOSE_RSA_FUNCTIONS(ifma)},
    {.one = JOSE_KERNEL_RSA_FMA,
     .together = JOSE_KERNEL_RSA_FMA_X4,
     .lanes = JOSE_FMA_LANES,
     .worthwhile = 3,  // four lanes take as long as 2.9 alone
     JOSE_RSA_FUNCTIONS(fma)},
};

// A single operation of 4096 bits runs as one lane of the code for four. That takes 0.55 of EVP's
// time and needs no code of its own.
const jose_rsa_private_kernel jose_rsa_private_kernels[] = {
    {.name = "ifma",
     .one = JOSE_KERNEL_RSA_PRIVATE,
     .together = JOSE_KERNEL_RSA_PRIVATE_X4,
     .is_present = jose_kernel_has_ifma,
     .max_one = 512,
     .max_together = 512},
    {.name = "fma",
     .one = JOSE_KERNEL_RSA_PRIVATE_FMA,
     .is_floating = true,
     .is_present = jose_kernel_has_fma,
     .max_one = 256},
};

enum { DOUBLES = 1 };

// Touches the stack that an operation with this key clears at its end.
static void touch_stack(const jose_rsa_private_key *key)
{
    const bool has_lanes = key->kernel != DOUBLES && key->size > JOSE_RSA_MAX_ALONE;
    jose_stack_touch(has_lanes ? JOSE_RESIDUE_PRIVATE_X4 : JOSE_RESIDUE_PRIVATE);
}

jose_rsa_outcome jose_rsa_private_run(const jose_rsa_private_key *key, jose_rsa_blinding *blinding,
                                      uint8_t *out, const uint8_t *in)
{
    touch_stack(key);
    if (key->kernel == DOUBLES) return fma_private(key, blinding, out, in);
    if (key->size <= JOSE_RSA_MAX_ALONE) return ifma_private(key, blinding, out, in);
    const jose_rsa_private_key *keys[JOSE_RSA_PRIVATE_LANES] = {key};
    jose_rsa_blinding *blindings[JOSE_RSA_PRIVATE_LANES] = {blinding};
    uint8_t *outs[JOSE_RSA_PRIVATE_LANES] = {out};
    const uint8_t *ins[JOSE_RSA_PRIVATE_LANES] = {in};
    const jose_rsa_lanes lanes = ifma_private_x4(keys, blindings, outs, ins);
    return lanes.done != 0        ? JOSE_RSA_DONE
           : lanes.corrupted != 0 ? JOSE_RSA_CORRUPTED
                                  : JOSE_RSA_DECLINED;
}

jose_rsa_lanes jose_rsa_private_run_together(const jose_rsa_private_key *const *keys,
                                             jose_rsa_blinding *const *blindings,
                                             uint8_t *const *out, const uint8_t *const *in)
{
    bool is_taken = true;
    for (int lane = 0; lane < JOSE_RSA_PRIVATE_LANES; lane++)
        is_taken = is_taken && (keys[lane] == NULL || keys[lane]->kernel != DOUBLES);
    if (!is_taken) return (jose_rsa_lanes){0, 0};
    jose_stack_touch(JOSE_RESIDUE_PRIVATE_X4);
    return ifma_private_x4(keys, blindings, out, in);
}

jose_rsa_outcome jose_rsa_blinding_renew(const jose_rsa_private_key *key,
                                         jose_rsa_blinding *blinding, const uint8_t *random)
{
    touch_stack(key);
    return key->kernel == DOUBLES            ? fma_renew(key, blinding, random)
           : key->size <= JOSE_RSA_MAX_ALONE ? ifma_renew(key, blinding, random)
                                             : ifma_renew_x4(key, blinding, random);
}

#else

// Never used: JOSE_RSA_KERNELS is 0, and C has no empty array.
const jose_rsa_kernel jose_rsa_kernels[] = {{.lanes = 0}};
const jose_rsa_private_kernel jose_rsa_private_kernels[] = {{.one = 0}};

#endif
