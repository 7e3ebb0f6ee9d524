// fma_private.c: what a private operation by doubles does around its vector arithmetic: limbs to
// lanes and back, the floating-point mode, and the recombination.

#include <string.h>

#include "fma_private.h"
#include "fma_mode.h"
#include "fma_power.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86

enum { H = JOSE_FMA_HALF,
       LIMBS = 2 * H };

// store_lanes writes a number modulo p and one modulo q to their lanes.
static void store_lanes(uint64_t *to, const uint64_t *p, const uint64_t *q)
{
    for (int j = 0; j < H; j++) {
        to[4 * j] = p[j], to[4 * j + 1] = p[j + H];
        to[4 * j + 2] = q[j], to[4 * j + 3] = q[j + H];
    }
}

// take reads a number from lanes `lane` and `lane` + 1 and adds n if it is negative. The number has
// signed limbs and is between -n and n.
static void take(uint64_t *x, const uint64_t *from, int lane, const uint64_t *n)
{
    int64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (int64_t)from[4 * (i % H) + lane + i / H];
        x[i] = (uint64_t)carry & JOSE_HALF_MASK;
        carry >>= 52;
    }
    const uint64_t is_negative = jose_mask_of((uint64_t)(carry >> 63));
    uint64_t sum = 0;
    for (int i = 0; i < LIMBS; i++) {
        sum += x[i] + (n[i] & is_negative);
        x[i] = sum & JOSE_HALF_MASK;
        sum >>= 52;
    }
}

// powers and product set the mode of fma_mode.h, run the kernel, and restore the host's mode.

static void powers(jose_fma_private *w)
{
    const uint32_t had = jose_fma_mode_enter();
    jose_fma_private_powers(w);
    jose_mode_leave(had);
}

static void product(jose_fma_private *w)
{
    const uint32_t had = jose_fma_mode_enter();
    jose_fma_private_product(w);
    jose_mode_leave(had);
}

void jose_fma_private_power(const jose_private_numbers *key, jose_half_exponent exponent,
                            uint64_t *m, const uint64_t *c)
{
    const jose_half *p = &key->p, *q = &key->q;
    jose_fma_private w;
    uint64_t xp[LIMBS], xq[LIMBS], h[LIMBS];
    if (key->size != 256) return;
    store_lanes(w.n, p->prime, q->prime);
    store_lanes(w.v, p->inverse, q->inverse);
    store_lanes(w.one, p->one, q->one);
    store_lanes(w.r3, p->r3, q->r3);
    store_lanes(w.c0, c, c);
    store_lanes(w.c1, c + LIMBS, c + LIMBS);
    for (int i = 0; i < JOSE_FMA_EXPONENT / 4; i++) {
        w.exponent[4 * i] = w.exponent[4 * i + 1] = p->exponents[exponent][i];
        w.exponent[4 * i + 2] = w.exponent[4 * i + 3] = q->exponents[exponent][i];
    }
    powers(&w);
    take(xp, w.out, 0, p->prime);
    take(xq, w.out, 2, q->prime);
    // h = (xp - xq) / q mod p. The lanes of q compute a number that is not used.
    jose_crt_difference(h, key, xp, xq, LIMBS);
    store_lanes(w.c0, h, h);
    store_lanes(w.c1, key->coefficient, key->coefficient);
    product(&w);
    take(h, w.out, 0, p->prime);
    jose_crt_recombine(m, key, h, xq, LIMBS);
    jose_area_wipe(&w, sizeof w);
    jose_area_wipe(xp, sizeof xp);
    jose_area_wipe(xq, sizeof xq);
    jose_area_wipe(h, sizeof h);
}

// MARK: a step alone

// doubles replaces integers of at most 2^52 in size by doubles.
static void doubles(uint64_t *words)
{
    for (int i = 0; i < JOSE_FMA_BOTH; i++) {
        const double limb = (double)(int64_t)words[i];
        memcpy(&words[i], &limb, sizeof limb);
    }
}

static void one_step(jose_fma_private *w, bool is_square)
{
    const uint32_t had = jose_fma_mode_enter();
    jose_fma_private_one_step(w, is_square);
    jose_mode_leave(had);
}

void jose_fma_private_step(const jose_private_numbers *key, jose_step *x, const jose_step *y)
{
    jose_fma_private w;
    store_lanes(w.n, key->p.prime, key->q.prime);
    store_lanes(w.v, key->p.inverse, key->q.inverse);
    store_lanes(w.one, key->p.one, key->q.one);
    store_lanes(w.c0, x->p, x->q);
    if (y != NULL) store_lanes(w.c1, y->p, y->q);
    doubles(w.c0);
    if (y != NULL) doubles(w.c1);
    one_step(&w, y == NULL);
    take(x->p, w.out, 0, key->p.prime);
    take(x->q, w.out, 2, key->q.prime);
    jose_area_wipe(&w, sizeof w);
}

// MARK: factors

// The work memory of a product modulo n.
typedef struct area {
    _Alignas(64) int64_t x[2 * JOSE_FMA_BOTH];
    _Alignas(64) uint64_t memory[JOSE_FMA_WORK_WORDS];
} area;

void jose_fma_blinding_factor(const jose_rsa_fma_key *key, size_t size, uint64_t *factor,
                              const uint8_t *number)
{
    area w;
    jose_fma_limbs_read(w.x, -1, number, size);
    const uint32_t had = jose_fma_mode_enter();
    jose_fma_factor(key, (double *)factor, w.x, w.memory);
    jose_mode_leave(had);
    jose_area_wipe(&w, sizeof w);
}

void jose_fma_blinding_scale(const jose_rsa_fma_key *key, size_t size, uint8_t *out,
                             const uint8_t *in, const uint64_t *factor)
{
    area w;
    jose_fma_limbs_read(w.x, -1, in, size);
    const uint32_t had = jose_fma_mode_enter();
    jose_fma_scale(key, w.x, (const double *)factor, w.memory);
    jose_mode_leave(had);
    jose_fma_limbs_write(out, size, w.x, -1, key->modulus);
    jose_area_wipe(&w, sizeof w);
}

void jose_fma_blinding_square(const jose_rsa_fma_key *key, uint64_t *factor)
{
    area w;
    const uint32_t had = jose_fma_mode_enter();
    jose_fma_square_factor(key, (double *)factor, w.memory);
    jose_mode_leave(had);
    jose_area_wipe(&w, sizeof w);
}

#endif
