// prove_rsa.c: the RSA kernels of this processor against BN_mod_exp_mont, with random and edge
// values, all sizes.

#include <openssl/bn.h>
#include <stdio.h>
#include <string.h>

#include "prove.h"

enum { LANES = JOSE_RSA_KERNEL_LANES,
       BYTES = JOSE_RSA_KERNEL_MAX_BYTES,
       ROUNDS = 256,
       FIRST_ROUNDS = 24 };

typedef struct counts {
    uint64_t single, batch, doubles, doubles_batch, references, moduli, rejected_range,
        rejected_fixed;
} counts;

// A modulus, OpenSSL's objects for it, and the prepared key.
typedef struct subject {
    BIGNUM *n, *r_inverse;
    BN_MONT_CTX *mont;
    jose_rsa_ifma_key *key;     // NULL without IFMA
    jose_rsa_fma_key *doubles;  // NULL without FMA
    uint32_t e;
} subject;

static BN_CTX *context;

// paint sets `count` bits of a little-endian number from bit `from` on to all ones or all zeros.
static void paint(uint8_t *number, size_t from, size_t count, bool one)
{
    for (size_t bit = from; count > 0;) {
        const size_t take = bit % 8 + count < 8 ? count : 8 - bit % 8;
        const uint8_t mask = (uint8_t)(((1u << take) - 1) << bit % 8);
        number[bit / 8] = (uint8_t)(one ? number[bit / 8] | mask : number[bit / 8] & ~mask);
        bit += take;
        count -= take;
    }
}

// patterned fills bytes randomly (kind 0), with runs of ones and zeros (1), or with limbs of 52
// bits that are all ones, all zeros or random (2: often, 3: sometimes).
static void patterned(uint8_t *bytes, size_t size, unsigned kind)
{
    uint8_t number[BYTES];
    bool one = prove_random() & 1;
    prove_bytes(number, size);
    for (size_t bit = 0, run; kind != 0 && bit < 8 * size; bit += run, one = !one) {
        const uint64_t choice = prove_below(kind == 2 ? 3 : 8);
        run = kind == 1 ? 1 + prove_below(prove_below(2) ? 200 : 20) : 52;
        if (run > 8 * size - bit) run = 8 * size - bit;
        if (kind == 1 || choice < 2) paint(number, bit, run, kind == 1 ? one : choice == 0);
    }
    for (size_t i = 0; i < size; i++) bytes[i] = number[size - 1 - i];
}

static void make_modulus(BIGNUM *n, int bits)
{
    uint8_t bytes[BYTES];
    const size_t size = (size_t)bits / 8;
    const uint64_t kind = prove_below(8);
    patterned(bytes, size, kind < 3 ? 0 : kind < 5 ? 1
                                      : kind == 5  ? 2
                                                   : 3);
    bytes[0] |= 0x80;
    bytes[size - 1] |= 1;
    BN_bin2bn(bytes, (int)size, n);
    if (kind == 6) {  // just below 2^bits
        BN_zero(n);
        BN_set_bit(n, bits);
        BN_sub_word(n, prove_random() >> prove_below(64) | 1);
    } else if (kind == 7) {  // just above 2^(bits - 1)
        BN_zero(n);
        BN_set_bit(n, bits - 1);
        BN_add_word(n, prove_random() >> prove_below(64) | 1);
    }
}

static void make_subject(subject *s, int bits, const BIGNUM *e)
{
    BIGNUM *r = BN_new();
    make_modulus(s->n, bits);
    PROVE(BN_MONT_CTX_set(s->mont, s->n, context) == 1, "reference");
    BN_set_bit(r, 52 * (bits == 2048 ? 40 : bits == 3072 ? 60
                                                         : 80));
    PROVE(BN_mod_inverse(s->r_inverse, r, s->n, context) != NULL, "reference");
    BN_free(r);
    jose_rsa_ifma_key_free(s->key);
    jose_rsa_fma_key_free(s->doubles);
    s->key = jose_rsa_ifma_key_new(s->n, e);
    s->doubles = jose_rsa_fma_key_new(s->n, e);
    s->e = (uint32_t)BN_get_word(e);
    PROVE((s->key != NULL) == jose_kernel_has_ifma(), "key");
    PROVE((s->doubles != NULL) == jose_kernel_has_fma(), "key");
}

