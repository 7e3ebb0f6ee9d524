// stopped.c: a provider whose self-test fails while the process runs.

#include <openssl/core_names.h>
#include <openssl/self_test.h>
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

void check_stopped(void)
{
    const jose_library *library = jose_library_of(JOSE_MODULE_FIPS);
    const uint8_t text[8] = {1};
    uint8_t signature[256], digest[32];
    jose_key *key = NULL, *other = NULL;
    jose_signature *signer = NULL, *verifier = NULL;
    jose_fips_description described;
    need(jose_rsa_generate(&key, JOSE_MODULE_PROCESS, 2048) == JOSE_OK &&
             jose_signature_make(&signer, key, JOSE_RSA_PKCS1, JOSE_SHA256, true, 0) == JOSE_OK &&
             jose_signature_make(&verifier, key, JOSE_RSA_PKCS1, JOSE_SHA256, false, 0) ==
                 JOSE_OK &&
             jose_signature_sign(signer, signature, 256, text, 8) == JOSE_OK,
         "before");
    OSSL_SELF_TEST_set_callback(library->context, corrupt, NULL);
    need(OSSL_PROVIDER_self_test(library->provider) != 1, "the self-test");
    OSSL_SELF_TEST_set_callback(library->context, NULL, NULL);
    need(jose_fips_describe(&described) && !described.is_running, "it says that it runs");
    need(jose_signature_sign(signer, signature, 256, text, 8) == JOSE_INTERNAL, "it signs");
    need(jose_signature_verify(verifier, text, 8, signature, 256) == JOSE_INTERNAL, "it verifies");
    need(jose_random(signature, 256) == JOSE_INTERNAL, "it draws");
    need(jose_hash_digest(JOSE_SHA256, digest, 32, text, 8) == JOSE_INTERNAL, "it hashes");
    need(jose_ec_generate(&other, JOSE_MODULE_PROCESS, JOSE_P256) == JOSE_INTERNAL &&
             other == NULL,
         "it generates");
    jose_signature_free(signer);
    jose_signature_free(verifier);
    jose_key_release(key);
}
