// keys.c: keys and contexts of the baselines, made once.

#include "lane.h"

#include <openssl/err.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

baseline_key *baseline_key_new(const uint8_t *der, size_t count)
{
    const uint8_t *at = der;
    baseline_key *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    ERR_set_mark();
    made->key = d2i_AutoPrivateKey(NULL, &at, (long)count);
    made->is_private = made->key != NULL;
    at = der;
    if (made->key == NULL) made->key = d2i_PUBKEY(NULL, &at, (long)count);
    ERR_pop_to_mark();
    if (made->key != NULL) return made;
    free(made);
    return NULL;
}

void baseline_key_free(baseline_key *key)
{
    if (key == NULL) return;
    EVP_PKEY_free(key->key);
    free(key);
}

static EVP_PKEY_CTX *wrapping(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *), const EVP_MD *hash)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (context != NULL && init(context) == 1 &&
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1 &&
        EVP_PKEY_CTX_set_rsa_oaep_md(context, hash) == 1 &&
        EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash) == 1) {
        return context;
    }
    EVP_PKEY_CTX_free(context);
    return NULL;
}

baseline_lane *baseline_lane_new(const baseline_key *key, int oaep_bits, size_t capacity)
{
    static const uint8_t zero[BASELINE_CEK_BYTES];
    const EVP_MD *hash = oaep_bits == 512   ? EVP_sha512()
                         : oaep_bits == 384 ? EVP_sha384()
                         : oaep_bits == 256 ? EVP_sha256()
                                            : EVP_sha1();
    baseline_lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL) return NULL;
    lane->encrypt = wrapping(key->key, EVP_PKEY_encrypt_init, hash);
    if (key->is_private) lane->decrypt = wrapping(key->key, EVP_PKEY_decrypt_init, hash);
    lane->cipher = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
    lane->cbc_encrypt = EVP_CIPHER_CTX_new();
    lane->cbc_decrypt = EVP_CIPHER_CTX_new();
    lane->capacity = capacity + 2 * BASELINE_IV_BYTES;
    lane->content = calloc(1, lane->capacity);
    if (lane->encrypt != NULL && lane->content != NULL &&
        (!key->is_private || lane->decrypt != NULL) &&
        EVP_EncryptInit_ex2(lane->cbc_encrypt, lane->cipher, zero, zero, NULL) == 1 &&
        EVP_DecryptInit_ex2(lane->cbc_decrypt, lane->cipher, zero, zero, NULL) == 1) {
        return lane;
    }
    baseline_lane_free(lane);
    return NULL;
}

void baseline_lane_free(baseline_lane *lane)
{
    if (lane == NULL) return;
    EVP_PKEY_CTX_free(lane->encrypt);
    EVP_PKEY_CTX_free(lane->decrypt);
    EVP_CIPHER_CTX_free(lane->cbc_encrypt);
    EVP_CIPHER_CTX_free(lane->cbc_decrypt);
    EVP_CIPHER_free(lane->cipher);
    free(lane->content);
    free(lane->own_aad);
    free(lane);
}

int baseline_take(baseline_lane *lane, const uint8_t *encrypted_key, size_t encrypted_key_count,
                  const uint8_t *iv, const uint8_t *text, size_t count, const uint8_t *tag,
                  const uint8_t *aad, size_t aad_count)
{
    if (encrypted_key_count > sizeof lane->rsa || count > lane->capacity) return 0;
    uint8_t *own_aad = malloc(aad_count + 1);
    if (own_aad == NULL) return 0;
    memcpy(own_aad, aad, aad_count);
    free(lane->own_aad);
    lane->own_aad = own_aad;
    lane->aad = own_aad;
    lane->aad_count = aad_count;
    memcpy(lane->rsa, encrypted_key, encrypted_key_count);
    lane->rsa_count = encrypted_key_count;
    memcpy(lane->random + BASELINE_CEK_BYTES, iv, BASELINE_IV_BYTES);
    memcpy(lane->content, text, count);
    lane->content_count = count;
    memcpy(lane->tag, tag, BASELINE_TAG_BYTES);
    return 1;
}

const char *baseline_crypto_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}
