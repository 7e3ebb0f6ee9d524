// aes_wrap.c: AES key wrapping (RFC 3394 sections 2.2.1 and 2.2.2) by single blocks of AES-ECB.
// OpenSSL's own cipher for key wrapping takes 4.5 times as long, and it uses AES code with tables,
// whose timing depends on the key.

#include "aes_wrap.h"

#include <openssl/crypto.h>
#include <string.h>

#include "content/content.h"
#include "runtime/choose.h"
#include "runtime/host.h"

enum { HALF = 8,
       BLOCK = 16,
       ROUNDS = 6 };

// The integrity value (RFC 3394 section 2.2.3.1).
static const uint8_t initial[HALF] = {0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6};

// Mixes the step number, at most 6 * 8, into the integrity value.
static void mix_step(uint8_t block[BLOCK], size_t step)
{
    block[HALF - 1] ^= (uint8_t)step;
}

// Returns the size of the output, or 0 if the provider fails. EVP_Cipher may return 1 if it fails.
// Since OpenSSL 4.0, the provider wraps only once after an initialisation: each call initialises.
static int run_whole(EVP_CIPHER_CTX *context, uint8_t *out, const uint8_t *in, size_t len)
{
    int size = 0;
    const bool ready = EVP_CipherInit_ex2(context, NULL, NULL, NULL, -1, NULL) == 1;
    const int done = ready ? EVP_CipherUpdate(context, out, &size, in, (int)len) : 0;
    return size & -(done == 1);
}

bool jose_aes_wrap(const jose_library *library, EVP_CIPHER_CTX *context, uint8_t *wrapped,
                   const uint8_t *key, size_t key_len)
{
    if (library->is_fips)
        return run_whole(context, wrapped, key, key_len) == (int)key_len + HALF;
    uint8_t block[BLOCK], *parts = wrapped + HALF;
    size_t steps = key_len / HALF, step = 0;
    bool done = true;
    memcpy(block, initial, HALF);
    memcpy(parts, key, key_len);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < steps; i++) {
            memcpy(block + HALF, parts + i * HALF, HALF);
            done = done && EVP_Cipher(context, block, block, BLOCK) == BLOCK;
            mix_step(block, ++step);
            memcpy(parts + i * HALF, block + HALF, HALF);
        }
    }
    memcpy(wrapped, block, HALF);
    OPENSSL_cleanse(block, sizeof block);
    if (!done) OPENSSL_cleanse(wrapped, key_len + HALF);
    return done;
}

// Unwraps by the provider. Whether the provider succeeds is secret, so one path handles both cases.
static bool unwrap_whole(EVP_CIPHER_CTX *context, uint8_t *cek, size_t cek_len,
                         const uint8_t *wrapped, size_t wrapped_len)
{
    uint8_t key[JOSE_MAX_CEK + BLOCK] = {0};
    const int size = run_whole(context, key, wrapped, wrapped_len);
    // `wrong` is below 2^32, so the top byte of wrong - 1 is 0xff only for wrong = 0.
    const uint64_t wrong = (uint64_t)(unsigned)size ^ cek_len;
    jose_choose(cek, key, cek_len, (uint8_t)((wrong - 1) >> 56));
    OPENSSL_cleanse(key, sizeof key);
    return !jose_take_system_failure();
}

bool jose_aes_unwrap(const jose_library *library, EVP_CIPHER_CTX *context, uint8_t *cek,
                     size_t cek_len, const uint8_t *wrapped, size_t wrapped_len)
{
    // The length is public. The random key stays in cek, so decryption fails later, at the tag.
    if (wrapped_len != cek_len + HALF) return true;
    if (library->is_fips) return unwrap_whole(context, cek, cek_len, wrapped, wrapped_len);
    uint8_t block[BLOCK], parts[JOSE_MAX_CEK];
    size_t steps = cek_len / HALF, step = ROUNDS * steps;
    bool done = true;
    memcpy(block, wrapped, HALF);
    memcpy(parts, wrapped + HALF, cek_len);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = steps; i-- > 0;) {
            mix_step(block, step--);
            memcpy(block + HALF, parts + i * HALF, HALF);
            done = done && EVP_Cipher(context, block, block, BLOCK) == BLOCK;
            memcpy(parts + i * HALF, block + HALF, HALF);
        }
    }
    uint32_t bad = 0;
    for (int i = 0; i < HALF; i++) bad |= block[i] ^ initial[i];
    // 0 wraps to all ones; 1 to 255 gives zero.
    if (done) jose_choose(cek, parts, cek_len, (uint8_t)((bad - 1) >> 8));
    OPENSSL_cleanse(block, sizeof block);
    OPENSSL_cleanse(parts, cek_len);
    return done;
}

bool jose_aes_wrap_under(const jose_library *library, const uint8_t *kek, size_t kek_len,
                         uint8_t *wrapped, const uint8_t *key, size_t key_len)
{
    jose_cipher cipher = jose_aes_cipher(JOSE_AES_128_KW, kek_len);
    EVP_CIPHER_CTX *context = jose_cipher_take(library, cipher);
    if (context == NULL) return false;
    bool done = EVP_CipherInit_ex2(context, NULL, kek, NULL, 1, NULL) == 1 &&
                jose_aes_wrap(library, context, wrapped, key, key_len);
    jose_cipher_put(library, cipher, context);
    return done;
}

bool jose_aes_unwrap_under(const jose_library *library, const uint8_t *kek, size_t kek_len,
                           uint8_t *cek, size_t cek_len, const uint8_t *wrapped,
                           size_t wrapped_len)
{
    jose_cipher cipher = jose_aes_cipher(JOSE_AES_128_KW, kek_len);
    EVP_CIPHER_CTX *context = jose_cipher_take(library, cipher);
    if (context == NULL) return false;
    bool done = EVP_CipherInit_ex2(context, NULL, kek, NULL, 0, NULL) == 1 &&
                jose_aes_unwrap(library, context, cek, cek_len, wrapped, wrapped_len);
    jose_cipher_put(library, cipher, context);
    return done;
}
