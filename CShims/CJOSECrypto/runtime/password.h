// password.h: keys derived from passwords.
#ifndef JOSE_PASSWORD_H
#define JOSE_PASSWORD_H

#include "digest.h"
#include "library.h"

// jose_pbkdf2 derives a key by PBKDF2 with HMAC (RFC 8018 section 5.2). Returns false on failure.
bool jose_pbkdf2(const jose_library *library, const jose_digest_entry *digest, uint8_t *key,
                 size_t key_len, const uint8_t *password, size_t password_len,
                 const uint8_t *salt, size_t salt_len, uint32_t iterations);

#endif
