// content_kernel.h: A128CBC-HS256 (RFC 7518 section 5.2.3) with encryption and MAC side by side.
#ifndef JOSE_CONTENT_KERNEL_H
#define JOSE_CONTENT_KERNEL_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    JOSE_CONTENT_KEY_BYTES = 32,
    JOSE_CONTENT_IV_BYTES = 16,
    JOSE_CONTENT_TAG_BYTES = 16,
    JOSE_CONTENT_BLOCK_BYTES = 16,
};

// A content key made ready: AES-128 round keys and the two HMAC-SHA256 states, in the word order of
// the SHA instructions (ABEF, CDGH). All of it is secret: wipe it after use.
typedef struct jose_content_kernel_key {
    _Alignas(16) uint8_t rounds[11][16];
    _Alignas(16) uint32_t inner[8];
    _Alignas(16) uint32_t outer[8];
} jose_content_kernel_key;

// jose_content_kernel_prepare makes `key` from the 32 bytes of a CEK (MAC key, then cipher key).
// Only where jose_kernel_has_content() is true.
void jose_content_kernel_prepare(jose_content_kernel_key *key,
                                 const uint8_t cek[JOSE_CONTENT_KEY_BYTES]);

// jose_content_kernel_agrees says whether OpenSSL makes the same of the same CEK: one block under
// `cbc`, an AES-128-CBC context that may be re-keyed, and the two states by SHA256_Transform.
// *was_asked tells whether OpenSSL gave an answer: without one nothing is said about the kernel.
bool jose_content_kernel_agrees(const jose_content_kernel_key *key,
                                const uint8_t cek[JOSE_CONTENT_KEY_BYTES], EVP_CIPHER_CTX *cbc,
                                bool *was_asked);

// jose_content_kernel_encrypt writes (plaintext_len / 16 + 1) * 16 bytes of ciphertext and the tag
// over aad, iv, ciphertext and the length of aad. The ciphertext may take the plaintext's place or
// lie apart from it; nothing else may overlap. Time depends on the lengths alone.
void jose_content_kernel_encrypt(const jose_content_kernel_key *key, uint8_t *ciphertext,
                                 uint8_t tag[JOSE_CONTENT_TAG_BYTES],
                                 const uint8_t iv[JOSE_CONTENT_IV_BYTES], const uint8_t *aad,
                                 size_t aad_len, const uint8_t *plaintext, size_t plaintext_len);

void jose_content_kernel_wipe(jose_content_kernel_key *key);

#endif
