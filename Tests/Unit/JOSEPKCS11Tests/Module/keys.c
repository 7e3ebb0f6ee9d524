// keys.c: generates the keys of the test token.
#define _GNU_SOURCE
#include "token.h"

#include <dlfcn.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>

static const CK_BYTE p256[] = {6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7};
static const CK_BYTE p384[] = {6, 5, 0x2b, 0x81, 4, 0, 0x22};
static const CK_BYTE p521[] = {6, 5, 0x2b, 0x81, 4, 0, 0x23};
static const CK_BYTE secp256k1[] = {6, 5, 0x2b, 0x81, 4, 0, 0x0a};
static const CK_BYTE ed25519[] = {6, 3, 0x2b, 0x65, 0x70};
// The other curves by name, as some tokens encode them.
static const CK_BYTE ed448[] = "\x13\x0a"
                               "edwards448";
static const CK_BYTE x25519[] = "\x13\x0a"
                                "curve25519";

static bool names(const object *one, const void *params, size_t len)
{
    return one->params_len == len && memcmp(one->params, params, len) == 0;
}

// Generating RSA keys takes most of the time. Each is generated once, and kept in a file next to
// the library for its copies.
static EVP_PKEY *rsa_key(CK_ULONG bits, bool is_other)
{
    Dl_info own;
    char path[4096], made[4200];
    if (dladdr((void *)&token, &own) == 0) return NULL;
    const int folder = (int)(strrchr(own.dli_fname, '/') - own.dli_fname);
    snprintf(path, sizeof path, "%.*s/rsa-%lu-%d.pem", folder, own.dli_fname, bits, is_other);
    EVP_PKEY *key = NULL;
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
        fclose(file);
        return key;
    }
    key = EVP_RSA_gen(bits);
    snprintf(made, sizeof made, "%s.%p", path, (void *)key);
    file = fopen(made, "w");
    if (file == NULL) return key;
    PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL);
    fclose(file);
    rename(made, path);
    return key;
}

static EVP_PKEY *make_key(const object *one, CK_ULONG bits)
{
    if (one->type == CKK_RSA) return rsa_key(bits, false);
    if (names(one, p256, sizeof p256)) return EVP_EC_gen("P-256");
    if (names(one, p384, sizeof p384)) return EVP_EC_gen("P-384");
    if (names(one, p521, sizeof p521)) return EVP_EC_gen("P-521");
    if (names(one, secp256k1, sizeof secp256k1)) return EVP_EC_gen("secp256k1");
    if (names(one, ed25519, sizeof ed25519)) return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    if (names(one, ed448, sizeof ed448 - 1)) return EVP_PKEY_Q_keygen(NULL, NULL, "ED448");
    if (names(one, x25519, sizeof x25519 - 1)) return EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
    return NULL;
}

EVP_PKEY *other_key(EVP_PKEY *key)
{
    char group[32];
    size_t len = 0;
    if (EVP_PKEY_is_a(key, "RSA")) return rsa_key((CK_ULONG)EVP_PKEY_get_bits(key), true);
    if (EVP_PKEY_is_a(key, "ED25519")) return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    if (EVP_PKEY_is_a(key, "ED448")) return EVP_PKEY_Q_keygen(NULL, NULL, "ED448");
    if (EVP_PKEY_is_a(key, "X25519")) return EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
    if (EVP_PKEY_get_group_name(key, group, sizeof group, &len) != 1) return NULL;
    return EVP_EC_gen(group);
}

CK_RV C_GenerateKeyPair(CK_SESSION_HANDLE handle, CK_MECHANISM *how, CK_ATTRIBUTE *public,
                        CK_ULONG public_count, CK_ATTRIBUTE *private, CK_ULONG private_count,
                        CK_OBJECT_HANDLE *made_public, CK_OBJECT_HANDLE *made_private)
{
    static const CK_KEY_TYPE types[] = {CKK_EC, CKK_EC_EDWARDS, 0x41};
    CK_RV answer;
    CK_ULONG bits = 0;
    object one = {.class = CKO_PUBLIC_KEY, .is_used = true},
           other = {.class = CKO_PRIVATE_KEY, .is_used = true};
    apply(&one, public, public_count, &bits);
    apply(&other, private, private_count, &bits);
    one.type = how->mechanism == CKM_RSA_PKCS_KEY_PAIR_GEN     ? CKK_RSA
               : how->mechanism == CKM_EC_KEY_PAIR_GEN         ? types[0]
               : how->mechanism == CKM_EC_EDWARDS_KEY_PAIR_GEN ? types[1]
                                                               : types[2];
    EVP_PKEY *key = make_key(&one, bits);
    if (key == NULL) return CKR_DOMAIN_PARAMS_INVALID;
    memcpy(other.params, one.params, sizeof one.params);
    other.params_len = one.params_len;
    other.type = one.type;
    one.key = other.key = key;
    EVP_PKEY_up_ref(key);
    pthread_mutex_lock(&token.lock);
    session *in = session_of(handle, &answer);
    if (in != NULL && !in->writes) answer = CKR_SESSION_READ_ONLY;
    if (answer == CKR_OK && !is_open()) answer = CKR_USER_NOT_LOGGED_IN;
    if (answer == CKR_OK) {
        object *first = new_object(), *second = new_object();
        if (first == NULL || second == NULL) {
            answer = CKR_DEVICE_MEMORY;
        } else {
            other.asks = token.asks_next;
            *first = one;
            *second = other;
            *made_public = object_handle(first);
            *made_private = object_handle(second);
            object *twin = token.twin_next != 0 ? new_object() : NULL;
            if (twin != NULL) {
                *twin = other;
                EVP_PKEY_up_ref(key);
                if (token.twin_next == 1) twin->id[0] ^= 1;
                if (token.twin_next == 2) twin->label[0] ^= 1;
                token.twin_next = 0;
            }
            store_token();
        }
    }
    pthread_mutex_unlock(&token.lock);
    if (answer != CKR_OK) {
        EVP_PKEY_free(key);
        EVP_PKEY_free(key);
    }
    return answer;
}
