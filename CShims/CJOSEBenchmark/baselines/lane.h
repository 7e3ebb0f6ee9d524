// lane.h: the definitions of the opaque types of benchmark_baselines.h.
#ifndef JOSE_BENCHMARK_LANE_H
#define JOSE_BENCHMARK_LANE_H

#include "../include/benchmark_baselines.h"

#include <openssl/evp.h>

enum { BASELINE_RSA_BYTES = 1024,
       BASELINE_CEK_BYTES = 32,
       BASELINE_IV_BYTES = 16,
       BASELINE_TAG_BYTES = 16 };

struct baseline_key {
    EVP_PKEY *key;
    int is_private;
};

struct baseline_lane {
    EVP_PKEY_CTX *encrypt, *decrypt;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *cbc_encrypt, *cbc_decrypt;
    uint8_t random[BASELINE_CEK_BYTES + BASELINE_IV_BYTES];  // CEK, then IV
    uint8_t rsa[BASELINE_RSA_BYTES];                         // the encrypted key
    size_t rsa_count;
    uint8_t tag[BASELINE_TAG_BYTES];
    const uint8_t *aad;
    size_t aad_count;
    uint8_t *own_aad;  // the copy to which aad points, after baseline_take
    uint8_t *content;  // ciphertext, or plaintext after decrypt
    size_t content_count, capacity;
};

#endif
