// fma_private_power.c: one private operation by doubles, both primes of 1024 bits side by side
// (fma_private.h).
//
// As in fma_power.c, a product of two halves is computed in one lane, and Montgomery's quotient at
// once: M = T * (-1/n) mod R, and the result is (T + M n)/R. Each pair of halves that is needed is
// computed once, in the two lanes of its prime:
//
//   square          x0 x0 and x1 x1, then x0 x1 split over both lanes and counted twice
//   product         x0 b0 and x1 b1, then x0 b1 and x1 b0
//   M, lower half   t0 v0 split over both lanes, lower halves of t0 v1 and t1 v0
//   M n, upper half m1 n1 split over both lanes, upper halves of m0 n1 and m1 n0
//
// Bounds: those of docs/decisions/0017-rsa-by-doubles.md with 20 limbs, R = 2^1040 and a prime n
// between 2^1023 and 2^1024, so R/n > 2^16.
// - Limbs are at most 2^51 + 2^8 in size, so every product of two is exact.
// - A column of a product has at most 20 low parts below 2^52 and 20 high parts of at most
//   2^50 + 2^9 in size: between -2^54.4 and 2^56.7. A column of T + M n, carries included, is below
//   2^57.8 in size, far below the bias of 2^60.
// - |result| <= |a| |b| / R + n (1/2 + 2^-42). With |a|, |b| < n, or 3n for the last product, this
//   is below 0.51 n. No step subtracts.

#include "fma_private.h"
#include "fma_products.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_FMA_TARGET))), apply_to = function)

enum { H = JOSE_FMA_HALF,
       BLOCK = JOSE_FMA_BLOCK,
       WINDOW = 5,
       ENTRIES = 1 << WINDOW,
       BITS = 1024 };

typedef jose_fma_limbs number[H];

// The two primes and v = -1/n mod R, as the reduction reads them.
typedef struct primes {
    number v_low;      // the low half of v in both lanes
    number v_swapped;  // the high half of v in the low lane, the low half in the high lane
    number n_high;
    number n_swapped;
} primes;

// The work memory. `split` holds a product that is split over both lanes of a prime: 15 sums, with
// five zeros before and five after them.
typedef struct work {
    primes primes;
    number table[ENTRIES], x, y, one;
    jose_fma_sums split[BLOCK + 4 * BLOCK];
    jose_fma_sums full[2 * H], cross[2 * H];
    jose_fma_sums low[H], high[H], sums[H];
    number t, spread;
    jose_fma_limbs part[H];
} work;
_Static_assert(sizeof(work) <= 8 * JOSE_FMA_PRIVATE_WORDS, "work memory");

// MARK: lanes

#define ZERO _mm256_setzero_si256()
#define LOWER(a) _mm256_blend_epi32(ZERO, a, 0x33)  // lanes 0 and 2, the others zero
#define UPPER(a) _mm256_blend_epi32(ZERO, a, 0xcc)  // lanes 1 and 3

JOSE_FMA_INLINE jose_fma_sums swapped(jose_fma_sums a)
{
    return _mm256_shuffle_epi32(a, 0x4e);
}

JOSE_FMA_INLINE jose_fma_sums both_lanes(jose_fma_sums a)
{
    return jose_fma_add(a, swapped(a));
}

// gather returns sum c of a split product in the lower lane and sum H + c in the upper one. Of the
// split factor, the lower lane multiplied the first five limbs, the upper lane the other five.
JOSE_FMA_INLINE jose_fma_sums gather(const work *w, int c)
{
    const jose_fma_sums *first = w->split + BLOCK + c, *second = w->split + c;
    return jose_fma_add(_mm256_unpacklo_epi64(first[0], first[H]),
                        _mm256_unpackhi_epi64(second[0], second[H]));
}

JOSE_FMA_INLINE void copy(jose_fma_limbs *to, const jose_fma_limbs *from)
{
    JOSE_FMA_UNROLL
    for (int j = 0; j < H; j++) to[j] = from[j];
}

// MARK: carries

// The bias of vector j of the sums of both primes.
JOSE_FMA_INLINE jose_fma_sums bias_of(jose_fma_half half, int j)
{
    const long long low = (long long)jose_fma_bias_at(half, 2 * H, j);
    const long long high = (long long)jose_fma_bias_at(half, 2 * H, H + j);
    return _mm256_set_epi64x(high, low, high, low);
}

