// signature_whole.c: signs and verifies messages by EVP without a digest (EVP_DigestSign).

#include "runtime/host.h"
#include "signature.h"

bool jose_whole_prepare(const jose_signature *operation, jose_signature_slot *slot)
{
    slot->whole = EVP_MD_CTX_new();
    slot->work = jose_key_context(operation->library, operation->key);
    if (operation->signing && (operation->options & JOSE_CHECK_SIGNATURES)) {
        slot->check = jose_key_public_context(operation->library, operation->key);
        if (slot->check == NULL) return false;
    }
    return slot->whole != NULL && slot->work != NULL;
}

// Newer versions of libcrypto use a context for one message only, so it is initialised each time.
static bool begin(const jose_signature *operation, jose_signature_slot *slot,
                  EVP_PKEY_CTX *context, bool signing)
{
    EVP_PKEY *pkey = EVP_PKEY_CTX_get0_pkey(context);
    if (EVP_MD_CTX_reset(slot->whole) != 1) return false;
    OSSL_LIB_CTX *library = operation->library->context;
    const char *properties = operation->library->properties;
    return (signing ? EVP_DigestSignInit_ex(slot->whole, NULL, NULL, library, properties,
                                            pkey, NULL)
                    : EVP_DigestVerifyInit_ex(slot->whole, NULL, NULL, library, properties,
                                              pkey, NULL)) == 1;
}

static jose_status verify_message(const jose_signature *operation, jose_signature_slot *slot,
                                  EVP_PKEY_CTX *context, const uint8_t *message, size_t message_len,
                                  const uint8_t *signature)
{
    if (!begin(operation, slot, context, false)) return JOSE_INTERNAL;
    if (EVP_DigestVerify(slot->whole, signature, operation->bytes, message, message_len) == 1)
        return JOSE_OK;
    return jose_library_failed(operation->library) ? JOSE_INTERNAL : JOSE_REJECTED;
}

jose_status jose_whole_sign(const jose_signature *operation, jose_signature_slot *slot,
                            uint8_t *signature, const uint8_t *message, size_t message_len)
{
    size_t size = operation->bytes;
    if (!begin(operation, slot, slot->work, true) ||
        EVP_DigestSign(slot->whole, signature, &size, message, message_len) != 1 ||
        size != operation->bytes)
        return JOSE_INTERNAL;
    if ((operation->options & JOSE_CHECK_SIGNATURES) &&
        verify_message(operation, slot, slot->check, message, message_len, signature) != JOSE_OK)
        return JOSE_INTERNAL;
    return JOSE_OK;
}

jose_status jose_whole_verify(const jose_signature *operation, jose_signature_slot *slot,
                              const uint8_t *message, size_t message_len, const uint8_t *signature)
{
    return verify_message(operation, slot, slot->work, message, message_len, signature);
}
