// pkcs12.c: the bags of a PKCS#12 file (RFC 7292), after its MAC was checked.

#include <openssl/pkcs12.h>
#include <openssl/crypto.h>
#include <limits.h>
#include <string.h>

#include "host.h"
#include "library.h"
#include "pkcs12.h"

typedef struct {
    const uint8_t *password;
    size_t password_len;
    uint64_t most_iterations;
} access;

void jose_pkcs12_free(jose_pkcs12 *file)
{
    if (file == NULL) return;
    for (size_t i = 0; i < file->count; i++)
        OPENSSL_clear_free(file->items[i].der, file->items[i].len);
    OPENSSL_free(file);
}

size_t jose_pkcs12_count(const jose_pkcs12 *file)
{
    return file->count;
}

const uint8_t *jose_pkcs12_item(const jose_pkcs12 *file, size_t place, size_t *len, bool *is_key)
{
    *len = file->items[place].len;
    *is_key = file->items[place].is_key;
    return file->items[place].der;
}

// MARK: what is modern enough

static bool is_hmac_sha2(const X509_ALGOR *prf)
{
    const ASN1_OBJECT *object = NULL;
    if (prf == NULL) return false;  // the default is SHA-1
    X509_ALGOR_get0(&object, NULL, NULL, prf);
    int nid = OBJ_obj2nid(object);
    return nid == NID_hmacWithSHA256 || nid == NID_hmacWithSHA384 || nid == NID_hmacWithSHA512;
}

// PBES2 with PBKDF2 over HMAC-SHA-2 and AES-CBC, and nothing else.
static jose_pkcs12_fault judge(const X509_ALGOR *algorithm, uint64_t most_iterations)
{
    jose_pkcs12_fault fault = JOSE_PKCS12_LEGACY;
    PBE2PARAM *outer = NULL;
    PBKDF2PARAM *inner = NULL;
    uint64_t iterations = 0;
    if (OBJ_obj2nid(algorithm->algorithm) != NID_pbes2) return fault;
    outer = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), algorithm->parameter);
    if (outer == NULL) return JOSE_PKCS12_MALFORMED;
    int cipher = OBJ_obj2nid(outer->encryption->algorithm);
    if (OBJ_obj2nid(outer->keyfunc->algorithm) != NID_id_pbkdf2 ||
        (cipher != NID_aes_128_cbc && cipher != NID_aes_192_cbc && cipher != NID_aes_256_cbc))
        goto end;
    inner = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), outer->keyfunc->parameter);
    if (inner == NULL || ASN1_INTEGER_get_uint64(&iterations, inner->iter) != 1)
        fault = JOSE_PKCS12_MALFORMED;
    else if (iterations > most_iterations)
        fault = JOSE_PKCS12_ITERATIONS;
    else if (is_hmac_sha2(inner->prf))
        fault = JOSE_PKCS12_FINE;
end:
    PBE2PARAM_free(outer);
    PBKDF2PARAM_free(inner);
    return fault;
}

static jose_pkcs12_fault check_mac(PKCS12 *p12, const access *access)
{
    const X509_ALGOR *algorithm = NULL;
    const ASN1_INTEGER *count = NULL;
    uint64_t iterations = 1;
    if (PKCS12_mac_present(p12) != 1) return JOSE_PKCS12_NO_MAC;
    PKCS12_get0_mac(NULL, &algorithm, NULL, &count, p12);
    int nid = OBJ_obj2nid(algorithm->algorithm);
    if (nid != NID_sha256 && nid != NID_sha384 && nid != NID_sha512) return JOSE_PKCS12_LEGACY;
    if (count != NULL && ASN1_INTEGER_get_uint64(&iterations, count) != 1)
        return JOSE_PKCS12_MALFORMED;
    if (iterations > access->most_iterations) return JOSE_PKCS12_ITERATIONS;
    return PKCS12_verify_mac(p12, (const char *)access->password, (int)access->password_len) == 1
               ? JOSE_PKCS12_FINE
               : JOSE_PKCS12_PASSWORD;
}

// MARK: bags

// Takes over der, which i2d allocated.
static jose_pkcs12_fault keep(jose_pkcs12 *file, unsigned char *der, int len, bool is_key)
{
    if (len <= 0) return JOSE_PKCS12_MALFORMED;
    if (file->count == JOSE_PKCS12_MOST_ITEMS) {
        OPENSSL_clear_free(der, (size_t)len);
        return JOSE_PKCS12_TOO_MANY;
    }
    file->items[file->count++] = (jose_pkcs12_item_bytes){der, (size_t)len, is_key};
    return JOSE_PKCS12_FINE;
}

