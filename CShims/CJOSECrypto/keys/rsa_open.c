// rsa_open.c: the block inside an RSA signature (RSAVP1, RFC 8017 section 5.2.2), by EVP.

#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <string.h>

#include "rsa.h"
#include "runtime/host.h"

bool jose_rsa_open_by_evp(const jose_library *library, const jose_key *key, uint8_t *block,
                          const uint8_t *signature)
{
    size_t size = jose_rsa_bytes(key);
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE,
                                         (char *)OSSL_PKEY_RSA_PAD_MODE_NONE, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *bare = jose_key_public_context(library, key);
    const bool is_open = bare != NULL && EVP_PKEY_encrypt_init_ex(bare, params) == 1 &&
                         EVP_PKEY_encrypt(bare, block, &size, signature, size) == 1 &&
                         size == jose_rsa_bytes(key);
    EVP_PKEY_CTX_free(bare);
    return is_open;
}

jose_status jose_rsa_open(const jose_key *key, uint8_t *block, size_t block_len,
                          const uint8_t *signature, size_t signature_len)
{
    if (key->type != JOSE_KEY_RSA) return JOSE_BAD_KEY;
    const jose_number modulus = jose_key_number(key, 0);
    if (block_len != modulus.len) return JOSE_INTERNAL;
    if (signature_len != modulus.len) return JOSE_REJECTED;
    if (memcmp(signature, modulus.bytes, modulus.len) >= 0) return JOSE_REJECTED;
    JOSE_HOST_SCOPE;
    const jose_library *library = key->library;
    const jose_status status = jose_key_has(library, key->type, key->curve, JOSE_PART_ENCRYPTION);
    if (status != JOSE_OK) return status;
    return jose_rsa_open_by_evp(library, key, block, signature) ? JOSE_OK : JOSE_INTERNAL;
}
