// content.h: the interface of a content encryption algorithm.
#ifndef JOSE_CONTENT_H
#define JOSE_CONTENT_H

#include "runtime/digest.h"
#include "runtime/library.h"

enum { JOSE_MAX_CEK = 64,
       JOSE_MAX_IV = 16 };

typedef struct jose_content_entry jose_content_entry;

// A content key that many messages share, prepared for one direction: its key schedule, and the
// HMAC states of CBC with HMAC. Secret: jose_content_ready_free wipes it.
typedef struct {
    const jose_content_entry *entry;  // NULL: nothing is prepared
    EVP_CIPHER_CTX *cipher;
    jose_hmac_state mac;
} jose_content_ready;

// The inputs that encryption and decryption share. Lengths match the entry.
typedef struct {
    const jose_content_entry *entry;
    const jose_library *library;
    jose_options options;
    const uint8_t *key;
    const jose_content_ready *ready;  // the same key prepared, or NULL
    const uint8_t *iv, *aad;
    size_t aad_len;
    // If not NULL (FIPS), AES-GCM ignores iv and writes here the IV that the provider made.
    uint8_t *generated_iv;
} jose_content_call;

struct jose_content_entry {
    const char *name;  // the registered name, an input of the key derivation of ECDH-ES
    size_t key_bytes, iv_bytes, tag_bytes;
    jose_hash hash;    // for CBC with HMAC
    jose_parts parts;  // what it needs from libcrypto
    jose_cipher cipher;
    bool checks_tag_first;                             // before decryption: CBC with HMAC
    bool decodes;                                      // accepts a ciphertext in base64url
    size_t (*ciphertext_bytes)(size_t plaintext_len);  // SIZE_MAX: too long
    bool (*ciphertext_possible)(size_t ciphertext_len);
    jose_status (*encrypt)(const jose_content_call *call, uint8_t *ciphertext, uint8_t *tag,
                           const uint8_t *plaintext, size_t plaintext_len);
    jose_status (*decrypt)(const jose_content_call *call, size_t *plaintext_len,
                           uint8_t *ciphertext, size_t ciphertext_len, const jose_encoded *encoded,
                           const uint8_t *tag);
};

// jose_content_ready_make frees what was prepared before, and prepares a key for this algorithm.
// Returns false, with nothing prepared, on failure.
bool jose_content_ready_make(jose_content_ready *ready, const jose_content_entry *entry,
                             const jose_library *library, const uint8_t *key, bool encrypting);
void jose_content_ready_free(jose_content_ready *ready);

// jose_encoded_bytes returns the number of base64url characters of `len` bytes.
static inline size_t jose_encoded_bytes(size_t len)
{
    return len / 3 * 4 + (len % 3 == 0 ? 0 : len % 3 + 1);
}

const jose_content_entry *jose_content_entry_of(jose_content content);

// jose_content_is_supported returns whether libcrypto has what the algorithm needs.
static inline bool jose_content_is_supported(const jose_content_entry *entry,
                                             const jose_library *library)
{
    return (entry->parts & ~library->parts) == 0;
}

// The entries of content_cbc_hmac.c and content_gcm.c.
extern const jose_content_entry jose_content_cbc_hmac[3], jose_content_gcm[3];

#endif
