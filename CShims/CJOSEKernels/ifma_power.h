// ifma_power.h: the functions that the files of the kernel of 52-bit multipliers share.
#ifndef JOSE_IFMA_POWER_H
#define JOSE_IFMA_POWER_H

#include "kernels.h"

#if JOSE_KERNELS_X86

// jose_ifma_power computes x = x^e mod n in place, for x < n: strided, with limbs below 2^52.
// `base` is scratch. Both arrays have JOSE_IFMA_WORDS words, aligned to 64 bytes.
void jose_ifma_power(const jose_rsa_ifma_key *key, uint64_t *x, uint64_t *base);

// Products modulo n with a fixed factor, which blind and unblind private operations. A factor is
// strided, in Montgomery form, below 2n. Branches and addresses depend on no number.
//
// jose_ifma_factor makes a factor of a number below n. jose_ifma_scale sets out = in * factor mod
// n, below n; out may be in. jose_ifma_square_factor squares a factor. `size` is the size of the
// numbers, which the caller compared with key->size. So a memory error in key->size does not change
// how many bytes of `number`, `in` and `out` are used.
void jose_ifma_factor(const jose_rsa_ifma_key *key, size_t size, uint64_t *factor,
                      const uint8_t *number);
void jose_ifma_scale(const jose_rsa_ifma_key *key, size_t size, uint8_t *out, const uint8_t *in,
                     const uint64_t *factor);
void jose_ifma_square_factor(const jose_rsa_ifma_key *key, uint64_t *factor);

// jose_ifma_power_x8 computes x = x^65537 mod n for eight keys of `limbs` limbs. x, n and r2 have
// limb i of lane l at [8 * i + l]. `work` is scratch of 16 * limbs words. All are aligned to 64
// bytes.
void jose_ifma_power_x8(int limbs, uint64_t *x, const uint64_t *n, const uint64_t *r2,
                        const uint64_t *k0, uint64_t *work);

// jose_ifma_limbs_read spreads `size` big-endian bytes over 52-bit limbs: of one strided number if
// lane < 0, else of lane `lane` of eight numbers. jose_ifma_limbs_write is its inverse.
void jose_ifma_limbs_read(uint64_t *limbs, int lane, const uint8_t *bytes, size_t size);
void jose_ifma_limbs_write(uint8_t *bytes, size_t size, const uint64_t *limbs, int lane);

// jose_ifma_upper sets upper = (n (k0 + k1 beta) + 1)/beta^2, which is at most n, for beta = 2^52
// and k0 + k1 beta = -1/n mod beta^2. n and upper have `limbs` limbs. No branch and no address
// depends on them.
void jose_ifma_upper(uint64_t *upper, const uint64_t *n, uint64_t k0, uint64_t k1, int limbs);

// jose_ifma_vectors returns the number of vectors for a modulus size: 5, 8 or 10, or 0 for another.
int jose_ifma_vectors(size_t size);

// jose_ifma_rows returns the number of limbs in use and of rows of a product: 40, 60 or 80.
int jose_ifma_rows(size_t size);

uint64_t jose_ifma_checksum(const jose_rsa_ifma_key *key);

// jose_differ returns whether a and b differ, without branching on them.
bool jose_differ(const uint8_t *a, const uint8_t *b, size_t size);

// jose_below returns whether a < b, both `size` big-endian bytes, without branching on them. It
// uses AVX-512 and takes two fifths of the time of jose_below_portable.
bool jose_below(const uint8_t *a, const uint8_t *b, size_t size);

#endif
#endif
