// pkcs12.c: reads a PKCS#12 file (RFC 7292): its MAC, then its bags.

#include <openssl/asn1t.h>
#include <openssl/crypto.h>
#include <openssl/pkcs12.h>
#include <limits.h>
#include <string.h>

#include "runtime/host.h"
#include "runtime/library.h"
#include "pkcs12.h"

typedef struct {
    const jose_library *library;
    const uint8_t *password;
    size_t password_len;
    uint64_t max_iterations;
    uint64_t *budget;  // what is left for all derivations
} read_request;

void jose_pkcs12_free(jose_pkcs12 *file)
{
    if (file == NULL) return;
    for (size_t i = 0; i < file->count; i++) {
        OPENSSL_clear_free(file->items[i].der, file->items[i].len);
        OPENSSL_free(file->items[i].name);
        OPENSSL_free(file->items[i].key_id);
    }
    OPENSSL_free(file);
}

size_t jose_pkcs12_count(const jose_pkcs12 *file)
{
    return file->count;
}

const uint8_t *jose_pkcs12_item(const jose_pkcs12 *file, size_t index, size_t *len, bool *is_key)
{
    *len = file->items[index].len;
    *is_key = file->items[index].is_key;
    return file->items[index].der;
}

jose_pkcs12_attributes jose_pkcs12_item_attributes(const jose_pkcs12 *file, size_t index)
{
    const jose_pkcs12_item_bytes *item = &file->items[index];
    return (jose_pkcs12_attributes){item->name, item->name_len, item->key_id, item->key_id_len};
}

size_t jose_pkcs12_other_count(const jose_pkcs12 *file)
{
    return file->other_count;
}

// MARK: accepted algorithms

typedef struct {
    jose_hash hash;
    int digest, hmac;
} sha2;

static const sha2 hashes[] = {
    {JOSE_SHA256, NID_sha256, NID_hmacWithSHA256},
    {JOSE_SHA384, NID_sha384, NID_hmacWithSHA384},
    {JOSE_SHA512, NID_sha512, NID_hmacWithSHA512},
};

static const sha2 *find(int digest, int hmac)
{
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (hashes[i].digest == digest || hashes[i].hmac == hmac) return &hashes[i];
    return NULL;
}

static jose_pkcs12_failure spend(const read_request *request, const sha2 *entry,
                                 uint64_t iterations)
{
    return iterations <= request->max_iterations &&
                   jose_budget_spend(request->budget, entry->hash, iterations)
               ? JOSE_PKCS12_OK
               : JOSE_PKCS12_ITERATIONS;
}

// Accepts only PBES2 with PBKDF2 over HMAC-SHA-2 and AES-CBC, and spends the derivation's cost.
static jose_pkcs12_failure check_pbes2(const X509_ALGOR *algorithm, const read_request *request)
{
    jose_pkcs12_failure failure = JOSE_PKCS12_LEGACY;
    PBE2PARAM *outer = NULL;
    PBKDF2PARAM *inner = NULL;
    const sha2 *entry = NULL;
    uint64_t iterations = 0;
    if (OBJ_obj2nid(algorithm->algorithm) != NID_pbes2) return failure;
    outer = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), algorithm->parameter);
    if (outer == NULL) return JOSE_PKCS12_MALFORMED;
    int cipher = OBJ_obj2nid(outer->encryption->algorithm);
    if (OBJ_obj2nid(outer->keyfunc->algorithm) == NID_id_scrypt) {
        failure = JOSE_PKCS12_SCRYPT;
        goto end;
    }
    if (OBJ_obj2nid(outer->keyfunc->algorithm) != NID_id_pbkdf2 ||
        (cipher != NID_aes_128_cbc && cipher != NID_aes_192_cbc && cipher != NID_aes_256_cbc))
        goto end;
    inner = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), outer->keyfunc->parameter);
    if (inner == NULL || ASN1_INTEGER_get_uint64(&iterations, inner->iter) != 1)
        failure = JOSE_PKCS12_MALFORMED;
    // Parameters without a PRF mean HMAC-SHA-1, which is rejected.
    else if (inner->prf != NULL &&
             (entry = find(NID_undef, OBJ_obj2nid(inner->prf->algorithm))) != NULL)
        failure = spend(request, entry, iterations);
