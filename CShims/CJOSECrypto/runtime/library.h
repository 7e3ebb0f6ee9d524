// library.h: OpenSSL in a context of our own, every algorithm fetched once.
#ifndef JOSE_LIBRARY_H
#define JOSE_LIBRARY_H

#include "cjosecrypto.h"

#include <openssl/evp.h>
#include <openssl/provider.h>

#include "pool.h"

// Every fetch asks for exactly this provider, whatever the host's defaults are.
#define JOSE_PROPERTIES "provider=default"

enum { JOSE_HASHES = 4 };

// The ciphers that are fetched; each block in the order of key sizes.
typedef enum {
    JOSE_AES_128_CBC,
    JOSE_AES_192_CBC,
    JOSE_AES_256_CBC,
    JOSE_AES_128_GCM,
    JOSE_AES_192_GCM,
    JOSE_AES_256_GCM,
    JOSE_AES_128_ECB,
    JOSE_AES_192_ECB,
    JOSE_AES_256_ECB,
    JOSE_CIPHERS
} jose_cipher;

// The kinds of key that libcrypto imports, each with contexts of its own: the curves and parameter sets, then RSA.
enum { JOSE_CURVES = JOSE_ML_DSA_87 + 1,
       JOSE_IMPORTS_RSA = JOSE_CURVES,
       JOSE_IMPORTERS };

// What a row takes of libcrypto, a bit each. A row names what any of its ways takes: it is there by every way
// or by none. The last four are of a kind of key (keys/key.h).
typedef uint32_t jose_parts;
enum {
    JOSE_PART_HMAC = 1 << (JOSE_HASHES + JOSE_CIPHERS),
    JOSE_PART_PBKDF2 = JOSE_PART_HMAC << 1,
    JOSE_PART_KEY = JOSE_PART_PBKDF2 << 1,
    JOSE_PART_SIGNATURE = JOSE_PART_KEY << 1,
    JOSE_PART_EXCHANGE = JOSE_PART_SIGNATURE << 1,
    JOSE_PART_ENCRYPTION = JOSE_PART_EXCHANGE << 1,
    JOSE_PARTS_OF_KEYS = JOSE_PART_KEY | JOSE_PART_SIGNATURE | JOSE_PART_EXCHANGE | JOSE_PART_ENCRYPTION,
};

static inline jose_parts jose_part_digest(jose_hash hash)
{
    return (jose_parts)1 << hash;
}

static inline jose_parts jose_part_cipher(jose_cipher cipher)
{
    return (jose_parts)1 << (JOSE_HASHES + cipher);
}

typedef struct {
    OSSL_LIB_CTX *context;
    OSSL_PROVIDER *provider;
    EVP_MD *digests[JOSE_HASHES];
    EVP_CIPHER *ciphers[JOSE_CIPHERS];
    EVP_MAC *hmac;
    jose_parts parts;                          // which of these are there; what is not is NULL
    jose_parts of_keys[JOSE_IMPORTERS];        // what each kind of key has
    jose_pool *importers[JOSE_IMPORTERS];      // EVP_PKEY_CTX ready for EVP_PKEY_fromdata
    jose_pool *groups[JOSE_IMPORTERS];         // EC_GROUP, to be copied
    jose_pool *cipher_contexts[JOSE_CIPHERS];  // EVP_CIPHER_CTX, no key inside
    jose_pool *holders;                        // jose_cek, no key inside
} jose_library;

// jose_library_get returns the library, made at the first call, or NULL if that failed; a later
// call tries again. A fork waits for the end of that call. The caller has entered jose_host_enter.
const jose_library *jose_library_get(void);

// jose_library_missing returns the first of these parts that libcrypto does not have, by its name there; NULL where all
// are there. None of them is of a key.
const char *jose_library_missing(const jose_library *library, jose_parts parts);

// jose_library_has tells whether libcrypto has all of these parts: JOSE_OK or JOSE_UNSUPPORTED. None of them is
// of a key.
jose_status jose_library_has(const jose_library *library, jose_parts parts);

// jose_library_hmac writes the HMAC of several pieces by EVP_MAC, over the digest of this name; out
// has room for the largest one. Returns the size, or 0.
size_t jose_library_hmac(const jose_library *library, const char *digest, uint8_t *out,
                         jose_number key, const jose_number *pieces, size_t count);

#endif
