// pkcs12.c: the bags of a PKCS#12 file (RFC 7292), after its MAC was checked.

#include <openssl/asn1t.h>
#include <openssl/crypto.h>
#include <openssl/pkcs12.h>
#include <limits.h>
#include <string.h>

#include "runtime/host.h"
#include "runtime/library.h"
#include "pkcs12.h"

typedef struct {
    const uint8_t *password;
    size_t password_len;
    uint64_t most_iterations;
    uint64_t *work;  // what all derivations together may still cost
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

typedef struct {
    jose_hash hash;
    int digest, hmac;
} sha2;

static const sha2 hashes[] = {
    {JOSE_SHA256, NID_sha256, NID_hmacWithSHA256},
    {JOSE_SHA384, NID_sha384, NID_hmacWithSHA384},
    {JOSE_SHA512, NID_sha512, NID_hmacWithSHA512},
};

// The row that has this name for its digest or its HMAC; NULL for all others.
static const sha2 *find(int digest, int hmac)
{
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (hashes[i].digest == digest || hashes[i].hmac == hmac) return &hashes[i];
    return NULL;
}

// Pays for a derivation that is about to be made.
static jose_pkcs12_fault spend(const access *access, const sha2 *row, uint64_t iterations)
{
    return iterations <= access->most_iterations &&
                   jose_work_spend(access->work, row->hash, iterations)
               ? JOSE_PKCS12_FINE
               : JOSE_PKCS12_ITERATIONS;
}

// PBES2 with PBKDF2 over HMAC-SHA-2 and AES-CBC, and nothing else; where it is fine, it is paid.
static jose_pkcs12_fault judge(const X509_ALGOR *algorithm, const access *access)
{
    jose_pkcs12_fault fault = JOSE_PKCS12_LEGACY;
    PBE2PARAM *outer = NULL;
    PBKDF2PARAM *inner = NULL;
    const sha2 *row = NULL;
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
    // Without a name it is HMAC-SHA-1.
    else if (inner->prf != NULL &&
             (row = find(NID_undef, OBJ_obj2nid(inner->prf->algorithm))) != NULL)
        fault = spend(access, row, iterations);
end:
    PBE2PARAM_free(outer);
    PBKDF2PARAM_free(inner);
    return fault;
}

// MARK: what may be missing

// libcrypto takes parts of PKCS#7 that may be missing as given: all of them before 3.0.13
// (CVE-2024-0727), the text of an encrypted safe before 3.0.19. Nothing is handed to it without
// them.
static bool has_data(const PKCS7 *part)
{
    return PKCS7_type_is_data(part) && part->d.data != NULL;
}

// The contents of the file, for which libcrypto has no accessor. Its description of the type says
// where they lie: behind the version.
static PKCS7 *contents_of(PKCS12 *p12)
{
    const ASN1_TEMPLATE *part = &ASN1_ITEM_rptr(PKCS12)->templates[1];
    return *(PKCS7 **)((char *)p12 + part->offset);
}

// Keys may stand in it in the clear, and libcrypto frees it as it is.
static void wipe(PKCS7 *part)
{
    if (part != NULL && has_data(part))
        OPENSSL_cleanse(part->d.data->data, (size_t)part->d.data->length);
}

static bool has_text(const PKCS7 *safe)
{
    return safe->d.encrypted != NULL && safe->d.encrypted->enc_data->enc_data != NULL;
}

// MARK: the MAC

static jose_pkcs12_fault check_mac(PKCS12 *p12, const access *access)
{
    const X509_ALGOR *algorithm = NULL;
    const ASN1_INTEGER *count = NULL;
    uint64_t iterations = 1;
    PKCS12_get0_mac(NULL, &algorithm, NULL, &count, p12);
    const sha2 *row = find(OBJ_obj2nid(algorithm->algorithm), NID_undef);
    if (row == NULL) return JOSE_PKCS12_LEGACY;
    if (count != NULL && ASN1_INTEGER_get_uint64(&iterations, count) != 1)
        return JOSE_PKCS12_MALFORMED;
    jose_pkcs12_fault fault = spend(access, row, iterations);
    if (fault != JOSE_PKCS12_FINE) return fault;
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
        if (!has_data(safe)) return JOSE_PKCS12_MALFORMED;
        bags = PKCS12_unpack_p7data(safe);
        if (bags == NULL) return JOSE_PKCS12_MALFORMED;
    } else if (PKCS7_type_is_encrypted(safe)) {
        if (!has_text(safe)) return JOSE_PKCS12_MALFORMED;
        fault = judge(safe->d.encrypted->enc_data->algorithm, access);
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
    if (PKCS12_mac_present(p12) != 1)
        fault = JOSE_PKCS12_NO_MAC;
    else if (has_data(contents_of(p12)))
        fault = check_mac(p12, access);
    if (fault != JOSE_PKCS12_FINE) goto end;
    safes = PKCS12_unpack_authsafes(p12);
    if (safes == NULL) fault = JOSE_PKCS12_MALFORMED;
    for (int i = 0; i < sk_PKCS7_num(safes) && fault == JOSE_PKCS12_FINE; i++)
        fault = read_safe(file, sk_PKCS7_value(safes, i), access);
end:
    for (int i = 0; i < sk_PKCS7_num(safes); i++) wipe(sk_PKCS7_value(safes, i));
    sk_PKCS7_pop_free(safes, PKCS7_free);
    if (p12 != NULL) wipe(contents_of(p12));
    PKCS12_free(p12);
    return fault;
}

jose_pkcs12_fault jose_pkcs12_read(jose_pkcs12 **file, uint64_t *work, uint32_t most_iterations,
                                   const uint8_t *der, size_t len, const uint8_t *password,
                                   size_t password_len)
{
    *file = NULL;
    if (len == 0 || len > INT_MAX || password_len > 1024) return JOSE_PKCS12_MALFORMED;
    // OpenSSL may look for a NUL behind the password.
    char text[1025] = {0};
    if (password_len > 0) memcpy(text, password, password_len);
    const access access = {(const uint8_t *)text, password_len, most_iterations, work};
    jose_host host;
    jose_host_enter(&host);
    jose_pkcs12_fault fault = JOSE_PKCS12_INTERNAL;
    const jose_library *library = jose_library_get();
    jose_pkcs12 *made = library == NULL ? NULL : OPENSSL_zalloc(sizeof *made);
    if (made != NULL) fault = read_file(library, made, der, len, &access);
    if (fault != JOSE_PKCS12_FINE) {
        if (jose_take_host_fault()) fault = JOSE_PKCS12_INTERNAL;
        jose_pkcs12_free(made);
    } else {
        *file = made;
    }
    OPENSSL_cleanse(text, sizeof text);
    jose_host_leave(&host);
    return fault;
}
