// prove_fma.c: the step of the kernel of doubles with extreme limbs, against its integer twin limb
// by limb and against OpenSSL by value. Numbers from bytes never have such limbs.

#include <openssl/bn.h>
#include <stdio.h>
#include <string.h>

#include "fma_products.h"
#include "fma_mode.h"
#include "fma_power.h"
#include "fma_twin.h"
#include "prove.h"

#if JOSE_KERNELS_X86

// The kernel's own source, for its static functions.
#define jose_fma_power opened_power
#define jose_fma_power_x4 opened_power_x4
#define jose_fma_factor opened_factor
#define jose_fma_scale opened_scale
#define jose_fma_square_factor opened_square_factor
#include "fma_power.c"
#undef ZERO
#undef PICK
#undef ONLY
#define settle settle_x4
#define reduce reduce_x4
#include "fma_x4.c"
#undef settle
#undef reduce
#undef jose_fma_power
#undef jose_fma_power_x4
#undef jose_fma_factor
#undef jose_fma_scale
#undef jose_fma_square_factor

// One step of a single number; a square if b is NULL.
__attribute__((target(JOSE_FMA_TARGET))) static void proof_step(work *w, const double *b,
                                                                const jose_rsa_fma_key *key, int n)
{
    const key_shape s = shape_of(n);
    if (b == NULL)
        square(w, key, s);
    else
        multiply(w, b, key, s);
}

enum { LANES = JOSE_FMA_LANES,
       LIMBS = FMA_TWIN_LIMBS,
       SIDE = LIMBS / JOSE_FMA_BLOCK };
#define LARGEST ((INT64_C(1) << 51) + 256)

static uint64_t blocks_checked, steps_checked;

// extreme selects a limb of a kind: the largest and least, the edges of a half limb, zero, random.
static int64_t extreme(unsigned kind)
{
    switch (kind % 9) {
    case 0: return LARGEST;
    case 1: return -LARGEST;
    case 2: return prove_below(2) ? LARGEST : -LARGEST;
    case 3: return ((int64_t)prove_below(3) - 1) * (INT64_C(1) << 51);
    case 4: return prove_below(2) ? (INT64_C(1) << 51) - 1 : -(INT64_C(1) << 51);
    case 5: return prove_below(8) ? 0 : LARGEST;
    case 6: return (int64_t)prove_below(5) - 2;
    case 7: return (INT64_C(1) << prove_below(52)) * (prove_below(2) ? 1 : -1);
    default: return (int64_t)(prove_random() & JOSE_FMA_MASK) - (INT64_C(1) << 51);
    }
}

// Nine kinds of numbers of one kind of limb, and those of all kinds.
static void extremes(int64_t *limbs, int count)
{
    const unsigned kind = (unsigned)prove_below(18);
    for (int i = 0; i < count; i++)
        limbs[i] = extreme(kind < 9 ? kind : (unsigned)prove_random() % 9);
}

// MARK: products of blocks

static jose_fma_limbs left[LIMBS], right[LIMBS];
static jose_fma_sums sums[2 * LIMBS];

static int pairs_in(int an, int bn, int column)
{
    int count = 0;
    for (int i = 0; i < an; i++) count += column - i >= 0 && column - i < bn;
    return count;
}

// The constants of limb products that the functions for few blocks leave in a column.
static uint64_t constants_in(int an, int bn, int column)
{
    const int block = JOSE_FMA_BLOCK;
    if (bn != 2 * block || an > 2 * block) return 0;
    return (uint64_t)pairs_in(an, bn, column) * JOSE_FMA_LOW_BITS +
           (uint64_t)pairs_in(an, bn, column - 1) * JOSE_FMA_HIGH_BITS;
}

// Compares sums of a product of `an` by `bn` limbs.
static void same(const int64_t *want, int an, int bn, int from, int to, int lane, const char *what)
{
    for (int i = from; i < to; i++)
        PROVE(((const uint64_t *)&sums[i])[lane] - constants_in(an, bn, i) == (uint64_t)want[i],
              what);
    blocks_checked++;
}