static jose_pkcs12_fault read_bag(jose_pkcs12 *file, const PKCS12_SAFEBAG *bag)
{
    unsigned char *der = NULL;
    int len = 0;
    switch (PKCS12_SAFEBAG_get_nid(bag)) {
    case NID_keyBag:
        len = i2d_PKCS8_PRIV_KEY_INFO(PKCS12_SAFEBAG_get0_p8inf(bag), &der);
        return keep(file, der, len, true);
    case NID_pkcs8ShroudedKeyBag:
        // Still encrypted: the caller reads it as he reads an encrypted PKCS#8 file.
        len = i2d_X509_SIG(PKCS12_SAFEBAG_get0_pkcs8(bag), &der);
        return keep(file, der, len, true);
    case NID_certBag: {
        X509 *certificate = PKCS12_SAFEBAG_get1_cert(bag);
        if (certificate == NULL) return JOSE_PKCS12_MALFORMED;
        len = i2d_X509(certificate, &der);
        X509_free(certificate);
        return keep(file, der, len, false);
    }
    default: return JOSE_PKCS12_FINE;  // CRLs, secrets and nested bags are not asked for
    }
}

static jose_pkcs12_fault read_safe(jose_pkcs12 *file, PKCS7 *safe, const access *access)
{
    jose_pkcs12_fault fault = JOSE_PKCS12_FINE;
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    if (PKCS7_type_is_data(safe)) {
        bags = PKCS12_unpack_p7data(safe);
        if (bags == NULL) return JOSE_PKCS12_MALFORMED;
    } else if (PKCS7_type_is_encrypted(safe)) {
        if (safe->d.encrypted == NULL) return JOSE_PKCS12_MALFORMED;
        fault = judge(safe->d.encrypted->enc_data->algorithm, access->most_iterations);
        if (fault != JOSE_PKCS12_FINE) return fault;
        bags = PKCS12_unpack_p7encdata(safe, (const char *)access->password,
                                       (int)access->password_len);
        if (bags == NULL) return JOSE_PKCS12_PASSWORD;
    } else {
        return JOSE_PKCS12_LEGACY;  // encrypted to a public key
    }
    for (int i = 0; i < sk_PKCS12_SAFEBAG_num(bags) && fault == JOSE_PKCS12_FINE; i++)
        fault = read_bag(file, sk_PKCS12_SAFEBAG_value(bags, i));
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return fault;
}

static jose_pkcs12_fault read_file(const jose_library *library, jose_pkcs12 *file,
                                   const uint8_t *der, size_t len, const access *access)
{
    jose_pkcs12_fault fault = JOSE_PKCS12_MALFORMED;
    STACK_OF(PKCS7) *safes = NULL;
    const unsigned char *at = der;
    // No query: OpenSSL 3.0 copies it into every part that it unpacks and leaks the copies. The
    // context has the same query by default.
    PKCS12 *p12 = PKCS12_init_ex(NID_pkcs7_data, library->context, NULL);
    if (p12 == NULL) return JOSE_PKCS12_INTERNAL;
    // On failure d2i frees what it was given and leaves NULL.
    if (d2i_PKCS12(&p12, &at, (long)len) == NULL || at != der + len) goto end;
    fault = check_mac(p12, access);
    if (fault != JOSE_PKCS12_FINE) goto end;
    safes = PKCS12_unpack_authsafes(p12);
    if (safes == NULL) fault = JOSE_PKCS12_MALFORMED;
    for (int i = 0; i < sk_PKCS7_num(safes) && fault == JOSE_PKCS12_FINE; i++)
        fault = read_safe(file, sk_PKCS7_value(safes, i), access);
end:
    sk_PKCS7_pop_free(safes, PKCS7_free);
    PKCS12_free(p12);
    return fault;
}

jose_pkcs12_fault jose_pkcs12_read(jose_pkcs12 **file, uint32_t most_iterations,
                                   const uint8_t *der, size_t len, const uint8_t *password,
                                   size_t password_len)
{
    *file = NULL;
    if (len == 0 || len > INT_MAX || password_len > 1024) return JOSE_PKCS12_MALFORMED;
    // OpenSSL may look for a NUL behind the password.
    char text[1025] = {0};
    if (password_len > 0) memcpy(text, password, password_len);
    const access access = {(const uint8_t *)text, password_len, most_iterations};
    jose_host host;
    jose_host_enter(&host);
    jose_pkcs12_fault fault = JOSE_PKCS12_INTERNAL;
    const jose_library *library = jose_library_get();
    jose_pkcs12 *made = library == NULL ? NULL : OPENSSL_zalloc(sizeof *made);
    if (made != NULL) fault = read_file(library, made, der, len, &access);
    if (fault != JOSE_PKCS12_FINE) {
        if (jose_host_fault()) fault = JOSE_PKCS12_INTERNAL;
        jose_pkcs12_free(made);
    } else {
        *file = made;
    }
    OPENSSL_cleanse(text, sizeof text);
    jose_host_leave(&host);
    return fault;
}
