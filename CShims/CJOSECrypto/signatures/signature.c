// signature.c: the table of signature families, and prepared operations of all families.

#include "signature.h"

#include <openssl/crypto.h>

#include "keys/curve.h"
#include "runtime/host.h"

static const jose_signature_entry *const entries[] = {
    [JOSE_RSA_PKCS1] = &jose_signature_rsa_pkcs1,
    [JOSE_RSA_PSS] = &jose_signature_rsa_pss,
    [JOSE_ECDSA] = &jose_signature_ecdsa,
    [JOSE_EDDSA] = &jose_signature_eddsa,
    [JOSE_HMAC] = &jose_signature_hmac,
    [JOSE_ML_DSA] = &jose_signature_mldsa,
};

// MARK: slots

static void slot_free(void *item)
{
    jose_signature_slot *slot = item;
    if (slot == NULL) return;
    EVP_PKEY_CTX_free(slot->work);
    EVP_PKEY_CTX_free(slot->check);
    EVP_MD_CTX_free(slot->md);
    EVP_MD_CTX_free(slot->whole);
    jose_rsa_bn_scratch_free(slot->scratch);
    jose_rsa_bn_key_free(slot->recheck_key);
    jose_rsa_blinding_slot_clear(&slot->blinding);
    OPENSSL_free(slot);
}

static void *slot_make(const void *owner)
{
    const jose_signature *operation = owner;
    jose_signature_slot *slot = OPENSSL_zalloc(sizeof *slot);
    if (slot == NULL) return NULL;
    if ((operation->options & JOSE_PROVIDER_ONLY) && operation->entry->has_hash) {
        slot->md = EVP_MD_CTX_new();
        if (slot->md == NULL || EVP_DigestInit_ex2(slot->md, operation->md, NULL) != 1 ||
            EVP_MD_CTX_get0_md(slot->md) != operation->md)  // the host's engine replaced it
            goto fail;
    }
    if (operation->entry->prepare != NULL && !operation->entry->prepare(operation, slot)) goto fail;
    return slot;

fail:
    slot_free(slot);
    return NULL;
}

size_t jose_signature_curve_bytes(const jose_key *key, const jose_digest_entry *digest)
{
    (void)digest;
    return jose_curve_entry_of(key->curve)->signature_bytes;
}

bool jose_signature_hash(const jose_signature *operation, jose_signature_slot *slot, uint8_t *out,
                         const uint8_t *message, size_t message_len)
{
    if (slot->md == NULL) {
        jose_digest_once(operation->digest, out, message, message_len);
        return true;
    }
    unsigned size = 0;
    return EVP_DigestInit_ex2(slot->md, NULL, NULL) == 1 &&
           EVP_DigestUpdate(slot->md, message, message_len) == 1 &&
           EVP_DigestFinal_ex(slot->md, out, &size) == 1 && size == operation->digest->bytes;
}

// MARK: signing digests by EVP

static bool initialise(EVP_PKEY_CTX *context, bool signing, const OSSL_PARAM *params)
{
    if (context == NULL) return false;
    return (signing ? EVP_PKEY_sign_init_ex(context, params)
                    : EVP_PKEY_verify_init_ex(context, params)) == 1;
}

bool jose_signature_make_work(const jose_signature *operation, jose_signature_slot *slot,
                              const OSSL_PARAM *params)
{
    slot->work = jose_key_context(operation->library, operation->key);
    return initialise(slot->work, operation->signing, params);
}

bool jose_signature_make_check(const jose_signature *operation, jose_signature_slot *slot,
                               const OSSL_PARAM *params)
{
    slot->check = jose_key_public_context(operation->library, operation->key);
    return initialise(slot->check, false, params);
}

// MARK: public functions

static jose_signature *make(const jose_library *library, jose_key *key,
                            jose_signature_family family, jose_hash hash, bool signing,
                            jose_options options)
{
    jose_signature *operation = OPENSSL_zalloc(sizeof *operation);
    if (operation == NULL) return NULL;
    operation->entry = entries[family];
    operation->library = library;
    operation->digest = jose_digest_entry_of(hash);
    operation->md = library->digests[hash];
    operation->key = jose_key_retain(key);
    operation->bytes = operation->entry->signature_bytes(key, operation->digest);
    operation->signing = signing;
    operation->options = options;
    if (!jose_slots_open(&operation->slots, slot_make, slot_free)) goto fail;
    if (operation->entry->ready != NULL && !operation->entry->ready(operation)) goto fail;
    operation->needs_no_slot = operation->entry->needs_no_slot && operation->prepared != NULL;
    if (operation->entry->accelerate != NULL && !(options & JOSE_PROVIDER_ONLY))
        operation->entry->accelerate(operation);
    return operation;

fail:
    jose_signature_free(operation);
    return NULL;
}

