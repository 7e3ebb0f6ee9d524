// ifma_private_x4.c: four private operations at once by 52-bit multipliers. Each of eight lanes has
// its own number and its own modulus (ifma_x8.h). Limb i of all of them is one vector:
//
//   lane      0   1   2   3   4   5   6   7
//   message   0   1   2   3   0   1   2   3
//   modulo    p   p   p   p   q   q   q   q     of the message's key
//
// The messages may have different keys of one size. Eight messages of one key take two calls. That
// takes as long as one call with eight lanes modulo p and another modulo q.

#include "ifma_private.h"
#include "ifma_x8.h"

#include <string.h>

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

enum { LIMBS = JOSE_HALF_LIMBS,
       MESSAGES = JOSE_RSA_PRIVATE_LANES,
       LANES = 2 * MESSAGES };  // one for each prime

// MARK: each size

// The products of one size. `FEW` unrolls them, for 20 limbs; others would not fit the processor's
// instruction cache.
#define JOSE_PRIVATE_SIZE(BITS, BLOCK, BLOCKS, FEW)                                \
    static JOSE_PRODUCT void multiply_##BITS(jose_vec *out, const jose_vec *a,     \
                                             const jose_vec *b, const jose_vec *n, \
                                             jose_vec k0)                          \
    {                                                                              \
        jose_vec m[(BLOCK) * (BLOCKS)];                                            \
        jose_montgomery_x8(BLOCK, BLOCKS, FEW, false, out, a, b, n, k0, m);        \
    }                                                                              \
    static JOSE_PRODUCT void square_##BITS(jose_vec *x, int times,                 \
                                           const jose_vec *n, jose_vec k0)         \
    {                                                                              \
        jose_vec m[(BLOCK) * (BLOCKS)];                                            \
        while (times-- > 0)                                                        \
            jose_montgomery_x8(BLOCK, BLOCKS, FEW, true, x, x, x, n, k0, m);       \
    }

JOSE_PRIVATE_SIZE(1024, 4, 5, true)
JOSE_PRIVATE_SIZE(1536, 5, 6, false)
JOSE_PRIVATE_SIZE(2048, 4, 10, false)

typedef struct shape {
    int bits, limbs, window;
} shape;

// The work memory of one call, wiped at its end.
typedef struct work {
    jose_vec n[LIMBS], k0;
    jose_vec table[JOSE_TABLE * 20];  // 32 entries of 20 limbs, or 16 of 30 or 40
    jose_vec x[LIMBS], y[LIMBS], r_mod[LIMBS], integer_one[LIMBS];
    jose_vec exponent[JOSE_HALF_WORDS + 1];
    uint64_t half[LANES][LIMBS];
} work;
_Static_assert(JOSE_TABLE * 20 == (1 << JOSE_WINDOW_LARGER) * LIMBS, "the tables' sizes");

JOSE_ALWAYS_INLINE void multiply(const shape s, const work *w, jose_vec *out, const jose_vec *a,
                                 const jose_vec *b)
{
    switch (s.bits) {
    case 1024: multiply_1024(out, a, b, w->n, w->k0); break;
    case 1536: multiply_1536(out, a, b, w->n, w->k0); break;
    default: multiply_2048(out, a, b, w->n, w->k0); break;
    }
}

JOSE_ALWAYS_INLINE void square(const shape s, const work *w, jose_vec *x, int times)
{
    switch (s.bits) {
    case 1024: square_1024(x, times, w->n, w->k0); break;
    case 1536: square_1536(x, times, w->n, w->k0); break;
    default: square_2048(x, times, w->n, w->k0); break;
    }
}

// MARK: table

// pick sets each lane of out to that lane of the table's entry number index[lane]. It reads the
// whole table, ten limbs at a time.
static __attribute__((noinline)) void pick(jose_vec *out, const jose_vec *table, int entries,
                                           int limbs, jose_vec index)
{
    enum { GROUP = 10 };
    for (int first = 0; first < limbs; first += GROUP) {
        jose_vec kept[GROUP], number = _mm512_setzero_si512();
        JOSE_UNROLL
        for (int i = 0; i < GROUP; i++) kept[i] = _mm512_setzero_si512();
        for (int entry = 0; entry < entries; entry++) {
            const jose_vec *limb = table + entry * limbs + first;
            const __mmask8 is_wanted = _mm512_cmpeq_epi64_mask(index, number);
            number = jose_sum(number, _mm512_set1_epi64(1));
            JOSE_UNROLL
            for (int i = 0; i < GROUP; i++)
                kept[i] = _mm512_mask_mov_epi64(kept[i], is_wanted, jose_read(&limb[i]));
        }
        JOSE_UNROLL
        for (int i = 0; i < GROUP; i++) out[first + i] = kept[i];
    }
}