// settle reduces the sums of both halves to limbs; the carry out of a low half enters the high one.
// Returns the carry out of the high half in the lower lane. It is JOSE_FMA_NO_CARRY too large; the
// caller subtracts that. *top gets the highest vector as integers.
JOSE_FMA_INLINE jose_fma_sums settle(jose_fma_limbs *limbs, const jose_fma_sums *sums,
                                     jose_fma_half half, jose_fma_sums *top)
{
    const jose_fma_sums leaving =
        swapped(jose_fma_carry(jose_fma_add(sums[H - 1], bias_of(half, H - 1))));
    jose_fma_sums carry = _mm256_blend_epi32(jose_fma_all(JOSE_FMA_NO_CARRY), leaving, 0xcc);
    JOSE_FMA_UNROLL
    for (int j = 0; j < H; j++) {
        const jose_fma_sums sum = jose_fma_add(sums[j], bias_of(half, j));
        if (j == H - 1) *top = jose_fma_whole_limb(sum, carry);
        limbs[j] = jose_fma_limb(sum, carry);
        carry = jose_fma_carry(sum);
    }
    return leaving;
}

// settle_words does the same for limbs of jose_fma_private; it drops the high half's carry.
static void settle_words(jose_fma_limbs *limbs, const uint64_t *words)
{
    jose_fma_sums top;
    (void)settle(limbs, (const jose_fma_sums *)words, JOSE_FMA_PLAIN, &top);
}

// MARK: Montgomery's reduction

// reduce sets out to (T + M n)/R, where w->low and w->high have the columns of T. w->sums keeps the
// same number before it is reduced to limbs.
static __attribute__((noinline)) void reduce(work *w, jose_fma_limbs *out)
{
    jose_fma_sums top, none, *sums = w->sums;
    const jose_fma_sums over = settle(w->t, w->low, JOSE_FMA_LOWER, &top);

    // M = T * (-1/n) mod R.
    JOSE_FMA_UNROLL
    for (int j = 0; j < BLOCK; j++) w->part[j] = _mm256_unpacklo_pd(w->t[j], w->t[j + BLOCK]);
    jose_fma_multiply(w->split + BLOCK, w->part, 1, w->primes.v_low, 2);
    jose_fma_low(w->cross, w->t, w->primes.v_swapped, 2);
    JOSE_FMA_UNROLL
    for (int c = 0; c < H; c++)
        sums[c] = jose_fma_add(gather(w, c), UPPER(both_lanes(w->cross[c])));
    (void)settle(w->t, sums, JOSE_FMA_LOWER, &none);

    // The upper half of M n, and the column below it.
    JOSE_FMA_UNROLL
    for (int j = 0; j < BLOCK; j++) w->part[j] = _mm256_unpackhi_pd(w->t[j], w->t[j + BLOCK]);
    jose_fma_multiply(w->split + BLOCK, w->part, 1, w->primes.n_high, 2);
    jose_fma_high(w->cross, w->t, w->primes.n_swapped, 2);

    // The columns of T + M n below R sum up to a multiple of R, which is the carry into the upper
    // half. The highest of them gives the carry: all lower ones together are less than half a limb.
    // That column also needs the high part of one product, of the highest limbs of m0 and n0: m0 is
    // in the lower lane of t, n0 in the upper lane of n_swapped.
    const jose_fma_limbs n0 = _mm256_permute_pd(w->primes.n_swapped[H - 1], 0x5);
    jose_fma_limbs apart = jose_fma_double(jose_fma_all(JOSE_FMA_HIGH_BITS));
    apart = _mm256_fmadd_pd(w->t[H - 1], n0, apart);
    jose_fma_sums column = jose_fma_add(both_lanes(w->cross[H - 1]), swapped(top));
    column = jose_fma_add(column, jose_fma_bits(apart));
    column = jose_fma_add(column, jose_fma_all(jose_fma_bias_at(JOSE_FMA_LOWER, 2 * H, 2 * H - 1)));
    jose_fma_sums carry = jose_fma_add(jose_fma_carry(column), over);
    carry = _mm256_sub_epi64(carry, jose_fma_all(2 * JOSE_FMA_NO_CARRY));

    JOSE_FMA_UNROLL
    for (int c = 0; c < H; c++) {
        sums[c] = jose_fma_add(gather(w, c), LOWER(both_lanes(w->cross[c + H])));
        sums[c] = jose_fma_add(sums[c], w->high[c]);
    }
    sums[0] = jose_fma_add(sums[0], LOWER(carry));
    (void)settle(out, sums, JOSE_FMA_TWO_UPPER, &none);
}