end:
    PBE2PARAM_free(outer);
    PBKDF2PARAM_free(inner);
    return failure;
}

// MARK: contents

static int kind(const jose_pkcs12_part *part)
{
    return OBJ_obj2nid(part->type);
}

static bool is_data(const jose_pkcs12_part *part)
{
    return kind(part) == NID_pkcs7_data && part->content != NULL &&
           ASN1_STRING_type(part->content) == V_ASN1_OCTET_STRING;
}

static void *unpack(const ASN1_STRING *content, const ASN1_ITEM *item)
{
    const unsigned char *at = ASN1_STRING_get0_data(content);
    return ASN1_item_d2i(NULL, &at, ASN1_STRING_length(content), item);
}

// MARK: the MAC

// Returns a member: 0 is the version, 1 the contents, 2 the MAC. libcrypto has no accessor.
static void *member(PKCS12 *p12, size_t index)
{
    return (char *)p12 + ASN1_ITEM_rptr(PKCS12)->templates[index].offset;
}

// 1.2.840.113549.1.5.14
static bool is_pbmac1(const ASN1_OBJECT *name)
{
    static const uint8_t bytes[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0e};
    return OBJ_length(name) == sizeof bytes &&
           memcmp(OBJ_get0_data(name), bytes, sizeof bytes) == 0;
}

static jose_pkcs12_failure verify_mac(PKCS12 *p12, const read_request *request)
{
    const X509_ALGOR *algorithm = NULL;
    const ASN1_INTEGER *count = NULL;
    uint64_t iterations = 1;
    PKCS12_get0_mac(NULL, &algorithm, NULL, &count, p12);
    const sha2 *entry = find(OBJ_obj2nid(algorithm->algorithm), NID_undef);
    // RFC 9579 puts the OID of PBMAC1 where the hash's OID is. Older libcryptos do not know it.
    if (is_pbmac1(algorithm->algorithm)) return JOSE_PKCS12_PBMAC1;
    if (entry == NULL) return JOSE_PKCS12_LEGACY;
    if (count != NULL && ASN1_INTEGER_get_uint64(&iterations, count) != 1)
        return JOSE_PKCS12_MALFORMED;
    jose_pkcs12_failure failure = spend(request, entry, iterations);
    if (failure != JOSE_PKCS12_OK) return failure;
    return PKCS12_verify_mac(p12, (const char *)request->password, (int)request->password_len) == 1
               ? JOSE_PKCS12_OK
               : JOSE_PKCS12_PASSWORD;
}

// Checks the MAC of a file whose contents have the PKCS#7 type data. A new PKCS12 borrows the
// parsed contents and MAC: a copy inside libcrypto would not be wiped if an allocation fails.
static jose_pkcs12_failure check_mac(jose_pkcs12_pfx *pfx, const read_request *request)
{
    // OpenSSL 3.0 copies a property query into every part that it unpacks, and leaks the copies.
    // The context has the query by default.
    PKCS12 *p12 = PKCS12_init_ex(NID_pkcs7_data, request->library->context, NULL);
    if (p12 == NULL) return JOSE_PKCS12_INTERNAL;
    ASN1_OCTET_STRING **data = &(*(PKCS7 **)member(p12, 1))->d.data, *own = *data;
    PKCS12_MAC_DATA **mac = member(p12, 2);
    *data = pfx->contents->content;
    *mac = pfx->mac;
    const jose_pkcs12_failure failure = verify_mac(p12, request);
    *data = own;
    *mac = NULL;
    PKCS12_free(p12);
    return failure;
}

// MARK: bags

// Takes ownership of der, which i2d allocated.
static jose_pkcs12_failure add_item(jose_pkcs12 *file, unsigned char *der, int len, bool is_key)
{
    if (len <= 0) return JOSE_PKCS12_MALFORMED;
    if (file->count == JOSE_PKCS12_MAX_ITEMS) {
        OPENSSL_clear_free(der, (size_t)len);
        return JOSE_PKCS12_TOO_MANY;
    }
    file->items[file->count++] = (jose_pkcs12_item_bytes){der, (size_t)len, is_key};
    return JOSE_PKCS12_OK;
}

