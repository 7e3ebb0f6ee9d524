// rsa_consistency.c: checks that a private key's numbers are consistent, and computes missing ones.

#include <string.h>

#include "rsa.h"
#include "runtime/digest.h"
#include "runtime/host.h"

// Each base fails with a probability of at most one half: at most one key in 2^40 is not recovered.
enum { MAX_BASES = 40 };

// The next three functions set *fits to whether the check passes. They return 1, or 0 if memory ran
// out.

static int is_one_modulo(bool *fits, BIGNUM *rest, const BIGNUM *a, const BIGNUM *m,
                         BN_CTX *scratch)
{
    if (BN_nnmod(rest, a, m, scratch) != 1) return 0;
    *fits = BN_is_one(rest);
    return 1;
}

// *fits: the prime is odd and above 1, dp is d modulo p - 1, and e * dp is 1 modulo p - 1.
static int check_exponent(bool *fits, const BIGNUM *prime, const BIGNUM *dp,
                          const jose_rsa_private_numbers *key, BN_CTX *scratch)
{
    *fits = false;
    if (!BN_is_odd(prime) || BN_is_one(prime) || BN_is_zero(dp)) return 1;
    BIGNUM *order = BN_CTX_get(scratch);  // p - 1
    BIGNUM *value = BN_CTX_get(scratch);
    if (order == NULL || value == NULL || BN_sub(order, prime, BN_value_one()) != 1) return 0;
    BN_set_flags(order, BN_FLG_CONSTTIME);
    if (BN_nnmod(value, key->part[JOSE_RSA_D], order, scratch) != 1) return 0;
    if (BN_cmp(value, dp) != 0) return 1;
    if (BN_mul(value, key->e, dp, scratch) != 1) return 0;
    return is_one_modulo(fits, value, value, order, scratch);
}

// *fits: (2^e)^dp is 2 modulo p, and the same with dq modulo q. With a composite "prime" the
// exponents may be consistent, yet signatures would be wrong. Constant time: all but e is secret.
// Both powers in one call take half the time where OpenSSL has AVX-512 IFMA code.
static int check_powers(bool *fits, const jose_rsa_private_numbers *key, BN_CTX *scratch)
{
    const BIGNUM *p = key->part[JOSE_RSA_P], *q = key->part[JOSE_RSA_Q];
    BIGNUM *base_p = BN_CTX_get(scratch), *base_q = BN_CTX_get(scratch);
    BIGNUM *power_p = BN_CTX_get(scratch), *power_q = BN_CTX_get(scratch);
    if (power_q == NULL || BN_set_word(power_p, 2) != 1 ||
        BN_mod_exp_mont_consttime(base_p, power_p, key->e, p, scratch, NULL) != 1 ||
        BN_mod_exp_mont_consttime(base_q, power_p, key->e, q, scratch, NULL) != 1 ||
        BN_mod_exp_mont_consttime_x2(power_p, base_p, key->part[JOSE_RSA_DP], p, NULL, power_q,
                                     base_q, key->part[JOSE_RSA_DQ], q, NULL, scratch) != 1)
        return 0;
    *fits = BN_is_word(power_p, 2) && BN_is_word(power_q, 2);
    return 1;
}

jose_status jose_rsa_check_private(const jose_rsa_private_numbers *key, BN_CTX *scratch)
{
    const BIGNUM *p = key->part[JOSE_RSA_P], *q = key->part[JOSE_RSA_Q];
    jose_status status = JOSE_INTERNAL;
    bool fits = false;
    BN_CTX_start(scratch);
    BIGNUM *product = BN_CTX_get(scratch);
    if (product == NULL || BN_mul(product, p, q, scratch) != 1) goto done;
    if (BN_cmp(product, key->n) != 0 || BN_cmp(key->part[JOSE_RSA_D], key->n) >= 0) {
        status = JOSE_BAD_KEY;
        goto done;
    }
    if (check_exponent(&fits, p, key->part[JOSE_RSA_DP], key, scratch) != 1) goto done;
    if (fits && check_exponent(&fits, q, key->part[JOSE_RSA_DQ], key, scratch) != 1) goto done;
    if (fits) {
        // qi is the inverse of q modulo p; there is none if p = q.
        fits = BN_cmp(key->part[JOSE_RSA_QI], p) < 0;
        if (BN_mul(product, key->part[JOSE_RSA_QI], q, scratch) != 1) goto done;
        if (fits && is_one_modulo(&fits, product, product, p, scratch) != 1) goto done;
    }
    if (fits && check_powers(&fits, key, scratch) != 1) goto done;
    status = fits ? JOSE_OK : JOSE_BAD_KEY;

done:
    BN_CTX_end(scratch);
    return status;
}

jose_status jose_rsa_check_composite(const BIGNUM *n, BN_CTX *scratch)
{
    jose_status status = JOSE_INTERNAL;
    BN_CTX_start(scratch);
    BIGNUM *power = BN_CTX_get(scratch);
    if (power == NULL || BN_set_word(power, 2) != 1 || BN_mod_exp(power, power, n, n, scratch) != 1)
        goto done;
    // n is odd and large, so power - 2 is negative only if 2^n mod n is 0 or 1. The gcd is then 1.
    if (BN_sub_word(power, 2) != 1 || BN_gcd(power, power, n, scratch) != 1) goto done;
    status = BN_is_one(power) ? JOSE_OK : JOSE_BAD_KEY;

done:
    BN_CTX_end(scratch);
    return status;
}

