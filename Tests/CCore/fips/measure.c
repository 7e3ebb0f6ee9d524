// measure.c: the time of operations with the FIPS provider, against the raw calls of EVP with the
// same provider: digest and EVP_PKEY_sign; random bytes, EVP_PKEY_encrypt, AES-CBC and HMAC.

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fips.h"
#include "keys/key.h"

enum { TEXT = 512,
       ROUNDS = 40,
       CEK = 32,
       IV = 16,
       TAG = 16,
       AAD = 10,
       CIPHERTEXT = TEXT + 16 };

static struct {
    const jose_library *library;
    EVP_MD_CTX *md;
    EVP_PKEY_CTX *sign, *verify;
    jose_signature *signer, *verifier;
    jose_keymgmt *wrapper, *unwrapper;
    EVP_PKEY_CTX *encrypt, *decrypt;
    EVP_CIPHER_CTX *cipher;
    uint8_t text[TEXT], signature[512], der[512], encrypted_key[512], iv[IV], tag[TAG];
    uint8_t ciphertext[CIPHERTEXT], buffer[CIPHERTEXT];
    size_t signature_len, der_len;
} all;

// MARK: the raw calls

static void digest(uint8_t out[32])
{
    unsigned size = 0;
    need(EVP_DigestInit_ex2(all.md, all.library->digests[JOSE_SHA256], NULL) == 1 &&
             EVP_DigestUpdate(all.md, all.text, TEXT) == 1 &&
             EVP_DigestFinal_ex(all.md, out, &size) == 1,
         "digest");
}

static void raw_sign(void)
{
    uint8_t hash[32], out[512];
    size_t len = sizeof out;
    digest(hash);
    need(EVP_PKEY_sign(all.sign, out, &len, hash, sizeof hash) == 1, "raw sign");
    memcpy(all.der, out, len);
    all.der_len = len;
}

// libcrypto recommends to verify an RSA signature before it leaves; this library always does.
static void raw_sign_checked(void)
{
    uint8_t hash[32];
    raw_sign();
    digest(hash);
    need(EVP_PKEY_verify(all.verify, all.der, all.der_len, hash, sizeof hash) == 1, "raw check");
}

static void raw_verify(void)
{
    uint8_t hash[32];
    digest(hash);
    need(EVP_PKEY_verify(all.verify, all.der, all.der_len, hash, sizeof hash) == 1, "raw verify");
}

static void mac(uint8_t out[32], const uint8_t *key)
{
    static const uint8_t bits[8] = {[7] = 8 * AAD};
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA2-256", 0),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, "fips=yes", 0),
        OSSL_PARAM_construct_end(),
    };
    size_t size = 0;
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(all.library->hmac);
    need(EVP_MAC_init(context, key, CEK / 2, params) == 1 &&
             EVP_MAC_update(context, all.text, AAD) == 1 &&
             EVP_MAC_update(context, all.iv, IV) == 1 &&
             EVP_MAC_update(context, all.ciphertext, CIPHERTEXT) == 1 &&
             EVP_MAC_update(context, bits, sizeof bits) == 1 &&
             EVP_MAC_final(context, out, &size, 32) == 1,
         "raw MAC");
    EVP_MAC_CTX_free(context);
}

static void raw_encrypt(void)
{
    uint8_t cek[CEK], out[32];
    size_t len = sizeof all.encrypted_key;
    int size = 0, rest = 0;
    need(RAND_priv_bytes_ex(all.library->context, cek, CEK, 0) == 1 &&
             RAND_priv_bytes_ex(all.library->context, all.iv, IV, 0) == 1 &&
             EVP_PKEY_encrypt(all.encrypt, all.encrypted_key, &len, cek, CEK) == 1 &&
             EVP_CipherInit_ex2(all.cipher, all.library->ciphers[JOSE_AES_128_CBC], cek + CEK / 2,
                                all.iv, 1, NULL) == 1 &&
             EVP_CipherUpdate(all.cipher, all.ciphertext, &size, all.text, TEXT) == 1 &&
             EVP_CipherFinal_ex(all.cipher, all.ciphertext + size, &rest) == 1,
         "raw encrypt");
    mac(out, cek);
    memcpy(all.tag, out, TAG);
}

static void raw_decrypt(void)
{
    uint8_t cek[512], out[32];
    size_t len = sizeof cek;
    int size = 0, rest = 0;
    need(EVP_PKEY_decrypt(all.decrypt, cek, &len, all.encrypted_key, 256) == 1 && len == CEK,
         "raw decrypt");
    mac(out, cek);
    need(memcmp(out, all.tag, TAG) == 0 &&
             EVP_CipherInit_ex2(all.cipher, all.library->ciphers[JOSE_AES_128_CBC], cek + CEK / 2,
                                all.iv, 0, NULL) == 1 &&
             EVP_CipherUpdate(all.cipher, all.buffer, &size, all.ciphertext, CIPHERTEXT) == 1 &&
             EVP_CipherFinal_ex(all.cipher, all.buffer + size, &rest) == 1,
         "raw content");
}

// MARK: this library

static void our_sign(void)
{
    need(jose_signature_sign(all.signer, all.signature, all.signature_len, all.text, TEXT) ==
             JOSE_OK,
         "sign");
}

