// keymgmt.c: prepared sealing and opening, whatever the family. A content encryption key lives
// on the stack of one of the two functions at the end, and nowhere else.

#include "keymgmt.h"

#include <openssl/crypto.h>

#include "host.h"
#include "random.h"

static const jose_keymgmt_row *const rows[] = {
    [JOSE_RSA_OAEP] = &jose_keymgmt_rsa_oaep,
};

// MARK: slots

static void slot_free(void *item)
{
    jose_keymgmt_slot *slot = item;
    if (slot == NULL) return;
    EVP_PKEY_CTX_free(slot->work);
    OPENSSL_free(slot);
}

static jose_keymgmt_slot *slot_make(const jose_keymgmt *operation)
{
    jose_keymgmt_slot *slot = OPENSSL_zalloc(sizeof *slot);
    if (slot == NULL) return NULL;
    if (operation->row->prepare(operation, slot)) return slot;
    slot_free(slot);
    return NULL;
}

static jose_keymgmt_slot *slot_take(const jose_keymgmt *operation)
{
    jose_keymgmt_slot *slot = jose_pool_take(operation->pool);
    return slot != NULL ? slot : slot_make(operation);
}

static void slot_put(const jose_keymgmt *operation, jose_keymgmt_slot *slot)
{
    if (!jose_pool_put(operation->pool, slot)) slot_free(slot);
}

// MARK: making

static jose_keymgmt *make(const jose_library *library, jose_key *key, jose_keymgmt_family family,
                          jose_hash hash, bool wrapping, jose_options options)
{
    jose_keymgmt *operation = OPENSSL_zalloc(sizeof *operation);
    if (operation == NULL) return NULL;
    operation->row = rows[family];
    operation->library = library;
    operation->digest = jose_digest_row(hash);
    jose_digest_once(operation->digest, operation->empty_hash, NULL, 0);
    operation->key = jose_key_retain(key);
    operation->bytes = operation->row->encrypted_key_bytes(key);
    operation->wrapping = wrapping;
    operation->options = options;
    operation->pool = jose_pool_make();
    if (operation->pool == NULL) goto fail;
    if (operation->row->accelerate != NULL && !(options & JOSE_PROVIDER_ONLY))
        operation->row->accelerate(operation);
    // Contexts are made by the operations that need them: a key that is only looked at costs none.
    return operation;

fail:
    jose_keymgmt_free(operation);
    return NULL;
}

jose_status jose_keymgmt_make(jose_keymgmt **operation, jose_key *key, jose_keymgmt_family family,
                              jose_hash hash, bool wrapping, jose_options options)
{
    *operation = NULL;
    if (!wrapping && !key->is_private) return JOSE_BAD_KEY;
    jose_host host;
    jose_host_enter(&host);
    const jose_library *library = jose_library_get();
    if (library != NULL) *operation = make(library, key, family, hash, wrapping, options);
    jose_host_leave(&host);
    return *operation == NULL ? JOSE_INTERNAL : JOSE_OK;
}

void jose_keymgmt_free(jose_keymgmt *operation)
{
    if (operation == NULL) return;
    jose_pool_free(operation->pool, slot_free);
    jose_rsa_fast_free(operation->fast);
    jose_key_release(operation->key);
    OPENSSL_free(operation);
}

size_t jose_keymgmt_encrypted_key_bytes(const jose_keymgmt *operation)
{
    return operation->bytes;
}

// MARK: sealing