// Copies an attribute if it is a string of this type. Returns false if memory runs out.
static bool copy_attribute(uint8_t **copy, size_t *copy_len, const PKCS12_SAFEBAG *bag, int name,
                           int type, size_t max)
{
    const ASN1_TYPE *value = PKCS12_SAFEBAG_get0_attr(bag, name);
    if (value == NULL || ASN1_TYPE_get(value) != type) return true;
    const ASN1_STRING *text = value->value.asn1_string;
    const size_t len = (size_t)ASN1_STRING_length(text);
    if (len == 0 || len > max) return true;
    *copy = OPENSSL_memdup(ASN1_STRING_get0_data(text), len);
    if (*copy == NULL) return false;
    *copy_len = len;
    return true;
}

static jose_pkcs12_failure add_bag(jose_pkcs12 *file, const PKCS12_SAFEBAG *bag, unsigned char *der,
                                   int len, bool is_key)
{
    const jose_pkcs12_failure failure = add_item(file, der, len, is_key);
    if (failure != JOSE_PKCS12_OK) return failure;
    jose_pkcs12_item_bytes *item = &file->items[file->count - 1];
    return copy_attribute(&item->name, &item->name_len, bag, NID_friendlyName, V_ASN1_BMPSTRING,
                          JOSE_PKCS12_MAX_NAME) &&
                   copy_attribute(&item->key_id, &item->key_id_len, bag, NID_localKeyID,
                                  V_ASN1_OCTET_STRING, JOSE_PKCS12_MAX_KEY_ID)
               ? JOSE_PKCS12_OK
               : JOSE_PKCS12_INTERNAL;
}

static jose_pkcs12_failure read_bag(jose_pkcs12 *file, const PKCS12_SAFEBAG *bag)
{
    unsigned char *der = NULL;
    int len = 0;
    switch (PKCS12_SAFEBAG_get_nid(bag)) {
    case NID_keyBag:
        len = i2d_PKCS8_PRIV_KEY_INFO(PKCS12_SAFEBAG_get0_p8inf(bag), &der);
        return add_bag(file, bag, der, len, true);
    case NID_pkcs8ShroudedKeyBag:
        // Still encrypted: the caller reads it like an encrypted PKCS#8 file.
        len = i2d_X509_SIG(PKCS12_SAFEBAG_get0_pkcs8(bag), &der);
        return add_bag(file, bag, der, len, true);
    case NID_certBag: {
        X509 *certificate = PKCS12_SAFEBAG_get1_cert(bag);
        if (certificate == NULL) return JOSE_PKCS12_MALFORMED;
        len = i2d_X509(certificate, &der);
        X509_free(certificate);
        return add_bag(file, bag, der, len, false);
    }
    default:
        file->other_count++;
        return JOSE_PKCS12_OK;
    }
}

static jose_pkcs12_failure decrypt(STACK_OF(PKCS12_SAFEBAG) **bags, const jose_pkcs12_part *safe,
                                   const read_request *request)
{
    if (safe->content == NULL) return JOSE_PKCS12_MALFORMED;
    const unsigned char *at = ASN1_STRING_get0_data(safe->content);
    PKCS7_ENCRYPT *encrypted = d2i_PKCS7_ENCRYPT(NULL, &at, ASN1_STRING_length(safe->content));
    jose_pkcs12_failure failure = JOSE_PKCS12_MALFORMED;
    if (encrypted != NULL && encrypted->enc_data->enc_data != NULL)
        failure = check_pbes2(encrypted->enc_data->algorithm, request);
    if (failure == JOSE_PKCS12_OK) {
        *bags = PKCS12_item_decrypt_d2i_ex(
            encrypted->enc_data->algorithm, ASN1_ITEM_rptr(PKCS12_SAFEBAGS),
            (const char *)request->password, (int)request->password_len,
            encrypted->enc_data->enc_data, 1, request->library->context, NULL);
        if (*bags == NULL) failure = JOSE_PKCS12_PASSWORD;
    }
    PKCS7_ENCRYPT_free(encrypted);
    return failure;
}

