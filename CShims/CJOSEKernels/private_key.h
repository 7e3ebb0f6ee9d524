// private_key.h: RSA private keys as all private kernels read them, and the parts of an operation
// that the kernels share: integers of 52-bit limbs, without vector instructions.
//
// A half is the part of a key that belongs to one prime. Numbers have L limbs of 52 bits, lowest
// first, unless jose_half says otherwise. L is 20, 30 or 40 for moduli of 2048, 3072 or 4096 bits,
// so that R = 2^(52 L) is at least 2^16 times the prime.
#ifndef JOSE_PRIVATE_KEY_H
#define JOSE_PRIVATE_KEY_H

#include "kernels.h"

#if JOSE_KERNELS_X86

enum { JOSE_HALF_LIMBS = 40,
       JOSE_HALF_WORDS = 2048 / 64,
       JOSE_INVERSE_LIMBS = 20 };  // the kernel of doubles uses all, for 2048 bits

// The exponents of a half: d mod (prime - 1), and prime - 1 minus that. The power by the second one
// is the inverse of the power by the first.
typedef enum jose_half_exponent {
    JOSE_EXPONENT_D,
    JOSE_EXPONENT_MINUS_D,
    JOSE_HALF_EXPONENTS
} jose_half_exponent;

typedef struct jose_half {
    uint64_t prime[JOSE_HALF_LIMBS];
    uint64_t one[JOSE_HALF_LIMBS];                                 // R mod prime
    uint64_t r3[JOSE_HALF_LIMBS];                                  // R^3 mod prime
    uint64_t inverse[JOSE_INVERSE_LIMBS];                          // -1/prime mod 2^(52 * 20)
    uint64_t exponents[JOSE_HALF_EXPONENTS][JOSE_HALF_WORDS + 1];  // 64-bit words, zero above
} jose_half;

// The secret numbers, in memory of secret_pages.c. Every 64-bit word counts in the checksum.
typedef struct jose_private_numbers {
    jose_half p, q;
    uint64_t coefficient[JOSE_HALF_LIMBS];  // R/q mod p
    uint64_t size;                          // of the modulus in bytes
    uint64_t checksum;                      // of all words above
} jose_private_numbers;

struct jose_rsa_private_key {
    const jose_private_numbers *secret;
    const void *modulus;  // n prepared for the same kernel, for blinding: public
    uint32_t kernel, size;
    uint64_t checksum;                      // of the other members
    const jose_private_numbers *copies[2];  // of `secret`: freeing takes the majority of each bit
};

// u and u^-d, each as a factor (jose_ifma_factor, jose_fma_factor).
struct jose_rsa_blinding {
    _Alignas(64) uint64_t blind[JOSE_IFMA_WORDS];
    _Alignas(64) uint64_t unblind[JOSE_IFMA_WORDS];
};

// jose_half_limbs returns L for a modulus size: 20, 30 or 40, or 0 for another size.
int jose_half_limbs(size_t size);

// jose_private_key_set points a key to prepared numbers and sets all its members.
void jose_private_key_set(jose_rsa_private_key *key, const jose_private_numbers *secret,
                          const void *modulus, int kernel, size_t size);

// jose_private_key_is_whole returns whether the checksum of a jose_rsa_private_key is right. Call
// it before an operation follows the key's pointers or writes `size` bytes.
bool jose_private_key_is_whole(const jose_rsa_private_key *key);

uint64_t jose_private_checksum(const jose_private_numbers *numbers);

// jose_private_fill sets `numbers`, zeroed before, from a key's numbers. No branch and no address
// depends on the secret ones. Returns false if a prime is even or does not have half the bits of
// the modulus. This result is public.
bool jose_private_fill(jose_private_numbers *numbers, const jose_rsa_crt *key, size_t size);

// jose_private_prepare does the same and leaves nothing in registers or on the stack.
bool jose_private_prepare(jose_private_numbers *numbers, const jose_rsa_crt *key, size_t size);

// The maximum number of prepared keys in a process.
enum { JOSE_MAX_SECRET_PAGES = 4096 };

// jose_secret_pages_new returns zeroed, writable memory with the other properties that
// jose_rsa_private_key promises. Returns NULL if the process may not lock more memory, has no more
// memory or maps, or has JOSE_MAX_SECRET_PAGES areas in use.
void *jose_secret_pages_new(size_t size);

// jose_secret_pages_protect makes the memory read-only. Returns false on failure.
bool jose_secret_pages_protect(void *memory, size_t size);

// jose_secret_pages_free wipes and frees the memory. NULL is allowed.
void jose_secret_pages_free(void *memory, size_t size);

// MARK: integers of limbs

#define JOSE_HALF_MASK ((UINT64_C(1) << 52) - 1)

// jose_limbs_from_bytes spreads `size` big-endian bytes, at least 8, over `count` limbs.
void jose_limbs_from_bytes(uint64_t *limbs, int count, const uint8_t *bytes, size_t size);

// jose_limbs_to_bytes is the inverse of jose_limbs_from_bytes, for numbers below 2^(8 size).
void jose_limbs_to_bytes(uint8_t *bytes, size_t size, const uint64_t *limbs);

