// key.c: makes, releases and imports keys of all types, and makes contexts on them.

#include "key.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <string.h>

#include "curve.h"
#include "ec_verifier.h"
#include "runtime/host.h"

static const jose_key_entry *const entries[] = {
    [JOSE_KEY_RSA] = &jose_key_rsa,
    [JOSE_KEY_EC] = &jose_key_ec,
    [JOSE_KEY_OKP] = &jose_key_raw,
    [JOSE_KEY_OCT] = &jose_key_symmetric,
    [JOSE_KEY_AKP] = &jose_key_raw,
};

// MARK: making and releasing

static uint8_t *append(uint8_t *next, const uint8_t *bytes, size_t len)
{
    if (len > 0) memcpy(next, bytes, len);
    return next + len;
}

jose_key *jose_key_adopt(const jose_library *library, EVP_PKEY *pkey, const jose_key_facts *facts)
{
    const jose_number *numbers = facts->numbers;
    jose_key *key = OPENSSL_zalloc(sizeof *key + numbers[0].len + numbers[1].len +
                                   facts->secret.len);
    if (key == NULL) {
        EVP_PKEY_free(pkey);
        return NULL;
    }
    atomic_init(&key->references, 1);
    atomic_flag_clear(&key->is_borrowed);
    key->pkey = pkey;
    key->library = library;
    key->type = facts->type;
    key->curve = facts->curve;
    key->is_private = facts->is_private;
    key->bits = facts->bits;
    uint8_t *next = key->numbers;
    for (int i = 0; i < 2; i++) {
        key->number_bytes[i] = numbers[i].len;
        next = append(next, numbers[i].bytes, numbers[i].len);
    }
    key->secret = facts->secret.len > 0 ? next : NULL;
    key->secret_bytes = facts->secret.len;
    append(next, facts->secret.bytes, facts->secret.len);
    return key;
}

jose_key *jose_key_retain(jose_key *key)
{
    atomic_fetch_add_explicit(&key->references, 1, memory_order_relaxed);
    return key;
}

void jose_key_release(jose_key *key)
{
    if (key == NULL) return;
    if (atomic_fetch_sub_explicit(&key->references, 1, memory_order_acq_rel) != 1) return;
    EVP_PKEY_free(key->pkey);  // wipes the private numbers
    jose_ec_verifier_free(key->verifier);
    if (key->secret != NULL) OPENSSL_cleanse(key->secret, key->secret_bytes);
    OPENSSL_free(key);
}

// MARK: contexts

static EVP_PKEY_CTX *context_on(const jose_library *library, EVP_PKEY *pkey)
{
    return EVP_PKEY_CTX_new_from_pkey(library->context, pkey, library->properties);
}

static EVP_PKEY_CTX *context_owning(const jose_library *library, EVP_PKEY *pkey)
{
    if (pkey == NULL) return NULL;
    EVP_PKEY_CTX *context = context_on(library, pkey);
    EVP_PKEY_free(pkey);
    return context;
}

static bool is_replaced(const jose_key_entry *entry)
{
    return entry->replaced != NULL && entry->replaced();
}

EVP_PKEY_CTX *jose_key_context(const jose_library *library, jose_key *key)
{
    if (key->pkey == NULL) return jose_key_public_context(library, key);
    if (!atomic_flag_test_and_set(&key->is_borrowed)) return context_on(library, key->pkey);
    if (is_replaced(entries[key->type])) return NULL;
    return context_owning(library, EVP_PKEY_dup(key->pkey));
}

EVP_PKEY_CTX *jose_key_public_context(const jose_library *library, const jose_key *key)
{
    const jose_key_entry *entry = entries[key->type];
    if (entry->public_copy == NULL) return NULL;
    return context_owning(library, entry->public_copy(library, key));
}

// MARK: availability

typedef struct {
    const jose_key_offer *offer;
    int index;
} key_kind;

static key_kind kind_of(jose_key_type type, jose_curve curve)
{
    const jose_key_offer *own = entries[type]->offer;
    if (own != NULL) return (key_kind){own, JOSE_IMPORTS_RSA};
    return (key_kind){jose_curve_entry_of(curve)->offer, (int)curve};
}

jose_status jose_key_has(const jose_library *library, jose_key_type type, jose_curve curve,
                         jose_parts parts)
{
    const jose_parts of_key = parts & JOSE_PARTS_OF_KEYS;
    if (of_key != 0 && (of_key & ~library->of_keys[kind_of(type, curve).index]) != 0)
        return JOSE_UNSUPPORTED;
    return jose_library_has(library, parts & ~of_key);
}