static void our_verify(void)
{
    need(jose_signature_verify(all.verifier, all.text, TEXT, all.signature, all.signature_len) ==
             JOSE_OK,
         "verify");
}

static void our_encrypt(void)
{
    const jose_seal_output sealed = {all.encrypted_key, 256, all.iv, IV, all.ciphertext, CIPHERTEXT,
                                     all.tag, TAG};
    need(jose_keymgmt_seal(all.wrapper, JOSE_A128CBC_HS256, &sealed, all.text, AAD, all.text,
                           TEXT) == JOSE_OK,
         "encrypt");
}

static void our_decrypt(void)
{
    size_t len = 0;
    memcpy(all.buffer, all.ciphertext, CIPHERTEXT);
    const jose_open_input opened = {.encrypted_key = all.encrypted_key,
                                    .encrypted_key_len = 256,
                                    .iv = all.iv,
                                    .iv_len = IV,
                                    .ciphertext = all.buffer,
                                    .ciphertext_len = CIPHERTEXT,
                                    .tag = all.tag,
                                    .tag_len = TAG};
    need(jose_keymgmt_open(all.unwrapper, JOSE_A128CBC_HS256, &len, &opened, all.text, AAD) ==
             JOSE_OK,
         "decrypt");
}

// MARK: comparison

// The time of the processor: this program has one thread.
static double seconds(void (*operation)(void), int count)
{
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (int i = 0; i < count; i++) operation();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}

// Compares the fastest of interleaved rounds.
static double compare(const char *name, int count, void (*ours)(void), void (*raw)(void))
{
    double best = 1e9, best_raw = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        const double one = seconds(ours, count), other = seconds(raw, count);
        if (one < best) best = one;
        if (other < best_raw) best_raw = other;
    }
    printf("%-34s %9.2f us, raw %9.2f us, ratio %.3f\n", name, best / count * 1e6,
           best_raw / count * 1e6, best / best_raw);
    return best / best_raw;
}

static EVP_PKEY_CTX *context_of(jose_key *key)
{
    EVP_PKEY_CTX *context =
        EVP_PKEY_CTX_new_from_pkey(all.library->context, key->pkey, all.library->properties);
    need(context != NULL, "a context");
    return context;
}

static void signatures(jose_key *key, jose_signature_family family)
{
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, "SHA2-256", 0),
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, "pkcs1", 0),
        OSSL_PARAM_construct_end(),
    };
    if (family == JOSE_ECDSA) params[1] = OSSL_PARAM_construct_end();
    all.sign = context_of(key);
    all.verify = context_of(key);
    need(EVP_PKEY_sign_init_ex(all.sign, params) == 1 &&
             EVP_PKEY_verify_init_ex(all.verify, params) == 1 &&
             jose_signature_make(&all.signer, key, family, JOSE_SHA256, true, 0) == JOSE_OK &&
             jose_signature_make(&all.verifier, key, family, JOSE_SHA256, false, 0) == JOSE_OK,
         "signatures");
    all.signature_len = jose_signature_bytes(all.signer);
}

static void encryption(jose_key *key)
{
    const jose_keymgmt_rule rule = {JOSE_RSA_OAEP, JOSE_SHA256, 0};
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "oaep", 0),
        OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, "SHA2-256", 0),
        OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, "SHA2-256", 0),
        OSSL_PARAM_construct_end(),
    };
    all.encrypt = context_of(key);
    all.decrypt = context_of(key);
    need(EVP_PKEY_encrypt_init_ex(all.encrypt, params) == 1 &&
             EVP_PKEY_decrypt_init_ex(all.decrypt, params) == 1 &&
             jose_keymgmt_make(&all.wrapper, key, &rule, true, 0) == JOSE_OK &&
             jose_keymgmt_make(&all.unwrapper, key, &rule, false, 0) == JOSE_OK,
         "encryption");
}

static void worse(double *worst, double ratio)
{
    if (ratio > *worst) *worst = ratio;
}

double measure(void)
{
    double worst = 0;
    jose_key *rsa = NULL, *ec = NULL;
    need(jose_rsa_generate(&rsa, JOSE_MODULE_PROCESS, 2048) == JOSE_OK &&
             jose_ec_generate(&ec, JOSE_MODULE_PROCESS, JOSE_P256) == JOSE_OK,
         "keys");
    all.library = rsa->library;
    all.md = EVP_MD_CTX_new();
    all.cipher = EVP_CIPHER_CTX_new();
    signatures(rsa, JOSE_RSA_PKCS1);
    our_sign();
    raw_sign();
    worse(&worst, compare("RS256, sign and check", 64, our_sign, raw_sign_checked));
    (void)compare("RS256, sign, raw without a check", 64, our_sign, raw_sign);
    worse(&worst, compare("RS256, verify", 512, our_verify, raw_verify));
    encryption(rsa);
    worse(&worst, compare("RSA-OAEP-256, encrypt", 512, our_encrypt, raw_encrypt));
    our_encrypt();
    worse(&worst, compare("RSA-OAEP-256, decrypt", 64, our_decrypt, raw_decrypt));
    signatures(ec, JOSE_ECDSA);
    our_sign();
    raw_sign();
    worse(&worst, compare("ES256, sign", 512, our_sign, raw_sign));
    our_sign();
    worse(&worst, compare("ES256, verify", 256, our_verify, raw_verify));
    return worst;
}