// Returns a base of 64 bits that depends on the whole modulus. With small or fixed bases, the maker
// of a key could choose primes for which all bases fail.
static BN_ULONG base_of(const uint8_t digest[32], uint8_t number)
{
    uint8_t text[33], drawn[32];
    memcpy(text, digest, 32);
    text[32] = number;
    jose_digest_once(jose_digest_entry_of(JOSE_SHA256), drawn, text, sizeof text);
    BN_ULONG base = 0;
    for (size_t i = 0; i < sizeof base; i++) base = base << 8 | drawn[i];
    return base;
}

static int digest_modulus(uint8_t digest[32], const BIGNUM *n)
{
    uint8_t bytes[JOSE_MAX_MODULUS];
    const int size = BN_num_bytes(n);
    if (BN_bn2binpad(n, bytes, size) != size) return 0;
    jose_digest_once(jose_digest_entry_of(JOSE_SHA256), digest, bytes, (size_t)size);
    return 1;
}

// One try of the factoring of SP 800-56B appendix C with a given base: d * e - 1 = odd * 2^twos.
// *found stays false if the base fails. JOSE_BAD_KEY if d is no exponent for n.
static jose_status try_base(BIGNUM *factor, bool *found, BN_ULONG base, const BIGNUM *odd, int twos,
                            const BIGNUM *n, BN_CTX *scratch)
{
    jose_status status = JOSE_INTERNAL;
    *found = false;
    BN_CTX_start(scratch);
    BIGNUM *root = BN_CTX_get(scratch), *square = BN_CTX_get(scratch);
    BIGNUM *minus_one = BN_CTX_get(scratch);
    if (root == NULL || square == NULL || minus_one == NULL) goto done;
    if (BN_sub(minus_one, n, BN_value_one()) != 1) goto done;
    if (BN_set_word(square, base) != 1) goto done;
    if (BN_mod_exp(root, square, odd, n, scratch) != 1) goto done;
    status = JOSE_OK;
    if (BN_is_one(root) || BN_cmp(root, minus_one) == 0) goto done;
    for (int i = 0; i < twos; i++) {
        if (BN_mod_sqr(square, root, n, scratch) != 1) goto fail;
        if (BN_is_one(square)) {
            // A root of 1 that is neither 1 nor -1 reveals a factor.
            if (BN_sub_word(root, 1) != 1 || BN_gcd(factor, root, n, scratch) != 1) goto fail;
            *found = true;
            goto done;
        }
        if (BN_cmp(square, minus_one) == 0) goto done;
        if (BN_copy(root, square) == NULL) goto fail;
    }
    status = JOSE_BAD_KEY;
    goto done;

fail:
    status = JOSE_INTERNAL;
done:
    BN_CTX_end(scratch);
    return status;
}

// The larger of p and q is p.
static jose_status factor(jose_rsa_private_numbers *key, BN_CTX *scratch)
{
    BIGNUM *p = key->part[JOSE_RSA_P], *q = key->part[JOSE_RSA_Q];
    BIGNUM *odd = BN_CTX_get(scratch);
    if (odd == NULL || BN_mul(odd, key->part[JOSE_RSA_D], key->e, scratch) != 1)
        return JOSE_INTERNAL;
    if (BN_sub_word(odd, 1) != 1) return JOSE_INTERNAL;
    if (BN_is_zero(odd) || BN_is_odd(odd)) return JOSE_BAD_KEY;
    int twos = 0;
    while (!BN_is_bit_set(odd, twos)) twos++;
    if (BN_rshift(odd, odd, twos) != 1) return JOSE_INTERNAL;
    BN_set_flags(odd, BN_FLG_CONSTTIME);

    bool found = false;
    uint8_t digest[32];
    if (digest_modulus(digest, key->n) != 1) return JOSE_INTERNAL;
    for (uint8_t number = 0; number < MAX_BASES && !found; number++) {
        jose_status status =
            try_base(p, &found, base_of(digest, number), odd, twos, key->n, scratch);
        if (status != JOSE_OK) return status;
    }
    if (!found || BN_is_one(p)) return JOSE_BAD_KEY;
    if (BN_div(q, NULL, key->n, p, scratch) != 1) return JOSE_INTERNAL;
    if (BN_cmp(p, q) < 0) BN_swap(p, q);
    return JOSE_OK;
}

// Computes dp, dq and qi from d, p, q.
static int complete(jose_rsa_private_numbers *key, BN_CTX *scratch)
{
    const BIGNUM *p = key->part[JOSE_RSA_P], *q = key->part[JOSE_RSA_Q];
    const BIGNUM *d = key->part[JOSE_RSA_D];
    BIGNUM *order = BN_CTX_get(scratch);
    if (order == NULL || BN_sub(order, p, BN_value_one()) != 1) return 0;
    if (BN_nnmod(key->part[JOSE_RSA_DP], d, order, scratch) != 1) return 0;
    if (BN_sub(order, q, BN_value_one()) != 1) return 0;
    if (BN_nnmod(key->part[JOSE_RSA_DQ], d, order, scratch) != 1) return 0;
    return BN_mod_inverse(key->part[JOSE_RSA_QI], q, p, scratch) != NULL;
}

jose_status jose_rsa_recover(jose_rsa_private_numbers *key, BN_CTX *scratch)
{
    BN_CTX_start(scratch);
    jose_status status = jose_rsa_check_composite(key->n, scratch);
    if (status == JOSE_OK) status = factor(key, scratch);
    // There is no inverse if p and q share a factor. Any other failure is a system failure.
    if (status == JOSE_OK && complete(key, scratch) != 1)
        status = jose_take_system_failure() ? JOSE_INTERNAL : JOSE_BAD_KEY;
    BN_CTX_end(scratch);
    return status;
}
