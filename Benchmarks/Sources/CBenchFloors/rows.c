// The floors of key management beside RSA-OAEP, with A128CBC-HS256 content.

#define OPENSSL_SUPPRESS_DEPRECATED

#include "internal.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPED = FLOOR_CEK_BYTES + 8, POINT = 133, SHARED = 66 };

struct floor_row {
    floor_lane *lane;
    floor_way way;
    size_t wrap_bytes;
    uint8_t key[32];
    EVP_CIPHER *ecb, *gcm;
    EVP_CIPHER_CTX *wrap, *unwrap, *derived;
    EVP_PKEY *recipient, *peer;
    EVP_PKEY_CTX *draw, *agree;
    uint8_t iv[12], tag[16], wrapped[WRAPPED], point[POINT];
    size_t point_count;
};

// RFC 3394: the fastest way that libcrypto offers is AES-ECB, block by block.
static int wrap(EVP_CIPHER_CTX *context, uint8_t *out, const uint8_t *cek) {
    uint8_t block[16];
    memset(block, 0xa6, 8);
    memcpy(out + 8, cek, FLOOR_CEK_BYTES);
    for (int step = 1; step <= 24; step++) {
        uint8_t *part = out + 8 + (step - 1) % 4 * 8;
        memcpy(block + 8, part, 8);
        if (EVP_Cipher(context, block, block, 16) != 16) return 0;
        block[7] ^= (uint8_t)step;
        memcpy(part, block + 8, 8);
    }
    memcpy(out, block, 8);
    return 1;
}

static int unwrap(EVP_CIPHER_CTX *context, uint8_t *cek, const uint8_t *wrapped) {
    uint8_t block[16];
    memcpy(block, wrapped, 8);
    memcpy(cek, wrapped + 8, FLOOR_CEK_BYTES);
    for (int step = 24; step >= 1; step--) {
        uint8_t *part = cek + (step - 1) % 4 * 8;
        block[7] ^= (uint8_t)step;
        memcpy(block + 8, part, 8);
        if (EVP_Cipher(context, block, block, 16) != 16) return 0;
        memcpy(part, block + 8, 8);
    }
    return block[0] == 0xa6;
}

static int derive(EVP_PKEY_CTX *context, EVP_PKEY *peer, uint8_t out[32]) {
    static const uint8_t one[4] = {0, 0, 0, 1};
    uint8_t shared[SHARED];
    size_t count = sizeof shared;
    if (EVP_PKEY_derive_set_peer_ex(context, peer, 0) != 1) return 0;
    if (EVP_PKEY_derive(context, shared, &count) != 1) return 0;
    SHA256_CTX hash;
    SHA256_Init(&hash);
    SHA256_Update(&hash, one, 4);
    SHA256_Update(&hash, shared, count);
    SHA256_Update(&hash, "....A128CBC-HS256............", 29);
    SHA256_Final(out, &hash);
    return 1;
}

static int use(floor_row *row, const uint8_t *kek, int encrypting) {
    return EVP_CipherInit_ex2(row->derived, row->ecb, kek, NULL, encrypting, NULL) == 1;
}

floor_row *floor_row_new(floor_lane *lane, floor_way way, size_t wrap_bytes, const char *curve) {
    static const char *const ecb[] = {"AES-128-ECB", "AES-192-ECB", "AES-256-ECB"};
    static const char *const gcm[] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM"};
    floor_row *row = calloc(1, sizeof *row);
    if (row == NULL) return NULL;
    row->lane = lane;
    row->way = way;
    row->wrap_bytes = wrap_bytes;
    size_t size = wrap_bytes == 0 ? 0 : wrap_bytes / 8 - 2;
    row->ecb = EVP_CIPHER_fetch(NULL, ecb[size], NULL);
    row->gcm = EVP_CIPHER_fetch(NULL, gcm[size], NULL);
    row->wrap = EVP_CIPHER_CTX_new();
    row->unwrap = EVP_CIPHER_CTX_new();
    row->derived = EVP_CIPHER_CTX_new();
    EVP_CIPHER *cipher = way == FLOOR_GCMKW ? row->gcm : row->ecb;
    if (RAND_bytes(row->key, sizeof row->key) != 1) return NULL;
    if (EVP_CipherInit_ex2(row->wrap, cipher, row->key, NULL, 1, NULL) != 1) return NULL;
    if (EVP_CipherInit_ex2(row->unwrap, cipher, row->key, NULL, 0, NULL) != 1) return NULL;
    if (way != FLOOR_ECDH) return row;
    int ec = curve[0] == 'P';
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
        OSSL_PARAM_construct_end(),
    };
    row->draw = EVP_PKEY_CTX_new_from_name(NULL, ec ? "EC" : curve, NULL);
    if (row->draw == NULL || EVP_PKEY_keygen_init(row->draw) != 1) return NULL;
    if (ec && EVP_PKEY_CTX_set_params(row->draw, params) != 1) return NULL;
    if (EVP_PKEY_generate(row->draw, &row->recipient) != 1) return NULL;
    if (EVP_PKEY_generate(row->draw, &row->peer) != 1) return NULL;
    row->agree = EVP_PKEY_CTX_new_from_pkey(NULL, row->recipient, NULL);
    if (row->agree == NULL || EVP_PKEY_derive_init(row->agree) != 1) return NULL;
    return row;
}

