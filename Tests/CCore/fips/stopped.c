// stopped.c: a provider whose self-test fails while the process runs.

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/self_test.h>
#include <openssl/x509.h>
#include <string.h>

#include "fips.h"
#include "runtime/library.h"

// Corrupts the first known answer.
static int corrupt(const OSSL_PARAM params[], void *unused)
{
    (void)unused;
    const OSSL_PARAM *phase = OSSL_PARAM_locate_const(params, OSSL_PROV_PARAM_SELF_TEST_PHASE);
    const bool is_corrupting = phase != NULL && phase->data_type == OSSL_PARAM_UTF8_STRING &&
                               strcmp(phase->data, OSSL_SELF_TEST_PHASE_CORRUPT) == 0;
    return is_corrupting ? 0 : 1;
}

jose_chain *chain_make(EVP_PKEY *key)
{
    X509 *made = X509_new();
    X509_NAME *name = X509_NAME_new();
    uint8_t *der = NULL;
    jose_chain *chain = NULL;
    size_t failed = 0;
    int size = 0;
    if (key != NULL && made != NULL && name != NULL &&
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const uint8_t *)"a", 1, -1, 0) == 1 &&
        X509_set_version(made, X509_VERSION_3) == 1 && X509_set_subject_name(made, name) == 1 &&
        X509_set_issuer_name(made, name) == 1 && X509_set_pubkey(made, key) == 1 &&
        X509_gmtime_adj(X509_getm_notBefore(made), 0) != NULL &&
        X509_gmtime_adj(X509_getm_notAfter(made), 100) != NULL &&
        X509_sign(made, key, EVP_sha256()) > 0)
        size = i2d_X509(made, &der);
    const uint8_t *all[] = {der};
    const size_t sizes[] = {(size_t)size};
    need(size > 0 && jose_chain_read(&chain, &failed, all, sizes, 1) == JOSE_OK, "a certificate");
    OPENSSL_free(der);
    X509_NAME_free(name);
    X509_free(made);
    return chain;
}

// Public keys that are valid, and that a running provider would accept.
static void check_public(jose_key *rsa, jose_key *ec)
{
    const jose_rsa_limits limits = {2048, 8192, false};
    jose_key *key = NULL;
    size_t len[4];
    const uint8_t *n = jose_key_public_number(rsa, 0, &len[0]),
                  *e = jose_key_public_number(rsa, 1, &len[1]),
                  *x = jose_key_public_number(ec, 0, &len[2]),
                  *y = jose_key_public_number(ec, 1, &len[3]);
    need(jose_rsa_public(&key, &limits, n, len[0], e, len[1]) == JOSE_INTERNAL && key == NULL,
         "it reads RSA keys");
    need(jose_ec_public(&key, JOSE_P256, x, len[2], y, len[3]) == JOSE_INTERNAL && key == NULL,
         "it reads EC keys");
    uint8_t point[32] = {3};
    if (jose_curve_missing(JOSE_ED25519) == NULL)
        need(jose_okp_public(&key, JOSE_ED25519, point, 32) == JOSE_INTERNAL && key == NULL,
             "it reads Ed25519 keys");
}

static void stop(void)
{
    const jose_library *library = jose_library_of(JOSE_MODULE_FIPS);
    jose_fips_description described;
    OSSL_SELF_TEST_set_callback(library->context, corrupt, NULL);
    need(OSSL_PROVIDER_self_test(library->provider) != 1, "the self-test");
    OSSL_SELF_TEST_set_callback(library->context, NULL, NULL);
    need(jose_fips_describe(&described) && !described.is_running, "it says that it runs");
}