static bool seal(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                 const jose_content_row *content, const jose_sealed *out, const uint8_t *aad,
                 size_t aad_len, const uint8_t *plaintext, size_t plaintext_len)
{
    // One draw for key, IV and seed.
    uint8_t random[JOSE_LARGEST_CEK + JOSE_LARGEST_IV + JOSE_LARGEST_SEED];
    const uint8_t *cek = random, *iv = cek + content->key_bytes, *seed = iv + content->iv_bytes;
    size_t drawn = content->key_bytes + content->iv_bytes + operation->row->seed_bytes(operation);
    if (!jose_random_draw(operation->library, random, drawn)) return false;
    bool done = operation->row->wrap(operation, slot, out->encrypted_key, cek, content->key_bytes,
                                     seed) &&
                content->encrypt(content, operation->library, operation->options, out->ciphertext,
                                 out->tag, cek, iv, aad, aad_len, plaintext,
                                 plaintext_len) == JOSE_OK;
    if (done)
        for (size_t i = 0; i < content->iv_bytes; i++) out->iv[i] = iv[i];
    OPENSSL_cleanse(random, drawn);
    return done;
}

jose_status jose_keymgmt_seal(const jose_keymgmt *operation, jose_content content,
                              const jose_sealed *out, const uint8_t *aad, size_t aad_len,
                              const uint8_t *plaintext, size_t plaintext_len)
{
    const jose_content_row *row = jose_content_row_of(content);
    size_t ciphertext_len = row->ciphertext_bytes(plaintext_len);
    if (!operation->wrapping || out->encrypted_key_len != operation->bytes ||
        out->iv_len != row->iv_bytes || out->tag_len != row->tag_bytes || ciphertext_len == 0 ||
        out->ciphertext_len != ciphertext_len)
        return JOSE_INTERNAL;
    if (!operation->row->fits(operation, row->key_bytes)) return JOSE_BAD_KEY;

    jose_host host;
    jose_host_enter(&host);
    jose_keymgmt_slot *slot = slot_take(operation);
    bool done = false;
    if (slot != NULL) {
        done = seal(operation, slot, row, out, aad, aad_len, plaintext, plaintext_len);
        slot_put(operation, slot);
    }
    if (!done) {
        OPENSSL_cleanse(out->encrypted_key, out->encrypted_key_len);
        OPENSSL_cleanse(out->iv, out->iv_len);
        OPENSSL_cleanse(out->ciphertext, out->ciphertext_len);
        OPENSSL_cleanse(out->tag, out->tag_len);
    }
    jose_host_leave(&host);
    return done ? JOSE_OK : JOSE_INTERNAL;
}

// MARK: opening

static jose_status open(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                        const jose_content_row *content, size_t *plaintext_len,
                        const jose_opened *in, const uint8_t *aad, size_t aad_len)
{
    uint8_t cek[JOSE_LARGEST_CEK];
    if (!jose_random_draw(operation->library, cek, content->key_bytes)) return JOSE_INTERNAL;
    jose_status status = JOSE_INTERNAL;
    if (operation->row->unwrap(operation, slot, cek, content->key_bytes, in->encrypted_key,
                               in->encrypted_key_len))
        status = content->decrypt(content, operation->library, operation->options, plaintext_len,
                                  in->ciphertext, in->ciphertext_len, cek, in->iv, aad, aad_len,
                                  in->tag);
    OPENSSL_cleanse(cek, content->key_bytes);
    return status;
}

jose_status jose_keymgmt_open(const jose_keymgmt *operation, jose_content content,
                              size_t *plaintext_len, const jose_opened *in, const uint8_t *aad,
                              size_t aad_len)
{
    *plaintext_len = 0;
    const jose_content_row *row = jose_content_row_of(content);
    if (operation->wrapping) return JOSE_INTERNAL;
    // Lengths are in the open: a wrong one may be refused at once.
    if (in->iv_len != row->iv_bytes || in->tag_len != row->tag_bytes ||
        !row->ciphertext_possible(in->ciphertext_len))
        return JOSE_REJECTED;
    if (!operation->row->fits(operation, row->key_bytes)) return JOSE_BAD_KEY;

    jose_host host;
    jose_host_enter(&host);
    jose_keymgmt_slot *slot = slot_take(operation);
    jose_status status = JOSE_INTERNAL;
    if (slot != NULL) {
        status = open(operation, slot, row, plaintext_len, in, aad, aad_len);
        slot_put(operation, slot);
    }
    jose_host_leave(&host);
    return status;
}
