// content.c: the table of content encryption algorithms, and encryption with a given key.

#include "content.h"

#include <openssl/crypto.h>

#include "runtime/cipher.h"
#include "runtime/host.h"

static const jose_content_entry *const entries[] = {
    [JOSE_A128CBC_HS256] = &jose_content_cbc_hmac[0],
    [JOSE_A192CBC_HS384] = &jose_content_cbc_hmac[1],
    [JOSE_A256CBC_HS512] = &jose_content_cbc_hmac[2],
    [JOSE_A128GCM] = &jose_content_gcm[0],
    [JOSE_A192GCM] = &jose_content_gcm[1],
    [JOSE_A256GCM] = &jose_content_gcm[2],
};

const jose_content_entry *jose_content_entry_of(jose_content content)
{
    return entries[content];
}

void jose_content_ready_free(jose_content_ready *ready)
{
    EVP_CIPHER_CTX_free(ready->cipher);  // wipes what it held
    OPENSSL_cleanse(ready, sizeof *ready);
}

bool jose_content_ready_make(jose_content_ready *ready, const jose_content_entry *entry,
                             const jose_library *library, const uint8_t *key, bool encrypting)
{
    if (ready->entry != NULL) jose_content_ready_free(ready);
    // CBC with HMAC: the first half is the MAC's key (RFC 7518 section 5.2.2.1).
    size_t mac_bytes = entry->checks_tag_first ? entry->key_bytes / 2 : 0;
    ready->entry = entry;
    ready->cipher = jose_cipher_take(library, entry->cipher);
    if (ready->cipher == NULL || EVP_CipherInit_ex2(ready->cipher, NULL, key + mac_bytes, NULL,
                                                    encrypting, NULL) != 1) {
        jose_content_ready_free(ready);
        return false;
    }
    // The FIPS library computes the MAC by EVP.
    if (mac_bytes > 0 && !library->is_fips)
        jose_hmac_start(&ready->mac, jose_digest_entry_of(entry->hash), key, mac_bytes);
    return true;
}

const char *jose_content_missing(jose_content content)
{
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? NULL
                           : jose_library_missing(library, jose_content_entry_of(content)->parts);
}

size_t jose_content_key_bytes(jose_content content)
{
    return jose_content_entry_of(content)->key_bytes;
}

size_t jose_content_iv_bytes(jose_content content)
{
    return jose_content_entry_of(content)->iv_bytes;
}

size_t jose_content_tag_bytes(jose_content content)
{
    return jose_content_entry_of(content)->tag_bytes;
}

bool jose_content_checks_tag_first(jose_content content)
{
    return jose_content_entry_of(content)->checks_tag_first;
}

size_t jose_content_ciphertext_bytes(jose_content content, size_t plaintext_len)
{
    return jose_content_entry_of(content)->ciphertext_bytes(plaintext_len);
}

jose_status jose_content_encrypt(jose_content content, uint8_t *ciphertext, size_t ciphertext_len,
                                 uint8_t *tag, size_t tag_len, const uint8_t *key, size_t key_len,
                                 const uint8_t *iv, size_t iv_len, const uint8_t *aad,
                                 size_t aad_len, const uint8_t *plaintext, size_t plaintext_len)
{
    const jose_content_entry *entry = jose_content_entry_of(content);
    size_t expected = entry->ciphertext_bytes(plaintext_len);
    if (key_len != entry->key_bytes || iv_len != entry->iv_bytes || tag_len != entry->tag_bytes ||
        expected == SIZE_MAX || ciphertext_len != expected)
        return JOSE_INTERNAL;
    JOSE_HOST_SCOPE;
    jose_status status = JOSE_INTERNAL;
    const jose_library *library = jose_library_get();
    if (library != NULL && !jose_content_is_supported(entry, library))
        status = JOSE_UNSUPPORTED;
    else if (library != NULL)
        status =
            entry->encrypt(&(jose_content_call){entry, library, library->forced, key, NULL, iv, aad,
                                                aad_len, NULL},
                           ciphertext, tag, plaintext, plaintext_len);
    if (status != JOSE_OK) OPENSSL_cleanse(ciphertext, ciphertext_len);
    return status;
}

jose_status jose_content_decrypt(jose_content content, size_t *plaintext_len, uint8_t *ciphertext,
                                 size_t ciphertext_len, const uint8_t *key, size_t key_len,
                                 const uint8_t *iv, size_t iv_len, const uint8_t *aad,
                                 size_t aad_len, const uint8_t *tag, size_t tag_len)
{
    *plaintext_len = 0;
    const jose_content_entry *entry = jose_content_entry_of(content);
    if (key_len != entry->key_bytes || iv_len != entry->iv_bytes || tag_len != entry->tag_bytes ||
        !entry->ciphertext_possible(ciphertext_len))
        return JOSE_REJECTED;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    if (library == NULL) return JOSE_INTERNAL;
    if (!jose_content_is_supported(entry, library)) return JOSE_UNSUPPORTED;
    return entry->decrypt(&(jose_content_call){entry, library, library->forced, key, NULL, iv, aad,
                                               aad_len, NULL},
                          plaintext_len, ciphertext, ciphertext_len, &(jose_encoded){0}, tag);
}
