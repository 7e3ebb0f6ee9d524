// prove_forged.c: blocks that lenient verifiers have taken for signatures, signed with the real key:
// every path must refuse them, as EVP does. The right block beside them is accepted by every path.

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>

#include "prove.h"

static const uint8_t right_info[] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                     0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};

// A block is 00, type, padding, 00, what comes before the digest, the digest, what comes behind it.
typedef struct shape {
    const char *name;
    uint8_t first, type_flip, separator;  // the right type is 01
    int padding;                          // bytes of padding, or 0: as many as fit
    int odd_at, odd;                      // which byte of the padding is odd, from 1; 0: none
    const char *info;                     // hex, or NULL: the right one
    int cut, behind;  // bytes of the digest left out, of garbage behind (-1: all there is room)
} shape;

static const shape shapes[] = {
    {.name = "the right one"},
    {"first byte 01", .first = 1},
    {"type 00", .type_flip = 1},
    {"type 02", .type_flip = 3},
    {"no separator", .separator = 0xff},
    {"separator 01", .separator = 1},
    {"a zero early in the padding", .odd_at = 10, .odd = 0},
    {"a zero at the start of the padding", .odd_at = 1, .odd = 0},
    {"an odd byte in the padding", .odd_at = 41, .odd = 0xfe},
    {"garbage behind, short padding", .padding = 8, .behind = -1},
    {"no padding, garbage behind", .padding = 1, .behind = -1},
    {"one byte behind", .behind = 1},
    {"eight bytes behind", .behind = 8},
    {"bare digest", .info = ""},
    {"no parameters", .info = "302f300b0609608648016503040201"
                              "0420"},
    {"parameters with content", .info = "3032300e06096086480165030402010501aa0420"},
    {"long parameters", .info = "3041301d0609608648016503040201"
                                "04100123456789abcdef0123456789abcdef"
                                "0420"},
    {"outer length long form", .info = "308131300d060960864801650304020105000420"},
    {"outer length with zeros", .info = "30820031300d060960864801650304020105000420"},
    {"inner length long form", .info = "303230810d060960864801650304020105000420"},
    {"digest length long form", .info = "3032300d06096086480165030402010500048120"},
    {"indefinite length", .info = "3080300d060960864801650304020105000420"},
    {"outer length wrong", .info = "3032300d060960864801650304020105000420"},
    {"digest length wrong", .info = "3031300d06096086480165030402010500041f"},
    {"digest cut", .info = "3030300d06096086480165030402010500041f", .cut = 1},
    {"another hash: SHA-384", .info = "3031300d060960864801650304020205000420"},
    {"another hash: SHA-512/256", .info = "3031300d060960864801650304020605000420"},
    {"another hash: SHA-1", .info = "302d300906052b0e03021a05000420"},
    {"set for sequence", .info = "3131300d060960864801650304020105000420"},
};

static size_t unhex(uint8_t *out, const char *hex)
{
    size_t len = 0;
    for (unsigned byte; sscanf(hex + 2 * len, "%2x", &byte) == 1; len++) out[len] = (uint8_t)byte;
    return len;
}

static void make_block(uint8_t *block, size_t size, const shape *s, const uint8_t digest[32])
{
    uint8_t info[64];
    size_t info_len = sizeof right_info;
    if (s->info == NULL)
        memcpy(info, right_info, info_len);
    else
        info_len = unhex(info, s->info);
    const size_t digest_len = 32 - (size_t)s->cut;
    const size_t tail = info_len + digest_len + 3;
    size_t behind = s->behind < 0 ? 0 : (size_t)s->behind;
    size_t padding = s->padding > 0 ? (size_t)s->padding : size - tail - behind;
    if (s->behind < 0) behind = size - tail - padding;
    uint8_t *at = block;
    *at++ = s->first;
    *at++ = 0x01 ^ s->type_flip;
    memset(at, 0xff, padding);
    if (s->odd_at > 0) at[s->odd_at - 1] = (uint8_t)s->odd;
    at += padding;
    *at++ = s->separator;
    memcpy(at, info, info_len);
    memcpy(at + info_len, digest, digest_len);
    at += info_len + digest_len;
    prove_bytes(at, behind);
    PROVE(at + behind == block + size, "shape");
}

static uint64_t refusals;

static void prove_key(int bits)
{
    const size_t size = (size_t)bits / 8;
    BIGNUM *n = NULL, *e = NULL;
    EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)bits);
    PROVE(EVP_PKEY_get_bn_param(pair, "n", &n) == 1 && EVP_PKEY_get_bn_param(pair, "e", &e) == 1,
          "key");
    EVP_PKEY_CTX *raw = EVP_PKEY_CTX_new(pair, NULL), *verify = EVP_PKEY_CTX_new(pair, NULL);
    PROVE(EVP_PKEY_decrypt_init(raw) == 1 && EVP_PKEY_verify_init(verify) == 1, "reference");
    PROVE(EVP_PKEY_CTX_set_rsa_padding(raw, RSA_NO_PADDING) == 1, "reference");
    PROVE(EVP_PKEY_CTX_set_rsa_padding(verify, RSA_PKCS1_PADDING) == 1, "reference");
    PROVE(EVP_PKEY_CTX_set_signature_md(verify, EVP_sha256()) == 1, "reference");
    jose_rsa_fast *ways[2];
    uint8_t modulus[512], exponent[4];
    BN_bn2binpad(n, modulus, (int)size);
    BN_bn2binpad(e, exponent, 4);
    for (int i = 0; i < 2; i++) {
        ways[i] = jose_rsa_fast_new(modulus, size, exponent, 4, i == 0);
        PROVE(ways[i] != NULL, "key");
    }
    jose_rsa_bn_scratch *scratch = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint8_t digest[32], block[512], signature[512], expected[512];
        size_t signature_len = size;
        prove_bytes(digest, sizeof digest);
        make_block(block, size, &shapes[i], digest);
        const bool right = i == 0;
        PROVE(jose_pkcs1_block(expected, size, JOSE_PKCS1_SHA256, digest, 32), "block");
        PROVE((memcmp(block, expected, size) == 0) == right, shapes[i].name);
        if (block[0] != 0) {  // a number above n cannot be signed; it is refused as it stands
            memcpy(signature, block, size);
            signature[0] = 0xff;
        } else {
            PROVE(EVP_PKEY_decrypt(raw, signature, &signature_len, block, size) == 1, "signing");
        }
        PROVE((EVP_PKEY_verify(verify, signature, size, digest, 32) == 1) == right, shapes[i].name);
        for (int way = 0; way < 2; way++) {
            PROVE(jose_rsa_fast_accepts(ways[way], &scratch, expected, signature) == right,
                  shapes[i].name);
            refusals += !right;
        }
    }
    jose_rsa_bn_scratch_free(scratch);
    for (int i = 0; i < 2; i++) jose_rsa_fast_free(ways[i]);
    EVP_PKEY_CTX_free(raw);
    EVP_PKEY_CTX_free(verify);
    EVP_PKEY_free(pair);
    BN_free(n);
    BN_free(e);
}

void prove_forged(void)
{
    for (int bits = 2048; bits <= 4096; bits += 1024) prove_key(bits);
    printf("forged   %llu forged blocks refused on both paths, as EVP does\n",
           (unsigned long long)refusals);
}
