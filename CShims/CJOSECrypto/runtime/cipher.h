// cipher.h: pooled AES contexts without a key.
#ifndef JOSE_CIPHER_H
#define JOSE_CIPHER_H

#include "library.h"

// jose_cipher_take returns a context of this cipher, ready for EVP_CipherInit_ex2 with a key, or
// NULL. It never uses an engine of the host (host.h).
EVP_CIPHER_CTX *jose_cipher_take(const jose_library *library, jose_cipher cipher);

// jose_cipher_wipe_block overwrites the last block after a GCM decryption of text_len bytes; the
// context keeps its key. If that block was partial, the context would otherwise keep plaintext
// (AVX-512 code from OpenSSL 3.1 on) or keystream (other code). Returns false on failure; the
// plaintext must then not be returned.
bool jose_cipher_wipe_block(EVP_CIPHER_CTX *context, size_t text_len);

// jose_cipher_make_generating_iv makes a context that encrypts one message by AES-GCM, with an IV
// that the provider generates (SP 800-38D section 8.2.2). A FIPS provider approves no other IV.
// Returns NULL on failure. Free the context with EVP_CIPHER_CTX_free.
EVP_CIPHER_CTX *jose_cipher_make_generating_iv(const jose_library *library, jose_cipher cipher,
                                               const uint8_t *key);

// jose_cipher_get_generated_iv writes that IV after the message was encrypted. False on failure.
bool jose_cipher_get_generated_iv(EVP_CIPHER_CTX *context, uint8_t *iv, size_t iv_len);

// jose_cipher_put wipes the key. It returns the context to the pool, or frees it.
void jose_cipher_put(const jose_library *library, jose_cipher cipher, EVP_CIPHER_CTX *context);

#endif