// MARK: lanes

static const jose_half *half_of(const jose_private_numbers *const keys[MESSAGES], int lane)
{
    return lane < MESSAGES ? &keys[lane]->p : &keys[lane - MESSAGES]->q;
}

static void put(jose_vec *to, int lane, const uint64_t *limbs, int count)
{
    jose_lane_put((uint64_t *)to, lane, limbs, count);
}

static void get(uint64_t *limbs, const jose_vec *from, int lane, int count)
{
    jose_lane_get(limbs, count, (const uint64_t *)from, lane);
}

// MARK: the operation

JOSE_ALWAYS_INLINE void start(const shape s, work *w,
                              const jose_private_numbers *const keys[MESSAGES],
                              jose_half_exponent exponent)
{
    for (int lane = 0; lane < LANES; lane++) {
        const jose_half *half = half_of(keys, lane);
        put(w->n, lane, half->prime, s.limbs);
        put(&w->k0, lane, half->inverse, 1);
        put(w->r_mod, lane, half->one, s.limbs);
        put(w->exponent, lane, half->exponents[exponent], s.bits / 64 + 1);
    }
    memset(w->integer_one, 0, sizeof w->integer_one);
    w->integer_one[0] = _mm512_set1_epi64(1);
}

// enter sets w->x to the Montgomery forms of all messages: (c0/R + c1) R^3 / R, for c = c0 + c1 R.
// c1 is below n/2^15 for the lane's prime n, so the sum in brackets is below 2n.
JOSE_ALWAYS_INLINE void enter(const shape s, work *w,
                              const jose_private_numbers *const keys[MESSAGES],
                              const uint64_t c[MESSAGES][JOSE_PRIVATE_LIMBS])
{
    const jose_vec mask = _mm512_set1_epi64((long long)JOSE_LIMB_MASK);
    jose_vec carry = _mm512_setzero_si512();
    for (int lane = 0; lane < LANES; lane++) {
        put(w->x, lane, c[lane % MESSAGES], s.limbs);
        put(w->y, lane, c[lane % MESSAGES] + s.limbs, s.limbs);
    }
    multiply(s, w, w->x, w->x, w->integer_one);
    for (int i = 0; i < s.limbs; i++) {
        const jose_vec sum = jose_sum(jose_sum(w->x[i], w->y[i]), carry);
        w->x[i] = _mm512_and_si512(sum, mask);
        carry = _mm512_srli_epi64(sum, 52);
    }
    for (int lane = 0; lane < LANES; lane++) put(w->y, lane, half_of(keys, lane)->r3, s.limbs);
    multiply(s, w, w->x, w->x, w->y);
}

// raise sets w->x to the powers by all exponents, in Montgomery form.
JOSE_ALWAYS_INLINE void raise(const shape s, work *w)
{
    const int limbs = s.limbs, entries = 1 << s.window;
    const size_t size = sizeof(jose_vec) * (size_t)limbs;
    memcpy(w->table, w->r_mod, size);
    memcpy(w->table + limbs, w->x, size);
    for (int i = 2; i < entries; i += 2) {
        jose_vec *even = w->table + i * limbs;
        memcpy(even, w->table + i / 2 * limbs, size);
        square(s, w, even, 1);
        multiply(s, w, even + limbs, even, w->x);
    }
    int at = jose_last_window(s.bits, s.window);
    pick(w->x, w->table, entries, limbs, jose_window(w->exponent, at, s.window));
    while (at > 0) {
        at -= s.window;
        square(s, w, w->x, s.window);
        pick(w->y, w->table, entries, limbs, jose_window(w->exponent, at, s.window));
        multiply(s, w, w->x, w->x, w->y);
    }
}

