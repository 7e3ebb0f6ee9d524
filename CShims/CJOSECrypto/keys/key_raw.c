// key_raw.c: imports, generates and copies OKP and AKP keys.

#include "key_raw.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

#include "runtime/random.h"

// The largest sizes, of ML-DSA-87 and Ed448.
enum { MAX_PUBLIC = 2592,
       MAX_EXPANDED = 4896,
       MAX_SECRET = 57 };

static bool has_seed(jose_curve curve)
{
    return jose_curve_type(curve) == JOSE_KEY_AKP;
}

static size_t secret_bytes(jose_curve curve)
{
    return has_seed(curve) ? JOSE_AKP_SEED : jose_curve_bytes(curve);
}

static const char *secret_name(jose_curve curve)
{
    return has_seed(curve) ? "seed"  // OSSL_PKEY_PARAM_ML_DSA_SEED: not in headers before 3.5
                           : OSSL_PKEY_PARAM_PRIV_KEY;
}

static jose_status build(EVP_PKEY **pkey, const jose_library *library, jose_curve curve,
                         const uint8_t *bytes, bool is_private)
{
    const char *name = is_private ? secret_name(curve) : OSSL_PKEY_PARAM_PUB_KEY;
    const size_t size = is_private ? secret_bytes(curve) : jose_curve_bytes(curve);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(name, (void *)bytes, size),
        OSSL_PARAM_construct_end(),
    };
    return jose_key_fromdata(pkey, library, jose_curve_type(curve), curve, params, is_private);
}

static jose_status adopt(jose_key **key, const jose_library *library, EVP_PKEY *pkey,
                         jose_curve curve, const uint8_t *pub,
                         const uint8_t *secret)
{
    const jose_curve_entry *entry = jose_curve_entry_of(curve);
    const jose_key_facts facts = {
        .type = entry->type,
        .curve = curve,
        .is_private = secret != NULL,
        .bits = entry->bits,
        .numbers = {{pub, entry->bytes}},
        .secret = {secret, secret == NULL ? 0 : secret_bytes(curve)},
    };
    *key = jose_key_adopt(library, pkey, &facts);
    return *key == NULL ? JOSE_INTERNAL : JOSE_OK;
}

jose_status jose_raw_public(jose_key **key, const jose_library *library, jose_curve curve,
                            const uint8_t *pub)
{
    EVP_PKEY *pkey;
    jose_status status = build(&pkey, library, curve, pub, false);
    if (status == JOSE_OK && library->is_fips && jose_curve_type(curve) == JOSE_KEY_OKP) {
        status = jose_key_validate(library, pkey, false);
        if (status != JOSE_OK) EVP_PKEY_free(pkey);
    }
    return status == JOSE_OK ? adopt(key, library, pkey, curve, pub, NULL) : status;
}

static EVP_PKEY *public_copy(const jose_library *library, const jose_key *key)
{
    EVP_PKEY *pkey;
    return build(&pkey, library, key->curve, key->numbers, false) == JOSE_OK ? pkey : NULL;
}

static jose_status compare_expanded(EVP_PKEY *pkey, const uint8_t *expanded, size_t expanded_len)
{
    uint8_t own[MAX_EXPANDED];
    size_t written = 0;
    jose_status status = JOSE_OK;
    if (EVP_PKEY_get_octet_string_param(pkey, OSSL_PKEY_PARAM_PRIV_KEY, own, sizeof own,
                                        &written) != 1)
        status = JOSE_INTERNAL;
    else if (written != expanded_len || CRYPTO_memcmp(own, expanded, written) != 0)
        status = JOSE_BAD_KEY;
    OPENSSL_cleanse(own, sizeof own);
    return status;
}

jose_status jose_raw_private(jose_key **key, const jose_library *library, jose_curve curve,
                             const uint8_t *pub, const uint8_t *secret, const uint8_t *expanded,
                             size_t expanded_len)
{
    const size_t size = jose_curve_bytes(curve);
    size_t written = 0;
    uint8_t derived[MAX_PUBLIC];
    EVP_PKEY *pkey;
    jose_status status = build(&pkey, library, curve, secret, true);
    if (status != JOSE_OK) return status;
    if (EVP_PKEY_get_octet_string_param(pkey, OSSL_PKEY_PARAM_PUB_KEY, derived, sizeof derived,
                                        &written) != 1 ||
        written != size)
        status = JOSE_INTERNAL;
    else if (pub != NULL && memcmp(derived, pub, size) != 0)
        status = JOSE_BAD_KEY;
    if (status == JOSE_OK && expanded != NULL)
        status = compare_expanded(pkey, expanded, expanded_len);
    if (status == JOSE_OK) return adopt(key, library, pkey, curve, derived, secret);
    EVP_PKEY_free(pkey);
    return status;
}

static jose_status copy(jose_key **made, const jose_library *library, const jose_key *key)
{
    return key->is_private ? jose_raw_private(made, library, key->curve, key->numbers, key->secret,
                                              NULL, 0)
                           : jose_raw_public(made, library, key->curve, key->numbers);
}

const jose_key_entry jose_key_raw = {.public_copy = public_copy, .copy = copy};

// A FIPS provider generates the whole key and tests the pair (FIPS 140-3 IG 10.3.A).
static bool draw_secret(const jose_library *library, jose_curve curve, uint8_t *secret)
{
    const size_t size = secret_bytes(curve);
    if (!library->is_fips) return jose_random_draw(library, secret, size);
    size_t written = 0;
    EVP_PKEY *pkey = EVP_PKEY_Q_keygen(library->context, library->properties,
                                       jose_curve_entry_of(curve)->offer->key);
    const bool done = pkey != NULL &&
                      EVP_PKEY_get_octet_string_param(pkey, secret_name(curve), secret, size,
                                                      &written) == 1 &&
                      written == size;
    EVP_PKEY_free(pkey);
    return done;
}

jose_status jose_raw_generate(jose_key **key, const jose_library *library, jose_curve curve)
{
    uint8_t secret[MAX_SECRET];
    jose_status status = jose_key_has(library, jose_curve_type(curve), curve, JOSE_PART_KEY);
    if (status != JOSE_OK) return status;
    status = draw_secret(library, curve, secret)
                 ? jose_raw_private(key, library, curve, NULL, secret, NULL, 0)
                 : JOSE_INTERNAL;
    OPENSSL_cleanse(secret, sizeof secret);
    return status;
}
