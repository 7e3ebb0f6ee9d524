// signature.c: prepared signing and verifying, whatever the family.

#include "signature.h"

#include <openssl/crypto.h>

#include "host.h"

static const jose_signature_row *const rows[] = {
    [JOSE_RSA_PKCS1] = &jose_signature_rsa_pkcs1,
};

// MARK: slots

static void slot_free(void *item)
{
    jose_signature_slot *slot = item;
    if (slot == NULL) return;
    EVP_PKEY_CTX_free(slot->work);
    EVP_PKEY_CTX_free(slot->check);
    EVP_MD_CTX_free(slot->md);
    jose_rsa_bn_scratch_free(slot->scratch);
    OPENSSL_free(slot);
}

static jose_signature_slot *slot_make(const jose_signature *operation)
{
    jose_signature_slot *slot = OPENSSL_zalloc(sizeof *slot);
    if (slot == NULL) return NULL;
    if (operation->options & JOSE_PROVIDER_ONLY) {
        slot->md = EVP_MD_CTX_new();
        if (slot->md == NULL || EVP_DigestInit_ex2(slot->md, operation->md, NULL) != 1 ||
            EVP_MD_CTX_get0_md(slot->md) != operation->md)  // an engine of the host's
            goto fail;
    }
    if (!operation->row->prepare(operation, slot)) goto fail;
    return slot;

fail:
    slot_free(slot);
    return NULL;
}

static jose_signature_slot *slot_take(const jose_signature *operation)
{
    jose_signature_slot *slot = jose_pool_take(operation->pool);
    return slot != NULL ? slot : slot_make(operation);
}

static void slot_put(const jose_signature *operation, jose_signature_slot *slot)
{
    if (!jose_pool_put(operation->pool, slot)) slot_free(slot);
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

// MARK: the contract

static jose_signature *make(const jose_library *library, jose_key *key,
                            jose_signature_family family, jose_hash hash, bool signing,
                            jose_options options)
{
    jose_signature *operation = OPENSSL_zalloc(sizeof *operation);
    if (operation == NULL) return NULL;
    operation->row = rows[family];
    operation->library = library;
    operation->digest = jose_digest_row(hash);
    operation->md = library->digests[hash];
    operation->key = jose_key_retain(key);
    operation->bytes = operation->row->signature_bytes(key);
    operation->signing = signing;
    operation->options = options;
    operation->pool = jose_pool_make();
    if (operation->pool == NULL) goto fail;
    if (operation->row->accelerate != NULL && !(options & JOSE_PROVIDER_ONLY))
        operation->row->accelerate(operation);
    // Contexts are made by the operations that need them: a key that is only looked at costs none.
    return operation;

fail:
    jose_signature_free(operation);
    return NULL;
}

jose_status jose_signature_make(jose_signature **operation, jose_key *key,
                                jose_signature_family family, jose_hash hash, bool signing,
                                jose_options options)
{
    *operation = NULL;
    if (signing && !key->is_private) return JOSE_BAD_KEY;
    jose_host host;
    jose_host_enter(&host);
    const jose_library *library = jose_library_get();
    if (library != NULL) *operation = make(library, key, family, hash, signing, options);
    jose_host_leave(&host);
    return *operation == NULL ? JOSE_INTERNAL : JOSE_OK;
}

void jose_signature_free(jose_signature *operation)
{
    if (operation == NULL) return;
    jose_pool_free(operation->pool, slot_free);
    jose_rsa_fast_free(operation->fast);
    jose_key_release(operation->key);
    OPENSSL_free(operation);
}

size_t jose_signature_bytes(const jose_signature *operation)
{
    return operation->bytes;
}

jose_status jose_signature_sign(const jose_signature *operation, uint8_t *signature,
                                size_t signature_len, const uint8_t *message, size_t message_len)
{
    if (!operation->signing || signature_len != operation->bytes) return JOSE_INTERNAL;
    jose_host host;
    jose_host_enter(&host);
    jose_status status = JOSE_INTERNAL;
    jose_signature_slot *slot = slot_take(operation);
    if (slot != NULL) {
        status = operation->row->sign(operation, slot, signature, message, message_len);
        // A context that failed once may hold a damaged key: it never signs again.
        if (status == JOSE_OK)
            slot_put(operation, slot);
        else
            slot_free(slot);
    }
    if (status != JOSE_OK) OPENSSL_cleanse(signature, signature_len);
    jose_host_leave(&host);
    return status;
}

jose_status jose_signature_verify(const jose_signature *operation, const uint8_t *message,
                                  size_t message_len, const uint8_t *signature,
                                  size_t signature_len)
{
    if (operation->signing) return JOSE_INTERNAL;
    if (signature_len != operation->bytes) return JOSE_REJECTED;
    if (operation->row->accepts_at_once != NULL &&
        operation->row->accepts_at_once(operation, message, message_len, signature))
        return JOSE_OK;
    jose_host host;
    jose_host_enter(&host);
    jose_status status = JOSE_INTERNAL;
    jose_signature_slot *slot = slot_take(operation);
    if (slot != NULL) {
        status = operation->row->verify(operation, slot, message, message_len, signature);
        slot_put(operation, slot);
    }
    jose_host_leave(&host);
    return status;
}
