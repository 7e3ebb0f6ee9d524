// keymgmt_aes.c: key management by a symmetric key: AES key wrapping, AES-GCM key wrapping and
// direct encryption (RFC 7518 sections 4.4, 4.7 and 4.5).

#include <openssl/crypto.h>
#include <string.h>

#include "aes_wrap.h"
#include "keymgmt.h"
#include "runtime/choose.h"

enum { GCM_IV = 12,
       GCM_TAG = 16 };

static const uint8_t *secret(const jose_keymgmt *operation)
{
    return operation->key->secret;
}

static bool accepts_key(const jose_key *key, const jose_keymgmt_rule *rule)
{
    return key->type == JOSE_KEY_OCT && key->secret_bytes == rule->wrap_bytes;
}

static bool prepare(const jose_keymgmt *operation, jose_keymgmt_slot *slot)
{
    jose_cipher cipher = jose_aes_cipher(operation->entry->wrap_cipher_128, operation->wrap_bytes);
    slot->cipher = jose_cipher_take(operation->library, cipher);
    return slot->cipher != NULL && EVP_CipherInit_ex2(slot->cipher, NULL, secret(operation), NULL,
                                                      operation->wrapping, NULL) == 1;
}

// MARK: AES key wrapping

static size_t kw_encrypted_key_bytes(const jose_keymgmt *operation, size_t cek_len)
{
    (void)operation;
    return cek_len + JOSE_WRAP_EXTRA;
}

static bool kw_wrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_wrap *call,
                    uint8_t *cek, size_t cek_len)
{
    return jose_aes_wrap(operation->library, slot->cipher, call->encrypted_key, cek, cek_len);
}

static bool kw_unwrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                      const jose_unwrap *call, uint8_t *cek, size_t cek_len)
{
    return jose_aes_unwrap(operation->library, slot->cipher, cek, cek_len, call->encrypted_key,
                           call->encrypted_key_len);
}

const jose_keymgmt_entry jose_keymgmt_aes_kw = {
    .wrap_cipher_128 = JOSE_AES_128_KW,
    .accepts_key = accepts_key,
    .encrypted_key_bytes = kw_encrypted_key_bytes,
    .prepare = prepare,
    .wrap = kw_wrap,
    .unwrap = kw_unwrap,
};

// MARK: AES-GCM key wrapping; the parameters are IV and tag

static size_t gcm_encrypted_key_bytes(const jose_keymgmt *operation, size_t cek_len)
{
    (void)operation;
    return cek_len;
}

static size_t gcm_parameter_bytes(const jose_keymgmt *operation)
{
    (void)operation;
    return GCM_IV + GCM_TAG;
}

static size_t gcm_seed_bytes(const jose_keymgmt *operation)
{
    (void)operation;
    return GCM_IV;
}

static bool gcm_encrypt(EVP_CIPHER_CTX *context, const jose_wrap *call, const uint8_t *cek,
                        size_t cek_len)
{
    uint8_t none[GCM_TAG];
    int size = 0, rest = 0;
    return EVP_CipherUpdate(context, call->encrypted_key, &size, cek, (int)cek_len) == 1 &&
           size == (int)cek_len && EVP_CipherFinal_ex(context, none, &rest) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, GCM_TAG,
                               call->parameters + GCM_IV) == 1;
}

static bool gcm_wrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_wrap *call,
                     uint8_t *cek, size_t cek_len)
{
    EVP_CIPHER_CTX *context = slot->cipher;
    if (operation->library->is_fips) {
        context = jose_cipher_make_generating_iv(
            operation->library, jose_aes_cipher(JOSE_AES_128_GCM, operation->wrap_bytes),
            secret(operation));
        const bool done =
            context != NULL && gcm_encrypt(context, call, cek, cek_len) &&
            jose_cipher_get_generated_iv(context, call->parameters, GCM_IV);
        EVP_CIPHER_CTX_free(context);
        return done;
    }
    memcpy(call->parameters, call->seed, GCM_IV);
    return EVP_CipherInit_ex2(context, NULL, NULL, call->seed, 1, NULL) == 1 &&
           gcm_encrypt(context, call, cek, cek_len);
}

static bool gcm_unwrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                       const jose_unwrap *call, uint8_t *cek, size_t cek_len)
{
    (void)operation;
    if (call->encrypted_key_len != cek_len) return true;
    const uint8_t *iv = call->recipient->parameters, *tag = iv + GCM_IV;
    uint8_t key[JOSE_MAX_CEK], none[GCM_TAG];
    int size = 0, rest = 0;
    bool done = EVP_CipherInit_ex2(slot->cipher, NULL, NULL, iv, 0, NULL) == 1 &&
                EVP_CIPHER_CTX_ctrl(slot->cipher, EVP_CTRL_AEAD_SET_TAG, GCM_TAG,
                                    (void *)tag) == 1 &&
                EVP_CipherUpdate(slot->cipher, key, &size, call->encrypted_key,
                                 (int)cek_len) == 1 &&
                size == (int)cek_len;
    if (done) {
        int right = EVP_CipherFinal_ex(slot->cipher, none, &rest);
        done = jose_cipher_wipe_block(slot->cipher, cek_len);
        jose_choose(cek, key, cek_len, (uint8_t) - (right == 1));
    }
    OPENSSL_cleanse(key, sizeof key);
    return done;
}

const jose_keymgmt_entry jose_keymgmt_gcm_kw = {
    .wrap_cipher_128 = JOSE_AES_128_GCM,
    .accepts_key = accepts_key,
    .encrypted_key_bytes = gcm_encrypted_key_bytes,
    .parameter_bytes = gcm_parameter_bytes,
    .seed_bytes = gcm_seed_bytes,
    .prepare = prepare,
    .wrap = gcm_wrap,
    .unwrap = gcm_unwrap,
};

// MARK: direct encryption

static bool accepts_direct_key(const jose_key *key, const jose_keymgmt_rule *rule)
{
    return key->type == JOSE_KEY_OCT && rule->wrap_bytes == 0;
}

static bool direct_supports(const jose_keymgmt *operation, size_t cek_len)
{
    return operation->key->secret_bytes == cek_len;
}

static bool direct_wrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                        const jose_wrap *call, uint8_t *cek, size_t cek_len)
{
    (void)slot, (void)call;
    memcpy(cek, secret(operation), cek_len);
    return true;
}

static bool direct_unwrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                          const jose_unwrap *call, uint8_t *cek, size_t cek_len)
{
    (void)slot;
    // RFC 7516 section 5.2, step 10: there must be no encrypted key.
    if (call->encrypted_key_len == 0) memcpy(cek, secret(operation), cek_len);
    return true;
}

const jose_keymgmt_entry jose_keymgmt_direct = {
    .is_direct = true,
    .determines_cek = true,
    .accepts_key = accepts_direct_key,
    .supports = direct_supports,
    .wrap = direct_wrap,
    .unwrap = direct_unwrap,
};
