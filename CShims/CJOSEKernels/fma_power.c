// fma_power.c: the public operation on prepared limbs, one number at a time.
//
// A number has four quarters of L limbs; lane q of vector j holds limb L q + j. A product of two
// quarters is computed in one lane, four such products at once. The lanes are chosen so that no
// product is computed twice and no lane is idle. Then the lanes' sums move to the columns that they
// belong to. Montgomery's quotient is computed at once, not limb by limb: M = T * (-1/n) mod R, and
// the result is (T + M n) / R.

#include "fma_power.h"

#include "fma_products.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_FMA_TARGET))), apply_to = function)

// The limbs of a quarter and of a half quarter at 4096 bits, and the vectors of `split`.
enum { MAX_BLOCKS = 4,
       QUARTER_LIMBS = JOSE_FMA_BLOCK * MAX_BLOCKS,
       QUARTER_HALF = JOSE_FMA_BLOCK * ((MAX_BLOCKS + 1) / 2),
       SPLIT = QUARTER_LIMBS + 3 * QUARTER_HALF };

// The work memory. `split` holds two products that are each split over two lanes, with zeros around
// them. The products begin at `split + H`. The sums in the lane of a second half belong H columns
// higher, so gather_split reads them from `split` on.
typedef struct work {
    jose_fma_sums full[2 * QUARTER_LIMBS], lane_products[2 * QUARTER_LIMBS], split[SPLIT];
    jose_fma_sums low[QUARTER_LIMBS], high[QUARTER_LIMBS];
    jose_fma_limbs x[QUARTER_LIMBS], t[QUARTER_LIMBS + JOSE_FMA_BLOCK], operand[QUARTER_LIMBS],
        split_right[QUARTER_LIMBS], split_left[QUARTER_LIMBS / 2];
} work;
_Static_assert(sizeof(work) <= 8 * JOSE_FMA_WORK_WORDS, "work memory");

// The sizes of a key: a quarter has `n` blocks and `L` limbs. For a split product, one lane
// multiplies `half` blocks or `H` limbs of a quarter, and another lane the rest.
typedef struct key_shape {
    int n, L, half, H;
} key_shape;

JOSE_FMA_INLINE key_shape shape_of(int n)
{
    const int half = (n + 1) / 2;
    return (key_shape){n, JOSE_FMA_BLOCK * n, half, JOSE_FMA_BLOCK * half};
}

JOSE_FMA_INLINE const jose_fma_limbs *layout_of(const jose_rsa_fma_key *key, jose_fma_layout layout,
                                                int L)
{
    return (const jose_fma_limbs *)key->limbs + (int)layout * L;
}

// MARK: lanes

#define ZERO _mm256_setzero_si256()
// PICK takes the lanes of b that are in the mask `lanes` (one bit each), and the other lanes of a.
#define PICK(a, b, lanes)                                                                  \
    _mm256_blend_epi32(a, b,                                                               \
                       ((lanes)&1 ? 3 : 0) | ((lanes)&2 ? 12 : 0) | ((lanes)&4 ? 48 : 0) | \
                           ((lanes)&8 ? 192 : 0))
#define ONLY(a, lanes) PICK(ZERO, a, lanes)

JOSE_FMA_INLINE jose_fma_sums swap_halves(jose_fma_sums a)
{
    return _mm256_permute2x128_si256(a, a, 0x01);
}

JOSE_FMA_INLINE jose_fma_sums swap_neighbours(jose_fma_sums a)
{
    return _mm256_shuffle_epi32(a, 0x4e);
}

// gather_split returns four sums: columns c and L + c of the first split product in lanes 0 and 1,
// and of the second in lanes 2 and 3.
JOSE_FMA_INLINE jose_fma_sums gather_split(const work *w, key_shape shape, int c)
{
    const jose_fma_sums *first = w->split + shape.H + c, *second = w->split + c;
    return jose_fma_add(_mm256_unpacklo_epi64(first[0], first[shape.L]),
                        _mm256_unpackhi_epi64(second[0], second[shape.L]));
}

// gather_pairs returns column c of the four quarters of a number. The product in lane 0 starts at
// quarter 0, those in lanes 1 and 2 at quarter 1, that in lane 3 at quarter 2. The upper L columns
// of each product belong to the next quarter.
JOSE_FMA_INLINE jose_fma_sums gather_pairs(const work *w, key_shape shape, int c)
{
    const jose_fma_sums low = w->full[c], high = w->full[c + shape.L];
    jose_fma_sums inner = _mm256_permute2x128_si256(low, high, 0x21);  // low 2, 3, high 0, 1
    inner = swap_neighbours(jose_fma_add(inner, swap_halves(inner)));
    return jose_fma_add(PICK(low, high, 12), ONLY(inner, 6));
}