// make_input selects random numbers, edges, values at or above n, and values whose Montgomery form
// is an edge.
static void make_input(uint8_t *in, const subject *s, int size)
{
    static BIGNUM *x;
    if (x == NULL) x = BN_new();
    const uint64_t kind = prove_below(64);
    if (kind < 40) {
        prove_bytes(in, (size_t)size);
        if (kind < 36) return;
    }
    patterned(in, (size_t)size, 1 + kind % 3);
    if (kind < 52) return;
    BN_bin2bn(in, size, x);
    switch (kind) {
    case 52: BN_zero(x); break;
    case 53: BN_set_word(x, 1 + prove_below(3)); break;
    case 54:
        BN_copy(x, s->n);
        BN_sub_word(x, 1 + prove_below(3));
        break;
    case 55:
        BN_copy(x, s->n);
        BN_add_word(x, prove_below(3));
        break;
    case 56:
        BN_zero(x);
        BN_set_bit(x, 8 * size);
        BN_sub_word(x, 1 + prove_below(3));
        break;
    case 57:
        BN_rshift1(x, s->n);
        BN_add_word(x, prove_below(3));
        break;
    case 58:
        BN_zero(x);
        BN_set_bit(x, (int)prove_below((uint64_t)size * 8));
        break;
    case 59:
        BN_copy(x, s->n);
        BN_sub_word(x, prove_random());
        break;
    default:  // small, large or patterned in Montgomery form
        if (kind == 60) BN_set_word(x, prove_random());
        if (kind == 61) BN_copy(x, s->n), BN_sub_word(x, prove_random());
        PROVE(BN_mod_mul(x, x, s->r_inverse, s->n, context) == 1, "reference");
    }
    if (BN_num_bytes(x) > size) BN_mask_bits(x, 8 * size);
    PROVE(BN_bn2binpad(x, in, size) == size, "reference");
}

static bool is_zero(const uint8_t *bytes, int size)
{
    uint8_t seen = 0;
    for (int i = 0; i < size; i++) seen |= bytes[i];
    return seen == 0;
}

static void dump(const char *name, const uint8_t *bytes, int size)
{
    printf("%s ", name);
    for (int i = 0; i < size; i++) printf("%02x", bytes[i]);
    puts("");
}

static void verify(const char *kernel, jose_rsa_outcome outcome, bool expected, const uint8_t *out,
                   const uint8_t *want, const subject *s, const uint8_t *in, int size)
{
    const bool done = outcome == JOSE_RSA_DONE;
    if (outcome != JOSE_RSA_CORRUPTED && done == expected &&
        (done ? memcmp(out, want, (size_t)size) == 0 : is_zero(out, size)))
        return;
    uint8_t n[BYTES];
    BN_bn2binpad(s->n, n, size);
    dump("n   ", n, size);
    dump("in  ", in, size);
    dump("want", want, size);
    dump("got ", out, size);
    printf("e %u\n", s->e);
    prove_fail(kernel, done == expected ? "another result" : "another outcome");
}

static jose_rsa_outcome outcome_of(jose_rsa_lanes lanes, int lane)
{
    return lanes.done >> lane & 1        ? JOSE_RSA_DONE
           : lanes.corrupted >> lane & 1 ? JOSE_RSA_CORRUPTED
                                         : JOSE_RSA_DECLINED;
}

// The same messages by the kernel of doubles, four at a time.
static void prove_fours(const subject *subjects, uint8_t *const *outs, const uint8_t *const *ins,
                        uint8_t want[LANES][BYTES], unsigned expected, int size, uint32_t exponent,
                        counts *total)
{
    for (int first = 0; first < LANES && subjects[0].doubles != NULL; first += JOSE_FMA_LANES) {
        const jose_rsa_fma_key *keys[JOSE_FMA_LANES];
        for (int l = 0; l < JOSE_FMA_LANES; l++) keys[l] = subjects[first + l].doubles;
        const jose_rsa_lanes lanes = jose_rsa_fma_run_x4(keys, outs + first, ins + first);
        for (int l = 0; l < JOSE_FMA_LANES; l++) {
            const int at = first + l;
            verify("doubles of four", outcome_of(lanes, l),
                   exponent == 65537 && (expected >> at & 1), outs[at], want[at], &subjects[at],
                   ins[at], size);
        }
        if (exponent == 65537) total->doubles_batch += JOSE_FMA_LANES;
    }
}

