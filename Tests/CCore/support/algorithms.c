// algorithms.c: the tables of algorithms.h.

#include "algorithms.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const key_kind key_kinds[KEYS] = {
    [RSA_2048] = {"RSA 2048", JOSE_KEY_RSA, JOSE_P256, 2048},
    [EC_256] = {"P-256", JOSE_KEY_EC, JOSE_P256, 0},
    [EC_384] = {"P-384", JOSE_KEY_EC, JOSE_P384, 0},
    [EC_521] = {"P-521", JOSE_KEY_EC, JOSE_P521, 0},
    [EC_K1] = {"secp256k1", JOSE_KEY_EC, JOSE_SECP256K1, 0},
    [ED_25519] = {"Ed25519", JOSE_KEY_OKP, JOSE_ED25519, 0},
    [ED_448] = {"Ed448", JOSE_KEY_OKP, JOSE_ED448, 0},
    [X_25519] = {"X25519", JOSE_KEY_OKP, JOSE_X25519, 0},
    [X_448] = {"X448", JOSE_KEY_OKP, JOSE_X448, 0},
    [OCT_16] = {"16 bytes", JOSE_KEY_OCT, JOSE_P256, 16},
    [OCT_24] = {"24 bytes", JOSE_KEY_OCT, JOSE_P256, 24},
    [OCT_32] = {"32 bytes", JOSE_KEY_OCT, JOSE_P256, 32},
    [OCT_48] = {"48 bytes", JOSE_KEY_OCT, JOSE_P256, 48},
    [OCT_64] = {"64 bytes", JOSE_KEY_OCT, JOSE_P256, 64},
    [OCT_200] = {"200 bytes", JOSE_KEY_OCT, JOSE_P256, 200},
    [ML_DSA_44] = {"ML-DSA-44", JOSE_KEY_AKP, JOSE_ML_DSA_44, 0},
    [ML_DSA_65] = {"ML-DSA-65", JOSE_KEY_AKP, JOSE_ML_DSA_65, 0},
    [ML_DSA_87] = {"ML-DSA-87", JOSE_KEY_AKP, JOSE_ML_DSA_87, 0},
};

jose_status key_generate(jose_key **key, const key_kind *kind)
{
    switch (kind->type) {
    case JOSE_KEY_RSA: return jose_rsa_generate(key, JOSE_MODULE_PROCESS, (uint32_t)kind->size);
    case JOSE_KEY_EC: return jose_ec_generate(key, JOSE_MODULE_PROCESS, kind->curve);
    case JOSE_KEY_OKP: return jose_okp_generate(key, JOSE_MODULE_PROCESS, kind->curve);
    case JOSE_KEY_OCT: return jose_oct_generate(key, JOSE_MODULE_PROCESS, kind->size);
    case JOSE_KEY_AKP: return jose_akp_generate(key, JOSE_MODULE_PROCESS, kind->curve);
    }
    return JOSE_INTERNAL;
}

const signature_algorithm signature_algorithms[SIGNATURES] = {
    {"RS256", RSA_2048, JOSE_RSA_PKCS1, JOSE_SHA256},
    {"RS384", RSA_2048, JOSE_RSA_PKCS1, JOSE_SHA384},
    {"RS512", RSA_2048, JOSE_RSA_PKCS1, JOSE_SHA512},
    {"PS256", RSA_2048, JOSE_RSA_PSS, JOSE_SHA256},
    {"PS384", RSA_2048, JOSE_RSA_PSS, JOSE_SHA384},
    {"PS512", RSA_2048, JOSE_RSA_PSS, JOSE_SHA512},
    {"ES256", EC_256, JOSE_ECDSA, JOSE_SHA256},
    {"ES384", EC_384, JOSE_ECDSA, JOSE_SHA384},
    {"ES512", EC_521, JOSE_ECDSA, JOSE_SHA512},
    {"ES256K", EC_K1, JOSE_ECDSA, JOSE_SHA256},
    {"Ed25519", ED_25519, JOSE_EDDSA, JOSE_SHA256},
    {"Ed448", ED_448, JOSE_EDDSA, JOSE_SHA256},
    {"HS256", OCT_32, JOSE_HMAC, JOSE_SHA256},
    {"HS384", OCT_48, JOSE_HMAC, JOSE_SHA384},
    {"HS512", OCT_64, JOSE_HMAC, JOSE_SHA512},
    {"HS256, long key", OCT_200, JOSE_HMAC, JOSE_SHA256},
    {"ML-DSA-44", ML_DSA_44, JOSE_ML_DSA, JOSE_SHA512},
    {"ML-DSA-65", ML_DSA_65, JOSE_ML_DSA, JOSE_SHA512},
    {"ML-DSA-87", ML_DSA_87, JOSE_ML_DSA, JOSE_SHA512},
};