__attribute__((target(JOSE_FMA_TARGET))) static void prove_products(int an, int bn)
{
    static int64_t a[LANES][LIMBS], b[LANES][LIMBS];
    int64_t want[2 * LIMBS];
    const int al = JOSE_FMA_BLOCK * an, bl = JOSE_FMA_BLOCK * bn;
    for (int l = 0; l < LANES; l++) {
        extremes(a[l], al);
        extremes(b[l], bl);
        for (int i = 0; i < al; i++) ((double *)&left[i])[l] = (double)a[l][i];
        for (int i = 0; i < bl; i++) ((double *)&right[i])[l] = (double)b[l][i];
    }
    uint32_t had = jose_fma_mode_enter();
    jose_fma_multiply(sums, left, an, right, bn);
    jose_mode_leave(had);
    for (int l = 0; l < LANES; l++) {
        fma_twin_product(want, a[l], al, b[l], bl);
        same(want, al, bl, 0, al + bl, l, "multiply");
    }
    if (an != bn) return;
    for (int l = 0; l < LANES; l++) {
        fma_twin_product(want, a[l], al, b[l], bl);
        if (l == 0) {
            had = jose_fma_mode_enter();
            jose_fma_low(sums, left, right, an);
            jose_mode_leave(had);
        }
        same(want, al, al, 0, al, l, "low");
    }
    had = jose_fma_mode_enter();
    jose_fma_high(sums, left, right, an);
    jose_mode_leave(had);
    for (int l = 0; l < LANES; l++) {
        fma_twin_product(want, a[l], al, b[l], bl);
        same(want, al, al, al - 1, 2 * al, l, "high");
    }
    had = jose_fma_mode_enter();
    jose_fma_square(sums, left, an);
    jose_mode_leave(had);
    for (int l = 0; l < LANES; l++) {
        fma_twin_product(want, a[l], al, a[l], al);
        same(want, al, al, 0, 2 * al, l, "square");
    }
}

// MARK: the step

static void value_of(BIGNUM *value, const int64_t *limbs, int count)
{
    BN_zero(value);
    for (int i = count - 1; i >= 0; i--) {
        BN_lshift(value, value, 52);
        if (limbs[i] >= 0)
            BN_add_word(value, (uint64_t)limbs[i]);
        else
            BN_sub_word(value, (uint64_t)-limbs[i]);
    }
}