// MARK: carries

// bias_of returns the bias of vector j of a half product, 4 L sums. Only the functions for two
// blocks leave the constants of products in the sums.
JOSE_FMA_INLINE jose_fma_sums bias_of(jose_fma_half half, key_shape shape, int j)
{
    if (shape.n != 2) half = JOSE_FMA_PLAIN;
    long long at[4];
    for (int q = 0; q < 4; q++)
        at[q] = (long long)jose_fma_bias_at(half, 4 * shape.L, q * shape.L + j);
    return _mm256_set_epi64x(at[3], at[2], at[1], at[0]);
}

// settle reduces L sums in each lane to limbs; the carry out of a lane enters the next one. Returns
// the carry out of lane 3, in lane 0. It is JOSE_FMA_NO_CARRY too large; the caller subtracts that.
// *top gets the highest vector as integers.
JOSE_FMA_INLINE jose_fma_sums settle(jose_fma_limbs *limbs, const jose_fma_sums *sums,
                                     const key_shape shape, jose_fma_half half, jose_fma_sums *top)
{
    const int L = shape.L;
    const jose_fma_sums last =
        jose_fma_carry(jose_fma_add(sums[L - 1], bias_of(half, shape, L - 1)));
    // The bias changes by the same step from each column to the next.
    jose_fma_sums bias = bias_of(half, shape, 0);
    const jose_fma_sums step = _mm256_sub_epi64(bias_of(half, shape, 1), bias);
    const jose_fma_sums rotated = _mm256_permute4x64_epi64(last, _MM_SHUFFLE(2, 1, 0, 3));
    jose_fma_sums carry = PICK(rotated, jose_fma_all(JOSE_FMA_NO_CARRY), 1);
    for (int j = 0; j < L; j++) {
        const jose_fma_sums sum = jose_fma_add(sums[j], bias);
        bias = jose_fma_add(bias, step);
        if (j == L - 1) *top = jose_fma_whole_limb(sum, carry);
        limbs[j] = jose_fma_limb(sum, carry);
        carry = jose_fma_carry(sum);
    }
    return rotated;
}

// MARK: Montgomery's reduction