static jose_pkcs12_failure read_safe(jose_pkcs12 *file, const jose_pkcs12_part *safe,
                                     const read_request *request)
{
    jose_pkcs12_failure failure = JOSE_PKCS12_OK;
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    switch (kind(safe)) {
    case NID_pkcs7_data:
        if (is_data(safe)) bags = unpack(safe->content, ASN1_ITEM_rptr(PKCS12_SAFEBAGS));
        if (bags == NULL) return JOSE_PKCS12_MALFORMED;
        break;
    case NID_pkcs7_encrypted:
        failure = decrypt(&bags, safe, request);
        break;
    default: return JOSE_PKCS12_LEGACY;  // encrypted to a public key
    }
    for (int i = 0; i < sk_PKCS12_SAFEBAG_num(bags) && failure == JOSE_PKCS12_OK; i++)
        failure = read_bag(file, sk_PKCS12_SAFEBAG_value(bags, i));
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return failure;
}

static jose_pkcs12_failure read_safes(jose_pkcs12 *file, const jose_pkcs12_part *contents,
                                      const read_request *request)
{
    STACK_OF(jose_pkcs12_part) *all = unpack(contents->content, jose_pkcs12_safes_it());
    jose_pkcs12_failure failure = all == NULL ? JOSE_PKCS12_MALFORMED : JOSE_PKCS12_OK;
    for (int i = 0; i < sk_jose_pkcs12_part_num(all) && failure == JOSE_PKCS12_OK; i++)
        failure = read_safe(file, sk_jose_pkcs12_part_value(all, i), request);
    ASN1_item_free((ASN1_VALUE *)all, jose_pkcs12_safes_it());
    return failure;
}

static jose_pkcs12_failure read_file(jose_pkcs12 *file, const uint8_t *der, size_t len,
                                     const read_request *request)
{
    const unsigned char *at = der;
    jose_pkcs12_failure failure = JOSE_PKCS12_MALFORMED;
    jose_pkcs12_pfx *pfx =
        (jose_pkcs12_pfx *)ASN1_item_d2i(NULL, &at, (long)len, jose_pkcs12_pfx_it());
    if (pfx != NULL && at == der + len) {
        if (pfx->mac == NULL)
            failure = JOSE_PKCS12_NO_MAC;
        else if (is_data(pfx->contents))
            failure = check_mac(pfx, request);
    }
    if (failure == JOSE_PKCS12_OK) failure = read_safes(file, pfx->contents, request);
    ASN1_item_free((ASN1_VALUE *)pfx, jose_pkcs12_pfx_it());
    return failure;
}

jose_pkcs12_failure jose_pkcs12_read(jose_pkcs12 **file, uint64_t *budget, uint32_t max_iterations,
                                     const uint8_t *der, size_t len, const uint8_t *password,
                                     size_t password_len)
{
    *file = NULL;
    if (password_len > 1024) return JOSE_PKCS12_LONG_PASSWORD;
    if (len == 0 || len > INT_MAX) return JOSE_PKCS12_MALFORMED;
    // OpenSSL may read a NUL after the password.
    char text[1025] = {0};
    if (password_len > 0) memcpy(text, password, password_len);
    JOSE_HOST_SCOPE;
    jose_pkcs12_failure failure = JOSE_PKCS12_INTERNAL;
    const jose_library *library = jose_library_get();
    const read_request request = {library, (const uint8_t *)text, password_len, max_iterations,
                                  budget};
    // A file's MAC needs the key derivation of RFC 7292, which no FIPS provider has.
    if (library != NULL && library->is_fips) failure = JOSE_PKCS12_NO_FIPS;
    jose_pkcs12 *made =
        library == NULL || library->is_fips ? NULL : OPENSSL_zalloc(sizeof *made);
    if (made != NULL) failure = read_file(made, der, len, &request);
    if (failure != JOSE_PKCS12_OK) {
        if (jose_take_system_failure()) failure = JOSE_PKCS12_INTERNAL;
        jose_pkcs12_free(made);
    } else {
        *file = made;
    }
    OPENSSL_cleanse(text, sizeof text);
    return failure;
}
