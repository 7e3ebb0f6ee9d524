// cipher.c: takes AES contexts from the library's pools and puts them back without their key.

#include "cipher.h"

EVP_CIPHER_CTX *jose_cipher_take(const jose_library *library, jose_cipher cipher)
{
    EVP_CIPHER_CTX *context = jose_pool_take(library->cipher_contexts[cipher]);
    if (context != NULL) return context;
    const EVP_CIPHER *fetched = library->ciphers[cipher];
    if (fetched == NULL) return NULL;
    context = EVP_CIPHER_CTX_new();
    if (context != NULL && EVP_CipherInit_ex2(context, fetched, NULL, NULL, 1, NULL) == 1 &&
        EVP_CIPHER_CTX_get0_cipher(context) == fetched)  // not an engine of the host's
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

void jose_cipher_put(const jose_library *library, jose_cipher cipher, EVP_CIPHER_CTX *context)
{
    // A zero key overwrites the schedule of the one before.
    static const uint8_t zeros[32];
    if (EVP_CipherInit_ex2(context, NULL, zeros, NULL, 1, NULL) != 1 ||
        !jose_pool_put(library->cipher_contexts[cipher], context))
        EVP_CIPHER_CTX_free(context);  // wipes what it held
}
