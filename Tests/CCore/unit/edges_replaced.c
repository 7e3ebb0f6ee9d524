// edges_replaced.c: where the host replaced an algorithm of libcrypto with an engine or a method,
// operations that would use it are rejected, also ones created before.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "edges_keys.h"
#include "faults.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#if __has_include(<openssl/engine.h>) && OPENSSL_VERSION_MAJOR < 4  // later a header of stubs
#include <openssl/engine.h>
#endif

enum { ROOM = 300 };

static const jose_recipient made_for = {.iterations = 2};

// Created before the replacement: an EC key and X448, each wrapping and opening, by both
// implementations.
typedef struct {
    jose_keymgmt *ec_makers[2], *ec_openers[2], *x_maker, *rsa_makers[2];
} ready;

static jose_status wrap(const jose_keymgmt *maker)
{
    uint8_t parameters[ROOM], encrypted[ROOM];
    jose_cek *cek = NULL;
    const jose_wrapped out = {encrypted, jose_keymgmt_encrypted_key_bytes(maker, JOSE_A128GCM),
                              parameters, jose_keymgmt_parameter_bytes(maker)};
    const jose_status status = jose_cek_begin(&cek, maker, JOSE_A128GCM, &out, &made_for);
    need((cek != NULL) == (status == JOSE_OK), "a key and a failure");
    jose_cek_free(cek);
    return status;
}

static void make_ready(ready *r)
{
    static const jose_keymgmt_rule rule = {JOSE_ECDH_ES, JOSE_SHA256, 0};
    static const jose_keymgmt_rule oaep = {JOSE_RSA_OAEP, JOSE_SHA256, 0};
    jose_key *ec = NULL, *x = NULL, *rsa = NULL;
    need(faults_import(&ec, EC_256, true) == JOSE_OK && faults_import(&x, X_448, true) == JOSE_OK &&
             faults_import(&rsa, RSA_2048, false) == JOSE_OK,
         "keys");
    for (int i = 0; i < 2; i++) {
        need(jose_keymgmt_make(&r->rsa_makers[i], rsa, &oaep, true, i ? JOSE_PROVIDER_ONLY : 0) ==
                 JOSE_OK,
             "OAEP");
        need(jose_keymgmt_make(&r->ec_makers[i], ec, &rule, true, i ? JOSE_PROVIDER_ONLY : 0) ==
                     JOSE_OK &&
                 jose_keymgmt_make(&r->ec_openers[i], ec, &rule, false,
                                   i ? JOSE_PROVIDER_ONLY : 0) == JOSE_OK,
             "operations");
    }
    need(jose_keymgmt_make(&r->x_maker, x, &rule, true, 0) == JOSE_OK, "operation");
    jose_key_release(ec);
    jose_key_release(x);
    jose_key_release(rsa);
}

static void free_ready(ready *r)
{
    for (int i = 0; i < 2; i++) {
        jose_keymgmt_free(r->ec_makers[i]);
        jose_keymgmt_free(r->ec_openers[i]);
        jose_keymgmt_free(r->rsa_makers[i]);
    }
    jose_keymgmt_free(r->x_maker);
}

// Whether all EC operations are rejected, or succeed.
static void ec_is(bool rejected, const ready *r)
{
    const jose_status right = rejected ? JOSE_INTERNAL : JOSE_OK;
    const uint8_t *point = faults_entries[EC_256].numbers[0].bytes;
    uint8_t own[64];
    memcpy(own, point, 32);
    memcpy(own + 32, faults_entries[EC_256].numbers[1].bytes, 32);
    for (int i = 0; i < 2; i++) {
        jose_key *key = NULL;
        need(faults_import(&key, EC_256, i) == right && (key == NULL) == rejected, "import");
        jose_key_release(key);
        need(wrap(r->ec_makers[i]) == right, "ECDH-ES");
        need(faults_open_point(r->ec_openers[i], own) == (rejected ? JOSE_INTERNAL : JOSE_REJECTED),
             "ECDH-ES opens");
    }
    jose_key *made = NULL;
    need(jose_ec_generate(&made, JOSE_MODULE_PROCESS, JOSE_P384) == right &&
             (made == NULL) == rejected,
         "a fresh key");
    jose_key_release(made);
    need(wrap(r->x_maker) == JOSE_OK, "X448 is no matter of EC's");
    need(ERR_peek_error() == 0, "an entry remains");
}

