// library.h: OpenSSL in a context of our own, every algorithm fetched once.
#ifndef JOSE_LIBRARY_H
#define JOSE_LIBRARY_H

#include "cjosecrypto.h"

#include <openssl/evp.h>

#include "pool.h"

// Every fetch asks for exactly this provider, whatever the host's defaults are.
#define JOSE_PROPERTIES "provider=default"

enum { JOSE_HASHES = 4, JOSE_CBC_CIPHERS = 3 };

typedef struct {
    OSSL_LIB_CTX *context;
    EVP_MD *digests[JOSE_HASHES];
    EVP_CIPHER *cbc[JOSE_CBC_CIPHERS];  // AES-128, -192, -256
    EVP_MAC *hmac;
    jose_pool *importers;                     // EVP_PKEY_CTX ready for EVP_PKEY_fromdata
    jose_pool *cbc_contexts[JOSE_CBC_CIPHERS];  // EVP_CIPHER_CTX, no key inside
} jose_library;

// jose_library_get returns the library, made at the first call, or NULL if that failed; a later
// call tries again. The caller has entered jose_host_enter.
const jose_library *jose_library_get(void);

#endif
