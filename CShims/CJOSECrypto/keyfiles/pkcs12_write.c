// pkcs12_write.c: writes PKCS#12 files (RFC 7292): the key in an encrypted bag, the certificates in
// an encrypted safe, a MAC over both. No property query is passed: if a call fails, OpenSSL 3.0
// leaks copies of the query. The context has the query by default.

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <string.h>

#include "certificates/certificate.h"
#include "runtime/digest.h"
#include "runtime/host.h"
#include "runtime/library.h"
#include "pkcs12.h"

enum { SALT = 16,
       MAX_PASSWORD = 1024 };

typedef struct {
    const jose_library *library;
    const jose_pkcs12_contents *contents;
    const char *password;  // ends with a NUL, which OpenSSL needs
    uint8_t key_id[32];    // links the key to its certificate
    size_t key_id_len;
} job;

static bool label(PKCS12_SAFEBAG *bag, job *job)
{
    if (job->key_id_len > 0 &&
        PKCS12_add_localkeyid(bag, job->key_id, (int)job->key_id_len) != 1)
        return false;
    return job->contents->name == NULL ||
           PKCS12_add_friendlyname_utf8(bag, job->contents->name, -1) == 1;
}

// Takes ownership of bag in any case.
static bool push(STACK_OF(PKCS12_SAFEBAG) **bags, PKCS12_SAFEBAG *bag)
{
    if (bag == NULL) return false;
    if (*bags == NULL) *bags = sk_PKCS12_SAFEBAG_new_null();
    if (*bags != NULL && sk_PKCS12_SAFEBAG_push(*bags, bag) > 0) return true;
    PKCS12_SAFEBAG_free(bag);
    return false;
}

static PKCS12_SAFEBAG *key_bag(job *job)
{
    const jose_pkcs12_contents *contents = job->contents;
    const unsigned char *at = contents->key;
    PKCS12_SAFEBAG *bag = NULL;
    PKCS8_PRIV_KEY_INFO *key = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)contents->key_len);
    // PKCS8_PRIV_KEY_INFO_free wipes the key.
    if (key == NULL) return NULL;
    uint8_t salt[SALT];
    OSSL_LIB_CTX *context = job->library->context;
    if (RAND_bytes_ex(context, salt, sizeof salt, 0) == 1) {
        X509_SIG *sealed = PKCS8_encrypt_ex(
            -1, job->library->ciphers[JOSE_AES_256_CBC], job->password, (int)strlen(job->password),
            salt, sizeof salt, (int)contents->iterations, key, context, NULL);
        bag = sealed == NULL ? NULL : PKCS12_SAFEBAG_create0_pkcs8(sealed);
        if (bag == NULL) X509_SIG_free(sealed);
    }
    PKCS8_PRIV_KEY_INFO_free(key);
    if (bag != NULL && label(bag, job)) return bag;
    PKCS12_SAFEBAG_free(bag);
    return NULL;
}

static PKCS12_SAFEBAG *certificate_bag(job *job, size_t index)
{
    const jose_pkcs12_contents *contents = job->contents;
    X509 *certificate =
        jose_certificate_read(jose_certificate_context(), contents->certificates[index],
                              contents->certificate_len[index]);
    PKCS12_SAFEBAG *bag = certificate == NULL ? NULL : PKCS12_SAFEBAG_create_cert(certificate);
    X509_free(certificate);
    if (bag != NULL && (index > 0 || label(bag, job))) return bag;
    PKCS12_SAFEBAG_free(bag);
    return NULL;
}

static bool add_key(STACK_OF(PKCS7) **safes, job *job)
{
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    OSSL_LIB_CTX *context = job->library->context;
    bool done = push(&bags, key_bag(job)) &&
                PKCS12_add_safe_ex(safes, bags, -1, 0, NULL, context, NULL) == 1;
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return done;
}

static bool add_certificates(STACK_OF(PKCS7) **safes, job *job)
{
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    bool done = true;
    for (size_t i = 0; i < job->contents->certificate_count && done; i++)
        done = push(&bags, certificate_bag(job, i));
    if (done && bags != NULL)
        done = PKCS12_add_safe_ex(safes, bags, NID_aes_256_cbc, (int)job->contents->iterations,
                                  job->password, job->library->context, NULL) == 1;
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return done;
}

static bool write_file(jose_pkcs12 *file, job *job)
{
    STACK_OF(PKCS7) *safes = NULL;
    PKCS12 *p12 = NULL;
    const jose_library *library = job->library;
    if (job->contents->certificate_count > 0) {
        unsigned size = 0;
        if (EVP_Digest(job->contents->certificates[0], job->contents->certificate_len[0],
                       job->key_id, &size, library->digests[JOSE_SHA256], NULL) != 1)
            return false;
        job->key_id_len = size;
    }
    if (add_certificates(&safes, job) && add_key(&safes, job))
        p12 = PKCS12_add_safes_ex(safes, NID_pkcs7_data, library->context, NULL);
    sk_PKCS7_pop_free(safes, PKCS7_free);
    bool done = p12 != NULL &&
                PKCS12_set_mac(p12, job->password, (int)strlen(job->password), NULL, SALT,
                               (int)job->contents->iterations,
                               library->digests[JOSE_SHA256]) == 1;
    int len = done ? i2d_PKCS12(p12, &file->items[0].der) : 0;
    PKCS12_free(p12);
    if (len <= 0) return false;
    file->items[0].len = (size_t)len;
    file->count = 1;
    // If memory runs out, libcrypto's encoder may omit a part and return success.
    return !jose_take_system_failure();
}

jose_status jose_pkcs12_write(jose_pkcs12 **file, const jose_pkcs12_contents *contents,
                              const uint8_t *password, size_t password_len)
{
    *file = NULL;
    if (contents->key_len == 0 || contents->key_len > INT_MAX || contents->iterations == 0 ||
        contents->iterations > INT_MAX || contents->certificate_count >= JOSE_PKCS12_MAX_ITEMS ||
        password_len == 0 || password_len > MAX_PASSWORD ||
        memchr(password, 0, password_len) != NULL)
        return JOSE_REJECTED;
    char text[MAX_PASSWORD + 1] = {0};
    memcpy(text, password, password_len);
    JOSE_HOST_SCOPE;
    jose_status status = JOSE_INTERNAL;
    job job = {.library = jose_library_get(), .contents = contents, .password = text};
    if (job.library != NULL)
        status = jose_library_has(job.library, JOSE_PART_PBKDF2 | JOSE_PART_HMAC |
                                                   jose_part_digest(JOSE_SHA256) |
                                                   jose_part_cipher(JOSE_AES_256_CBC));
    jose_pkcs12 *made = status != JOSE_OK ? NULL : OPENSSL_zalloc(sizeof *made);
    if (status == JOSE_OK) status = JOSE_INTERNAL;
    // If the host replaced the random generator, the host's would draw the salts and the IV.
    if (made != NULL && !jose_host_replaced_random() && write_file(made, &job)) {
        *file = made;
        status = JOSE_OK;
    } else {
        jose_pkcs12_free(made);
    }
    OPENSSL_cleanse(text, sizeof text);
    return status;
}
