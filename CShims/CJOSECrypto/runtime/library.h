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

// The kinds of key that libcrypto imports, each with contexts of its own.
enum { JOSE_IMPORTS_RSA, JOSE_IMPORTS_EC, JOSE_IMPORTS_OKP, JOSE_IMPORTERS = JOSE_IMPORTS_OKP + 4 };

typedef struct {
    OSSL_LIB_CTX *context;
    OSSL_PROVIDER *provider;
    EVP_MD *digests[JOSE_HASHES];
    EVP_CIPHER *ciphers[JOSE_CIPHERS];
    EVP_MAC *hmac;
    jose_pool *importers[JOSE_IMPORTERS];      // EVP_PKEY_CTX ready for EVP_PKEY_fromdata
    jose_pool *cipher_contexts[JOSE_CIPHERS];  // EVP_CIPHER_CTX, no key inside
    jose_pool *holders;                        // jose_cek, no key inside
} jose_library;

// jose_library_get returns the library, made at the first call, or NULL if that failed; a later
// call tries again. The caller has entered jose_host_enter.
const jose_library *jose_library_get(void);

#endif