// MARK: square and product

// take_halves sets vector c of T to the products of equal halves, in w->full, plus x0 b1 + x1 b0.
// The caller passes the columns of x0 b1 + x1 b0: `middle` has column H + c in the upper lane, and
// `upper_middle` has column 2H + c in the lower lane.
JOSE_FMA_INLINE void take_halves(work *w, int c, jose_fma_sums middle, jose_fma_sums upper_middle)
{
    const jose_fma_sums a = w->full[c], b = w->full[c + H];
    w->low[c] = jose_fma_add(_mm256_unpacklo_epi64(a, b), UPPER(middle));
    w->high[c] = jose_fma_add(_mm256_unpackhi_epi64(a, b), LOWER(upper_middle));
}

static void square(work *w, jose_fma_limbs *x)
{
    JOSE_FMA_UNROLL
    for (int j = 0; j < BLOCK; j++) w->part[j] = _mm256_unpacklo_pd(x[j], x[j + BLOCK]);
    JOSE_FMA_UNROLL
    for (int j = 0; j < H; j++) w->spread[j] = _mm256_permute_pd(x[j], 0xf);
    jose_fma_square(w->full, x, 2);
    jose_fma_multiply(w->split + BLOCK, w->part, 1, w->spread, 2);
    JOSE_FMA_UNROLL
    for (int c = 0; c < H; c++) {
        jose_fma_sums middle = swapped(gather(w, c));
        middle = jose_fma_add(middle, middle);
        take_halves(w, c, middle, middle);
    }
    reduce(w, x);
}

static void multiply(work *w, jose_fma_limbs *out, const jose_fma_limbs *a,
                     const jose_fma_limbs *b)
{
    JOSE_FMA_UNROLL
    for (int j = 0; j < H; j++) w->spread[j] = _mm256_permute_pd(b[j], 0x5);
    jose_fma_multiply(w->full, a, 2, b, 2);
    jose_fma_multiply(w->cross, a, 2, w->spread, 2);
    JOSE_FMA_UNROLL
    for (int c = 0; c < H; c++)
        take_halves(w, c, both_lanes(w->cross[c]), both_lanes(w->cross[c + H]));
    reduce(w, out);
}

// MARK: the power

// read_whole does what jose_read does (ifma_arith.h), for builds that allow AVX-512VL.
JOSE_FMA_INLINE jose_fma_sums read_whole(const jose_fma_limbs *memory)
{
    jose_fma_sums all = jose_fma_bits(*memory);
#ifndef JOSE_SECRETS_CHECK
    __asm__(""
            : "+x"(all));
#endif
    return all;
}

// pick sets each lane of out to that lane of table[index[lane]]. It reads the whole table.
static __attribute__((noinline)) void pick(jose_fma_limbs *out, const number *table,
                                           jose_fma_sums index)
{
    jose_fma_sums kept[H], entry_number = ZERO;
    JOSE_FMA_UNROLL
    for (int j = 0; j < H; j++) kept[j] = ZERO;
    for (int entry = 0; entry < ENTRIES; entry++) {
        const jose_fma_sums is_wanted = _mm256_cmpeq_epi64(index, entry_number);
        entry_number = jose_fma_add(entry_number, jose_fma_all(1));
        JOSE_FMA_UNROLL
        for (int j = 0; j < H; j++)
            kept[j] = _mm256_or_si256(kept[j],
                                      _mm256_and_si256(is_wanted, read_whole(&table[entry][j])));
    }
    JOSE_FMA_UNROLL
    for (int j = 0; j < H; j++) out[j] = jose_fma_double(kept[j]);
}

// window returns in each lane WINDOW bits of its exponent from bit `at` on. A shift by 64 gives 0.
JOSE_FMA_INLINE jose_fma_sums window(const uint64_t *exponent, int at)
{
    const jose_fma_sums *words = (const jose_fma_sums *)exponent + at / 64;
    const jose_fma_sums low = _mm256_srl_epi64(words[0], _mm_cvtsi32_si128(at % 64));
    const jose_fma_sums high = _mm256_sll_epi64(words[1], _mm_cvtsi32_si128(64 - at % 64));
    return _mm256_and_si256(_mm256_or_si256(low, high), jose_fma_all(ENTRIES - 1));
}