// A modulus of extreme or random limbs: odd, of exactly that many bits.
static void make_modulus(BIGNUM *n, int bits, int count)
{
    int64_t limbs[LIMBS];
    BN_rand(n, bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
    if (prove_below(4) == 0) return;
    const int top = bits / 52;
    extremes(limbs, top);
    for (int i = top; i < count; i++) limbs[i] = 0;
    limbs[top] =
        (INT64_C(1) << bits % 52) - 1 - (int64_t)prove_below(4) % (INT64_C(1) << bits % 52) / 2;
    limbs[0] |= 1;
    BIGNUM *value = BN_new();
    value_of(value, limbs, count);
    if (BN_num_bits(value) == bits && BN_is_odd(value) && !BN_is_negative(value)) BN_copy(n, value);
    BN_free(value);
}

typedef struct {
    BIGNUM *n, *inverse;  // 1/R mod n
    jose_rsa_fma_key *key;
    int64_t plain_n[LIMBS], plain_v[LIMBS];
} subject;

static void make_subject(subject *s, int bits, BN_CTX *context)
{
    const int L = JOSE_FMA_BLOCK * jose_fma_blocks((size_t)bits / 8), count = 4 * L;
    BIGNUM *e = BN_new();
    BN_set_word(e, 65537);
    make_modulus(s->n, bits, count);
    jose_rsa_fma_key_free(s->key);
    s->key = jose_rsa_fma_key_new(s->n, e);
    PROVE(s->key != NULL, "key");
    for (int q = 0; q < 4; q++)
        for (int j = 0; j < L; j++) {
            s->plain_n[q * L + j] =
                (int64_t)s->key->limbs[4 * (JOSE_FMA_N_REVERSE * L + j) + 3 - q];
            s->plain_v[q * L + j] =
                (int64_t)s->key->limbs[4 * (JOSE_FMA_V_REVERSE * L + j) + 3 - q];
        }
    BN_zero(e);
    BN_set_bit(e, 52 * count);
    PROVE(BN_mod_inverse(s->inverse, e, s->n, context) != NULL, "reference");
    value_of(e, s->plain_v, count);  // n v = -1 mod R
    PROVE(BN_mul(e, e, s->n, context) == 1 && BN_add_word(e, 1) == 1, "inverse");
    for (int i = 0; i < 52 * count; i++) PROVE(!BN_is_bit_set(e, i), "inverse");
    value_of(e, s->plain_n, count);
    PROVE(BN_cmp(e, s->n) == 0, "modulus");
    BN_free(e);
}

// The most extreme limbs, below n in size or slightly above: all that the step may get, and more.
static void make_operand(int64_t *limbs, int bits, int count)
{
    const int top = bits / 52;
    extremes(limbs, count);
    const int64_t most = INT64_C(1) << bits % 52;
    limbs[top] = (int64_t)prove_below(2 * (uint64_t)most) - most;
    if (prove_below(8) == 0) limbs[top] = prove_below(2) ? most : -most;
    for (int i = top + 1; i < count; i++) limbs[i] = 0;
}

static void verify(const int64_t *x, const int64_t *want, const BIGNUM *value, const subject *s,
                   int count, const char *what)
{
    BIGNUM *got = BN_new();
    for (int i = 0; i < count; i++)
        PROVE(x[i] == want[i] && x[i] <= LARGEST && x[i] >= -LARGEST, what);
    value_of(got, x, count);
    PROVE(BN_ucmp(got, s->n) < 0, what);
    if (BN_is_negative(got)) BN_add(got, got, s->n);
    PROVE(BN_cmp(got, value) == 0, what);
    BN_free(got);
    steps_checked++;
}

static void prove_steps(subject *subjects, int bits, BN_CTX *context)
{
    static int64_t a[LANES][LIMBS], b[LANES][LIMBS], x[LIMBS], want[LANES][LIMBS];
    static work w;
    static jose_fma_limbs y[LIMBS], second[LIMBS], n[LIMBS], v[LIMBS], t[LIMBS];
    static jose_fma_sums T[2 * LIMBS], product[2 * LIMBS];
    double limbs[LIMBS];
    const int blocks = jose_fma_blocks((size_t)bits / 8), L = JOSE_FMA_BLOCK * blocks,
              count = 4 * L;
    BIGNUM *value[LANES], *other = BN_new();
    const bool is_square = prove_below(2);
    memset(&w, 0, sizeof w);
    for (int l = 0; l < LANES; l++) {
        const subject *s = &subjects[l];
        make_operand(a[l], bits, count);
        make_operand(b[l], bits, count);
        if (is_square) memcpy(b[l], a[l], sizeof b[l]);
        fma_twin_step(want[l], a[l], b[l], s->plain_n, s->plain_v, count);
        value[l] = BN_new();
        value_of(value[l], a[l], count);
        value_of(other, b[l], count);
        PROVE(BN_mul(value[l], value[l], other, context) == 1, "reference");
        PROVE(BN_mul(value[l], value[l], s->inverse, context) == 1, "reference");
        PROVE(BN_nnmod(value[l], value[l], s->n, context) == 1, "reference");

        for (int i = 0; i < count; i++) {
            ((double *)&w.x[i % L])[i / L] = (double)a[l][i];
            limbs[i] = (double)b[l][i];
            ((double *)&y[i])[l] = (double)a[l][i];
            ((double *)&second[i])[l] = (double)b[l][i];
            ((double *)&n[i])[l] = (double)s->plain_n[i];
            ((double *)&v[i])[l] = (double)s->plain_v[i];
        }
        const uint32_t had = jose_fma_mode_enter();
        proof_step(&w, is_square ? NULL : limbs, s->key, blocks);
        jose_mode_leave(had);
        for (int i = 0; i < count; i++) x[i] = (int64_t)((double *)&w.x[i % L])[i / L];
        verify(x, want[l], value[l], s, count, "one");
    }
    const uint32_t had = jose_fma_mode_enter();
    if (is_square)
        jose_fma_square(T, y, 4 * blocks);
    else
        jose_fma_multiply(T, y, 4 * blocks, second, 4 * blocks);
    reduce_x4(y, T, n, v, t, product, 4 * blocks);
    jose_mode_leave(had);
    for (int l = 0; l < LANES; l++) {
        for (int i = 0; i < count; i++) x[i] = (int64_t)((double *)&y[i])[l];
        verify(x, want[l], value[l], &subjects[l], count, "of four");
        BN_free(value[l]);
    }
    BN_free(other);
}

void prove_fma(double seconds)
{
    if (!jose_kernel_has_fma()) {
        puts("fma      this processor has no FMA: nothing proved");
        return;
    }
    BN_CTX *context = BN_CTX_new();
    subject subjects[LANES] = {{0}};
    for (int l = 0; l < LANES; l++) subjects[l].n = BN_new(), subjects[l].inverse = BN_new();
    prove_allow(seconds);
    for (int round = 0; round < 4 || prove_time_left(); round++) {
        for (int an = 1; an <= SIDE; an++) {
            prove_products(an, an);
            if (an <= 4) prove_products((an + 1) / 2, an);
        }
        for (int bits = 2048; bits <= 4096; bits += 1024) {
            for (int l = 0; l < LANES; l++) make_subject(&subjects[l], bits, context);
            for (int i = 0; i < 16; i++) prove_steps(subjects, bits, context);
        }
    }
    for (int l = 0; l < LANES; l++) {
        BN_free(subjects[l].n);
        BN_free(subjects[l].inverse);
        jose_rsa_fma_key_free(subjects[l].key);
    }
    BN_CTX_free(context);
    printf("fma      %llu products and %llu steps of extreme limbs, equal to their twin and to "
           "OpenSSL\n",
           (unsigned long long)blocks_checked, (unsigned long long)steps_checked);
}

#else

void prove_fma(double seconds)
{
    (void)seconds;
    puts("fma      not of this processor: nothing proved");
}

#endif
