// fma_private.h: the memory of a private operation by doubles, and its vector functions.
#ifndef JOSE_FMA_PRIVATE_H
#define JOSE_FMA_PRIVATE_H

#include "private_key.h"

#if JOSE_KERNELS_X86

// Numbers modulo p and modulo q, primes of 1024 bits, side by side. Each has 20 limbs: ten in its
// low half and ten in its high half. Vector j, four words, has limb j of all halves:
//
//               lane 0     lane 1     |  lane 2     lane 3
//   vector 0    p[0]       p[10]      |  q[0]       q[10]
//   vector 1    p[1]       p[11]      |  q[1]       q[11]
//   ...
//   vector 9    p[9]       p[19]      |  q[9]       q[19]
enum { JOSE_FMA_HALF = 10,
       JOSE_FMA_BOTH = 4 * JOSE_FMA_HALF,  // words of such a number
       JOSE_FMA_EXPONENT = 4 * (1024 / 64 + 1),
       JOSE_FMA_PRIVATE_WORDS = 4 * (4 * 10 + 35 * 10 + 25 + 2 * 20 + 6 * 10) };

// The integers that go in and come out. Limbs that go in are below 2^52. Those in `out` are sums:
// signed and below 2^58 in size.
typedef struct jose_fma_private {
    _Alignas(64) uint64_t n[JOSE_FMA_BOTH];                      // the primes
    _Alignas(64) uint64_t v[JOSE_FMA_BOTH];                      // -1/n mod R
    _Alignas(64) uint64_t one[JOSE_FMA_BOTH];                    // R mod n
    _Alignas(64) uint64_t r3[JOSE_FMA_BOTH];                     // R^3 mod n
    _Alignas(64) uint64_t c0[JOSE_FMA_BOTH], c1[JOSE_FMA_BOTH];  // the message is c0 + c1 R
    _Alignas(64) uint64_t exponent[JOSE_FMA_EXPONENT];           // word w of each: p p q q
    _Alignas(64) uint64_t out[JOSE_FMA_BOTH];
    _Alignas(64) uint64_t memory[JOSE_FMA_PRIVATE_WORDS];  // of the functions below
} jose_fma_private;

// The caller sets the mode of fma_mode.h for these three. They use vector instructions alone.

// jose_fma_private_powers sets w->out to the message's powers modulo both primes, between -n and n.
void jose_fma_private_powers(jose_fma_private *w);

// jose_fma_private_product sets w->out to c0 * c1 / R modulo both primes, between -n and n. Both
// factors are below 3n. Call it after jose_fma_private_powers, which leaves the primes in
// w->memory.
void jose_fma_private_product(jose_fma_private *w);

// jose_fma_private_one_step sets w->out to c0 * c1 / R, or to c0 * c0 / R if is_square. Before the
// call, w->c0 and w->c1 have doubles instead of integers.
void jose_fma_private_one_step(jose_fma_private *w, bool is_square);

// The same as jose_ifma_factor, jose_ifma_scale and jose_ifma_square_factor (ifma_power.h), for
// moduli of 2048 bits. The words of a factor are the bits of doubles.
void jose_fma_blinding_factor(const jose_rsa_fma_key *key, size_t size, uint64_t *factor,
                              const uint8_t *number);
void jose_fma_blinding_scale(const jose_rsa_fma_key *key, size_t size, uint8_t *out,
                             const uint8_t *in, const uint64_t *factor);
void jose_fma_blinding_square(const jose_rsa_fma_key *key, uint64_t *factor);

#endif
#endif
