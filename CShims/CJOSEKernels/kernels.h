// kernels.h: the prepared keys of the two RSA kernels and their operations.
#ifndef JOSE_KERNELS_H
#define JOSE_KERNELS_H

#include "cpu.h"

enum { JOSE_IFMA_WORDS = 80,
       JOSE_IFMA_PAIR_WORDS = 40 };  // limbs of 2048 bits

// The two steps of a prepared key's checksum, both one to one. jose_checksum_spread spreads a word
// over 64 bits, so that one bit of the word changes many bits of the sum. jose_checksum_end does
// the same for the sum (the last step of splitmix64).
#define JOSE_CHECKSUM_FACTOR UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t jose_checksum_spread(uint64_t word)
{
    return (word ^ word >> 32) * JOSE_CHECKSUM_FACTOR;
}

static inline uint64_t jose_checksum_end(uint64_t sum)
{
    sum = (sum ^ sum >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    sum = (sum ^ sum >> 27) * UINT64_C(0x94d049bb133111eb);
    return sum ^ sum >> 31;
}

// A public key prepared for the kernel of 52-bit multipliers. Immutable once made.
typedef struct jose_rsa_ifma_key {
    _Alignas(64) uint64_t n[JOSE_IFMA_WORDS];   // modulus: 52-bit limbs, strided (ifma_arith.h)
    _Alignas(64) uint64_t r2[JOSE_IFMA_WORDS];  // R^2 mod n, likewise
    // For ifma_pairs.h, used with 2048 bits. With other sizes `upper` and k1 are zero.
    _Alignas(64) uint64_t upper[JOSE_IFMA_PAIR_WORDS];
    uint8_t modulus[JOSE_RSA_KERNEL_MAX_BYTES];  // big endian, `size` bytes
    uint64_t k0, k1;                             // -1/n mod 2^104
    uint32_t e;
    uint32_t size;      // 256, 384 or 512
    uint64_t checksum;  // of all members above
} jose_rsa_ifma_key;

// jose_rsa_vector_takes returns whether the vector kernels accept such a key: an odd modulus of
// exactly 2048, 3072 or 4096 bits and an odd exponent from 3 to 2^32 - 1.
bool jose_rsa_vector_takes(const BIGNUM *n, const BIGNUM *e);

// jose_rsa_ifma_takes also requires that the processor has the instructions.
bool jose_rsa_ifma_takes(const BIGNUM *n, const BIGNUM *e);

// jose_rsa_ifma_key_new prepares a key. Returns NULL if the key is not accepted or memory runs out.
// Free it with jose_rsa_ifma_key_free.
jose_rsa_ifma_key *jose_rsa_ifma_key_new(const BIGNUM *n, const BIGNUM *e);
void jose_rsa_ifma_key_free(jose_rsa_ifma_key *key);

// jose_rsa_ifma_run computes out = in^e mod n. Both have key->size bytes, are big-endian and must
// not overlap. Declined if `in` is not below n, or if the result equals `in`, as a kernel that does
// nothing would return. Corrupted if the key's checksum or a guard word is wrong, or the result is
// not below n. No branch and no address depends on `in`; only the returned outcome does.
jose_rsa_outcome jose_rsa_ifma_run(const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in);

// jose_rsa_ifma_encrypt does the same for a secret message and leaves nothing of it in registers or
// on the stack. jose_rsa_ifma_run and _run_x8 are for public data, such as signatures.
jose_rsa_outcome jose_rsa_ifma_encrypt(const jose_rsa_ifma_key *key, uint8_t *out,
                                       const uint8_t *in);

// jose_rsa_ifma_run_x8 does what jose_rsa_ifma_run does, for up to eight keys. A NULL is skipped. A
// key with e other than 65537, or of another size than the first key used, is declined.
jose_rsa_lanes jose_rsa_ifma_run_x8(const jose_rsa_ifma_key *const keys[JOSE_RSA_KERNEL_LANES],
                                    uint8_t *const out[JOSE_RSA_KERNEL_LANES],
                                    const uint8_t *const in[JOSE_RSA_KERNEL_LANES]);

// A public key prepared for the kernel of doubles, which uses AVX2 and FMA, for processors without
// AVX-512 IFMA. `limbs` has the layouts of fma_power.h.
enum { JOSE_FMA_LANES = 4,
       JOSE_FMA_KEY_LIMBS = 7 * 80 };

typedef struct jose_rsa_fma_key {
    _Alignas(64) double limbs[JOSE_FMA_KEY_LIMBS];
    uint8_t modulus[JOSE_RSA_KERNEL_MAX_BYTES];  // big endian, `size` bytes
    uint32_t e;
    uint32_t size;      // 256, 384 or 512
    uint64_t checksum;  // of the members above; of `limbs`, those in use
} jose_rsa_fma_key;

// The same contracts as for the kernel of 52-bit multipliers, with up to four keys at once.
bool jose_rsa_fma_takes(const BIGNUM *n, const BIGNUM *e);
jose_rsa_fma_key *jose_rsa_fma_key_new(const BIGNUM *n, const BIGNUM *e);
void jose_rsa_fma_key_free(jose_rsa_fma_key *key);
jose_rsa_outcome jose_rsa_fma_run(const jose_rsa_fma_key *key, uint8_t *out, const uint8_t *in);
jose_rsa_outcome jose_rsa_fma_encrypt(const jose_rsa_fma_key *key, uint8_t *out, const uint8_t *in);
jose_rsa_lanes jose_rsa_fma_run_x4(const jose_rsa_fma_key *const keys[JOSE_FMA_LANES],
                                   uint8_t *const out[JOSE_FMA_LANES],
                                   const uint8_t *const in[JOSE_FMA_LANES]);

#endif
