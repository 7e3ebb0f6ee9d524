// library.h: OpenSSL in a library context of its own, with every algorithm fetched once. There is
// one library for the default provider and one for a FIPS provider.
#ifndef JOSE_LIBRARY_H
#define JOSE_LIBRARY_H

#include "cjosecrypto.h"

#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>

#include "pool.h"

// Every fetch of the default library requests this provider, whatever the host's defaults are.
#define JOSE_PROPERTIES "provider=default"

// Every fetch of the FIPS library requests this. Its context has the providers fips and base.
#define JOSE_FIPS_PROPERTIES "fips=yes"

enum { JOSE_HASHES = 4 };

// The fetched ciphers; each group of three is in the order of key sizes.
typedef enum {
    JOSE_AES_128_CBC,
    JOSE_AES_192_CBC,
    JOSE_AES_256_CBC,
    JOSE_AES_128_GCM,
    JOSE_AES_192_GCM,
    JOSE_AES_256_GCM,
    JOSE_AES_128_KW,  // for key wrapping: AES-ECB, or the FIPS provider's own key wrapping
    JOSE_AES_192_KW,
    JOSE_AES_256_KW,
    JOSE_CIPHERS
} jose_cipher;

// The kinds of key that libcrypto imports, each with its own contexts: the curves and parameter
// sets, then RSA.
enum { JOSE_CURVES = JOSE_ML_DSA_87 + 1,
       JOSE_IMPORTS_RSA = JOSE_CURVES,
       JOSE_IMPORTERS };

// The parts of libcrypto that an algorithm needs, a bit each. An algorithm needs the parts of all
// its implementations: its availability does not depend on the implementation. The last four bits
// belong to a kind of key (keys/key.h).
typedef uint32_t jose_parts;
enum {
    JOSE_PART_HMAC = 1 << (JOSE_HASHES + JOSE_CIPHERS),
    JOSE_PART_PBKDF2 = JOSE_PART_HMAC << 1,
    JOSE_PART_KEY = JOSE_PART_PBKDF2 << 1,
    JOSE_PART_SIGNATURE = JOSE_PART_KEY << 1,
    JOSE_PART_EXCHANGE = JOSE_PART_SIGNATURE << 1,
    JOSE_PART_ENCRYPTION = JOSE_PART_EXCHANGE << 1,
    JOSE_PARTS_OF_KEYS =
        JOSE_PART_KEY | JOSE_PART_SIGNATURE | JOSE_PART_EXCHANGE | JOSE_PART_ENCRYPTION,
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
    OSSL_PROVIDER *base;     // of the FIPS library: decoders and the seed source
    const char *properties;  // of every fetch
    // FIPS: EVP computes everything, and nothing is buffered outside of the provider.
    bool is_fips;
    jose_options forced;  // added to the options of every operation
    EVP_MD *digests[JOSE_HASHES];
    EVP_CIPHER *ciphers[JOSE_CIPHERS];
    EVP_MAC *hmac;
    EVP_KDF *one_step;                         // of the FIPS library: the KDF of ECDH-ES
    jose_parts parts;                          // those that exist; pointers of others are NULL
    jose_parts of_keys[JOSE_IMPORTERS];        // the same for each kind of key
    jose_pool *importers[JOSE_IMPORTERS];      // EVP_PKEY_CTX for EVP_PKEY_fromdata
    jose_pool *groups[JOSE_IMPORTERS];         // EC_GROUP to copy
    jose_pool *cipher_contexts[JOSE_CIPHERS];  // EVP_CIPHER_CTX, no key inside
    jose_pool *cek_pool;                       // jose_cek, no key inside
} jose_library;

// jose_library_get returns the library of the process: the FIPS one after jose_fips_use, else the
// default one, which the first call makes. A fork during that call waits. Returns NULL on
// failure; a later call tries again. Call it inside JOSE_HOST_SCOPE.
const jose_library *jose_library_get(void);

// jose_library_of returns the library of a module, or NULL if it cannot be made or is not loaded.
const jose_library *jose_library_of(jose_module module);

// jose_library_failed empties the error queue. Returns whether a call failed for a reason other
// than its data: a system failure (host.h), or the library's FIPS provider stopped.
bool jose_library_failed(const jose_library *library);

// jose_library_stopped returns whether the library's FIPS provider stopped after a failed
// self-test. Its calls then return 0, as for a wrong signature or tag.
bool jose_library_stopped(const jose_library *library);

// jose_library_current does what jose_library_get does, outside of JOSE_HOST_SCOPE.
const jose_library *jose_library_current(void);

// jose_library_fetch makes a library from a context and its providers, and fetches all algorithms.
// It takes ownership of context and providers in any case. Returns NULL on failure.
jose_library *jose_library_fetch(const jose_library *made);

// jose_library_runs returns whether the running libcrypto can be used. If not, it records why.
bool jose_library_runs(void);

// jose_library_missing returns libcrypto's name of the first missing part, or NULL.
// It ignores bits that belong to a kind of key: see jose_key_missing (keys/key.h).
const char *jose_library_missing(const jose_library *library, jose_parts parts);

// jose_library_has returns whether libcrypto has all of these parts: JOSE_OK or JOSE_UNSUPPORTED.
jose_status jose_library_has(const jose_library *library, jose_parts parts);

// jose_library_digest writes the digest of several pieces, jose_hash_bytes long, by EVP. Returns
// false on failure.
bool jose_library_digest(const jose_library *library, jose_hash hash, uint8_t *out,
                         const jose_number *pieces, size_t count);

// jose_library_hmac computes the HMAC of several pieces by EVP_MAC, with the digest of this name.
// out has JOSE_MAX_DIGEST bytes. Returns the size, or 0 on failure.
size_t jose_library_hmac(const jose_library *library, const char *digest, uint8_t *out,
                         jose_number key, const jose_number *pieces, size_t count);

#endif
