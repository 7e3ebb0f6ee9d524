// library_digest.c: digests and MACs by a library's provider.

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include "digest.h"
#include "library.h"

bool jose_library_digest(const jose_library *library, jose_hash hash, uint8_t *out,
                         const jose_number *pieces, size_t count)
{
    const EVP_MD *digest = library->digests[hash];
    unsigned size = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = digest != NULL && context != NULL &&
                EVP_DigestInit_ex2(context, digest, NULL) == 1 &&
                EVP_MD_CTX_get0_md(context) == digest;  // not a host's engine
    for (size_t i = 0; i < count && done; i++)
        done = EVP_DigestUpdate(context, pieces[i].bytes, pieces[i].len) == 1;
    done = done && EVP_DigestFinal_ex(context, out, &size) == 1 && size == jose_hash_bytes(hash);
    EVP_MD_CTX_free(context);
    return done;
}

size_t jose_library_hmac(const jose_library *library, const char *digest, uint8_t *out,
                         jose_number key, const jose_number *pieces, size_t count)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, (char *)library->properties,
                                         0),
        OSSL_PARAM_construct_end(),
    };
    size_t size = 0;
    // The context is new, so that the key is freed with it.
    EVP_MAC_CTX *mac = library->hmac == NULL ? NULL : EVP_MAC_CTX_new(library->hmac);
    bool done = mac != NULL && EVP_MAC_init(mac, key.bytes, key.len, params) == 1;
    for (size_t i = 0; i < count && done; i++)
        done = pieces[i].len == 0 || EVP_MAC_update(mac, pieces[i].bytes, pieces[i].len) == 1;
    done = done && EVP_MAC_final(mac, out, &size, JOSE_MAX_DIGEST) == 1;
    EVP_MAC_CTX_free(mac);
    return done ? size : 0;
}
