// ifma_private.c: one private operation by 52-bit multipliers, both primes side by side.
//
// A vector has eight lanes. A number modulo p and a number modulo q share V vectors (5 for primes
// of 1024 bits, 8 for 1536); p has the four lower lanes, q the four upper ones:
//
//               lane 0   lane 1   lane 2   lane 3  |  lane 4   lane 5   lane 6   lane 7
//   vector 0    p[0]     p[V]     p[2V]    p[3V]   |  q[0]     q[V]     q[2V]    q[3V]
//   vector 1    p[1]     p[V+1]   p[2V+1]  p[3V+1] |  q[1]     q[V+1]   q[2V+1]  q[3V+1]
//   ...
//   vector V-1  p[V-1]   p[2V-1]  p[3V-1]  p[4V-1] |  q[V-1]   q[2V-1]  q[3V-1]  q[4V-1]
//
// So each instruction computes modulo both primes; ifma_pairs.h has the product. With 30 limbs in
// 32 slots (V = 8) the two highest slots of each prime are always zero.
//
// Bounds, with L limbs (20 or 30), beta = 2^52, R = beta^L and p below R/2^16. They hold for q too:
// - Factors have limbs below beta. Both are below 2p, or one is below 3p and the other below p, or
//   one is below R and the other is 1. The result is below a b/R + p (1 + 2^-104), so below
//   p (1 + 2^-13) < 2p. No step subtracts.
// - A slot receives at most 2 L halves of products of a and b, and 2 L of products of quotients
//   with p or `upper`, each below beta. It also receives carries, and 3 beta where a carry is
//   computed. Together that is less than 4 * 31 * 2^52 < 2^59. Nothing wraps.
// - The highest limb of a result is below 2^37 (L = 20) or 0 (L = 30: the highest slot). So no
//   carry goes from p's lanes to q's (jose_normalise).

#include "ifma_private.h"

#include <string.h>

#include "ifma_pairs.h"
#include "ifma_power.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

enum { LANES = 4,  // of a prime
       MAX_V = 8 };

// Both primes as moduli for ifma_pairs.h. k0 and k1 are the two lowest limbs of -1/prime mod R.
typedef struct primes {
    jose_vec n[MAX_V], upper[MAX_V], k0, k1;
} primes;

// MARK: table

// pick sets each lane of out to that lane of table[index[lane]]. It reads the whole table.
JOSE_ALWAYS_INLINE void pick(const int V, const int entries, jose_vec *out,
                             const jose_vec table[][MAX_V], jose_vec index)
{
    jose_vec kept[MAX_V], number = _mm512_setzero_si512();
    JOSE_UNROLL
    for (int j = 0; j < V; j++) kept[j] = _mm512_setzero_si512();
    _Pragma("clang loop unroll_count(4)") for (int entry = 0; entry < entries; entry++)
    {
        const __mmask8 is_wanted = _mm512_cmpeq_epi64_mask(index, number);
        number = jose_sum(number, _mm512_set1_epi64(1));
        JOSE_UNROLL
        for (int j = 0; j < V; j++)
            kept[j] = _mm512_mask_mov_epi64(kept[j], is_wanted, jose_read(&table[entry][j]));
    }
    JOSE_UNROLL
    for (int j = 0; j < V; j++) out[j] = kept[j];
}

// MARK: each size

#define JOSE_PRIVATE_SIZE(BITS, V, LIMBS, ENTRIES)                                         \
    static JOSE_PRODUCT void multiply_##BITS(jose_vec *out, const jose_vec *a,             \
                                             const jose_vec *b,                            \
                                             const primes *modulus)                        \
    {                                                                                      \
        jose_vec x[V], y[V];                                                               \
        for (int j = 0; j < (V); j++) x[j] = a[j], y[j] = b[j];                            \
        jose_montgomery_pairs(LANES, V, LIMBS, 0, out, x, y, modulus->n, modulus->upper,   \
                              modulus->k0, modulus->k1);                                   \
    }                                                                                      \
    static JOSE_PRODUCT void square_##BITS(jose_vec *out, const jose_vec *a,               \
                                           int times, const primes *modulus)               \
    {                                                                                      \
        jose_vec x[V];                                                                     \
        for (int j = 0; j < (V); j++) x[j] = a[j];                                         \
        while (times-- > 0)                                                                \
            jose_montgomery_pairs(LANES, V, LIMBS, 1, x, x, x, modulus->n, modulus->upper, \
                                  modulus->k0, modulus->k1);                               \
        for (int j = 0; j < (V); j++) out[j] = x[j];                                       \
    }                                                                                      \
    static __attribute__((noinline)) void pick_##BITS(                                     \
        jose_vec *out, const jose_vec table[][MAX_V], jose_vec index)                      \
    {                                                                                      \
        pick(V, ENTRIES, out, table, index);                                               \
    }

