// key_okp.c: octet key pairs, Ed25519, Ed448, X25519 and X448 (RFC 8037 section 2).
//
// A coordinate that is not below p is rejected, though RFC 7748 section 5 would reduce it. No
// honest key has one, and a second encoding would be a second thumbprint. A point of small order is
// rejected: its shared secrets are public, and anyone can forge signatures for it.

#include <openssl/bn.h>
#include <sodium.h>
#include <string.h>

#include "key_raw.h"
#include "runtime/host.h"

enum { SIZE_25519 = 32,
       SIZE_448 = 56 };

// MARK: checks of public keys, not in constant time

// Little-endian, as these keys are.
static const uint8_t prime_25519[SIZE_25519] = {
    0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
static const uint8_t prime_448[SIZE_448] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
// The u of the points of order 8 on curve25519. A shared secret with such a point is zero, which
// RFC 7748 section 6.1 allows to reject.
static const uint8_t order_8[2][SIZE_25519] = {
    {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3,
     0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
     0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
    {0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1,
     0x55, 0x9c, 0x83, 0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c,
     0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57},
};

static bool is_below(const uint8_t *number, const uint8_t *limit, size_t size)
{
    for (size_t i = size; i-- > 0;)
        if (number[i] != limit[i]) return number[i] < limit[i];
    return false;
}

// Whether a number below the prime is 0, 1 or p - 1: small order on each of the four curves.
static bool is_extreme(const uint8_t *number, const uint8_t *prime, size_t size)
{
    bool is_small = number[0] <= 1, is_large = number[0] == (prime[0] ^ 1);
    for (size_t i = 1; i < size; i++) {
        is_small &= number[i] == 0;
        is_large &= number[i] == prime[i];
    }
    return is_small || is_large;
}

static bool is_good_x25519(const jose_library *library, const uint8_t *u)
{
    (void)library;
    return is_below(u, prime_25519, SIZE_25519) && !is_extreme(u, prime_25519, SIZE_25519) &&
           memcmp(u, order_8[0], SIZE_25519) != 0 && memcmp(u, order_8[1], SIZE_25519) != 0;
}

static bool is_good_x448(const jose_library *library, const uint8_t *u)
{
    (void)library;
    return is_below(u, prime_448, SIZE_448) && !is_extreme(u, prime_448, SIZE_448);
}

const uint8_t jose_ed25519_order_8[2][32] = {
    {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
     0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
     0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
    {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
     0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
     0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
};

// The checks that the FIPS provider omits. It checks only that the point is on the curve.
static bool is_canonical_of_large_order(const uint8_t *point)
{
    uint8_t y[SIZE_25519];
    memcpy(y, point, sizeof y);
    y[SIZE_25519 - 1] &= 0x7f;
    return is_below(y, prime_25519, SIZE_25519) && !is_extreme(y, prime_25519, SIZE_25519) &&
           memcmp(y, jose_ed25519_order_8[0], SIZE_25519) != 0 &&
           memcmp(y, jose_ed25519_order_8[1], SIZE_25519) != 0;
}

// libsodium also checks curve and subgroup. With a FIPS provider nothing checks the subgroup.
static bool is_good_ed25519(const jose_library *library, const uint8_t *point)
{
    if (library->is_fips) return is_canonical_of_large_order(point);
    return crypto_core_ed25519_is_valid_point(point) == 1;
}

// Whether x^2 = (y^2 - 1) / (d y^2 - 1), d = -39081, has a root.
static bool has_ed448_point(const jose_library *library, const uint8_t *y)
{
    bool has = false;
    BN_CTX *scratch = BN_CTX_new_ex(library->context);
    if (scratch == NULL) return false;
    BN_CTX_start(scratch);
    BIGNUM *p = BN_CTX_get(scratch), *square = BN_CTX_get(scratch);
    BIGNUM *numerator = BN_CTX_get(scratch), *denominator = BN_CTX_get(scratch);
    if (p == NULL || square == NULL || numerator == NULL || denominator == NULL) goto done;
    if (BN_lebin2bn(prime_448, SIZE_448, p) == NULL ||
        BN_lebin2bn(y, SIZE_448, square) == NULL || BN_mod_sqr(square, square, p, scratch) != 1 ||
        BN_copy(numerator, square) == NULL || BN_sub_word(numerator, 1) != 1 ||
        BN_copy(denominator, square) == NULL || BN_mul_word(denominator, 39081) != 1 ||
        BN_add_word(denominator, 1) != 1)
        goto done;
    BN_set_negative(denominator, 1);
    if (BN_mod_mul(numerator, numerator, denominator, p, scratch) != 1) goto done;
    has = BN_kronecker(numerator, p, scratch) == 1;

done:
    BN_CTX_end(scratch);
    BN_CTX_free(scratch);
    return has;
}

static bool is_good_ed448(const jose_library *library, const uint8_t *point)
{
    return (point[SIZE_448] & 0x7f) == 0 && is_below(point, prime_448, SIZE_448) &&
           !is_extreme(point, prime_448, SIZE_448) && has_ed448_point(library, point);
}

static bool is_good(const jose_library *library, jose_curve curve, const uint8_t *x)
{
    static bool (*const checks[])(const jose_library *, const uint8_t *) = {
        [JOSE_ED25519] = is_good_ed25519,
        [JOSE_ED448] = is_good_ed448,
        [JOSE_X25519] = is_good_x25519,
        [JOSE_X448] = is_good_x448,
    };
    return checks[curve](library, x);
}

// MARK: public functions

jose_status jose_okp_public(jose_key **key, jose_curve curve, const uint8_t *x, size_t x_len)
{
    *key = NULL;
    const jose_curve_entry *entry = jose_curve_entry_of(curve);
    if (entry->type != JOSE_KEY_OKP || x_len != entry->bytes) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    if (library == NULL) return JOSE_INTERNAL;
    if (!is_good(library, curve, x))
        return jose_take_system_failure() ? JOSE_INTERNAL : JOSE_BAD_KEY;
    return jose_raw_public(key, library, curve, x);
}

jose_status jose_okp_private(jose_key **key, jose_curve curve, const uint8_t *x, size_t x_len,
                             const uint8_t *d, size_t d_len)
{
    *key = NULL;
    const jose_curve_entry *entry = jose_curve_entry_of(curve);
    if (entry->type != JOSE_KEY_OKP || d_len != entry->bytes ||
        (x_len != 0 && x_len != entry->bytes))
        return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL
               ? JOSE_INTERNAL
               : jose_raw_private(key, library, curve, x_len == 0 ? NULL : x, d, NULL, 0);
}

jose_status jose_okp_generate(jose_key **key, jose_module module, jose_curve curve)
{
    *key = NULL;
    if (jose_curve_type(curve) != JOSE_KEY_OKP) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_of(module);
    return library == NULL ? JOSE_INTERNAL : jose_raw_generate(key, library, curve);
}
