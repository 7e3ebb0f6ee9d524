// fma_key.c: public keys prepared for the kernel of doubles, and their checksum.

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "fma_arith.h"
#include "fma_power.h"

#if JOSE_KERNELS_X86

enum { MAX_LIMBS = 80 };

// The two sums of the checksum, by lanes.
typedef struct sums {
    jose_fma_sums a, b;
} sums;

enum { ROTATION = 29 };

// b is rotated: otherwise the highest bit, a limb's sign, would reach no other bit.
__attribute__((target(JOSE_FMA_TARGET))) static inline void take(sums *s, jose_fma_sums vector)
{
    const jose_fma_sums rotated =
        _mm256_or_si256(_mm256_slli_epi64(s->b, ROTATION), _mm256_srli_epi64(s->b, 64 - ROTATION));
    s->a = jose_fma_add(s->a, vector);
    s->b = jose_fma_add(rotated, s->a);
}

__attribute__((target(JOSE_FMA_TARGET))) static inline void take_all(sums s[4], const void *vectors,
                                                                     int count)
{
    const jose_fma_sums *vector = (const jose_fma_sums *)vectors;
    int i = 0;
    for (; i + 3 < count; i += 4) {
        take(&s[0], vector[i]);
        take(&s[1], vector[i + 1]);
        take(&s[2], vector[i + 2]);
        take(&s[3], vector[i + 3]);
    }
    if (i < count) take(&s[0], vector[i]);
    if (i + 1 < count) take(&s[1], vector[i + 1]);
    if (i + 2 < count) take(&s[2], vector[i + 2]);
}

// A Fletcher sum in each lane, folded, which detects what jose_ifma_checksum detects. Vector i is
// added to s[i mod 4]. With one pair of sums, the rotations would repeat after 64 vectors, and
// changes that cancel in a would cancel in b.
__attribute__((target(JOSE_FMA_TARGET))) uint64_t jose_fma_checksum(const jose_rsa_fma_key *key)
{
    enum { MODULUS_VECTORS = sizeof key->modulus / sizeof(jose_fma_sums) };
    sums s[4] = {{.a = jose_fma_all(1)},
                 {.a = jose_fma_all(2)},
                 {.a = jose_fma_all(3)},
                 {.a = jose_fma_all(4)}};
    take_all(s, key->limbs, (JOSE_FMA_LAYOUTS + 1) * JOSE_FMA_BLOCK * jose_fma_blocks(key->size));
    take_all(s, key->modulus, MODULUS_VECTORS);
    uint64_t sum = jose_checksum_spread((uint64_t)key->e << 32 | key->size);
    for (int i = 0; i < 16; i++) {
        const uint64_t a = (uint64_t)s[i / 4].a[i % 4], b = (uint64_t)s[i / 4].b[i % 4];
        sum = (sum << 9 | sum >> 55) + (jose_checksum_spread(a) ^ b) * (uint64_t)(2 * i + 1);
    }
    return jose_checksum_end(sum);
}

// balance splits a number below R into `count` limbs of at most 2^51 in size, whose sum is that
// number modulo R.
static bool balance(double *limbs, const BIGNUM *number, int count)
{
    uint8_t bytes[MAX_LIMBS * 52 / 8];
    const int size = count * 52 / 8;
    if (BN_bn2binpad(number, bytes, size) != size) return false;
    int64_t carry = 0;
    for (int i = 0; i < count; i++) {
        uint64_t limb = 0;
        for (int b = 6; b >= 0; b--) {  // 52 bits are 6.5 bytes
            const int byte = 13 * (i / 2) + (i % 2 == 0 ? b : 6 + b);
            limb = limb << 8 | bytes[size - 1 - byte];
        }
        limb = (i % 2 == 0 ? limb : limb >> 4) & JOSE_FMA_MASK;
        int64_t sum = (int64_t)limb + carry;
        carry = sum >= INT64_C(1) << 51;
        sum -= carry << 52;
        limbs[i] = (double)sum;
    }
    return true;
}

static bool cut(BIGNUM *number, int bits)
{
    return BN_num_bits(number) <= bits || BN_mask_bits(number, bits) == 1;
}