JOSE_PRIVATE_SIZE(1024, 5, 20, 1 << JOSE_WINDOW_2048)
JOSE_PRIVATE_SIZE(1536, 8, 30, 1 << JOSE_WINDOW_LARGER)

// The parameters of one size of primes. After inlining they are constants in each function.
typedef struct shape {
    int bits, V, limbs, window;
} shape;

JOSE_ALWAYS_INLINE void multiply(const shape s, jose_vec *out, const jose_vec *a,
                                 const jose_vec *b, const primes *modulus)
{
    s.bits == 1024 ? multiply_1024(out, a, b, modulus) : multiply_1536(out, a, b, modulus);
}

JOSE_ALWAYS_INLINE void square(const shape s, jose_vec *out, const jose_vec *a, int times,
                               const primes *modulus)
{
    s.bits == 1024 ? square_1024(out, a, times, modulus) : square_1536(out, a, times, modulus);
}

JOSE_ALWAYS_INLINE void look_up(const shape s, jose_vec *out, const jose_vec table[][MAX_V],
                                jose_vec index)
{
    s.bits == 1024 ? pick_1024(out, table, index) : pick_1536(out, table, index);
}

// MARK: limbs and lanes

// store_lanes writes a number modulo p and one modulo q to their lanes. Slots without a limb become
// zero.
JOSE_ALWAYS_INLINE void store_lanes(const shape s, jose_vec *to, const uint64_t *p,
                                    const uint64_t *q)
{
    jose_lanes_put((uint64_t *)to, s.V, 0, p, s.limbs);
    jose_lanes_put((uint64_t *)to, s.V, 4, q, s.limbs);
}

// take reads the number modulo p and the one modulo q from their lanes.
JOSE_ALWAYS_INLINE void take(const shape s, uint64_t *p, uint64_t *q, const jose_vec *from)
{
    jose_lanes_get(p, s.limbs, (const uint64_t *)from, s.V, 0);
    jose_lanes_get(q, s.limbs, (const uint64_t *)from, s.V, 4);
}

// both returns p in the lanes of p and q in the lanes of q.
JOSE_ALWAYS_INLINE jose_vec both(uint64_t p, uint64_t q)
{
    return _mm512_inserti64x4(_mm512_set1_epi64((long long)p), _mm256_set1_epi64x((long long)q),
                              1);
}

// MARK: the operation

// The work memory of one operation, wiped at its end. `r_mod` is R modulo each prime: the
// Montgomery form of 1. A product with `integer_one`, the number 1, leaves Montgomery form.
typedef struct work {
    primes modulus;
    jose_vec table[JOSE_TABLE][MAX_V];
    jose_vec x[MAX_V], y[MAX_V], r_mod[MAX_V], integer_one[MAX_V];
    jose_vec exponent[JOSE_HALF_WORDS + 1];
    uint64_t xp[JOSE_HALF_LIMBS], xq[JOSE_HALF_LIMBS], h[JOSE_HALF_LIMBS], unused[JOSE_HALF_LIMBS];
} work;

JOSE_ALWAYS_INLINE void start(const shape s, work *w, const jose_private_numbers *key,
                              jose_half_exponent exponent)
{
    static const uint64_t integer_one[JOSE_HALF_LIMBS] = {1};
    const jose_half *p = &key->p, *q = &key->q;
    store_lanes(s, w->modulus.n, p->prime, q->prime);
    jose_ifma_upper(w->xp, p->prime, p->inverse[0], p->inverse[1], s.limbs);
    jose_ifma_upper(w->xq, q->prime, q->inverse[0], q->inverse[1], s.limbs);
    store_lanes(s, w->modulus.upper, w->xp, w->xq);
    w->modulus.k0 = both(p->inverse[0], q->inverse[0]);
    w->modulus.k1 = both(p->inverse[1], q->inverse[1]);
    for (int i = 0; i <= s.bits / 64; i++)
        w->exponent[i] = both(p->exponents[exponent][i], q->exponents[exponent][i]);
    store_lanes(s, w->r_mod, p->one, q->one);
    store_lanes(s, w->integer_one, integer_one, integer_one);
}

// enter sets w->x to the Montgomery form of c modulo both primes: (c0/R + c1) R^3 / R, for
// c = c0 + c1 R. c1 is below p/2^15, so the sum in brackets is below 2p.
JOSE_ALWAYS_INLINE void enter(const shape s, work *w, const jose_private_numbers *key,
                              const uint64_t *c)
{
    store_lanes(s, w->x, c, c);
    multiply(s, w->x, w->x, w->integer_one, &w->modulus);
    store_lanes(s, w->y, c + s.limbs, c + s.limbs);
    for (int j = 0; j < s.V; j++) w->x[j] = jose_sum(w->x[j], w->y[j]);
    jose_normalise(s.V, w->x);
    store_lanes(s, w->y, key->p.r3, key->q.r3);
    multiply(s, w->x, w->x, w->y, &w->modulus);
}

