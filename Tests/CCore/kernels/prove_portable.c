// prove_portable.c: the loop over BN functions against BN_mod_exp, and the expected PKCS#1 block
// against OpenSSL's signatures, with forged blocks too.

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>

#include "prove.h"

static uint64_t operations, blocks, forgeries;

static void prove_power(BN_CTX *context, int bits, uint32_t exponent, const BIGNUM *n)
{
    uint8_t in[1024], out[1024], want[1024];
    const int size = BN_num_bytes(n);
    BIGNUM *e = BN_new(), *x = BN_new(), *y = BN_new();
    BN_set_word(e, exponent);
    jose_rsa_bn_key *key = jose_rsa_bn_key_new(n, e);
    jose_rsa_bn_scratch *scratch = jose_rsa_bn_scratch_new();
    PROVE(key != NULL && scratch != NULL, "portable key");
    for (int i = 0; i < 40; i++) {
        prove_bytes(in, (size_t)size);
        BN_bin2bn(in, size, x);
        if (i < 2) BN_set_word(x, (unsigned)i);
        if (i == 2) BN_copy(x, n);
        if (i == 3) BN_copy(x, n), BN_sub_word(x, 1);
        if (i == 4) BN_zero(x), BN_set_bit(x, bits), BN_sub_word(x, 1);
        PROVE(BN_bn2binpad(x, in, size) == size, "reference");
        const bool below = BN_cmp(x, n) < 0;
        PROVE(jose_rsa_bn_run(key, scratch, out, in) == (below ? JOSE_RSA_DONE : JOSE_RSA_DECLINED),
              "portable result");
        operations++;
        if (!below) continue;
        PROVE(BN_mod_exp(y, x, e, n, context) == 1, "reference");
        PROVE(BN_bn2binpad(y, want, size) == size, "reference");
        PROVE(memcmp(out, want, (size_t)size) == 0, "portable result");
    }
    jose_rsa_bn_key_free(key);
    jose_rsa_bn_scratch_free(scratch);
    BN_free(e);
    BN_free(x);
    BN_free(y);
}

static void prove_powers(void)
{
    static const int sizes[] = {2048, 2056, 2049, 3072, 4096, 8192};
    static const uint32_t exponents[] = {65537, 3, 5, 17, 257, 0xffffffff, 0x80000001, 0x12345679};
    BN_CTX *context = BN_CTX_new();
    BIGNUM *n = BN_new(), *e = BN_new();
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 8; j++) {
            BN_rand(n, sizes[i], BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
            prove_power(context, sizes[i], exponents[j], n);
        }
    BN_set_word(e, 65536);
    PROVE(jose_rsa_bn_key_new(n, e) == NULL, "even exponent");
    BN_set_word(e, 1);
    PROVE(jose_rsa_bn_key_new(n, e) == NULL, "exponent 1");
    BN_set_word(e, 0x100000001);
    PROVE(jose_rsa_bn_key_new(n, e) == NULL, "long exponent");
    BN_set_word(e, 65537);
    BN_add_word(n, 1);
    PROVE(jose_rsa_bn_key_new(n, e) == NULL, "even modulus");
    BN_free(n);
    BN_free(e);
    BN_CTX_free(context);
}

// The raw operation opens OpenSSL's signature to our block, and no other.
static void prove_blocks(int bits)
{
    static const struct {
        jose_pkcs1_hash hash;
        const char *name;
        size_t len;
    } rows[] = {{JOSE_PKCS1_SHA256, "SHA256", 32},
                {JOSE_PKCS1_SHA384, "SHA384", 48},
                {JOSE_PKCS1_SHA512, "SHA512", 64}};
    const size_t size = (size_t)bits / 8;
    EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)bits);
    EVP_PKEY_CTX *raw = EVP_PKEY_CTX_new(pair, NULL);
    PROVE(EVP_PKEY_encrypt_init(raw) == 1, "reference");
    PROVE(EVP_PKEY_CTX_set_rsa_padding(raw, RSA_NO_PADDING) == 1, "reference");
    for (int i = 0; i < 3; i++) {
        uint8_t digest[64], signature[512], opened[512], block[512];
        size_t signature_len = size, opened_len = size;
        prove_bytes(digest, sizeof digest);
        EVP_PKEY_CTX *sign = EVP_PKEY_CTX_new(pair, NULL);
        EVP_MD *md = EVP_MD_fetch(NULL, rows[i].name, NULL);
        PROVE(EVP_PKEY_sign_init(sign) == 1, "reference");
        PROVE(EVP_PKEY_CTX_set_rsa_padding(sign, RSA_PKCS1_PADDING) == 1, "reference");
        PROVE(EVP_PKEY_CTX_set_signature_md(sign, md) == 1, "reference");
        PROVE(EVP_PKEY_sign(sign, signature, &signature_len, digest, rows[i].len) == 1,
              "reference");
        PROVE(EVP_PKEY_encrypt(raw, opened, &opened_len, signature, size) == 1, "reference");
        PROVE(jose_pkcs1_block(block, size, rows[i].hash, digest, rows[i].len), "block");
        PROVE(jose_pkcs1_equal(block, opened, size), "block");
        blocks++;
        for (size_t bit = 0; bit < 8 * size; bit++) {  // no other block equals it
            opened[bit / 8] ^= (uint8_t)(1u << bit % 8);
            PROVE(!jose_pkcs1_equal(block, opened, size), "forged block");
            opened[bit / 8] ^= (uint8_t)(1u << bit % 8);
            forgeries++;
        }
        PROVE(!jose_pkcs1_block(block, size, rows[i].hash, digest, rows[i].len - 1),
              "digest length");
        PROVE(!jose_pkcs1_block(block, size, rows[i].hash, digest, rows[i].len + 1),
              "digest length");
        PROVE(!jose_pkcs1_block(block, rows[i].len + 29, rows[i].hash, digest, rows[i].len),
              "small");
        PROVE(jose_pkcs1_block(block, rows[i].len + 30, rows[i].hash, digest, rows[i].len),
              "smallest");
        EVP_MD_free(md);
        EVP_PKEY_CTX_free(sign);
    }
    EVP_PKEY_CTX_free(raw);
    EVP_PKEY_free(pair);
}

void prove_portable(void)
{
    for (int bits = 2048; bits <= 4096; bits += 1024) prove_blocks(bits);
    prove_powers();
    printf(
        "portable %llu operations equal to BN_mod_exp, %llu blocks as OpenSSL signs them, %llu "
        "altered blocks rejected\n",
        (unsigned long long)operations, (unsigned long long)blocks, (unsigned long long)forgeries);
}