static int agree_as_sender(floor_row *row, uint8_t out[32]) {
    EVP_PKEY *ephemeral = NULL;
    if (EVP_PKEY_generate(row->draw, &ephemeral) != 1) return 0;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, ephemeral, NULL);
    int good = context != NULL && EVP_PKEY_derive_init(context) == 1 &&
               EVP_PKEY_get_octet_string_param(ephemeral, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY,
                                               row->point, POINT, &row->point_count) == 1 &&
               derive(context, row->recipient, out);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(ephemeral);
    return good;
}

int floor_row_encrypt(floor_row *row, const uint8_t *aad, size_t aad_count, const uint8_t *text,
                      size_t count) {
    floor_lane *lane = row->lane;
    uint8_t kek[32];
    int size = 0;
    if (RAND_bytes(lane->random, sizeof lane->random) != 1) return 0;
    switch (row->way) {
    case FLOOR_DIRECT: memcpy(lane->random, row->key, FLOOR_CEK_BYTES); break;
    case FLOOR_KW:
        if (!wrap(row->wrap, row->wrapped, lane->random)) return 0;
        break;
    case FLOOR_GCMKW:
        if (RAND_bytes(row->iv, sizeof row->iv) != 1 ||
            EVP_CipherInit_ex2(row->wrap, NULL, NULL, row->iv, 1, NULL) != 1 ||
            EVP_CipherUpdate(row->wrap, row->wrapped, &size, lane->random, FLOOR_CEK_BYTES) != 1 ||
            EVP_CipherFinal_ex(row->wrap, row->tag, &size) != 1 ||
            EVP_CIPHER_CTX_ctrl(row->wrap, EVP_CTRL_AEAD_GET_TAG, 16, row->tag) != 1)
            return 0;
        break;
    case FLOOR_ECDH:
        if (!agree_as_sender(row, row->wrap_bytes == 0 ? lane->random : kek)) return 0;
        if (row->wrap_bytes != 0 &&
            (!use(row, kek, 1) || !wrap(row->derived, row->wrapped, lane->random)))
            return 0;
        break;
    }
    return floor_content_encrypt(lane, aad, aad_count, text, count);
}

int floor_row_decrypt(floor_row *row, const floor_lane *sealed, floor_lane *into) {
    uint8_t cek[FLOOR_CEK_BYTES], kek[32], none[16];
    int size = 0;
    switch (row->way) {
    case FLOOR_DIRECT: break;
    case FLOOR_KW:
        if (!unwrap(row->unwrap, cek, row->wrapped)) return 0;
        break;
    case FLOOR_GCMKW:
        if (EVP_CipherInit_ex2(row->unwrap, NULL, NULL, row->iv, 0, NULL) != 1 ||
            EVP_CIPHER_CTX_ctrl(row->unwrap, EVP_CTRL_AEAD_SET_TAG, 16, row->tag) != 1 ||
            EVP_CipherUpdate(row->unwrap, cek, &size, row->wrapped, FLOOR_CEK_BYTES) != 1 ||
            EVP_CipherFinal_ex(row->unwrap, none, &size) != 1)
            return 0;
        break;
    case FLOOR_ECDH:
        if (EVP_PKEY_set1_encoded_public_key(row->peer, row->point, row->point_count) != 1 ||
            !derive(row->agree, row->peer, kek))
            return 0;
        if (row->wrap_bytes != 0 && (!use(row, kek, 0) || !unwrap(row->derived, cek, row->wrapped)))
            return 0;
        break;
    }
    return floor_content_decrypt(into, sealed);
}