// leave sets each m to the number below p q of its key that equals the results modulo p and q.
JOSE_ALWAYS_INLINE void leave(const shape s, work *w,
                              const jose_private_numbers *const keys[MESSAGES],
                              uint64_t m[MESSAGES][JOSE_PRIVATE_LIMBS])
{
    multiply(s, w, w->x, w->x, w->integer_one);
    jose_reduce_once_x8(w->x, w->n, w->y, s.limbs);
    for (int lane = 0; lane < LANES; lane++) get(w->half[lane], w->x, lane, s.limbs);
    // h = (xp - xq) / q mod p. The upper lanes compute a product modulo q that is not used.
    for (int i = 0; i < MESSAGES; i++) {
        uint64_t *xp = w->half[i];
        jose_crt_difference(xp, keys[i], xp, w->half[i + MESSAGES], s.limbs);
        put(w->x, i, xp, s.limbs), put(w->x, i + MESSAGES, xp, s.limbs);
        put(w->y, i, keys[i]->coefficient, s.limbs);
        put(w->y, i + MESSAGES, keys[i]->coefficient, s.limbs);
    }
    multiply(s, w, w->x, w->x, w->y);
    jose_reduce_once_x8(w->x, w->n, w->y, s.limbs);
    for (int i = 0; i < MESSAGES; i++) {
        get(w->half[i], w->x, i, s.limbs);
        jose_crt_recombine(m[i], keys[i], w->half[i], w->half[i + MESSAGES], s.limbs);
    }
}

JOSE_ALWAYS_INLINE void power(const shape s, const jose_private_numbers *const keys[MESSAGES],
                              jose_half_exponent exponent,
                              uint64_t m[MESSAGES][JOSE_PRIVATE_LIMBS],
                              const uint64_t c[MESSAGES][JOSE_PRIVATE_LIMBS])
{
    work w;
    start(s, &w, keys, exponent);
    enter(s, &w, keys, c);
    raise(s, &w);
    leave(s, &w, keys, m);
    jose_area_wipe(&w, sizeof w);
}

#define JOSE_PRIVATE_POWER(BITS, ...)                                                  \
    static __attribute__((noinline)) void power_##BITS(                                \
        const jose_private_numbers *const keys[MESSAGES], jose_half_exponent exponent, \
        uint64_t m[MESSAGES][JOSE_PRIVATE_LIMBS],                                      \
        const uint64_t c[MESSAGES][JOSE_PRIVATE_LIMBS])                                \
    {                                                                                  \
        power((shape){__VA_ARGS__}, keys, exponent, m, c);                             \
    }

JOSE_PRIVATE_POWER(2048, 1024, 20, JOSE_WINDOW_2048)
JOSE_PRIVATE_POWER(3072, 1536, 30, JOSE_WINDOW_LARGER)
JOSE_PRIVATE_POWER(4096, 2048, 40, JOSE_WINDOW_LARGER)

void jose_ifma_private_power_x4(const jose_private_numbers *const keys[MESSAGES],
                                jose_half_exponent exponent,
                                uint64_t m[MESSAGES][JOSE_PRIVATE_LIMBS],
                                const uint64_t c[MESSAGES][JOSE_PRIVATE_LIMBS])
{
    switch (keys[0]->size) {
    case 256: power_2048(keys, exponent, m, c); break;
    case 384: power_3072(keys, exponent, m, c); break;
    case 512: power_4096(keys, exponent, m, c); break;
    default: break;
    }
}

// MARK: a step alone

JOSE_ALWAYS_INLINE void step(const shape s, const jose_private_numbers *const keys[MESSAGES],
                             jose_step *x, const jose_step *y)
{
    work w;
    start(s, &w, keys, JOSE_EXPONENT_D);
    for (int i = 0; i < MESSAGES; i++) {
        put(w.x, i, x[i].p, s.limbs), put(w.x, i + MESSAGES, x[i].q, s.limbs);
        if (y != NULL) put(w.y, i, y[i].p, s.limbs), put(w.y, i + MESSAGES, y[i].q, s.limbs);
    }
    if (y == NULL)
        square(s, &w, w.x, 1);
    else
        multiply(s, &w, w.x, w.x, w.y);
    jose_reduce_once_x8(w.x, w.n, w.y, s.limbs);
    for (int i = 0; i < MESSAGES; i++)
        get(x[i].p, w.x, i, s.limbs), get(x[i].q, w.x, i + MESSAGES, s.limbs);
    jose_area_wipe(&w, sizeof w);
}

void jose_ifma_private_step_x4(const jose_private_numbers *const keys[MESSAGES],
                               jose_step x[MESSAGES], const jose_step *y)
{
    switch (keys[0]->size) {
    case 256: step((shape){1024, 20, JOSE_WINDOW_2048}, keys, x, y); break;
    case 384: step((shape){1536, 30, JOSE_WINDOW_LARGER}, keys, x, y); break;
    case 512: step((shape){2048, 40, JOSE_WINDOW_LARGER}, keys, x, y); break;
    default: break;
    }
}

#pragma clang attribute pop
#endif
