// rsa_kernels.c: the table of the vector kernels for RSA public operations, the fastest first.

#include "kernels.h"

#if JOSE_KERNELS_X86

bool jose_rsa_vector_takes(const BIGNUM *n, const BIGNUM *e)
{
    const int bits = BN_num_bits(n);
    if (bits != 2048 && bits != 3072 && bits != 4096) return false;
    if (BN_is_negative(n) || !BN_is_odd(n)) return false;
    return !BN_is_negative(e) && BN_is_odd(e) && !BN_is_one(e) && BN_num_bits(e) <= 32;
}

// For a secret message: a function of another file does all the work, and its residue is cleared
// last.

__attribute__((noinline)) jose_rsa_outcome jose_rsa_ifma_encrypt(const jose_rsa_ifma_key *key,
                                                                 uint8_t *out, const uint8_t *in)
{
    const jose_rsa_outcome outcome = jose_rsa_ifma_run(key, out, in);
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

// The functions of an entry, for callers that do not know the key's type.
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
        return jose_rsa_##NAME##_run(key, out, in);                                              \
    }                                                                                            \
    static jose_rsa_outcome NAME##_encrypt(const void *key, uint8_t *out, const uint8_t *in)     \
    {                                                                                            \
        return jose_rsa_##NAME##_encrypt(key, out, in);                                          \
    }                                                                                            \
    static jose_rsa_lanes NAME##_run_together(const void *const *keys, uint8_t *const *out,      \
                                              const uint8_t *const *in)                          \
    {                                                                                            \
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

#else

// Never used: JOSE_RSA_KERNELS is 0, and C has no empty array.
const jose_rsa_kernel jose_rsa_kernels[] = {{.lanes = 0}};

#endif