// reduce sets w->x = (T + M n) / R, where w->low and w->high have the columns of T.
JOSE_FMA_INLINE void reduce(work *w, const jose_rsa_fma_key *key, const key_shape shape)
{
    jose_fma_sums top, unused_top, sums[QUARTER_LIMBS];
    const jose_fma_sums over = settle(w->t, w->low, shape, JOSE_FMA_LOWER, &top);

    // M = T * V mod R, from the products t_i * v_j with i + j <= 3: the others are multiples of R.
    for (int j = 0; j < shape.L; j++)
        w->operand[j] = _mm256_permute2f128_pd(w->t[j], w->t[j], 0x00);
    for (int j = 0; j < shape.H; j++)
        w->split_left[j] = _mm256_unpacklo_pd(w->t[j], w->t[j + shape.H]);
    jose_fma_multiply(w->full, w->operand, shape.n, layout_of(key, JOSE_FMA_V_PAIRS, shape.L),
                      shape.n);
    jose_fma_multiply(w->split + shape.H, w->split_left, shape.half,
                      layout_of(key, JOSE_FMA_V_HALVES, shape.L), shape.n);
    jose_fma_low(w->lane_products, w->t, layout_of(key, JOSE_FMA_V_REVERSE, shape.L), shape.n);
    for (int c = 0; c < shape.L; c++) {
        // All four lanes belong to the fourth quarter.
        const jose_fma_sums lane = w->lane_products[c];
        jose_fma_sums upper = jose_fma_add(lane, swap_neighbours(lane));
        upper = jose_fma_add(gather_split(w, shape, c), ONLY(upper, 10));
        upper = jose_fma_add(upper, swap_halves(upper));
        sums[c] = jose_fma_add(gather_pairs(w, shape, c), ONLY(upper, 12));
    }
    (void)settle(w->t, sums, shape, JOSE_FMA_LOWER, &unused_top);

    // The upper half of M n, and the column below it.
    for (int j = 0; j < shape.L; j++)
        w->operand[j] = _mm256_permute2f128_pd(w->t[j], w->t[j], 0x11);
    for (int j = 0; j < shape.H; j++)
        w->split_left[j] = _mm256_unpackhi_pd(w->t[j], w->t[j + shape.H]);
    jose_fma_multiply(w->full, w->operand, shape.n, layout_of(key, JOSE_FMA_N_PAIRS, shape.L),
                      shape.n);
    jose_fma_multiply(w->split + shape.H, w->split_left, shape.half,
                      layout_of(key, JOSE_FMA_N_HALVES, shape.L), shape.n);
    const jose_fma_limbs *reverse = layout_of(key, JOSE_FMA_N_REVERSE, shape.L);
    jose_fma_high(w->lane_products, w->t, reverse, shape.n);

    // The columns of T + M n below R sum up to a multiple of R, which is the carry into the upper
    // half. The highest of them gives the carry: all lower ones together are less than half a limb.
    // That column also needs the high parts of `apart` times the highest limbs of t's quarters.
    const jose_fma_limbs apart = _mm256_blend_pd(
        _mm256_permute4x64_pd(reverse[shape.L - 1], _MM_SHUFFLE(3, 3, 2, 1)), _mm256_setzero_pd(),
        8);
    jose_fma_limbs high = _mm256_castsi256_pd(jose_fma_all(JOSE_FMA_HIGH_BITS));
    high = _mm256_fmadd_pd(w->t[shape.L - 1], apart, high);
    jose_fma_sums column = jose_fma_add(w->lane_products[shape.L - 1], ONLY(top, 8));
    column = jose_fma_add(column, jose_fma_bits(high));
    column = jose_fma_add(column, swap_halves(column));
    column = jose_fma_add(column, swap_neighbours(column));
    // Removes the constants of the four lanes of `high`; for two blocks the bias removes three.
    const int rest = shape.n == 2 ? 1 : 4;
    const jose_fma_half half = shape.n == 2 ? JOSE_FMA_LOWER : JOSE_FMA_PLAIN;
    column = jose_fma_add(
        column, jose_fma_all(jose_fma_bias_at(half, 4 * shape.L, 4 * shape.L - 1) -
                             (uint64_t)rest * JOSE_FMA_HIGH_BITS));
    jose_fma_sums carry = jose_fma_add(jose_fma_carry(column), over);
    carry = _mm256_sub_epi64(carry, jose_fma_all(2 * JOSE_FMA_NO_CARRY));

    for (int c = 0; c < shape.L; c++) {
        // All four lanes belong to the first quarter.
        const jose_fma_sums lane = w->lane_products[c + shape.L];
        jose_fma_sums lower = jose_fma_add(lane, swap_neighbours(lane));
        lower = jose_fma_add(gather_split(w, shape, c), ONLY(lower, 5));
        lower = jose_fma_add(lower, swap_halves(lower));
        sums[c] = jose_fma_add(gather_pairs(w, shape, c), ONLY(lower, 3));
        sums[c] = jose_fma_add(sums[c], w->high[c]);
    }
    sums[0] = jose_fma_add(sums[0], ONLY(carry, 1));
    (void)settle(w->x, sums, shape, JOSE_FMA_TWO_UPPER, &unused_top);
}

// MARK: square and product

