// cipher.c: takes AES contexts from the library's pools and returns them without their key.

#include "cipher.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

EVP_CIPHER_CTX *jose_cipher_take(const jose_library *library, jose_cipher cipher)
{
    EVP_CIPHER_CTX *context = jose_pool_take(library->cipher_contexts[cipher]);
    if (context != NULL) return context;
    const EVP_CIPHER *fetched = library->ciphers[cipher];
    if (fetched == NULL) return NULL;
    context = EVP_CIPHER_CTX_new();
    if (context != NULL) EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    if (context != NULL && EVP_CipherInit_ex2(context, fetched, NULL, NULL, 1, NULL) == 1 &&
        EVP_CIPHER_CTX_get0_cipher(context) == fetched)  // not an engine of the host
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

bool jose_cipher_wipe_block(EVP_CIPHER_CTX *context, size_t text_len)
{
    static const uint8_t zeros[16];
    uint8_t dummy[1];
    int count = 0;
    if (text_len % sizeof zeros == 0) return true;
    const bool done = EVP_CipherInit_ex2(context, NULL, NULL, zeros, 0, NULL) == 1 &&
                      EVP_CipherUpdate(context, dummy, &count, zeros, 1) == 1;
    OPENSSL_cleanse(dummy, sizeof dummy);
    return done;
}

EVP_CIPHER_CTX *jose_cipher_make_generating_iv(const jose_library *library, jose_cipher cipher,
                                               const uint8_t *key)
{
    EVP_CIPHER_CTX *made = EVP_CIPHER_CTX_new();
    if (made != NULL &&
        EVP_CipherInit_ex2(made, library->ciphers[cipher], key, NULL, 1, NULL) == 1)
        return made;
    EVP_CIPHER_CTX_free(made);
    return NULL;
}

bool jose_cipher_get_generated_iv(EVP_CIPHER_CTX *context, uint8_t *iv, size_t iv_len)
{
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, iv, iv_len),
        OSSL_PARAM_construct_end(),
    };
    return EVP_CIPHER_CTX_get_params(context, params) == 1 && params[0].return_size == iv_len;
}

void jose_cipher_put(const jose_library *library, jose_cipher cipher, EVP_CIPHER_CTX *context)
{
    // A zero key overwrites the previous key's schedule.
    static const uint8_t zeros[32];
    if (EVP_CipherInit_ex2(context, NULL, zeros, NULL, 1, NULL) != 1 ||
        !jose_pool_put(library->cipher_contexts[cipher], context))
        EVP_CIPHER_CTX_free(context);  // wipes its memory
}
