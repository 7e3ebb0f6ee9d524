// rsa_bn.c: the RSA public operation by square and multiply, with OpenSSL's Montgomery functions.

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <stdlib.h>

#include "rsa_bn.h"

struct jose_rsa_bn_key {
    BIGNUM *n;
    BN_MONT_CTX *mont;
    uint32_t e;
    int size;
};

struct jose_rsa_bn_scratch {
    BN_CTX *context;
    BIGNUM *message, *base, *power;
};

bool jose_rsa_bn_accepts(const BIGNUM *n, const BIGNUM *e)
{
    if (BN_is_negative(n) || !BN_is_odd(n) || BN_num_bits(n) < 1024) return false;
    return !BN_is_negative(e) && BN_is_odd(e) && !BN_is_one(e) && BN_num_bits(e) <= 32;
}

jose_rsa_bn_key *jose_rsa_bn_key_new(const BIGNUM *n, const BIGNUM *e)
{
    if (!jose_rsa_bn_accepts(n, e)) return NULL;
    jose_rsa_bn_key *key = OPENSSL_zalloc(sizeof *key);
    BN_CTX *context = BN_CTX_new();
    if (key != NULL) {
        key->n = BN_dup(n);
        key->mont = BN_MONT_CTX_new();
        key->e = (uint32_t)BN_get_word(e);
        key->size = BN_num_bytes(n);
    }
    if (key == NULL || context == NULL || key->n == NULL || key->mont == NULL ||
        BN_MONT_CTX_set(key->mont, n, context) != 1) {
        jose_rsa_bn_key_free(key);
        key = NULL;
    }
    BN_CTX_free(context);
    return key;
}

void jose_rsa_bn_key_free(jose_rsa_bn_key *key)
{
    if (key == NULL) return;
    BN_free(key->n);
    BN_MONT_CTX_free(key->mont);
    OPENSSL_free(key);
}

jose_rsa_bn_scratch *jose_rsa_bn_scratch_new(void)
{
    jose_rsa_bn_scratch *scratch = OPENSSL_zalloc(sizeof *scratch);
    if (scratch == NULL) return NULL;
    scratch->context = BN_CTX_new();
    scratch->message = BN_new();
    scratch->base = BN_new();
    scratch->power = BN_new();
    if (scratch->context == NULL || scratch->message == NULL || scratch->base == NULL ||
        scratch->power == NULL) {
        jose_rsa_bn_scratch_free(scratch);
        return NULL;
    }
    return scratch;
}

void jose_rsa_bn_scratch_free(jose_rsa_bn_scratch *scratch)
{
    if (scratch == NULL) return;
    BN_clear_free(scratch->message);
    BN_clear_free(scratch->base);
    BN_clear_free(scratch->power);
    BN_CTX_free(scratch->context);
    OPENSSL_free(scratch);
}

static bool power(const jose_rsa_bn_key *key, jose_rsa_bn_scratch *s)
{
    BIGNUM *y = s->power;
    // The Montgomery form of x is x R. Each product divides by R, so the last product, which is
    // with x itself, leaves Montgomery form.
    if (BN_to_montgomery(s->base, s->message, key->mont, s->context) != 1) return false;
    const BIGNUM *from = s->base;
    for (int bit = 30 - __builtin_clz(key->e); bit >= 0; bit--, from = y) {
        if (BN_mod_mul_montgomery(y, from, from, key->mont, s->context) != 1) return false;
        if ((key->e >> bit & 1) == 0) continue;
        const BIGNUM *factor = bit == 0 ? s->message : s->base;
        if (BN_mod_mul_montgomery(y, y, factor, key->mont, s->context) != 1) return false;
    }
    return true;
}

jose_rsa_outcome jose_rsa_bn_run(const jose_rsa_bn_key *key, jose_rsa_bn_scratch *scratch,
                                 uint8_t *out, const uint8_t *in)
{
    if (BN_bin2bn(in, key->size, scratch->message) == NULL) return JOSE_RSA_DECLINED;
    if (BN_cmp(scratch->message, key->n) >= 0) return JOSE_RSA_DECLINED;
    if (!power(key, scratch)) return JOSE_RSA_DECLINED;
    if (BN_cmp(scratch->power, key->n) >= 0) return JOSE_RSA_CORRUPTED;
    return BN_bn2binpad(scratch->power, out, key->size) == key->size ? JOSE_RSA_DONE
                                                                     : JOSE_RSA_DECLINED;
}