// square sets w->x = x * x / R mod n.
JOSE_FMA_INLINE void square(work *w, const jose_rsa_fma_key *key, const key_shape shape)
{
    // w->full: lane i holds x_i * x_(i+1 mod 4), that is x0x1, x1x2, x2x3, x3x0.
    // w->split: x0x2 and x3x1, each divided between two lanes.
    for (int j = 0; j < shape.L; j++) {
        w->operand[j] = _mm256_permute4x64_pd(w->x[j], _MM_SHUFFLE(0, 3, 2, 1));
        w->split_right[j] = _mm256_permute4x64_pd(w->x[j], _MM_SHUFFLE(1, 1, 2, 2));
    }
    for (int j = 0; j < shape.H; j++) {
        const jose_fma_limbs second =
            j + shape.H < shape.L ? w->x[j + shape.H] : _mm256_setzero_pd();
        w->split_left[j] = _mm256_shuffle_pd(w->x[j], second, 12);
    }
    jose_fma_square(w->lane_products, w->x, shape.n);
    jose_fma_multiply(w->full, w->x, shape.n, w->operand, shape.n);
    jose_fma_multiply(w->split + shape.H, w->split_left, shape.half, w->split_right, shape.n);
    for (int c = 0; c < shape.L; c++) {
        const jose_fma_sums a = w->full[c], b = w->full[c + shape.L];
        // The comments name the quarters, 0 to 7 of the square, that the lanes' sums belong to.
        const jose_fma_sums outer = _mm256_unpacklo_epi64(a, b);                        // 1 2 5 6
        jose_fma_sums inner = _mm256_unpackhi_epi64(a, b);                              // 3 4 3 4
        inner = swap_neighbours(jose_fma_add(inner, swap_halves(inner)));               // 4 3 4 3
        const jose_fma_sums split = swap_halves(gather_split(w, shape, c));             // 4 5 2 3
        jose_fma_sums low = _mm256_permute4x64_epi64(outer, _MM_SHUFFLE(3, 1, 0, 2));   // - 1 2 -
        jose_fma_sums high = _mm256_permute4x64_epi64(outer, _MM_SHUFFLE(3, 3, 2, 0));  // - 5 6 -
        low = jose_fma_add(PICK(ONLY(low, 6), inner, 8), ONLY(split, 12));
        high = jose_fma_add(PICK(ONLY(high, 6), inner, 1), ONLY(split, 3));
        const jose_fma_sums d = w->lane_products[c], e = w->lane_products[c + shape.L];
        const jose_fma_sums even = _mm256_unpacklo_epi64(d, e);  // 0 1 4 5
        const jose_fma_sums odd = _mm256_unpackhi_epi64(d, e);   // 2 3 6 7
        w->low[c] =
            jose_fma_add(jose_fma_add(low, low), _mm256_permute2x128_si256(even, odd, 0x20));
        w->high[c] =
            jose_fma_add(jose_fma_add(high, high), _mm256_permute2x128_si256(even, odd, 0x31));
    }
    reduce(w, key, shape);
}

// ROTATED moves the lanes of a up by `by` places, cyclically.
#define ROTATED(by, a)                                                  \
    ((by) == 0   ? (a)                                                  \
     : (by) == 1 ? _mm256_permute4x64_epi64(a, _MM_SHUFFLE(2, 1, 0, 3)) \
     : (by) == 2 ? _mm256_permute4x64_epi64(a, _MM_SHUFFLE(1, 0, 3, 2)) \
     : (by) == 3 ? _mm256_permute4x64_epi64(a, _MM_SHUFFLE(0, 3, 2, 1)) \
                 : (a))
// ADD_ROTATED adds w->full to w->low and w->high. w->full has the products of all quarters of x
// with quarter `by` of another number.
#define ADD_ROTATED(by)                                                                    \
    for (int c = 0; c < shape.L; c++) {                                                    \
        const jose_fma_sums a = ROTATED(by, w->full[c]);                                   \
        const jose_fma_sums b = ROTATED((by) + 1, w->full[c + shape.L]);                   \
        w->low[c] = jose_fma_add(w->low[c], jose_fma_add(ONLY(a, 15 << (by)&15),           \
                                                         ONLY(b, 15 << ((by) + 1) & 15))); \
        w->high[c] = jose_fma_add(w->high[c], jose_fma_add(ONLY(a, 15 >> (4 - (by))),      \
                                                           ONLY(b, 15 >> (3 - (by)))));    \
    }

// spread multiplies all quarters of x by a quarter of another number, each limb of it in all lanes.
JOSE_FMA_INLINE void spread(work *w, const double *quarter, int L)
{
    for (int j = 0; j < L; j++) w->operand[j] = _mm256_set1_pd(quarter[j]);
    jose_fma_multiply(w->full, w->x, L / JOSE_FMA_BLOCK, w->operand, L / JOSE_FMA_BLOCK);
}

// multiply sets w->x = x * b / R mod n. Limb i of b is b[i].
JOSE_FMA_INLINE void multiply(work *w, const double *b, const jose_rsa_fma_key *key,
                              const key_shape shape)
{
    for (int c = 0; c < shape.L; c++) w->low[c] = w->high[c] = ZERO;
    spread(w, b, shape.L);
    ADD_ROTATED(0)
    spread(w, b + shape.L, shape.L);
    ADD_ROTATED(1)
    spread(w, b + 2 * shape.L, shape.L);
    ADD_ROTATED(2)
    spread(w, b + 3 * shape.L, shape.L);
    ADD_ROTATED(3)
    reduce(w, key, shape);
}