// raise sets w->x to its power by the exponents of both primes, in Montgomery form.
JOSE_ALWAYS_INLINE void raise(const shape s, work *w)
{
    memcpy(w->table[0], w->r_mod, sizeof w->r_mod);
    memcpy(w->table[1], w->x, sizeof w->x);
    for (int i = 2; i < 1 << s.window; i += 2) {
        square(s, w->table[i], w->table[i / 2], 1, &w->modulus);
        multiply(s, w->table[i + 1], w->table[i], w->x, &w->modulus);
    }
    int at = jose_last_window(s.bits, s.window);
    look_up(s, w->x, w->table, jose_window(w->exponent, at, s.window));
    while (at > 0) {
        at -= s.window;
        square(s, w->x, w->x, s.window, &w->modulus);
        look_up(s, w->y, w->table, jose_window(w->exponent, at, s.window));
        multiply(s, w->x, w->x, w->y, &w->modulus);
    }
}

// leave takes w->x out of Montgomery form. It sets m to the number below p q that equals the two
// results modulo p and modulo q.
JOSE_ALWAYS_INLINE void leave(const shape s, work *w, const jose_private_numbers *key, uint64_t *m)
{
    multiply(s, w->x, w->x, w->integer_one, &w->modulus);
    take(s, w->xp, w->xq, w->x);
    jose_reduce_once(w->xp, key->p.prime, s.limbs);
    jose_reduce_once(w->xq, key->q.prime, s.limbs);
    // h = (xp - xq) / q mod p. The lanes of q compute a number that is not used.
    jose_crt_difference(w->h, key, w->xp, w->xq, s.limbs);
    store_lanes(s, w->x, w->h, w->h);
    store_lanes(s, w->y, key->coefficient, key->coefficient);
    multiply(s, w->x, w->x, w->y, &w->modulus);
    take(s, w->h, w->unused, w->x);
    jose_reduce_once(w->h, key->p.prime, s.limbs);
    jose_crt_recombine(m, key, w->h, w->xq, s.limbs);
}

JOSE_ALWAYS_INLINE void power(const shape s, const jose_private_numbers *key,
                              jose_half_exponent exponent, uint64_t *m, const uint64_t *c)
{
    work w;
    start(s, &w, key, exponent);
    enter(s, &w, key, c);
    raise(s, &w);
    leave(s, &w, key, m);
    jose_area_wipe(&w, sizeof w);
}

static __attribute__((noinline)) void power_2048(const jose_private_numbers *key,
                                                 jose_half_exponent exponent, uint64_t *m,
                                                 const uint64_t *c)
{
    power((shape){1024, 5, 20, JOSE_WINDOW_2048}, key, exponent, m, c);
}

static __attribute__((noinline)) void power_3072(const jose_private_numbers *key,
                                                 jose_half_exponent exponent, uint64_t *m,
                                                 const uint64_t *c)
{
    power((shape){1536, 8, 30, JOSE_WINDOW_LARGER}, key, exponent, m, c);
}

void jose_ifma_private_power(const jose_private_numbers *key, jose_half_exponent exponent,
                             uint64_t *m, const uint64_t *c)
{
    switch (key->size) {
    case 256: power_2048(key, exponent, m, c); break;
    case 384: power_3072(key, exponent, m, c); break;
    default: break;
    }
}

// MARK: a step alone

JOSE_ALWAYS_INLINE void step(const shape s, const jose_private_numbers *key, jose_step *x,
                             const jose_step *y)
{
    work w;
    start(s, &w, key, JOSE_EXPONENT_D);
    store_lanes(s, w.x, x->p, x->q);
    if (y == NULL) {
        square(s, w.x, w.x, 1, &w.modulus);
    } else {
        store_lanes(s, w.y, y->p, y->q);
        multiply(s, w.x, w.x, w.y, &w.modulus);
    }
    take(s, x->p, x->q, w.x);
    jose_reduce_once(x->p, key->p.prime, s.limbs);
    jose_reduce_once(x->q, key->q.prime, s.limbs);
    jose_area_wipe(&w, sizeof w);
}

void jose_ifma_private_step(const jose_private_numbers *key, jose_step *x, const jose_step *y)
{
    if (key->size == 256)
        step((shape){1024, 5, 20, JOSE_WINDOW_2048}, key, x, y);
    else if (key->size == 384)
        step((shape){1536, 8, 30, JOSE_WINDOW_LARGER}, key, x, y);
}

#pragma clang attribute pop
#endif
