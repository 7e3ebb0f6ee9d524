// prove_forged.c: blocks that lenient verifiers accepted, signed with the real key. Every
// implementation must reject them, as EVP does, and accept the right block.

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>

#include "prove.h"
#include "prove_blocks.h"

enum { LANES = JOSE_RSA_KERNEL_LANES,
       LARGEST = JOSE_RSA_KERNEL_MAX_BYTES };

// A real key, the implementations that verify with it, and forged signatures that wait for their
// lanes.
typedef struct {
    size_t size;
    EVP_PKEY_CTX *raw, *verify;
    jose_rsa_fast *levels[2];
    void *keys[2];  // of each kernel that this processor has
    jose_rsa_bn_scratch *scratch;
    uint8_t digest[32], right[LARGEST];
    uint8_t signatures[LANES][LARGEST];
    int waiting;
    unsigned stride, number;
} subject;

static uint64_t rejections, together;

static void number_of(EVP_PKEY *pair, const char *name, uint8_t *bytes, int len)
{
    BIGNUM *number = NULL;
    PROVE(EVP_PKEY_get_bn_param(pair, name, &number) == 1, "key");
    PROVE(BN_bn2binpad(number, bytes, len) == len, "key");
    BN_free(number);
}

static bool opens_to(subject *s, int level, const uint8_t *signature)
{
    uint8_t opened[LARGEST];
    return jose_rsa_fast_open(s->levels[level], jose_rsa_fast_precomp(s->levels[level]),
                              &s->scratch, opened, signature) == JOSE_RSA_DONE &&
           jose_pkcs1_equal(opened, s->right, s->size);
}

static bool verifies(const subject *s, const uint8_t *signature)
{
    return EVP_PKEY_verify(s->verify, signature, s->size, s->digest, sizeof s->digest) == 1;
}

// Every kernel of this processor, whichever would be selected: alone and together.
static bool opens_by(const subject *s, int which, const uint8_t *signature)
{
    uint8_t opened[LARGEST];
    return s->keys[which] != NULL &&
           jose_rsa_kernels[which].run(s->keys[which], opened, signature) == JOSE_RSA_DONE &&
           jose_pkcs1_equal(opened, s->right, s->size);
}

static void judge_lanes(subject *s)
{
    for (int which = 0; which < JOSE_RSA_KERNELS; which++) {
        const jose_rsa_kernel *kernel = &jose_rsa_kernels[which];
        const void *keys[LANES];
        uint8_t opened[LANES][LARGEST], *outs[LANES];
        const uint8_t *ins[LANES];
        if (s->keys[which] == NULL) continue;
        for (int l = 0; l < LANES; l++) {
            keys[l] = s->keys[which];
            outs[l] = opened[l];
            ins[l] = s->signatures[l];
        }
        for (int first = 0; first < LANES; first += kernel->lanes) {
            const jose_rsa_lanes lanes = kernel->run_together(keys, outs + first, ins + first);
            PROVE(lanes.corrupted == 0, "lanes");
            for (int l = 0; l < kernel->lanes; l++)
                PROVE((lanes.done >> l & 1) == 0 ||
                          !jose_pkcs1_equal(opened[first + l], s->right, s->size),
                      "a forged block in a lane");
        }
        together += LANES;
    }
}

static void forge(void *context, const uint8_t *block, const char *kind)
{
    subject *s = context;
    if (s->number++ % s->stride != 0) return;
    uint8_t *signature = s->signatures[s->waiting];
    size_t len = s->size;
    // A number that is not below n cannot be signed; it is rejected as it is.
    if (EVP_PKEY_decrypt(s->raw, signature, &len, block, s->size) != 1)
        memcpy(signature, block, s->size);
    PROVE(!verifies(s, signature), kind);
    for (int level = 0; level < 2; level++, rejections++)
        PROVE(!opens_to(s, level, signature), kind);
    for (int which = 0; which < JOSE_RSA_KERNELS; which++, rejections++)
        PROVE(!opens_by(s, which, signature), kind);
    s->waiting = (s->waiting + 1) % LANES;
    if (s->waiting == 0) judge_lanes(s);
}

static void prove_key(int bits, unsigned stride)
{
    subject s = {.size = (size_t)bits / 8, .stride = stride};
    EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)bits);
    uint8_t modulus[LARGEST], exponent[4];
    number_of(pair, "n", modulus, (int)s.size);
    number_of(pair, "e", exponent, 4);
    s.raw = EVP_PKEY_CTX_new(pair, NULL), s.verify = EVP_PKEY_CTX_new(pair, NULL);
    PROVE(EVP_PKEY_decrypt_init(s.raw) == 1 && EVP_PKEY_verify_init(s.verify) == 1, "reference");
    PROVE(EVP_PKEY_CTX_set_rsa_padding(s.raw, RSA_NO_PADDING) == 1, "reference");
    PROVE(EVP_PKEY_CTX_set_rsa_padding(s.verify, RSA_PKCS1_PADDING) == 1, "reference");
    PROVE(EVP_PKEY_CTX_set_signature_md(s.verify, EVP_sha256()) == 1, "reference");
    for (int level = 0; level < 2; level++) {
        s.levels[level] = jose_rsa_fast_new(modulus, s.size, exponent, 4, level == 0);
        PROVE(s.levels[level] != NULL, "key");
    }
    BIGNUM *n = BN_bin2bn(modulus, (int)s.size, NULL), *e = BN_bin2bn(exponent, 4, NULL);
    for (int which = 0; which < JOSE_RSA_KERNELS; which++)
        s.keys[which] = jose_rsa_kernels[which].key_new(n, e);
    BN_free(n);
    BN_free(e);
    prove_bytes(s.digest, sizeof s.digest);
    PROVE(jose_pkcs1_block(s.right, s.size, JOSE_PKCS1_SHA256, s.digest, 32), "block");

    uint8_t signature[LARGEST];
    size_t len = s.size;
    PROVE(EVP_PKEY_decrypt(s.raw, signature, &len, s.right, s.size) == 1, "signing");
    PROVE(verifies(&s, signature) && opens_to(&s, 0, signature) && opens_to(&s, 1, signature),
          "the right one");
    for (int which = 0; which < JOSE_RSA_KERNELS; which++)
        PROVE(opens_by(&s, which, signature) == jose_rsa_kernels[which].is_present(),
              "the right one");
    PROVE(prove_blocks(s.size, s.digest, forge, &s) >= 2000, "the family");

    jose_rsa_bn_scratch_free(s.scratch);
    for (int level = 0; level < 2; level++) jose_rsa_fast_free(s.levels[level]);
    for (int which = 0; which < JOSE_RSA_KERNELS; which++)
        jose_rsa_kernels[which].key_free(s.keys[which]);
    EVP_PKEY_CTX_free(s.raw);
    EVP_PKEY_CTX_free(s.verify);
    EVP_PKEY_free(pair);
}

void prove_forged(void)
{
    prove_key(2048, 1);
    prove_key(3072, 16);
    prove_key(4096, 16);
    printf("forged   %llu forged blocks rejected on every path, as EVP does, %llu of them in lanes "
           "too\n",
           (unsigned long long)rejections, (unsigned long long)together);
}