JOSE_FMA_INLINE void start(work *w, const jose_fma_private *given)
{
    for (unsigned i = 0; i < sizeof w->split / sizeof *w->split; i++) w->split[i] = ZERO;
    settle_words(w->y, given->v);
    for (int j = 0; j < H; j++) {
        w->primes.v_low[j] = _mm256_permute_pd(w->y[j], 0x0);
        w->primes.v_swapped[j] = _mm256_permute_pd(w->y[j], 0x5);
    }
    settle_words(w->y, given->n);
    for (int j = 0; j < H; j++) {
        w->primes.n_high[j] = _mm256_permute_pd(w->y[j], 0xf);
        w->primes.n_swapped[j] = _mm256_permute_pd(w->y[j], 0x5);
    }
    settle_words(w->one, given->one);
}

// unit sets x to 1 modulo both primes.
JOSE_FMA_INLINE void unit(jose_fma_limbs *x)
{
    for (int j = 0; j < H; j++) x[j] = _mm256_setzero_pd();
    x[0] = _mm256_set_pd(0, 1, 0, 1);
}

// enter sets w->x to the Montgomery form of the message modulo both primes, (c0/R + c1) R^3 / R.
// Making the limbs of c0 signed may leave a carry, a multiple of R, which is added to c1.
JOSE_FMA_INLINE void enter(work *w, const jose_fma_private *given)
{
    jose_fma_sums none, sums[H];
    const jose_fma_sums *lower = (const jose_fma_sums *)given->c0;
    const jose_fma_sums over = settle(w->x, lower, JOSE_FMA_PLAIN, &none);
    unit(w->y);
    multiply(w, w->x, w->x, w->y);
    for (int j = 0; j < H; j++)
        sums[j] = jose_fma_add(w->sums[j], ((const jose_fma_sums *)given->c1)[j]);
    sums[0] = jose_fma_add(
        sums[0], LOWER(_mm256_sub_epi64(over, jose_fma_all(JOSE_FMA_NO_CARRY))));
    (void)settle(w->x, sums, JOSE_FMA_TWO_UPPER, &none);
    settle_words(w->y, given->r3);
    multiply(w, w->x, w->x, w->y);
}

// write_out writes the last product from its sums, which are integers already. To convert its limbs
// by adding one constant to a double would not be exact at the ends of their range. Unrolled, the
// loop does not become a call of memcpy.
JOSE_FMA_INLINE void write_out(jose_fma_private *given, const work *w)
{
    JOSE_FMA_UNROLL
    for (int j = 0; j < H; j++)
        ((jose_fma_sums *)given->out)[j] =
            _mm256_sub_epi64(jose_fma_add(w->sums[j], bias_of(JOSE_FMA_TWO_UPPER, j)),
                             bias_of(JOSE_FMA_PLAIN, j));
}

void jose_fma_private_powers(jose_fma_private *given)
{
    work *w = (work *)given->memory;
    start(w, given);
    enter(w, given);
    copy(w->table[0], w->one);
    copy(w->table[1], w->x);
    for (int i = 2; i < ENTRIES; i += 2) {
        copy(w->table[i], w->table[i / 2]);
        square(w, w->table[i]);
        multiply(w, w->table[i + 1], w->table[i], w->x);
    }
    int at = (BITS - 1) / WINDOW * WINDOW;
    pick(w->x, w->table, window(given->exponent, at));
    while (at > 0) {
        at -= WINDOW;
        for (int i = 0; i < WINDOW; i++) square(w, w->x);
        pick(w->y, w->table, window(given->exponent, at));
        multiply(w, w->x, w->x, w->y);
    }
    unit(w->y);
    multiply(w, w->x, w->x, w->y);
    write_out(given, w);
}

void jose_fma_private_product(jose_fma_private *given)
{
    work *w = (work *)given->memory;
    settle_words(w->x, given->c0);
    settle_words(w->y, given->c1);
    multiply(w, w->x, w->x, w->y);
    write_out(given, w);
}

void jose_fma_private_one_step(jose_fma_private *given, bool is_square)
{
    work *w = (work *)given->memory;
    start(w, given);
    copy(w->x, (const jose_fma_limbs *)given->c0);
    if (is_square)
        square(w, w->x);
    else
        multiply(w, w->x, w->x, (const jose_fma_limbs *)given->c1);
    write_out(given, w);
}

#pragma clang attribute pop
#endif