// prove_batch makes eight keys of one size and one exponent and compares all kernels on them.
static void prove_batch(subject *subjects, int bits, uint32_t exponent, int rounds, counts *total)
{
    static BIGNUM *e, *x, *y;
    if (e == NULL) e = BN_new(), x = BN_new(), y = BN_new();
    const int size = bits / 8;
    uint8_t in[LANES][BYTES], out[LANES][BYTES], want[LANES][BYTES], alone[BYTES];
    uint8_t *outs[LANES];
    const uint8_t *ins[LANES];
    const jose_rsa_ifma_key *keys[LANES];
    BN_set_word(e, exponent);
    for (int l = 0; l < LANES; l++) {
        make_subject(&subjects[l], bits, e);
        keys[l] = subjects[l].key;
        outs[l] = out[l];
        ins[l] = in[l];
    }
    total->moduli += LANES;
    for (int round = 0; round < rounds; round++) {
        unsigned expected = 0;
        for (int l = 0; l < LANES; l++) {
            const subject *s = &subjects[l];
            make_input(in[l], s, size);
            BN_bin2bn(in[l], size, x);
            if (BN_cmp(x, s->n) >= 0) {
                total->rejected_range++;
            } else {
                PROVE(BN_mod_exp_mont(y, x, e, s->n, context, s->mont) == 1, "reference");
                total->references++;
                PROVE(BN_bn2binpad(y, want[l], size) == size, "reference");
                if (BN_cmp(x, y) != 0)
                    expected |= 1u << l;
                else
                    total->rejected_fixed++;
            }
            if (s->key != NULL) {
                const jose_rsa_outcome outcome = jose_rsa_ifma_run(s->key, alone, in[l]);
                verify("single", outcome, expected >> l & 1, alone, want[l], s, in[l], size);
                total->single++;
            }
            if (s->doubles != NULL) {
                const jose_rsa_outcome outcome = jose_rsa_fma_run(s->doubles, alone, in[l]);
                verify("doubles", outcome, expected >> l & 1, alone, want[l], s, in[l], size);
                total->doubles++;
            }
        }
        prove_fours(subjects, outs, ins, want, expected, size, exponent, total);
        if (keys[0] == NULL) continue;
        const jose_rsa_lanes lanes = jose_rsa_ifma_run_x8(keys, outs, ins);
        for (int l = 0; l < LANES; l++)
            verify("batch", outcome_of(lanes, l),
                   exponent == 65537 && (expected >> l & 1), out[l], want[l], &subjects[l], in[l],
                   size);
        if (exponent == 65537) total->batch += LANES;
    }
}

static uint32_t make_exponent(void)
{
    static const uint32_t edges[] = {5, 17, 257, 65539, 0x80000001, 0xffffffff, 0xfffffffd};
    const uint64_t kind = prove_below(32);
    if (kind < 12) return 65537;
    if (kind < 14) return (uint32_t)(prove_random() >> prove_below(30)) | 3;
    if (kind < 28) return 3;
    return edges[prove_below(sizeof edges / sizeof edges[0])];
}

void prove_rsa(double seconds)
{
    static const int sizes[] = {2048, 3072, 4096};
    static counts totals[3];
    subject subjects[LANES] = {{0}};
    if (!jose_kernel_has_ifma() && !jose_kernel_has_fma()) {
        puts("rsa      this processor has neither IFMA nor FMA: nothing proved");
        return;
    }
    context = BN_CTX_new();
    for (int l = 0; l < LANES; l++) {
        subjects[l].n = BN_new();
        subjects[l].r_inverse = BN_new();
        subjects[l].mont = BN_MONT_CTX_new();
    }
    static const uint32_t always[] = {65537, 3, 0xffffffff, 0x80000001};
    prove_allow(seconds);
    for (int size = 0; size < 3; size++)  // every size with each of these, however short the time
        for (int i = 0; i < 4; i++)
            prove_batch(subjects, sizes[size], always[i], FIRST_ROUNDS, &totals[size]);
    while (prove_time_left()) {
        const uint64_t pick = prove_below(8);
        const int size = pick < 4 ? 0 : pick < 6 ? 1
                                                 : 2;
        prove_batch(subjects, sizes[size], make_exponent(), ROUNDS, &totals[size]);
    }
    uint64_t all = 0;
    for (int i = 0; i < 3; i++) {
        const counts *t = &totals[i];
        printf("rsa %d  single %llu  batch %llu  by doubles: single %llu  batch %llu  references "
               "%llu  "
               "moduli %llu  rejected: at or above n %llu, fixed points %llu\n",
               sizes[i], (unsigned long long)t->single, (unsigned long long)t->batch,
               (unsigned long long)t->doubles, (unsigned long long)t->doubles_batch,
               (unsigned long long)t->references, (unsigned long long)t->moduli,
               (unsigned long long)t->rejected_range, (unsigned long long)t->rejected_fixed);
        all += t->single + t->batch + t->doubles + t->doubles_batch;
    }
    printf("rsa      %llu public operations, all equal to OpenSSL's\n", (unsigned long long)all);
    for (int l = 0; l < LANES; l++) {
        BN_free(subjects[l].n);
        BN_free(subjects[l].r_inverse);
        BN_MONT_CTX_free(subjects[l].mont);
        jose_rsa_ifma_key_free(subjects[l].key);
        jose_rsa_fma_key_free(subjects[l].doubles);
    }
    BN_CTX_free(context);
}
