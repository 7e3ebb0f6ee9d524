// content_gcm.c: AES-GCM (RFC 7518 section 5.3), one entry for each key size.

#include <openssl/crypto.h>

#include "runtime/cipher.h"
#include "cjosekernels.h"
#include "content.h"

enum { IV = 12,
       TAG = 16 };
// EVP lengths are int: longer texts are processed in pieces.
static const size_t piece = (size_t)1 << 30;
// SP 800-38D: the counter has 32 bits.
static const uint64_t max_len = ((uint64_t)1 << 36) - 32;

static size_t ciphertext_bytes(size_t plaintext_len)
{
    return plaintext_len <= max_len ? plaintext_len : SIZE_MAX;
}

static bool ciphertext_possible(size_t ciphertext_len)
{
    return ciphertext_len <= max_len;
}

static EVP_CIPHER_CTX *take(const jose_content_call *call)
{
    return call->ready != NULL ? call->ready->cipher
                               : jose_cipher_take(call->library, call->entry->cipher);
}

static void put(const jose_content_call *call, EVP_CIPHER_CTX *context)
{
    if (call->ready == NULL) jose_cipher_put(call->library, call->entry->cipher, context);
}

// Returns the key for a context from the pool, or NULL for one that has the key.
static const uint8_t *key_for_context(const jose_content_call *call)
{
    return call->ready != NULL ? NULL : call->key;
}

// Processes AAD if out is NULL, else text.
static bool run(EVP_CIPHER_CTX *context, uint8_t *out, const uint8_t *in, size_t len)
{
    for (size_t done = 0; done < len;) {
        size_t now = len - done < piece ? len - done : piece;
        int count = 0;
        if (EVP_CipherUpdate(context, out == NULL ? NULL : out + done, &count, in + done,
                             (int)now) != 1 ||
            count != (int)now)
            return false;
        done += now;
    }
    return true;
}

// The context has its key and IV, or generates the IV.
static bool encrypt_by(EVP_CIPHER_CTX *context, const jose_content_call *call, uint8_t *ciphertext,
                       uint8_t *tag, const uint8_t *plaintext, size_t plaintext_len)
{
    uint8_t none[TAG];
    int rest = 0;
    return run(context, NULL, call->aad, call->aad_len) &&
           run(context, ciphertext, plaintext, plaintext_len) &&
           EVP_CipherFinal_ex(context, none, &rest) == 1 && rest == 0 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, tag) == 1;
}

static jose_status encrypt_generating_iv(const jose_content_call *call, uint8_t *ciphertext,
                                         uint8_t *tag, const uint8_t *plaintext,
                                         size_t plaintext_len)
{
    EVP_CIPHER_CTX *context =
        jose_cipher_make_generating_iv(call->library, call->entry->cipher, call->key);
    const bool done = context != NULL &&
                      encrypt_by(context, call, ciphertext, tag, plaintext, plaintext_len) &&
                      jose_cipher_get_generated_iv(context, call->generated_iv, IV);
    EVP_CIPHER_CTX_free(context);
    return done ? JOSE_OK : JOSE_INTERNAL;
}

static jose_status encrypt(const jose_content_call *call, uint8_t *ciphertext, uint8_t *tag,
                           const uint8_t *plaintext, size_t plaintext_len)
{
    if (call->generated_iv != NULL)
        return encrypt_generating_iv(call, ciphertext, tag, plaintext, plaintext_len);
    EVP_CIPHER_CTX *context = take(call);
    if (context == NULL) return JOSE_INTERNAL;
    const bool done =
        EVP_CipherInit_ex2(context, NULL, key_for_context(call), call->iv, 1, NULL) == 1 &&
        encrypt_by(context, call, ciphertext, tag, plaintext, plaintext_len);
    put(call, context);
    return done ? JOSE_OK : JOSE_INTERNAL;
}

// Decrypts while the tag is computed. If the tag is wrong, all plaintext is wiped.
static jose_status decrypt(const jose_content_call *call, size_t *plaintext_len,
                           uint8_t *ciphertext, size_t ciphertext_len, const jose_encoded *encoded,
                           const uint8_t *tag)
{
    if (encoded->text != NULL) return JOSE_INTERNAL;
    uint8_t none[TAG];
    int rest = 0;
    EVP_CIPHER_CTX *context = take(call);
    if (context == NULL) return JOSE_INTERNAL;
    bool done = EVP_CipherInit_ex2(context, NULL, key_for_context(call), call->iv, 0, NULL) == 1 &&
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, (void *)tag) == 1 &&
                run(context, NULL, call->aad, call->aad_len) &&
                run(context, ciphertext, ciphertext, ciphertext_len);
    bool right =
        done && jose_declassify(EVP_CipherFinal_ex(context, none, &rest) == 1) && rest == 0;
    if (call->ready != NULL) done = jose_cipher_wipe_block(context, ciphertext_len) && done;
    put(call, context);
    if (!right || !done) {
        OPENSSL_cleanse(ciphertext, ciphertext_len);
        return done && !jose_library_stopped(call->library) ? JOSE_REJECTED : JOSE_INTERNAL;
    }
    *plaintext_len = ciphertext_len;
    return JOSE_OK;
}

#define ENTRY(bits)                                                                           \
    {                                                                                         \
        .name = "A" #bits "GCM", .key_bytes = (bits) / 8, .iv_bytes = IV, .tag_bytes = TAG,   \
        .cipher = JOSE_AES_##bits##_GCM, .parts = 1 << (JOSE_HASHES + JOSE_AES_##bits##_GCM), \
        .ciphertext_bytes = ciphertext_bytes, .ciphertext_possible = ciphertext_possible,     \
        .encrypt = encrypt, .decrypt = decrypt                                                \
    }

const jose_content_entry jose_content_gcm[3] = {ENTRY(128), ENTRY(192), ENTRY(256)};
