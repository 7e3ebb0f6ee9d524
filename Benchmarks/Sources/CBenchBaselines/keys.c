// Keys in and out: imports that are baselines themselves, and key files.

#include "bench_baselines.h"

#include "../../../CShims/CJOSEBenchmark/baselines/lane.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

// libcrypto takes numbers in the machine's order: turned round once, as a caller with its own
// reader would write them in the first place.
struct baseline_importer {
    EVP_PKEY_CTX *context;
    uint8_t n[BASELINE_RSA_BYTES], e[8];
    OSSL_PARAM parameters[3];
};

baseline_importer *baseline_importer_new(baseline_number n, baseline_number e)
{
    if (n.count > BASELINE_RSA_BYTES || e.count > 8) return NULL;
    baseline_importer *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    for (size_t i = 0; i < n.count; i++) made->n[i] = n.bytes[n.count - 1 - i];
    for (size_t i = 0; i < e.count; i++) made->e[i] = e.bytes[e.count - 1 - i];
    made->parameters[0] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, made->n, n.count);
    made->parameters[1] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_E, made->e, e.count);
    made->parameters[2] = OSSL_PARAM_construct_end();
    made->context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (made->context != NULL && EVP_PKEY_fromdata_init(made->context) == 1) return made;
    EVP_PKEY_CTX_free(made->context);
    free(made);
    return NULL;
}

int baseline_import(baseline_importer *importer)
{
    EVP_PKEY *key = NULL;
    const int good = EVP_PKEY_fromdata(importer->context, &key, EVP_PKEY_PUBLIC_KEY,
                                       importer->parameters) == 1;
    EVP_PKEY_free(key);
    return good;
}

static EVP_PKEY *read_pem(const uint8_t *bytes, size_t count, int is_public)
{
    BIO *source = BIO_new_mem_buf(bytes, (int)count);
    EVP_PKEY *key = is_public ? PEM_read_bio_PUBKEY(source, NULL, NULL, NULL)
                              : PEM_read_bio_PrivateKey(source, NULL, NULL, NULL);
    BIO_free(source);
    return key;
}

int baseline_read_key(baseline_form form, const uint8_t *bytes, size_t count)
{
    EVP_PKEY *key = NULL;
    switch (form) {
    case BASELINE_PKCS8_PEM:
    case BASELINE_PKCS1_PEM: key = read_pem(bytes, count, 0); break;
    case BASELINE_SPKI_PEM: key = read_pem(bytes, count, 1); break;
    case BASELINE_PKCS8_DER: key = d2i_AutoPrivateKey(NULL, &bytes, (long)count); break;
    case BASELINE_PKCS1_DER: key = d2i_PrivateKey(EVP_PKEY_RSA, NULL, &bytes, (long)count); break;
    case BASELINE_SPKI_DER: key = d2i_PUBKEY(NULL, &bytes, (long)count); break;
    }
    EVP_PKEY_free(key);
    return key != NULL;
}

static int write_key(BIO *to, baseline_form form, EVP_PKEY *key)
{
    switch (form) {
    case BASELINE_PKCS8_PEM:
        return PEM_write_bio_PKCS8PrivateKey(to, key, NULL, NULL, 0, NULL, NULL);
    case BASELINE_PKCS8_DER: return i2d_PKCS8PrivateKey_bio(to, key, NULL, NULL, 0, NULL, NULL);
    case BASELINE_PKCS1_PEM:
        return PEM_write_bio_PrivateKey_traditional(to, key, NULL, NULL, 0, NULL, NULL);
    case BASELINE_PKCS1_DER: return i2d_PrivateKey_bio(to, key);
    case BASELINE_SPKI_PEM: return PEM_write_bio_PUBKEY(to, key);
    case BASELINE_SPKI_DER: return i2d_PUBKEY_bio(to, key);
    }
    return 0;
}

size_t baseline_write_key(baseline_form form, const baseline_key *key, uint8_t *out,
                          size_t capacity)
{
    BIO *memory = BIO_new(BIO_s_mem());
    char *start = NULL;
    size_t count = 0;
    if (write_key(memory, form, key->key) == 1) {
        const long written = BIO_get_mem_data(memory, &start);
        if (written > 0 && (size_t)written <= capacity) {
            count = (size_t)written;
            memcpy(out, start, count);
        }
    }
    BIO_free(memory);
    return count;
}