enum { NEWER = 3 };

// By libcrypto's number, not by what it has, which is under test.
static int newer_here(void)
{
    static int known = -1;
    if (known >= 0) return known;
    known = OpenSSL_version_num() >= 0x30500000 ? NEWER : 0;
    for (int i = SIGNATURES - NEWER + known; i < SIGNATURES; i++)
        printf("not in this libcrypto, not tested: %s\n", signature_algorithms[i].name);
    return known;
}

int keys_here(void)
{
    return KEYS - NEWER + newer_here();
}

int signatures_here(void)
{
    return SIGNATURES - NEWER + newer_here();
}

// Each algorithm with one content encryption, and the others if the two share code.
const encryption_algorithm encryption_algorithms[ENCRYPTIONS] = {
    {"RSA-OAEP", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA1, 0}, JOSE_A128CBC_HS256},
    {"RSA-OAEP-256", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA256, 0}, JOSE_A128GCM},
    {"RSA-OAEP-256 CBC", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA256, 0}, JOSE_A128CBC_HS256},
    {"RSA-OAEP-384", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA384, 0}, JOSE_A192CBC_HS384},
    {"RSA-OAEP-512", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA512, 0}, JOSE_A256CBC_HS512},
    {"A128KW", OCT_16, {JOSE_AES_KW, JOSE_SHA256, 16}, JOSE_A128CBC_HS256},
    {"A192KW", OCT_24, {JOSE_AES_KW, JOSE_SHA256, 24}, JOSE_A192GCM},
    {"A192KW CBC", OCT_24, {JOSE_AES_KW, JOSE_SHA256, 24}, JOSE_A192CBC_HS384},
    {"A256KW", OCT_32, {JOSE_AES_KW, JOSE_SHA256, 32}, JOSE_A256GCM},
    {"dir", OCT_32, {JOSE_DIRECT, JOSE_SHA256, 0}, JOSE_A128CBC_HS256},
    {"dir GCM", OCT_32, {JOSE_DIRECT, JOSE_SHA256, 0}, JOSE_A256GCM},
    {"dir CBC 512", OCT_64, {JOSE_DIRECT, JOSE_SHA256, 0}, JOSE_A256CBC_HS512},
    {"A128GCMKW", OCT_16, {JOSE_AES_GCM_KW, JOSE_SHA256, 16}, JOSE_A128CBC_HS256},
    {"A192GCMKW", OCT_24, {JOSE_AES_GCM_KW, JOSE_SHA256, 24}, JOSE_A192GCM},
    {"A256GCMKW", OCT_32, {JOSE_AES_GCM_KW, JOSE_SHA256, 32}, JOSE_A256GCM},
    {"ECDH-ES", EC_256, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A128GCM},
    {"ECDH-ES P-384", EC_384, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A256CBC_HS512},
    {"ECDH-ES X25519", X_25519, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A128CBC_HS256},
    {"ECDH-ES X448", X_448, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A256GCM},
    {"ECDH-ES+A128KW", EC_521, {JOSE_ECDH_ES, JOSE_SHA256, 16}, JOSE_A128CBC_HS256},
    {"ECDH-ES+A192KW", X_448, {JOSE_ECDH_ES, JOSE_SHA256, 24}, JOSE_A128CBC_HS256},
    {"ECDH-ES+A256KW", X_25519, {JOSE_ECDH_ES, JOSE_SHA256, 32}, JOSE_A256GCM},
    {"PBES2-HS256+A128KW", OCT_16, {JOSE_PBES2, JOSE_SHA256, 16}, JOSE_A128CBC_HS256},
    {"PBES2-HS384+A192KW", OCT_24, {JOSE_PBES2, JOSE_SHA384, 24}, JOSE_A192GCM},
    {"PBES2-HS512+A256KW", OCT_32, {JOSE_PBES2, JOSE_SHA512, 32}, JOSE_A256GCM},
};

const encryption_algorithm *encryption_named(const char *name)
{
    for (int i = 0; i < ENCRYPTIONS; i++)
        if (strcmp(encryption_algorithms[i].name, name) == 0) return &encryption_algorithms[i];
    fprintf(stderr, "FAILED  no algorithm %s in algorithms.c\n", name);
    exit(2);
}
