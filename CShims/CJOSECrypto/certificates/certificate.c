// certificate.c: parses certificates, times and subjects.

#include "certificate.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>
#include <openssl/x509v3.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "keys/curve.h"
#include "runtime/host.h"
#include "runtime/presence.h"

// Returns false after a system failure (host.h). A missing algorithm gives true.
static bool can_fetch(const jose_library *library, const jose_key_offer *offer)
{
    if (!jose_key_is_offered(offer)) return true;
    return jose_presence_check(library, &(jose_wanted){JOSE_A_KEY, offer->key, 0}) !=
               JOSE_INTERNAL &&
           (offer->signature == NULL ||
            jose_presence_check(library, &(jose_wanted){JOSE_A_SIGNATURE, offer->signature, 0}) !=
                JOSE_INTERNAL);
}

// If memory runs out while libcrypto first reads a table of algorithms, the context never finds the
// lost entries. So the tables are read before any certificate, and such a context is dropped.
// Certificates that use an algorithm that libcrypto lacks are rejected.
static bool fetch_algorithms(OSSL_LIB_CTX *context)
{
    const jose_library library = {.context = context, .properties = JOSE_PROPERTIES};
    static const jose_wanted all[] = {
        {JOSE_A_DIGEST, "SHA1", 0},
        {JOSE_A_DIGEST, "SHA256", 0},
        {JOSE_A_DIGEST, "SHA384", 0},
        {JOSE_A_DIGEST, "SHA512", 0},
        {JOSE_A_KEY, "RSA", 0},
        {JOSE_A_SIGNATURE, "RSA", 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (jose_presence_check(&library, &all[i]) == JOSE_INTERNAL) return false;
    for (int i = 0; i < JOSE_CURVES; i++) {
        const jose_curve_entry *entry = jose_curve_entry_of((jose_curve)i);
        if (entry->is_for_certificates && !can_fetch(&library, entry->offer)) return false;
    }
    return true;
}

static OSSL_LIB_CTX *context_make(void)
{
    // The library comes first: it rejects unsupported versions.
    const jose_library *library = jose_library_get();
    if (library != NULL && library->is_fips) return library->context;
    OSSL_LIB_CTX *context = library == NULL ? NULL : OSSL_LIB_CTX_new();
    if (context != NULL && OSSL_PROVIDER_load(context, "default") != NULL &&
        fetch_algorithms(context))
        return context;
    OSSL_LIB_CTX_free(context);
    return NULL;
}

OSSL_LIB_CTX *jose_certificate_context(void)
{
    static _Atomic(OSSL_LIB_CTX *) shared;
    OSSL_LIB_CTX *found = atomic_load_explicit(&shared, memory_order_acquire);
    if (found != NULL) return found;
    OSSL_LIB_CTX *made = context_make();
    // If two threads make a context at the same time, the first one stays.
    if (made == NULL || atomic_compare_exchange_strong(&shared, &found, made)) return made;
    if (made != found) OSSL_LIB_CTX_free(made);
    return found;
}

bool jose_certificate_failed(void)
{
    const jose_library *library = jose_library_get();
    return library == NULL || jose_library_failed(library);
}

const char *jose_certificate_properties(void)
{
    const jose_library *library = jose_library_get();
    return library == NULL ? JOSE_PROPERTIES : library->properties;
}

X509 *jose_certificate_read(OSSL_LIB_CTX *context, const uint8_t *der, size_t len)
{
    if (len == 0 || len > INT_MAX) return NULL;
    X509 *certificate = X509_new_ex(context, jose_certificate_properties());
    const unsigned char *at = der;
    if (certificate == NULL) return NULL;
    // On failure d2i frees its argument and sets it to NULL.
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

static jose_status read_all(OSSL_LIB_CTX *context, jose_chain *chain, size_t *failed,
                            const uint8_t *const *der, const size_t *der_len, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        X509 *certificate = jose_certificate_read(context, der[i], der_len[i]);
        if (certificate == NULL) {
            *failed = i;
            return jose_certificate_failed() ? JOSE_INTERNAL : JOSE_REJECTED;
        }
        chain->certificates[chain->count++] = certificate;
        // Parses the extensions before threads share the certificate. libcrypto records in the
        // certificate that an extension is malformed, but not that memory ran out.
        if (X509_check_purpose(certificate, -1, 0) != 1 && jose_certificate_failed())
            return JOSE_INTERNAL;
    }
    return JOSE_OK;
}

jose_status jose_chain_read(jose_chain **chain, size_t *failed, const uint8_t *const *der,
                            const size_t *der_len, size_t count)
{
    *chain = NULL;
    *failed = 0;
    if (count == 0 || count > JOSE_MAX_CHAIN) return JOSE_REJECTED;
    JOSE_HOST_SCOPE;
    jose_status status = JOSE_INTERNAL;
    OSSL_LIB_CTX *context = jose_certificate_context();
    jose_chain *made = context == NULL ? NULL : OPENSSL_zalloc(sizeof *made);
    if (made != NULL) status = read_all(context, made, failed, der, der_len, count);
    if (status == JOSE_OK)
        *chain = made;
    else
        jose_chain_free(made);
    return status;
}

void jose_chain_free(jose_chain *chain)
{
    if (chain == NULL) return;
    for (size_t i = 0; i < chain->count; i++) X509_free(chain->certificates[i]);
    OPENSSL_free(chain);
}

// MARK: names

size_t jose_chain_subject(const jose_chain *chain, size_t index, char *out, size_t capacity)
{
    if (index >= chain->count || capacity == 0) return 0;
    JOSE_HOST_SCOPE;
    size_t size = 0;
    BIO *bio = BIO_new(BIO_s_mem());
    const X509_NAME *name = X509_get_subject_name(chain->certificates[index]);
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
    return size;
}