const char *jose_key_missing(const jose_library *library, jose_key_type type, jose_curve curve,
                             jose_parts parts)
{
    const jose_parts of_key = parts & JOSE_PARTS_OF_KEYS;
    if (jose_key_has(library, type, curve, of_key) != JOSE_OK) {
        const key_kind kind = kind_of(type, curve);
        const jose_parts found = library->of_keys[kind.index], missing = of_key & ~found;
        // If the group is missing, no other part was checked.
        if (found == 0 && kind.offer->group != 0) return OBJ_nid2sn(kind.offer->group);
        const char *name = missing & JOSE_PART_KEY         ? kind.offer->key
                           : missing & JOSE_PART_SIGNATURE ? kind.offer->signature
                           : missing & JOSE_PART_EXCHANGE  ? kind.offer->exchange
                                                           : kind.offer->encryption;
        return name != NULL ? name : kind.offer->key;  // no JOSE algorithm uses such a part
    }
    return jose_library_missing(library, parts & ~of_key);
}

// MARK: import by parameters

static jose_status rejected(const jose_library *library, jose_key_type type)
{
    // A FIPS provider has its own rules, and may reject numbers without an error entry.
    if (library->is_fips) return jose_library_failed(library) ? JOSE_INTERNAL : JOSE_BAD_KEY;
    bool is_explained = entries[type]->explains_rejections && jose_host_first_library() != 0;
    return !is_explained || jose_take_system_failure() ? JOSE_INTERNAL : JOSE_BAD_KEY;
}

static jose_status import(EVP_PKEY **pkey, const jose_library *library, jose_key_type type,
                          jose_curve curve, OSSL_PARAM *params, int selection)
{
    *pkey = NULL;
    if (is_replaced(entries[type])) return JOSE_INTERNAL;
    jose_status status = jose_key_has(library, type, curve, JOSE_PART_KEY);
    if (status != JOSE_OK) return status;
    const key_kind kind = kind_of(type, curve);
    jose_pool *pool = library->importers[kind.index];
    EVP_PKEY_CTX *importer = jose_pool_take(pool);
    if (importer == NULL) {
        importer =
            EVP_PKEY_CTX_new_from_name(library->context, kind.offer->key, library->properties);
        if (importer == NULL || EVP_PKEY_fromdata_init(importer) != 1) {
            EVP_PKEY_CTX_free(importer);
            return JOSE_INTERNAL;
        }
    }
    if (EVP_PKEY_fromdata(importer, pkey, selection, params) != 1) {
        EVP_PKEY_free(*pkey);
        *pkey = NULL;
        status = rejected(library, type);
    }
    if (!jose_pool_put(pool, importer)) EVP_PKEY_CTX_free(importer);
    return status;
}

jose_status jose_key_validate(const jose_library *library, EVP_PKEY *pkey, bool is_private)
{
    EVP_PKEY_CTX *context = context_on(library, pkey);
    jose_status status = JOSE_INTERNAL;
    if (context != NULL) {
        const bool is_valid =
            is_private ? EVP_PKEY_check(context) == 1 : EVP_PKEY_public_check(context) == 1;
        status = is_valid                       ? JOSE_OK
                 : jose_library_failed(library) ? JOSE_INTERNAL
                                                : JOSE_BAD_KEY;
    }
    EVP_PKEY_CTX_free(context);
    return status;
}

jose_status jose_key_fromdata(EVP_PKEY **pkey, const jose_library *library, jose_key_type type,
                              jose_curve curve, OSSL_PARAM *params, bool is_private)
{
    return import(pkey, library, type, curve, params,
                  is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY);
}

jose_status jose_key_to_fips(jose_key **made, const jose_key *key)
{
    *made = NULL;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_of(JOSE_MODULE_FIPS);
    return library == NULL ? JOSE_UNSUPPORTED : entries[key->type]->copy(made, library, key);
}

bool jose_key_is_fips(const jose_key *key)
{
    return key->library->is_fips;
}

// MARK: properties

uint32_t jose_key_bits(const jose_key *key)
{
    return key->bits;
}

bool jose_key_is_private(const jose_key *key)
{
    return key->is_private;
}

jose_number jose_key_number(const jose_key *key, unsigned index)
{
    const uint8_t *start = key->numbers + (index == 0 ? 0 : key->number_bytes[0]);
    return (jose_number){start, key->number_bytes[index]};
}

// An empty number is NULL: its start may be where the secret begins.
const uint8_t *jose_key_public_number(const jose_key *key, unsigned index, size_t *len)
{
    const jose_number number = index > 1 ? (jose_number){NULL, 0} : jose_key_number(key, index);
    *len = number.len;
    return number.len == 0 ? NULL : number.bytes;
}

size_t jose_key_secret_bytes(const jose_key *key)
{
    return key->secret_bytes;
}

jose_status jose_key_secret_write(const jose_key *key, uint8_t *out, size_t out_len)
{
    if (out == NULL || key->secret == NULL || out_len != key->secret_bytes) return JOSE_INTERNAL;
    memcpy(out, key->secret, out_len);
    return JOSE_OK;
}