// The hash is computed, the signature is not. The result says that, also for a right signature.
static void check_signature_within(bool is_rsa, bool signs)
{
    const jose_signature_family family = is_rsa ? JOSE_RSA_PKCS1 : JOSE_ECDSA;
    const uint8_t text[8] = {1};
    uint8_t signature[256], none[256] = {0};
    jose_key *key = NULL;
    jose_signature *signer = NULL, *verifier = NULL;
    const jose_status made = is_rsa ? jose_rsa_generate(&key, JOSE_MODULE_PROCESS, 2048)
                                    : jose_ec_generate(&key, JOSE_MODULE_PROCESS, JOSE_P256);
    const size_t size = is_rsa ? 256 : 64;
    if (!need(made == JOSE_OK &&
                  jose_signature_make(&signer, key, family, JOSE_SHA256, true,
                                      JOSE_CHECK_SIGNATURES) == JOSE_OK &&
                  jose_signature_make(&verifier, key, family, JOSE_SHA256, false, 0) == JOSE_OK &&
                  jose_signature_sign(signer, signature, size, text, 8) == JOSE_OK &&
                  jose_signature_verify(verifier, text, 8, signature, size) == JOSE_OK,
              "before"))
        return;
    watch_within(stop);
    if (signs) {
        need(jose_signature_sign(signer, signature, size, text, 8) == JOSE_INTERNAL &&
                 memcmp(signature, none, size) == 0,
             "it signs");
    } else {
        need(jose_signature_verify(verifier, text, 8, signature, size) == JOSE_INTERNAL,
             "it verifies");
    }
    for (int again = 0; again < 2; again++) {
        need(jose_signature_sign(signer, signature, size, text, 8) == JOSE_INTERNAL, "it signs");
        need(jose_signature_verify(verifier, text, 8, signature, size) == JOSE_INTERNAL,
             "it verifies afterwards");
    }
    jose_signature_free(signer);
    jose_signature_free(verifier);
    jose_key_release(key);
}

static void check_tag_within(void)
{
    const uint8_t key[16] = {1}, iv[12] = {2}, text[20] = {3}, none[20] = {0};
    uint8_t ciphertext[20], tag[16];
    size_t len = 0;
    need(jose_content_encrypt(JOSE_A128GCM, ciphertext, 20, tag, 16, key, 16, iv, 12, text, 20,
                              text, 20) == JOSE_OK,
         "before");
    watch_within(stop);
    need(jose_content_decrypt(JOSE_A128GCM, &len, ciphertext, 20, key, 16, iv, 12, text, 20, tag,
                              16) == JOSE_INTERNAL &&
             len == 0 && memcmp(ciphertext, none, 20) == 0,
         "it decrypts");
}

void check_stopped_within(const char *operation)
{
    if (strcmp(operation, "tag") == 0)
        check_tag_within();
    else
        check_signature_within(strcmp(operation, "verify-rsa") == 0,
                               strcmp(operation, "sign") == 0);
}

void check_stopped(void)
{
    const uint8_t text[8] = {1};
    uint8_t signature[256], digest[32];
    jose_key *key = NULL, *ec = NULL, *other = NULL;
    jose_signature *signer = NULL, *verifier = NULL;
    need(jose_rsa_generate(&key, JOSE_MODULE_PROCESS, 2048) == JOSE_OK &&
             jose_signature_make(&signer, key, JOSE_RSA_PKCS1, JOSE_SHA256, true, 0) == JOSE_OK &&
             jose_signature_make(&verifier, key, JOSE_RSA_PKCS1, JOSE_SHA256, false, 0) ==
                 JOSE_OK &&
             jose_signature_sign(signer, signature, 256, text, 8) == JOSE_OK &&
             jose_ec_generate(&ec, JOSE_MODULE_PROCESS, JOSE_P256) == JOSE_OK,
         "before");
    EVP_PKEY *own = EVP_EC_gen("P-256");
    jose_chain *chain = chain_make(own);
    EVP_PKEY_free(own);
    need(jose_chain_issued(chain, chain) == JOSE_OK, "its own issuer, before");
    stop();
    need(jose_signature_sign(signer, signature, 256, text, 8) == JOSE_INTERNAL, "it signs");
    need(jose_signature_verify(verifier, text, 8, signature, 256) == JOSE_INTERNAL, "it verifies");
    need(jose_random(signature, 256) == JOSE_INTERNAL, "it draws");
    need(jose_hash_digest(JOSE_SHA256, digest, 32, text, 8) == JOSE_INTERNAL, "it hashes");
    need(jose_ec_generate(&other, JOSE_MODULE_PROCESS, JOSE_P256) == JOSE_INTERNAL &&
             other == NULL,
         "it generates");
    check_public(key, ec);
    need(jose_chain_issued(chain, chain) == JOSE_INTERNAL, "it checks certificates");
    need(jose_fips_use() == JOSE_FIPS_NOT_STARTED, "it is chosen");
    jose_chain_free(chain);
    jose_key_release(ec);
    jose_signature_free(signer);
    jose_signature_free(verifier);
    jose_key_release(key);
}
