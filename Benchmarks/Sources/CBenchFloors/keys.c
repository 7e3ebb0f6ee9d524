// Keys and contexts of the floors: made once, and the imports that are floors themselves.

#include "internal.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

floor_key *floor_key_new(const floor_number *numbers) {
    static const char *const names[8] = {
        OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
        OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    BIGNUM *values[8] = {NULL};
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    floor_key *made = calloc(1, sizeof *made);
    int good = builder != NULL && context != NULL && made != NULL;
    for (int i = 0; good && i < 8; i++) {
        values[i] = BN_bin2bn(numbers[i].bytes, (int)numbers[i].count, NULL);
        good = values[i] != NULL && OSSL_PARAM_BLD_push_BN(builder, names[i], values[i]) == 1;
    }
    if (good) parameters = OSSL_PARAM_BLD_to_param(builder);
    good = good && parameters != NULL && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &made->key, EVP_PKEY_KEYPAIR, parameters) == 1;
    OSSL_PARAM_free(parameters);
    for (int i = 0; i < 8; i++) BN_free(values[i]);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_BLD_free(builder);
    if (good) return made;
    free(made);
    return NULL;
}

static EVP_PKEY_CTX *signing(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *)) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (context != NULL && init(context) == 1
        && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1) {
        return context;
    }
    EVP_PKEY_CTX_free(context);
    return NULL;
}

static EVP_PKEY_CTX *wrapping(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *), const EVP_MD *hash) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (context != NULL && init(context) == 1
        && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_oaep_md(context, hash) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash) == 1) {
        return context;
    }
    EVP_PKEY_CTX_free(context);
    return NULL;
}

floor_lane *floor_lane_new(const floor_key *key, int oaep_bits, size_t capacity) {
    static const uint8_t zero[FLOOR_CEK_BYTES];
    const EVP_MD *hash = oaep_bits == 512   ? EVP_sha512()
                         : oaep_bits == 384 ? EVP_sha384()
                         : oaep_bits == 256 ? EVP_sha256()
                                            : EVP_sha1();
    floor_lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL) return NULL;
    lane->sign = signing(key->key, EVP_PKEY_sign_init);
    lane->verify = signing(key->key, EVP_PKEY_verify_init);
    lane->encrypt = wrapping(key->key, EVP_PKEY_encrypt_init, hash);
    lane->decrypt = wrapping(key->key, EVP_PKEY_decrypt_init, hash);
    lane->cipher = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
    lane->cbc_encrypt = EVP_CIPHER_CTX_new();
    lane->cbc_decrypt = EVP_CIPHER_CTX_new();
    lane->capacity = capacity + 2 * FLOOR_IV_BYTES;
    lane->content = calloc(1, lane->capacity);
    if (lane->sign != NULL && lane->verify != NULL && lane->encrypt != NULL
        && lane->decrypt != NULL && lane->content != NULL
        && EVP_EncryptInit_ex2(lane->cbc_encrypt, lane->cipher, zero, zero, NULL) == 1
        && EVP_DecryptInit_ex2(lane->cbc_decrypt, lane->cipher, zero, zero, NULL) == 1) {
        return lane;
    }
    floor_lane_free(lane);
    return NULL;
}

void floor_lane_free(floor_lane *lane) {
    if (lane == NULL) return;
    EVP_PKEY_CTX_free(lane->sign);
    EVP_PKEY_CTX_free(lane->verify);
    EVP_PKEY_CTX_free(lane->encrypt);
    EVP_PKEY_CTX_free(lane->decrypt);
    EVP_CIPHER_CTX_free(lane->cbc_encrypt);
    EVP_CIPHER_CTX_free(lane->cbc_decrypt);
    EVP_CIPHER_free(lane->cipher);
    free(lane->content);
    free(lane);
}

// libcrypto takes numbers in the machine's order: turned round once, as a caller with its own
// reader would write them in the first place.
struct floor_importer {
    EVP_PKEY_CTX *context;
    uint8_t n[FLOOR_RSA_BYTES], e[8];
    OSSL_PARAM parameters[3];
};

floor_importer *floor_importer_new(floor_number n, floor_number e) {
    if (n.count > FLOOR_RSA_BYTES || e.count > 8) return NULL;
    floor_importer *made = calloc(1, sizeof *made);
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

int floor_import(floor_importer *importer) {
    EVP_PKEY *key = NULL;
    const int good = EVP_PKEY_fromdata(importer->context, &key, EVP_PKEY_PUBLIC_KEY,
                                       importer->parameters) == 1;
    EVP_PKEY_free(key);
    return good;
}

static EVP_PKEY *read_pem(const uint8_t *bytes, size_t count, int is_public) {
    BIO *source = BIO_new_mem_buf(bytes, (int)count);
    EVP_PKEY *key = is_public ? PEM_read_bio_PUBKEY(source, NULL, NULL, NULL)
                              : PEM_read_bio_PrivateKey(source, NULL, NULL, NULL);
    BIO_free(source);
    return key;
}

int floor_read_key(floor_form form, const uint8_t *bytes, size_t count) {
    EVP_PKEY *key = NULL;
    switch (form) {
    case FLOOR_PKCS8_PEM:
    case FLOOR_PKCS1_PEM: key = read_pem(bytes, count, 0); break;
    case FLOOR_SPKI_PEM: key = read_pem(bytes, count, 1); break;
    case FLOOR_PKCS8_DER: key = d2i_AutoPrivateKey(NULL, &bytes, (long)count); break;
    case FLOOR_PKCS1_DER: key = d2i_PrivateKey(EVP_PKEY_RSA, NULL, &bytes, (long)count); break;
    case FLOOR_SPKI_DER: key = d2i_PUBKEY(NULL, &bytes, (long)count); break;
    }
    EVP_PKEY_free(key);
    return key != NULL;
}

static int write_key(BIO *to, floor_form form, EVP_PKEY *key) {
    switch (form) {
    case FLOOR_PKCS8_PEM: return PEM_write_bio_PKCS8PrivateKey(to, key, NULL, NULL, 0, NULL, NULL);
    case FLOOR_PKCS8_DER: return i2d_PKCS8PrivateKey_bio(to, key, NULL, NULL, 0, NULL, NULL);
    case FLOOR_PKCS1_PEM:
        return PEM_write_bio_PrivateKey_traditional(to, key, NULL, NULL, 0, NULL, NULL);
    case FLOOR_PKCS1_DER: return i2d_PrivateKey_bio(to, key);
    case FLOOR_SPKI_PEM: return PEM_write_bio_PUBKEY(to, key);
    case FLOOR_SPKI_DER: return i2d_PUBKEY_bio(to, key);
    }
    return 0;
}

size_t floor_write_key(floor_form form, const floor_key *key, uint8_t *out, size_t capacity) {
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

const char *floor_crypto_version(void) { return OpenSSL_version(OPENSSL_VERSION_STRING); }
