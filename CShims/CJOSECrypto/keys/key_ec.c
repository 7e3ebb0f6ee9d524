// key_ec.c: imports and generates EC keys (RFC 7518 section 6.2).

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <string.h>

#include "curve.h"
#include "ec_verifier.h"
#include "runtime/host.h"

enum { UNCOMPRESSED = 4,
       MAX_POINT = 1 + 2 * JOSE_MAX_COORDINATE };

// An uncompressed point (SEC 1 section 2.3.3).
typedef struct {
    uint8_t bytes[MAX_POINT];
    size_t len;
} ec_point;

static jose_key_facts facts_of(const jose_curve_entry *entry, jose_curve curve,
                               const ec_point *point)
{
    return (jose_key_facts){
        .type = JOSE_KEY_EC,
        .curve = curve,
        .bits = entry->bits,
        .numbers = {{point->bytes + 1, entry->bytes},
                    {point->bytes + 1 + entry->bytes, entry->bytes}},
    };
}

static void point_of(ec_point *point, const uint8_t *x, const uint8_t *y, size_t size)
{
    point->bytes[0] = UNCOMPRESSED;
    memcpy(point->bytes + 1, x, size);
    memcpy(point->bytes + 1 + size, y, size);
    point->len = 1 + 2 * size;
}

// libcrypto rejects coordinates that are not below p, and points off the curve. All these curves
// have cofactor 1: no small subgroups. native_scalar is NULL for a public key.
static jose_status build(EVP_PKEY **pkey, const jose_library *library, jose_curve curve,
                         const ec_point *point, uint8_t *native_scalar)
{
    const jose_curve_entry *entry = jose_curve_entry_of(curve);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)entry->name, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point->bytes,
                                          point->len),
        native_scalar == NULL
            ? OSSL_PARAM_construct_end()
            : OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native_scalar, entry->bytes),
        OSSL_PARAM_construct_end(),
    };
    return jose_key_fromdata(pkey, library, JOSE_KEY_EC, curve, params, native_scalar != NULL);
}

// MARK: public keys

// Makes a public key of the FIPS library, where EVP verifies.
static jose_status import_public(jose_key **key, const jose_library *library,
                                 const jose_key_facts *facts, const ec_point *point)
{
    EVP_PKEY *pkey = NULL;
    jose_status status = build(&pkey, library, facts->curve, point, NULL);
    if (status == JOSE_OK) status = jose_key_validate(library, pkey, false);
    if (status == JOSE_OK) {
        *key = jose_key_adopt(library, pkey, facts);
        pkey = NULL;
        if (*key == NULL) status = JOSE_INTERNAL;
    }
    EVP_PKEY_free(pkey);
    return status;
}

static jose_status ec_public(jose_key **key, const jose_library *library, jose_curve curve,
                             const ec_point *point)
{
    const jose_key_facts facts = facts_of(jose_curve_entry_of(curve), curve, point);
    if (library->is_fips) return import_public(key, library, &facts, point);
    EC_KEY *verifier = NULL;
    const jose_status status =
        jose_ec_verifier_make(&verifier, library, curve, point->bytes, point->len);
    if (status != JOSE_OK) return status;
    *key = jose_key_adopt(library, NULL, &facts);
    if (*key != NULL)
        (*key)->verifier = verifier;
    else
        jose_ec_verifier_free(verifier);
    return *key == NULL ? JOSE_INTERNAL : JOSE_OK;
}

jose_status jose_ec_public(jose_key **key, jose_curve curve, const uint8_t *x, size_t x_len,
                           const uint8_t *y, size_t y_len)
{
    *key = NULL;
    const jose_curve_entry *entry = jose_curve_entry_of(curve);
    if (entry->type != JOSE_KEY_EC || x_len != entry->bytes || y_len != entry->bytes)
        return JOSE_BAD_KEY;
    ec_point point;
    point_of(&point, x, y, entry->bytes);

    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? JOSE_INTERNAL : ec_public(key, library, curve, &point);
}

static EVP_PKEY *public_copy(const jose_library *library, const jose_key *key)
{
    const jose_curve_entry *entry = jose_curve_entry_of(key->curve);
    ec_point point;
    point_of(&point, key->numbers, key->numbers + entry->bytes, entry->bytes);
    EVP_PKEY *pkey = NULL;
    return build(&pkey, library, key->curve, &point, NULL) == JOSE_OK ? pkey : NULL;
}

// MARK: private keys

// Computes d * G. JOSE_BAD_KEY: d is 0 or not below the order.
static jose_status multiply(ec_point *point, const jose_library *library,
                            const jose_curve_entry *entry, const uint8_t *d)
{
    jose_status status = JOSE_INTERNAL;
    EC_POINT *product = NULL;
    BN_CTX *scratch = NULL;
    BIGNUM *scalar = BN_bin2bn(d, (int)entry->bytes, NULL);
    EC_GROUP *group =
        EC_GROUP_new_by_curve_name_ex(library->context, library->properties, entry->offer->group);
    if (scalar == NULL || group == NULL) goto done;
    BN_set_flags(scalar, BN_FLG_CONSTTIME);
    if (BN_is_zero(scalar) || BN_cmp(scalar, EC_GROUP_get0_order(group)) >= 0) {
        status = JOSE_BAD_KEY;
        goto done;
    }
    product = EC_POINT_new(group);
    scratch = BN_CTX_secure_new_ex(library->context);
    if (product == NULL || scratch == NULL) goto done;
    if (EC_POINT_mul(group, product, scalar, NULL, NULL, scratch) != 1) goto done;
    point->len = EC_POINT_point2oct(group, product, POINT_CONVERSION_UNCOMPRESSED, point->bytes,
                                    sizeof point->bytes, scratch);
    if (point->len == 1 + 2 * entry->bytes) status = JOSE_OK;

done:
    EC_POINT_free(product);
    BN_CTX_free(scratch);
    EC_GROUP_free(group);
    BN_clear_free(scalar);
    return status;
}