static void rsa_is(bool rejected)
{
    jose_key *key = NULL;
    need(faults_import(&key, RSA_2048, true) == (rejected ? JOSE_INTERNAL : JOSE_OK), "RSA");
    need((key == NULL) == rejected, "RSA");
    jose_key_release(key);
}

// Signatures that draw random numbers would draw those of the host.
static void sign_with_replaced(void)
{
    static const uint8_t message[] = "what is signed";
    for (int i = 0; i < signatures_here(); i++) {
        const signature_algorithm *by = &signature_algorithms[i];
        const bool draws =
            by->family == JOSE_RSA_PSS || by->family == JOSE_ECDSA || by->family == JOSE_ML_DSA;
        uint8_t signature[MAX_SIGNATURE];
        jose_key *key = NULL;
        jose_signature *signer = NULL;
        need(faults_import(&key, by->key, true) == JOSE_OK &&
                 jose_signature_make(&signer, key, by->family, by->hash, true, 0) == JOSE_OK,
             "%s", by->name);
        const jose_status status = jose_signature_sign(
            signer, signature, jose_signature_bytes(signer), message, sizeof message);
        need(status == (draws ? JOSE_INTERNAL : JOSE_OK), "%s ends in %d", by->name, status);
        jose_private_batch *batch = jose_private_batch_make(1);
        need(batch != NULL, "a batch");
        if (by->family == JOSE_RSA_PSS)  // not in lanes either
            need(jose_private_batch_add_message(batch, signer, message, sizeof message) < 0,
                 "%s in a batch", by->name);
        jose_private_batch_free(batch);
        jose_signature_free(signer);
        jose_key_release(key);
    }
}

static void run_replaced(const void *what)
{
    (void)what;
    ready r;
    make_ready(&r);
    EC_KEY_METHOD *method = EC_KEY_METHOD_new(EC_KEY_OpenSSL());
    need(method != NULL, "memory");
    EC_KEY_set_default_method(method);
    ec_is(true, &r);
    EC_KEY_set_default_method(NULL);
    EC_KEY_METHOD_free(method);

    RSA_METHOD *rsa = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    need(rsa != NULL, "memory");
    RSA_set_default_method(rsa);
    rsa_is(true);
    RSA_set_default_method(RSA_PKCS1_OpenSSL());
    RSA_meth_free(rsa);

    // The bytes of a new key would be those of the host.
    const RAND_METHOD *random = RAND_get_rand_method();
    static RAND_METHOD other;
    other = *random;
    RAND_set_rand_method(&other);
    jose_key *made = NULL;
    need(jose_ec_generate(&made, JOSE_MODULE_PROCESS, JOSE_P256) == JOSE_INTERNAL && made == NULL,
         "a fresh key");
    // So would an ephemeral key and the seed of OAEP, except those that the core draws.
    need(wrap(r.ec_makers[0]) == JOSE_INTERNAL && wrap(r.ec_makers[1]) == JOSE_INTERNAL &&
             wrap(r.x_maker) == JOSE_INTERNAL,
         "an ephemeral key");
    sign_with_replaced();
    need(wrap(r.rsa_makers[0]) == JOSE_OK && wrap(r.rsa_makers[1]) == JOSE_INTERNAL, "a seed");
    RAND_set_rand_method(random);
    need(wrap(r.ec_makers[0]) == JOSE_OK && wrap(r.ec_makers[1]) == JOSE_OK &&
             wrap(r.x_maker) == JOSE_OK && wrap(r.rsa_makers[1]) == JOSE_OK,
         "the host took it away");
#ifdef OPENSSL_ENGINE_H
    ENGINE *engine = ENGINE_new();
    need(engine != NULL && ENGINE_set_id(engine, "edges") == 1 &&
             ENGINE_set_name(engine, "edges") == 1 &&
             ENGINE_set_EC(engine, EC_KEY_OpenSSL()) == 1 &&
             ENGINE_set_RSA(engine, RSA_PKCS1_OpenSSL()) == 1,
         "engine");
    free_ready(&r);
    make_ready(&r);
    need(ENGINE_set_default_EC(engine) == 1, "engine");
    ec_is(true, &r);
    rsa_is(false);
    ENGINE_unregister_EC(engine);
    need(ENGINE_set_default_RSA(engine) == 1, "engine");
    rsa_is(true);
    ENGINE_unregister_RSA(engine);
    ENGINE_free(engine);
#endif
    ec_is(false, &r);
    rsa_is(false);
    free_ready(&r);
}

void faults_edges_replaced(void)
{
    faults_rounds("what the host replaced", run_replaced, NULL);
}
