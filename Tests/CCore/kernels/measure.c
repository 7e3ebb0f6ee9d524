// measure.c: the kernels against the fastest OpenSSL calls for the same bytes, the best of many
// interleaved rounds. Absolute times drift; only the ratios count.

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"
#include "keys/rsa_bn.h"
#include "signatures/pkcs1.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define CHECK(condition)                                  \
    do {                                                  \
        if (!(condition)) {                               \
            fprintf(stderr, "measure: " #condition "\n"); \
            exit(1);                                      \
        }                                                 \
    } while (0)

// BEST runs `code` `count` times and keeps the best time per run.
#define BEST(best, count, code)                            \
    do {                                                   \
        const double start_ = now();                       \
        for (int i_ = 0; i_ < (count); i_++) {             \
            code;                                          \
        }                                                  \
        const double took_ = (now() - start_) / (count);   \
        if ((best) == 0 || took_ < (best)) (best) = took_; \
    } while (0)

static void measure_rsa(int bits)
{
    const size_t size = (size_t)bits / 8;
    static uint8_t in[8][512], out[8][512];
    uint8_t digest[32] = {1}, signature[512];
    size_t signature_len = size;
    BIGNUM *n = NULL, *e = NULL;
    EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)bits);
    CHECK(EVP_PKEY_get_bn_param(pair, "n", &n) == 1 && EVP_PKEY_get_bn_param(pair, "e", &e) == 1);
    EVP_PKEY_CTX *sign = EVP_PKEY_CTX_new(pair, NULL), *verify = EVP_PKEY_CTX_new(pair, NULL);
    CHECK(EVP_PKEY_sign_init(sign) == 1 && EVP_PKEY_verify_init(verify) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(sign, RSA_PKCS1_PADDING) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(verify, RSA_PKCS1_PADDING) == 1);
    CHECK(EVP_PKEY_CTX_set_signature_md(sign, EVP_sha256()) == 1);
    CHECK(EVP_PKEY_CTX_set_signature_md(verify, EVP_sha256()) == 1);
    CHECK(EVP_PKEY_sign(sign, signature, &signature_len, digest, sizeof digest) == 1);

    jose_rsa_ifma_key *key = jose_rsa_ifma_key_new(n, e);
    jose_rsa_fma_key *doubles = jose_rsa_fma_key_new(n, e);
    jose_rsa_bn_key *portable = jose_rsa_bn_key_new(n, e);
    CHECK(portable != NULL);
    jose_rsa_bn_scratch *scratch = jose_rsa_bn_scratch_new();
    CHECK(scratch != NULL);
    const jose_rsa_ifma_key *keys[8];
    const jose_rsa_fma_key *four_keys[4];
    uint8_t *outs[8];
    const uint8_t *ins[8];
    for (int l = 0; l < 8; l++) {
        memcpy(in[l], signature, size);
        keys[l] = key, four_keys[l % 4] = doubles, outs[l] = out[l], ins[l] = in[l];
    }
    uint8_t expected[512];
    CHECK(jose_pkcs1_block(expected, size, JOSE_PKCS1_SHA256, digest, sizeof digest));

    double floor_ = 0, one = 0, eight = 0, by_doubles = 0, four = 0, bn = 0, signing = 0;
    for (int round = 0; round < 200; round++) {
        uint8_t made[512];
        size_t made_len = size;
        BEST(signing, 2, CHECK(EVP_PKEY_sign(sign, made, &made_len, digest, sizeof digest) == 1));
        BEST(floor_, 10, CHECK(EVP_PKEY_verify(verify, signature, size, digest, 32) == 1));
        BEST(bn, 10,
             CHECK(jose_rsa_bn_run(portable, scratch, out[0], signature) == JOSE_RSA_DONE &&
                   jose_pkcs1_equal(out[0], expected, size)));
        if (doubles != NULL) {
            BEST(by_doubles, 20,
                 CHECK(jose_rsa_fma_run(doubles, out[0], signature) == JOSE_RSA_DONE &&
                       jose_pkcs1_equal(out[0], expected, size)));
            BEST(four, 3, CHECK(jose_rsa_fma_run_x4(four_keys, outs, ins).done == 0xf));
        }
        if (key == NULL) continue;
        BEST(one, 20,
             CHECK(jose_rsa_ifma_run(key, out[0], signature) == JOSE_RSA_DONE &&
                   jose_pkcs1_equal(out[0], expected, size)));
        BEST(eight, 3, CHECK(jose_rsa_ifma_run_x8(keys, outs, ins).done == 0xff));
    }
    if (key == NULL || doubles == NULL)
        printf("rsa %d: nan means that a kernel does not run here\n", bits);
    if (key == NULL) one = eight = NAN;
    if (doubles == NULL) by_doubles = four = NAN;
    printf(
        "rsa %d: EVP_PKEY_verify %.0f ns | portable %.0f (%.3f) | one %.0f (%.3f) | "
        "of eight %.0f (%.3f) | by doubles: one %.0f (%.3f) | of four %.0f (%.3f)\n",
        bits, floor_, bn, bn / floor_, one, one / floor_, eight / 8, eight / 8 / floor_, by_doubles,
        by_doubles / floor_, four / 4, four / 4 / floor_);
    printf("rsa %d: EVP_PKEY_sign %.0f ns | verified by EVP %.2f %% | portable %.2f %% | one %.2f "
           "%% | by doubles %.2f %%\n",
           bits, signing, 100 * floor_ / signing, 100 * bn / signing, 100 * one / signing,
           100 * by_doubles / signing);
    jose_rsa_bn_scratch_free(scratch);
    jose_rsa_bn_key_free(portable);
    jose_rsa_ifma_key_free(key);
    jose_rsa_fma_key_free(doubles);
    EVP_PKEY_CTX_free(sign);
    EVP_PKEY_CTX_free(verify);
    EVP_PKEY_free(pair);
    BN_free(n);
    BN_free(e);
}

int main(void)
{
    for (int bits = 2048; bits <= 4096; bits += 1024) measure_rsa(bits);
    return 0;
}