static jose_status import(jose_key **key, const jose_library *library, jose_curve curve,
                          const uint8_t *x, const uint8_t *y, const uint8_t *d)
{
    const jose_curve_entry *entry = jose_curve_entry_of(curve);
    size_t size = entry->bytes;
    ec_point point;
    jose_status status = jose_key_has(library, JOSE_KEY_EC, curve, JOSE_PART_KEY);
    // The FIPS provider itself checks that the numbers belong together, but computes no public key.
    if (status == JOSE_OK && library->is_fips) {
        if (x == NULL) return JOSE_UNSUPPORTED;
        point_of(&point, x, y, size);
    } else if (status == JOSE_OK) {
        status = multiply(&point, library, entry, d);
    }
    if (status != JOSE_OK) return status;
    if (x != NULL &&
        (memcmp(x, point.bytes + 1, size) != 0 || memcmp(y, point.bytes + 1 + size, size) != 0))
        return JOSE_BAD_KEY;

    uint8_t native[JOSE_MAX_COORDINATE];
    for (size_t i = 0; i < size; i++) native[i] = d[size - 1 - i];
    EVP_PKEY *pkey = NULL;
    status = build(&pkey, library, curve, &point, native);
    OPENSSL_cleanse(native, sizeof native);
    if (status == JOSE_OK && library->is_fips) status = jose_key_validate(library, pkey, true);
    if (status != JOSE_OK) {
        EVP_PKEY_free(pkey);
        return status;
    }
    jose_key_facts facts = facts_of(entry, curve, &point);
    facts.is_private = true;
    facts.secret = (jose_number){d, size};
    *key = jose_key_adopt(library, pkey, &facts);
    return *key == NULL ? JOSE_INTERNAL : JOSE_OK;
}

jose_status jose_ec_private(jose_key **key, jose_curve curve, const uint8_t *x, size_t x_len,
                            const uint8_t *y, size_t y_len, const uint8_t *d, size_t d_len)
{
    *key = NULL;
    const jose_curve_entry *entry = jose_curve_entry_of(curve);
    bool has_point = x_len == entry->bytes && y_len == entry->bytes;
    bool is_scalar_only = x_len == 0 && y_len == 0;
    if (entry->type != JOSE_KEY_EC || d_len != entry->bytes || !(has_point || is_scalar_only))
        return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? JOSE_INTERNAL
                           : import(key, library, curve, is_scalar_only ? NULL : x, y, d);
}

static jose_status copy(jose_key **made, const jose_library *library, const jose_key *key)
{
    const size_t size = jose_curve_bytes(key->curve);
    const uint8_t *x = key->numbers, *y = x + size;
    if (key->is_private) return import(made, library, key->curve, x, y, key->secret);
    ec_point point;
    point_of(&point, x, y, size);
    return ec_public(made, library, key->curve, &point);
}

const jose_key_entry jose_key_ec = {
    .explains_rejections = true,
    .replaced = jose_host_replaced_ec,
    .public_copy = public_copy,
    .copy = copy,
};

// MARK: generation

static jose_status generate(jose_key **key, const jose_library *library, jose_curve curve)
{
    if (jose_host_replaced_ec() || jose_host_replaced_random()) return JOSE_INTERNAL;
    const jose_curve_entry *entry = jose_curve_entry_of(curve);
    jose_status status = jose_key_has(library, JOSE_KEY_EC, curve, JOSE_PART_KEY);
    if (status != JOSE_OK) return status;
    status = JOSE_INTERNAL;
    ec_point point;
    uint8_t scalar[JOSE_MAX_COORDINATE];
    BIGNUM *d = NULL;
    EVP_PKEY *pkey = EVP_PKEY_Q_keygen(library->context, library->properties, "EC", entry->name);
    if (pkey == NULL) goto done;
    if (EVP_PKEY_get_octet_string_param(pkey, OSSL_PKEY_PARAM_PUB_KEY, point.bytes,
                                        sizeof point.bytes, &point.len) != 1 ||
        point.len != 1 + 2 * entry->bytes || point.bytes[0] != UNCOMPRESSED)
        goto done;
    if (EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_PRIV_KEY, &d) != 1 ||
        BN_bn2binpad(d, scalar, (int)entry->bytes) != (int)entry->bytes)
        goto done;
    jose_key_facts facts = facts_of(entry, curve, &point);
    facts.is_private = true;
    facts.secret = (jose_number){scalar, entry->bytes};
    *key = jose_key_adopt(library, pkey, &facts);
    pkey = NULL;
    if (*key != NULL) status = JOSE_OK;

done:
    OPENSSL_cleanse(scalar, sizeof scalar);
    BN_clear_free(d);
    EVP_PKEY_free(pkey);
    return status;
}

jose_status jose_ec_generate(jose_key **key, jose_module module, jose_curve curve)
{
    *key = NULL;
    if (jose_curve_entry_of(curve)->type != JOSE_KEY_EC) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_of(module);
    return library == NULL ? JOSE_INTERNAL : generate(key, library, curve);
}
