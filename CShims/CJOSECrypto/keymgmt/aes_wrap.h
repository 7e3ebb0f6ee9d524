// aes_wrap.h: AES key wrapping (RFC 3394).
#ifndef JOSE_AES_WRAP_H
#define JOSE_AES_WRAP_H

#include "runtime/cipher.h"

enum { JOSE_WRAP_EXTRA = 8 };  // bytes that wrapping adds to a key

// jose_aes_wrap writes key_len + JOSE_WRAP_EXTRA bytes. key_len is a multiple of 8 and at least 16.
// `context` encrypts by AES-ECB, or wraps whole keys in the FIPS library. False on failure.
bool jose_aes_wrap(const jose_library *library, EVP_CIPHER_CTX *context, uint8_t *wrapped,
                   const uint8_t *key, size_t key_len);

// jose_aes_unwrap replaces the random key in cek by the unwrapped one if the integrity value is
// right, and nothing reveals whether it is. A wrapped key of another length leaves cek unchanged.
// `context` decrypts by AES-ECB, or unwraps whole keys in the FIPS library. Returns false only
// after a system failure (host.h).
bool jose_aes_unwrap(const jose_library *library, EVP_CIPHER_CTX *context, uint8_t *cek,
                     size_t cek_len, const uint8_t *wrapped, size_t wrapped_len);

// jose_aes_wrap_under and jose_aes_unwrap_under do the same with the key kek and their own context.
bool jose_aes_wrap_under(const jose_library *library, const uint8_t *kek, size_t kek_len,
                         uint8_t *wrapped, const uint8_t *key, size_t key_len);
bool jose_aes_unwrap_under(const jose_library *library, const uint8_t *kek, size_t kek_len,
                           uint8_t *cek, size_t cek_len, const uint8_t *wrapped,
                           size_t wrapped_len);

// jose_aes_cipher returns the cipher for this key size, of three that begin with `first`.
static inline jose_cipher jose_aes_cipher(jose_cipher first, size_t key_len)
{
    return (jose_cipher)(first + (key_len / 8 - 2));
}

#endif