// in_order writes the limbs of w->x, lowest first.
JOSE_FMA_INLINE void in_order(double *limbs, const work *w, int L)
{
    for (int j = 0; j < L; j++) {
        limbs[j] = w->x[j][0];
        limbs[L + j] = w->x[j][1];
        limbs[2 * L + j] = w->x[j][2];
        limbs[3 * L + j] = w->x[j][3];
    }
}

// MARK: the power

// start clears what must be zero and reads x into w->x. finish writes w->x to x.
JOSE_FMA_INLINE void start(work *w, const int64_t *x, const key_shape shape)
{
    jose_fma_sums unused_top;
    for (int i = 0; i < SPLIT; i++) w->split[i] = ZERO;
    for (int j = shape.L; j < QUARTER_LIMBS + JOSE_FMA_BLOCK; j++) w->t[j] = _mm256_setzero_pd();
    (void)settle(w->x, (const jose_fma_sums *)x, shape, JOSE_FMA_PLAIN, &unused_top);
}

JOSE_FMA_INLINE void finish(int64_t *x, const work *w, int L)
{
    for (int j = 0; j < L; j++)
        for (int q = 0; q < 4; q++) x[4 * j + q] = (int64_t)w->x[j][q];
}

JOSE_FMA_INLINE void power(const jose_rsa_fma_key *key, int64_t *x, work *w, const int n)
{
    const key_shape shape = shape_of(n);
    double first[4 * QUARTER_LIMBS], base[4 * QUARTER_LIMBS];
    start(w, x, shape);
    in_order(first, w, shape.L);
    multiply(w, key->limbs + 4 * JOSE_FMA_LAYOUTS * shape.L, key, shape);
    in_order(base, w, shape.L);
    for (int bit = 30 - __builtin_clz(key->e); bit >= 0; bit--) {
        square(w, key, shape);
        if ((key->e >> bit & 1) == 0) continue;
        // The last product is by x itself, which also leaves Montgomery form.
        multiply(w, bit == 0 ? first : base, key, shape);
    }
    finish(x, w, shape.L);
}

#define JOSE_FMA_SIZE(BITS, BLOCKS)                                                             \
    static __attribute__((noinline)) void power_##BITS(const jose_rsa_fma_key *key, int64_t *x, \
                                                       work *w)                                 \
    {                                                                                           \
        power(key, x, w, BLOCKS);                                                               \
    }

JOSE_FMA_SIZE(2048, 2)
JOSE_FMA_SIZE(3072, 3)
JOSE_FMA_SIZE(4096, 4)

void jose_fma_power(const jose_rsa_fma_key *key, int64_t *x, uint64_t *memory)
{
    work *w = (work *)memory;
    switch (key->size) {
    case 256: power_2048(key, x, w); break;
    case 384: power_3072(key, x, w); break;
    case 512: power_4096(key, x, w); break;
    default: break;
    }
}

// MARK: factors, of 2048 bits

enum { FACTOR_BLOCKS = 2 };

static __attribute__((noinline)) void scale(const jose_rsa_fma_key *key, work *w,
                                            const double *factor)
{
    multiply(w, factor, key, shape_of(FACTOR_BLOCKS));
}

void jose_fma_factor(const jose_rsa_fma_key *key, double *factor, int64_t *x, uint64_t *memory)
{
    const key_shape shape = shape_of(FACTOR_BLOCKS);
    work *w = (work *)memory;
    start(w, x, shape);
    scale(key, w, key->limbs + 4 * JOSE_FMA_LAYOUTS * shape.L);
    in_order(factor, w, shape.L);
}

void jose_fma_scale(const jose_rsa_fma_key *key, int64_t *x, const double *factor,
                    uint64_t *memory)
{
    const key_shape shape = shape_of(FACTOR_BLOCKS);
    work *w = (work *)memory;
    start(w, x, shape);
    scale(key, w, factor);
    finish(x, w, shape.L);
}

void jose_fma_square_factor(const jose_rsa_fma_key *key, double *factor, uint64_t *memory)
{
    static const int64_t none[4 * QUARTER_LIMBS];
    const key_shape shape = shape_of(FACTOR_BLOCKS);
    work *w = (work *)memory;
    start(w, none, shape);
    for (int j = 0; j < shape.L; j++)
        w->x[j] = _mm256_set_pd(factor[3 * shape.L + j], factor[2 * shape.L + j],
                                factor[shape.L + j], factor[j]);
    scale(key, w, factor);
    in_order(factor, w, shape.L);
}

#pragma clang attribute pop
#endif
