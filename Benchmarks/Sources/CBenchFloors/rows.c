// The floors of key management beside RSA-OAEP, with A128CBC-HS256 content.

#define OPENSSL_SUPPRESS_DEPRECATED

#include "agreement.h"
#include "bench_floors.h"

#include "../../../CShims/CJOSEBenchmark/floors/lane.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPED = FLOOR_CEK_BYTES + 8, SALT = 35, ITERATIONS = 1000 };

struct floor_row {
    floor_lane *lane;
    floor_way way;
    size_t wrap_bytes;
    uint8_t key[32];
    EVP_CIPHER *ecb, *gcm;
    EVP_CIPHER_CTX *wrap, *unwrap, *derived;
    floor_agreement *agreement;
    uint8_t iv[12], tag[16], wrapped[WRAPPED], point[FLOOR_POINT], salt[SALT];
    size_t point_count;
    const EVP_MD *password_hash;
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

// RFC 7518 section 4.6.2, one round of it.
static void derive(const uint8_t *shared, size_t count, uint8_t out[32]) {
    static const uint8_t one[4] = {0, 0, 0, 1};
    SHA256_CTX hash;
    SHA256_Init(&hash);
    SHA256_Update(&hash, one, 4);
    SHA256_Update(&hash, shared, count);
    SHA256_Update(&hash, "....A128CBC-HS256............", 29);
    SHA256_Final(out, &hash);
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
    row->password_hash = wrap_bytes == 16 ? EVP_sha256() : wrap_bytes == 24 ? EVP_sha384() : EVP_sha512();
    if (way != FLOOR_ECDH) return row;
    row->agreement = floor_agreement_new(curve);
    return row->agreement == NULL ? NULL : row;
}

// RFC 7518 section 4.8.1.1: the salt is the algorithm's name, a zero and 16 bytes.
static int from_password(floor_row *row, uint8_t out[32]) {
    return PKCS5_PBKDF2_HMAC((const char *)row->key, (int)row->wrap_bytes, row->salt, SALT, ITERATIONS,
                             row->password_hash, (int)row->wrap_bytes, out) == 1;
}

static int agree_as_sender(floor_row *row, uint8_t out[32]) {
    uint8_t shared[FLOOR_SHARED];
    size_t count = 0;
    if (!floor_agreement_send(row->agreement, row->point, &row->point_count, shared, &count)) return 0;
    derive(shared, count, out);
    return 1;
}

static int agree_as_recipient(floor_row *row, uint8_t out[32]) {
    uint8_t shared[FLOOR_SHARED];
    size_t count = 0;
    if (!floor_agreement_receive(row->agreement, row->point, row->point_count, shared, &count)) return 0;
    derive(shared, count, out);
    return 1;
}

int floor_row_encrypt(floor_row *row, const uint8_t *aad, size_t aad_count, const uint8_t *text,
                      size_t count) {
    floor_lane *lane = row->lane;
    uint8_t kek[32];
    int size = 0;
    if (RAND_bytes(lane->random, sizeof lane->random) != 1) return 0;
    switch (row->way) {
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
    case FLOOR_PBES2:
        if (RAND_bytes(row->salt + SALT - 16, 16) != 1 || !from_password(row, kek) ||
            !use(row, kek, 1) || !wrap(row->derived, row->wrapped, lane->random))
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
    case FLOOR_PBES2:
        if (!from_password(row, kek) || !use(row, kek, 0) || !unwrap(row->derived, cek, row->wrapped))
            return 0;
        break;
    case FLOOR_ECDH:
        if (!agree_as_recipient(row, kek)) return 0;
        if (row->wrap_bytes != 0 && (!use(row, kek, 0) || !unwrap(row->derived, cek, row->wrapped)))
            return 0;
        break;
    }
    return floor_content_decrypt(into, sealed);
}
