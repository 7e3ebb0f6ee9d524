// prove_content.c: the content kernel against EVP: AES-128-CBC and then HMAC-SHA256, every length
// from 0 to 4,096, random ones to 1 MB, additional data of every length, apart and in place.

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prove.h"

enum { LARGEST = 1 << 20,
       AAD_LARGEST = 1 << 12,
       EVERY = 4096 };

static EVP_CIPHER_CTX *cbc;
static uint64_t cases, bytes_done;

static bool agrees(const jose_content_kernel_key *key, const uint8_t *cek, EVP_CIPHER_CTX *context)
{
    bool was_asked = false;
    const bool answer = jose_content_kernel_agrees(key, cek, context, &was_asked);
    PROVE(was_asked, "OpenSSL answers");
    return answer;
}

static int sealed_len(size_t len)
{
    return (int)(len / 16 + 1) * 16;
}

// reference encrypts and MACs by two passes of OpenSSL. aad lies at the start of `buffer`, which
// has room for iv, ciphertext and length behind it; the ciphertext ends up there too.
static uint8_t *reference(uint8_t *buffer, size_t aad_len, uint8_t tag[32], const uint8_t *cek,
                          const uint8_t *iv, const uint8_t *plaintext, size_t len)
{
    uint8_t *ciphertext = buffer + aad_len + 16;
    int part = 0, end = 0;
    unsigned tag_len = 32;
    memcpy(buffer + aad_len, iv, 16);
    PROVE(EVP_EncryptInit_ex2(cbc, NULL, cek + 16, iv, NULL) == 1, "reference");
    PROVE(EVP_EncryptUpdate(cbc, ciphertext, &part, plaintext, (int)len) == 1, "reference");
    PROVE(EVP_EncryptFinal_ex(cbc, ciphertext + part, &end) == 1, "reference");
    PROVE(part + end == sealed_len(len), "reference");
    const size_t total = aad_len + 16 + (size_t)(part + end);
    for (int i = 0; i < 8; i++)
        buffer[total + (size_t)i] = (uint8_t)((uint64_t)aad_len * 8 >> (56 - 8 * i));
    PROVE(HMAC(EVP_sha256(), cek, 16, buffer, total + 8, tag, &tag_len) != NULL, "reference");
    return ciphertext;
}

// compare runs one case apart and in place. `ours` has 16 guard bytes before and behind.
static void compare(uint8_t *buffer, uint8_t *ours, const uint8_t *plaintext, size_t len,
                    size_t aad_len)
{
    uint8_t cek[32], iv[16], want[32], tag[48];  // the tag has 16 guard bytes on both sides
    const int out_len = sealed_len(len);
    jose_content_kernel_key key;
    prove_bytes(cek, sizeof cek);
    prove_bytes(iv, sizeof iv);
    prove_bytes(buffer, aad_len);
    uint8_t *ciphertext = reference(buffer, aad_len, want, cek, iv, plaintext, len);
    jose_content_kernel_prepare(&key, cek);
    for (int in_place = 0; in_place < 2; in_place++) {
        uint8_t *out = ours + 16;
        memset(ours, 0xee, (size_t)out_len + 32);
        if (in_place) memcpy(out, plaintext, len);
        memset(tag, 0xee, sizeof tag);
        jose_content_kernel_encrypt(&key, out, tag + 16, iv, buffer, aad_len,
                                    in_place ? out : plaintext, len);
        PROVE(memcmp(out, ciphertext, (size_t)out_len) == 0, "ciphertext");
        PROVE(memcmp(tag + 16, want, 16) == 0, "tag");
        for (int i = 0; i < 16; i++)
            PROVE(ours[i] == 0xee && out[out_len + i] == 0xee && tag[i] == 0xee &&
                      tag[i + 32] == 0xee,
                  "bounds");
        cases++;
        bytes_done += len;
    }
    if (cases % 64 == 0) PROVE(agrees(&key, cek, cbc), "OpenSSL agrees");
    jose_content_kernel_wipe(&key);
}

// Every bit of a prepared key that changes makes OpenSSL disagree.
static void prove_agreement(void)
{
    uint8_t cek[32];
    jose_content_kernel_key key;
    prove_bytes(cek, sizeof cek);
    jose_content_kernel_prepare(&key, cek);
    uint8_t *bytes = (uint8_t *)&key;
    for (size_t bit = 0; bit < 8 * sizeof key; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        PROVE(!agrees(&key, cek, cbc), "OpenSSL disagrees");
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    PROVE(agrees(&key, cek, cbc), "OpenSSL agrees");
    for (size_t bit = 0; bit < 8 * sizeof cek; bit++) {  // and so does every bit of the CEK
        cek[bit / 8] ^= (uint8_t)(1u << bit % 8);
        PROVE(!agrees(&key, cek, cbc), "OpenSSL disagrees");
        cek[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    EVP_CIPHER_CTX *empty = EVP_CIPHER_CTX_new();  // a context without a cipher answers nothing
    bool was_asked = true;
    PROVE(!jose_content_kernel_agrees(&key, cek, empty, &was_asked) && !was_asked, "not asked");
    EVP_CIPHER_CTX_free(empty);
    jose_content_kernel_wipe(&key);
    for (size_t i = 0; i < sizeof key; i++) PROVE(bytes[i] == 0, "wiped");
}

void prove_content(double seconds)
{
    if (!jose_kernel_has_content()) {
        puts("content  this processor has no AES-NI and SHA-NI: nothing proved");
        return;
    }
    cbc = EVP_CIPHER_CTX_new();
    PROVE(EVP_EncryptInit_ex2(cbc, EVP_aes_128_cbc(), NULL, NULL, NULL) == 1, "reference");
    prove_agreement();
    uint8_t *plaintext = malloc(LARGEST + 64), *ours = malloc(LARGEST + 64);
    uint8_t *buffer = malloc(LARGEST + AAD_LARGEST + 64);
    PROVE(plaintext != NULL && ours != NULL && buffer != NULL, "memory");
    prove_bytes(plaintext, LARGEST);
    prove_allow(seconds);
    for (size_t len = 0; len <= EVERY; len++) {  // always all of them
        compare(buffer, ours, plaintext, len, len % 131);
        compare(buffer, ours, plaintext, len, prove_below(AAD_LARGEST + 1));
    }
    for (size_t aad_len = 0; aad_len <= 256; aad_len++)  // every split of the MAC's first chunks
        for (size_t blocks = 0; blocks <= 20; blocks++)
            compare(buffer, ours, plaintext, 16 * blocks + prove_below(16), aad_len);
    while (prove_time_left()) {
        const size_t most = prove_below(8) == 0 ? LARGEST : (size_t)1 << (4 + prove_below(14));
        const size_t len = prove_below(most + 1), start = prove_below(LARGEST - len + 1);
        compare(buffer, ours, plaintext + start, len,
                prove_below(prove_below(2) ? 300 : AAD_LARGEST));
    }
    printf("content  %llu messages, %llu MB, each equal to EVP's two passes\n",
           (unsigned long long)cases, (unsigned long long)(bytes_done >> 20));
    free(plaintext);
    free(ours);
    free(buffer);
    EVP_CIPHER_CTX_free(cbc);
}