// From numbers to vector lanes and back. These functions are compiled for any x86-64: with AVX-512
// the compiler would use gathers, whose results other processes could read on some processors
// (CVE-2022-40982).
//
// jose_lanes_put writes a number to four lanes of `vectors` vectors of eight words, from `lane` on.
// Limb i goes to vector i mod vectors, lane `lane` + i / vectors. Words without a limb become zero.
// jose_lanes_get reads such a number. jose_lane_put writes limb i to lane `lane` of vector i, and
// jose_lane_get reads such a number.
void jose_lanes_put(uint64_t *words, int vectors, int lane, const uint64_t *number, int limbs);
void jose_lanes_get(uint64_t *number, int limbs, const uint64_t *words, int vectors, int lane);
void jose_lane_put(uint64_t *words, int lane, const uint64_t *number, int limbs);
void jose_lane_get(uint64_t *number, int limbs, const uint64_t *words, int lane);

// jose_reduce_once replaces x by x - n if that is not negative. Both have limbs below 2^52.
void jose_reduce_once(uint64_t *x, const uint64_t *n, int limbs);

// jose_crt_difference sets t = xp - xq + 2p, for xp < p and xq < q. t is below 3p. It is positive,
// because both primes have the same number of bits.
void jose_crt_difference(uint64_t *t, const jose_private_numbers *key, const uint64_t *xp,
                         const uint64_t *xq, int limbs);

// jose_crt_recombine sets m = xq + q * h, for h < p and xq < q. m is below n and has 2 * limbs
// limbs.
void jose_crt_recombine(uint64_t *m, const jose_private_numbers *key, const uint64_t *h,
                        const uint64_t *xq, int limbs);

// MARK: the arithmetic of each kernel

// These set m = c^d mod n, or the inverse of that with JOSE_EXPONENT_MINUS_D, for c < 2n. m is
// below n, and both have 2 L limbs. jose_ifma_private_power takes moduli of 2048 and 3072 bits,
// jose_fma_private_power of 2048 bits. They wipe their work memory, but not registers and the
// frames of the functions that they call.
void jose_ifma_private_power(const jose_private_numbers *key, jose_half_exponent exponent,
                             uint64_t *m, const uint64_t *c);
void jose_fma_private_power(const jose_private_numbers *key, jose_half_exponent exponent,
                            uint64_t *m, const uint64_t *c);

enum { JOSE_PRIVATE_LIMBS = 2 * JOSE_HALF_LIMBS + 2 };  // of the largest number, and two more

// jose_ifma_private_power_x4 does the same for four keys of one size, which may be equal: 2048,
// 3072 or 4096 bits.
void jose_ifma_private_power_x4(
    const jose_private_numbers *const keys[JOSE_RSA_PRIVATE_LANES], jose_half_exponent exponent,
    uint64_t m[JOSE_RSA_PRIVATE_LANES][JOSE_PRIVATE_LIMBS],
    const uint64_t c[JOSE_RSA_PRIVATE_LANES][JOSE_PRIVATE_LIMBS]);

// One step of each kernel, for its tests: x = x y / R modulo both primes, or x x / R if y is NULL,
// below the prime. Factors are as in a power: below twice the prime, in limbs below 2^52. For
// doubles they are between minus the prime and the prime, in signed limbs of at most 2^51 + 2^8 in
// size.
typedef struct jose_step {
    uint64_t p[JOSE_HALF_LIMBS], q[JOSE_HALF_LIMBS];
} jose_step;

void jose_ifma_private_step(const jose_private_numbers *key, jose_step *x, const jose_step *y);
void jose_fma_private_step(const jose_private_numbers *key, jose_step *x, const jose_step *y);
void jose_ifma_private_step_x4(const jose_private_numbers *const keys[JOSE_RSA_PRIVATE_LANES],
                               jose_step x[JOSE_RSA_PRIVATE_LANES], const jose_step *y);

// MARK: operations without clearing

// The operations of the public header, each for one kernel. The key must be of this kernel and of a
// size that the kernel takes. Residue stays in registers and on the stack. Link-time optimisation
// must not inline them: their callers clear only what is below their own frames.
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
jose_rsa_outcome jose_rsa_ifma_private_run(const jose_rsa_private_key *key,
                                           jose_rsa_blinding *blinding, uint8_t *out,
                                           const uint8_t *in);
jose_rsa_outcome jose_rsa_fma_private_run(const jose_rsa_private_key *key,
                                          jose_rsa_blinding *blinding, uint8_t *out,
                                          const uint8_t *in);
jose_rsa_lanes jose_rsa_ifma_private_run_x4(const jose_rsa_private_key *const *keys,
                                            jose_rsa_blinding *const *blindings,
                                            uint8_t *const *out, const uint8_t *const *in);
jose_rsa_outcome jose_rsa_ifma_private_renew(const jose_rsa_private_key *key,
                                             jose_rsa_blinding *blinding, const uint8_t *random);
jose_rsa_outcome jose_rsa_fma_private_renew(const jose_rsa_private_key *key,
                                            jose_rsa_blinding *blinding, const uint8_t *random);
jose_rsa_outcome jose_rsa_ifma_private_renew_x4(const jose_rsa_private_key *key,
                                                jose_rsa_blinding *blinding,
                                                const uint8_t *random);
#pragma clang attribute pop

// jose_rsa_blinding_set makes a pair of two numbers below n, of the modulus size. For known-answer
// tests: unblinding is right only if `unblind` is blind^-d.
void jose_rsa_blinding_set(const jose_rsa_private_key *key, jose_rsa_blinding *blinding,
                           const uint8_t *blind, const uint8_t *unblind);

#endif
#endif
