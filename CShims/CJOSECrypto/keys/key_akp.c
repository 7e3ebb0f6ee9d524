// key_akp.c: algorithm key pairs of ML-DSA (RFC 9964 section 3). A private key is its seed (section 4; FIPS 204,
// algorithm 6), from which the expanded key and the public one follow. Every string of bytes of the right length is a
// public key.

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

#include "curve.h"
#include "runtime/host.h"
#include "runtime/random.h"

// The largest of the table's sets, ML-DSA-87.
enum { LARGEST_PUBLIC = 2592,
       LARGEST_EXPANDED = 4896 };

static bool is_set(jose_curve set)
{
    return jose_curve_row_of(set)->type == JOSE_KEY_AKP;
}

// MARK: public keys

static jose_status build(EVP_PKEY **pkey, const jose_library *library, jose_curve set,
                         const uint8_t *bytes, bool is_private)
{
    // Newer headers have a macro for the seed's name.
    const char *name = is_private ? "seed" : OSSL_PKEY_PARAM_PUB_KEY;
    const size_t size = is_private ? JOSE_AKP_SEED : jose_curve_row_of(set)->bytes;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(name, (void *)bytes, size),
        OSSL_PARAM_construct_end(),
    };
    return jose_key_fromdata(pkey, library, JOSE_KEY_AKP, set, params, is_private);
}

static jose_status adopt(jose_key **key, EVP_PKEY *pkey, jose_curve set, const uint8_t *pub, const uint8_t *seed)
{
    const jose_curve_row *row = jose_curve_row_of(set);
    const jose_key_facts facts = {
        .type = JOSE_KEY_AKP,
        .curve = set,
        .is_private = seed != NULL,
        .bits = row->bits,
        .numbers = {{pub, row->bytes}},
        .secret = {seed, seed == NULL ? 0 : JOSE_AKP_SEED},
    };
    *key = jose_key_adopt(pkey, &facts);
    return *key == NULL ? JOSE_INTERNAL : JOSE_OK;
}

jose_status jose_akp_public(jose_key **key, jose_curve set, const uint8_t *pub, size_t pub_len)
{
    *key = NULL;
    if (!is_set(set) || pub_len != jose_curve_row_of(set)->bytes) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    EVP_PKEY *pkey = NULL;
    jose_status status = library == NULL ? JOSE_INTERNAL : build(&pkey, library, set, pub, false);
    if (status == JOSE_OK) status = adopt(key, pkey, set, pub, NULL);
    return status;
}

static EVP_PKEY *public_copy(const jose_library *library, const jose_key *key)
{
    EVP_PKEY *pkey;
    return build(&pkey, library, key->curve, key->numbers, false) == JOSE_OK ? pkey : NULL;
}

const jose_key_row jose_key_akp = {.replaced = NULL, .public_copy = public_copy};

// MARK: private keys

// Whether the key's expanded form is exactly this.
static jose_status compare_expanded(EVP_PKEY *pkey, const uint8_t *expanded, size_t expanded_len)
{
    uint8_t own[LARGEST_EXPANDED];
    size_t written = 0;
    jose_status status = JOSE_OK;
    if (EVP_PKEY_get_octet_string_param(pkey, OSSL_PKEY_PARAM_PRIV_KEY, own, sizeof own, &written) != 1)
        status = JOSE_INTERNAL;
    else if (written != expanded_len || CRYPTO_memcmp(own, expanded, written) != 0)
        status = JOSE_BAD_KEY;
    OPENSSL_cleanse(own, sizeof own);
    return status;
}

// pub and expanded may be NULL; else they must be what the seed leads to.
static jose_status import_private(jose_key **key, const jose_library *library, jose_curve set, const uint8_t *pub,
                                  const uint8_t *seed, const uint8_t *expanded, size_t expanded_len)
{
    const size_t size = jose_curve_row_of(set)->bytes;
    size_t written = 0;
    uint8_t derived[LARGEST_PUBLIC];
    EVP_PKEY *pkey;
    jose_status status = build(&pkey, library, set, seed, true);
    if (status != JOSE_OK) return status;
    if (EVP_PKEY_get_octet_string_param(pkey, OSSL_PKEY_PARAM_PUB_KEY, derived, sizeof derived, &written) != 1 ||
        written != size)
        status = JOSE_INTERNAL;
    else if (pub != NULL && memcmp(derived, pub, size) != 0)
        status = JOSE_BAD_KEY;
    if (status == JOSE_OK && expanded != NULL) status = compare_expanded(pkey, expanded, expanded_len);
    if (status == JOSE_OK) return adopt(key, pkey, set, derived, seed);
    EVP_PKEY_free(pkey);
    return status;
}

jose_status jose_akp_private(jose_key **key, jose_curve set, const uint8_t *pub, size_t pub_len,
                             const uint8_t *seed, size_t seed_len,
                             const uint8_t *expanded, size_t expanded_len)
{
    *key = NULL;
    if (!is_set(set) || seed_len != JOSE_AKP_SEED || (pub_len != 0 && pub_len != jose_curve_row_of(set)->bytes))
        return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? JOSE_INTERNAL
                           : import_private(key, library, set, pub_len == 0 ? NULL : pub, seed,
                                            expanded_len == 0 ? NULL : expanded, expanded_len);
}

jose_status jose_akp_generate(jose_key **key, jose_curve set)
{
    *key = NULL;
    if (!is_set(set)) return JOSE_BAD_KEY;
    uint8_t seed[JOSE_AKP_SEED];
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    jose_status status = JOSE_INTERNAL;
    if (library != NULL && jose_random_draw(library, seed, sizeof seed))
        status = import_private(key, library, set, NULL, seed, NULL, 0);
    OPENSSL_cleanse(seed, sizeof seed);
    return status;
}
