// Certificate chains: a fixed one to validate, and the raw validation of it by libcrypto.

#include "bench_baselines.h"

#include "../../../CShims/CJOSEBenchmark/baselines/lane.h"

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int extend(X509 *certificate, X509V3_CTX *context, int kind, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, context, kind, value);
    const int good = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return good;
}

// set is X509_set_subject_name or X509_set_issuer_name.
static int name(X509 *certificate, int (*set)(X509 *, const X509_NAME *), const char *common)
{
    X509_NAME *made = X509_NAME_new();
    const int good = made != NULL &&
                     X509_NAME_add_entry_by_txt(made, "CN", MBSTRING_ASC,
                                                (const unsigned char *)common, -1, -1, 0) == 1 &&
                     set(certificate, made) == 1;
    X509_NAME_free(made);
    return good;
}

size_t baseline_certificate(const baseline_key *subject, const char *common,
                            const baseline_key *issuer, const char *issuer_common, int is_authority,
                            uint8_t *out, size_t capacity)
{
    X509 *made = X509_new();
    X509V3_CTX context;
    size_t count = 0;
    int good = made != NULL && X509_set_version(made, X509_VERSION_3) == 1 &&
               ASN1_INTEGER_set(X509_get_serialNumber(made), 1 + (long)strlen(common)) == 1 &&
               ASN1_TIME_set(X509_getm_notBefore(made), 1700000000) != NULL &&
               ASN1_TIME_set(X509_getm_notAfter(made), (time_t)4102444800) != NULL &&
               name(made, X509_set_subject_name, common) &&
               name(made, X509_set_issuer_name, issuer_common) &&
               X509_set_pubkey(made, subject->key) == 1;
    if (good) {
        X509V3_set_ctx(&context, made, made, NULL, NULL, 0);
        good = extend(made, &context, NID_basic_constraints,
                      is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
               extend(made, &context, NID_key_usage,
                      is_authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature") &&
               extend(made, &context, NID_subject_key_identifier, "hash");
    }
    // The issuer's identifier is the hash of its key: with the key in place of the subject's, ours.
    X509 *authority = X509_new();
    if (good) {
        good = authority != NULL && X509_set_pubkey(authority, issuer->key) == 1;
        X509V3_set_ctx(&context, authority, authority, NULL, NULL, 0);
        good = good && extend(authority, &context, NID_subject_key_identifier, "hash");
        X509V3_set_ctx(&context, authority, made, NULL, NULL, 0);
        good = good && extend(made, &context, NID_authority_key_identifier, "keyid:always");
    }
    if (good && X509_sign(made, issuer->key, EVP_sha256()) > 0) {
        uint8_t *next = out;
        const int size = i2d_X509(made, NULL);
        if (size > 0 && (size_t)size <= capacity) count = (size_t)i2d_X509(made, &next);
    }
    X509_free(authority);
    X509_free(made);
    return count;
}

struct baseline_anchor {
    X509_STORE *store;
};

baseline_anchor *baseline_anchor_new(const uint8_t *der, size_t count)
{
    baseline_anchor *made = calloc(1, sizeof *made);
    X509 *root = d2i_X509(NULL, &der, (long)count);
    if (made != NULL) made->store = X509_STORE_new();
    const int good = root != NULL && made != NULL && made->store != NULL &&
                     X509_STORE_add_cert(made->store, root) == 1;
    X509_free(root);
    if (good) return made;
    baseline_anchor_free(made);
    return NULL;
}

void baseline_anchor_free(baseline_anchor *anchor)
{
    if (anchor == NULL) return;
    X509_STORE_free(anchor->store);
    free(anchor);
}

int baseline_validate(const baseline_anchor *anchor, const uint8_t *const *der,
                      const size_t *counts, size_t count, int64_t at)
{
    X509 *leaf = NULL;
    STACK_OF(X509) *others = sk_X509_new_null();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    int good = others != NULL && context != NULL;
    for (size_t i = 0; good && i < count; i++) {
        const uint8_t *from = der[i];
        X509 *read = d2i_X509(NULL, &from, (long)counts[i]);
        if (i == 0) leaf = read;
        good = read != NULL && (i == 0 || sk_X509_push(others, read) > 0);
    }
    good = good && X509_STORE_CTX_init(context, anchor->store, leaf, others) == 1;
    if (good) {
        X509_STORE_CTX_set_time(context, 0, (time_t)at);
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), 2);
        X509_STORE_CTX_set_flags(context, X509_V_FLAG_X509_STRICT | X509_V_FLAG_PARTIAL_CHAIN);
        good = X509_verify_cert(context) == 1;
    }
    X509_STORE_CTX_free(context);
    sk_X509_pop_free(others, X509_free);
    X509_free(leaf);
    return good;
}