static jose_parts parts_of(jose_signature_family family, jose_hash hash)
{
    const jose_signature_entry *entry = entries[family];
    return entry->parts | (entry->has_hash ? jose_part_digest(hash) : 0);
}

const char *jose_signature_missing(jose_signature_family family, jose_hash hash, jose_key_type type,
                                   jose_curve curve)
{
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? NULL : jose_key_missing(library, type, curve, parts_of(family, hash));
}

jose_status jose_signature_make(jose_signature **operation, jose_key *key,
                                jose_signature_family family, jose_hash hash, bool signing,
                                jose_options options)
{
    *operation = NULL;
    if (!entries[family]->accepts_key(key, jose_digest_entry_of(hash)) ||
        (signing && !key->is_private))
        return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = key->library;
    jose_status status = jose_key_has(library, key->type, key->curve, parts_of(family, hash));
    if (status != JOSE_OK) return status;
    *operation =
        make(library, key, family, hash, signing, (jose_options)(options | library->forced));
    return *operation == NULL ? JOSE_INTERNAL : JOSE_OK;
}

void jose_signature_free(jose_signature *operation)
{
    if (operation == NULL) return;
    jose_slots_close(&operation->slots);
    jose_rsa_private_fast_free(operation->private_fast);
    jose_rsa_fast_free(operation->fast);
    OPENSSL_clear_free(operation->prepared, operation->prepared_bytes);
    jose_key_release(operation->key);
    OPENSSL_free(operation);
}

jose_private_acceleration jose_signature_private_acceleration(const jose_signature *operation)
{
    return jose_rsa_private_fast_state(operation->private_fast);
}

bool jose_signature_uses_lanes(const jose_signature *operation)
{
    return jose_rsa_private_fast_has_lanes(operation->private_fast);
}

size_t jose_signature_bytes(const jose_signature *operation)
{
    return operation->bytes;
}

jose_status jose_signature_sign(const jose_signature *operation, uint8_t *signature,
                                size_t signature_len, const uint8_t *message, size_t message_len)
{
    if (!operation->signing || signature_len != operation->bytes) return JOSE_INTERNAL;
    if (operation->needs_no_slot)
        return operation->entry->sign(operation, NULL, signature, message, message_len);
    JOSE_HOST_SCOPE;
    jose_status status = JOSE_INTERNAL;
    jose_signature_slot *slot = jose_slots_take(&operation->slots, operation);
    if (slot != NULL) {
        status = operation->entry->sign(operation, slot, signature, message, message_len);
        // A context that failed once may have a corrupted key: it never signs again.
        if (status == JOSE_OK)
            jose_slots_put(&operation->slots, slot);
        else
            slot_free(slot);
    }
    if (status != JOSE_OK) OPENSSL_cleanse(signature, signature_len);
    return status;
}

static jose_status verify(const jose_signature *operation, const uint8_t *message,
                          size_t message_len, jose_payload *payload, const uint8_t *signature,
                          size_t signature_len)
{
    if (operation->signing) return JOSE_INTERNAL;
    if (signature_len != operation->bytes) return JOSE_REJECTED;
    if (operation->needs_no_slot)
        return operation->entry->verify(operation, NULL, message, message_len, signature);
    jose_fast_check fast_check = {JOSE_FAST_NONE, NULL};
    if (operation->entry->check_fast != NULL)
        fast_check =
            operation->entry->check_fast(operation, message, message_len, payload, signature);
    if (fast_check.result == JOSE_FAST_ACCEPTED) return JOSE_OK;
    JOSE_HOST_SCOPE;
    jose_signature_slot *slot = jose_slots_take(&operation->slots, operation);
    if (slot == NULL) return JOSE_INTERNAL;
    slot->fast_check = fast_check;
    const jose_status status =
        operation->entry->verify(operation, slot, message, message_len, signature);
    jose_slots_put(&operation->slots, slot);
    return status;
}

jose_status jose_signature_verify(const jose_signature *operation, const uint8_t *message,
                                  size_t message_len, const uint8_t *signature,
                                  size_t signature_len)
{
    return verify(operation, message, message_len, NULL, signature, signature_len);
}

jose_status jose_signature_verify_decoding(const jose_signature *operation, const uint8_t *message,
                                           size_t message_len, jose_payload *payload,
                                           const uint8_t *signature, size_t signature_len)
{
    payload->result = JOSE_PAYLOAD_NOT_DECODED;
    if (!jose_decoder_can_interleave(&payload->decoder)) return JOSE_INTERNAL;
    const jose_status status =
        verify(operation, message, message_len, payload, signature, signature_len);
    if (status == JOSE_OK) return status;
    if (payload->result == JOSE_PAYLOAD_DECODED) OPENSSL_cleanse(payload->bytes, payload->len);
    payload->result = JOSE_PAYLOAD_NOT_DECODED;
    return status;
}
