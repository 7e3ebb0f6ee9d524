// lane.h: the two opaque types of benchmark_floors.h, which the project's own baselines use too.
#ifndef JOSE_BENCHMARK_LANE_H
#define JOSE_BENCHMARK_LANE_H

#include "../include/benchmark_floors.h"

#include <openssl/evp.h>

enum { FLOOR_RSA_BYTES = 1024,
       FLOOR_CEK_BYTES = 32,
       FLOOR_IV_BYTES = 16,
       FLOOR_TAG_BYTES = 16 };

struct floor_key {
    EVP_PKEY *key;
    int is_private;
};

struct floor_lane {
    EVP_PKEY_CTX *encrypt, *decrypt;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *cbc_encrypt, *cbc_decrypt;
    uint8_t random[FLOOR_CEK_BYTES + FLOOR_IV_BYTES];  // CEK, then IV
    uint8_t rsa[FLOOR_RSA_BYTES];                      // the encrypted key
    size_t rsa_count;
    uint8_t tag[FLOOR_TAG_BYTES];
    const uint8_t *aad;
    size_t aad_count;
    uint8_t *own_aad;  // a copied AAD
    uint8_t *content;  // ciphertext, or plaintext after decrypt
    size_t content_count, capacity;
};

#endif