// inverse sets v = -1/n mod 2^bits by v = v (2 + n v), which doubles the number of right bits.
static bool inverse(BIGNUM *v, const BIGNUM *n, int bits, BN_CTX *context)
{
    BIGNUM *rest = BN_new();
    bool done = rest != NULL && BN_one(v) == 1;
    for (int right = 1; done && right < bits;) {
        right = 2 * right < bits ? 2 * right : bits;
        done = BN_mul(rest, n, v, context) == 1 && BN_add_word(rest, 2) == 1 && cut(rest, right) &&
               BN_mul(v, v, rest, context) == 1 && cut(v, right);
    }
    BN_free(rest);
    return done;
}

// arrange writes one layout, with quarter which[q] of the number in lane q.
static void arrange(jose_rsa_fma_key *key, jose_fma_layout layout, const double *number, int L,
                    const int which[4])
{
    double *to = key->limbs + 4 * (int)layout * L;
    for (int j = 0; j < L; j++)
        for (int q = 0; q < 4; q++) to[4 * j + q] = number[which[q] * L + j];
}

static bool fill(jose_rsa_fma_key *key, const BIGNUM *n, const BIGNUM *e, int size)
{
    static const int which[JOSE_FMA_LAYOUTS][4] = {[JOSE_FMA_N_PAIRS] = {2, 2, 3, 3},
                                                   [JOSE_FMA_N_HALVES] = {3, 3, 1, 1},
                                                   [JOSE_FMA_N_REVERSE] = {3, 2, 1, 0},
                                                   [JOSE_FMA_V_PAIRS] = {0, 0, 1, 1},
                                                   [JOSE_FMA_V_HALVES] = {2, 2, 0, 0},
                                                   [JOSE_FMA_V_REVERSE] = {3, 2, 1, 0}};
    const int L = JOSE_FMA_BLOCK * jose_fma_blocks((size_t)size), count = 4 * L;
    double modulus[MAX_LIMBS], negative[MAX_LIMBS];
    BN_CTX *context = BN_CTX_new();
    BIGNUM *r2 = BN_new(), *v = BN_new();
    bool done = false;
    if (context == NULL || r2 == NULL || v == NULL) goto end;
    if (BN_set_bit(r2, 2 * 52 * count) != 1 || BN_mod(r2, r2, n, context) != 1) goto end;
    if (!inverse(v, n, 52 * count, context)) goto end;
    if (!balance(key->limbs + JOSE_FMA_LAYOUTS * count, r2, count)) goto end;
    if (!balance(modulus, n, count) || !balance(negative, v, count)) goto end;
    if (BN_bn2binpad(n, key->modulus, size) != size) goto end;
    for (int layout = 0; layout < JOSE_FMA_LAYOUTS; layout++)
        arrange(key, (jose_fma_layout)layout, layout < JOSE_FMA_V_PAIRS ? modulus : negative, L,
                which[layout]);
    key->e = (uint32_t)BN_get_word(e);
    key->size = (uint32_t)size;
    key->checksum = jose_fma_checksum(key);
    done = true;
end:
    BN_free(r2);
    BN_free(v);
    BN_CTX_free(context);
    return done;
}

bool jose_rsa_fma_takes(const BIGNUM *n, const BIGNUM *e)
{
    return jose_rsa_vector_takes(n, e) && jose_kernel_has_fma();
}

jose_rsa_fma_key *jose_rsa_fma_key_new(const BIGNUM *n, const BIGNUM *e)
{
    if (!jose_rsa_fma_takes(n, e)) return NULL;
    jose_rsa_fma_key *key = aligned_alloc(64, sizeof(jose_rsa_fma_key));
    if (key == NULL) return NULL;
    memset(key, 0, sizeof *key);
    if (!fill(key, n, e, BN_num_bits(n) / 8)) {
        jose_rsa_fma_key_free(key);
        return NULL;
    }
    return key;
}

void jose_rsa_fma_key_free(jose_rsa_fma_key *key)
{
    if (key == NULL) return;
    OPENSSL_cleanse(key, sizeof *key);  // a key used after this has no right checksum
    free(key);
}

#endif
