// certificate.c: reading certificates and the facts of a leaf.

#include "certificate.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

#include "host.h"

X509 *jose_certificate_read(const jose_library *library, const uint8_t *der, size_t len)
{
    if (len == 0 || len > INT_MAX) return NULL;
    X509 *certificate = X509_new_ex(library->context, JOSE_PROPERTIES);
    const unsigned char *at = der;
    if (certificate == NULL) return NULL;
    // On failure d2i frees what it was given and leaves NULL.
    if (d2i_X509(&certificate, &at, (long)len) == NULL) return NULL;
    if (at == der + len) return certificate;
    X509_free(certificate);
    return NULL;
}

bool jose_time_read(int64_t *seconds, const ASN1_TIME *time)
{
    struct tm parts;
    if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) return false;
    *seconds = (int64_t)timegm(&parts);
    return true;
}

// MARK: chains

static jose_status read_all(const jose_library *library, jose_chain *chain, size_t *failed,
                            const uint8_t *const *der, const size_t *der_len, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        X509 *certificate = jose_certificate_read(library, der[i], der_len[i]);
        if (certificate == NULL) {
            *failed = i;
            return jose_host_fault() ? JOSE_INTERNAL : JOSE_REJECTED;
        }
        chain->certificates[chain->count++] = certificate;
        // Reads the extensions once, before the certificate is shared between threads.
        X509_check_purpose(certificate, -1, 0);
    }
    return JOSE_OK;
}

jose_status jose_chain_read(jose_chain **chain, size_t *failed, const uint8_t *const *der,
                            const size_t *der_len, size_t count)
{
    *chain = NULL;
    *failed = 0;
    if (count == 0 || count > JOSE_LONGEST_CHAIN) return JOSE_REJECTED;
    jose_host host;
    jose_host_enter(&host);
    jose_status status = JOSE_INTERNAL;
    const jose_library *library = jose_library_get();
    jose_chain *made = library == NULL ? NULL : OPENSSL_zalloc(sizeof *made);
    if (made != NULL) status = read_all(library, made, failed, der, der_len, count);
    if (status == JOSE_OK)
        *chain = made;
    else
        jose_chain_free(made);
    jose_host_leave(&host);
    return status;
}

void jose_chain_free(jose_chain *chain)
{
    if (chain == NULL) return;
    for (size_t i = 0; i < chain->count; i++) X509_free(chain->certificates[i]);
    OPENSSL_free(chain);
}

// MARK: the leaf's key

static bool write_number(EVP_PKEY *pkey, const char *name, uint8_t *out, size_t *len)
{
    BIGNUM *number = NULL;
    bool done = EVP_PKEY_get_bn_param(pkey, name, &number) == 1;
    size_t size = done ? (size_t)BN_num_bytes(number) : 0;
    if (done && size <= *len)
        *len = (size_t)BN_bn2bin(number, out);
    else
        done = false;
    BN_free(number);
    return done;
}

bool jose_chain_leaf_rsa(const jose_chain *chain, uint8_t *modulus, size_t *modulus_len,
                         uint8_t *exponent, size_t *exponent_len)
{
    jose_host host;
    jose_host_enter(&host);
    EVP_PKEY *pkey = X509_get0_pubkey(chain->certificates[0]);
    bool done = pkey != NULL && EVP_PKEY_get_base_id(pkey) == EVP_PKEY_RSA &&
                write_number(pkey, OSSL_PKEY_PARAM_RSA_N, modulus, modulus_len) &&
                write_number(pkey, OSSL_PKEY_PARAM_RSA_E, exponent, exponent_len);
    jose_host_leave(&host);
    return done;
}

bool jose_chain_leaf_is(const jose_chain *chain, const uint8_t *modulus, size_t modulus_len,
                        const uint8_t *exponent, size_t exponent_len)
{
    uint8_t n[2048], e[16];
    size_t n_len = sizeof n, e_len = sizeof e;
    return jose_chain_leaf_rsa(chain, n, &n_len, e, &e_len) && n_len == modulus_len &&
           e_len == exponent_len && memcmp(n, modulus, n_len) == 0 &&
           memcmp(e, exponent, e_len) == 0;
}

size_t jose_chain_subject(const jose_chain *chain, size_t place, char *out, size_t capacity)
{
    if (place >= chain->count || capacity == 0) return 0;
    jose_host host;
    jose_host_enter(&host);
    size_t size = 0;
    BIO *bio = BIO_new(BIO_s_mem());
    X509_NAME *name = X509_get_subject_name(chain->certificates[place]);
    unsigned long flags = (XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB);
    if (bio != NULL && X509_NAME_print_ex(bio, name, 0, flags) >= 0) {
        char *text = NULL;
        long len = BIO_get_mem_data(bio, &text);
        if (len > 0 && (size_t)len < capacity) {
            memcpy(out, text, (size_t)len);
            size = (size_t)len;
        }
    }
    out[size] = 0;
    BIO_free(bio);
    jose_host_leave(&host);
    return size;
}
