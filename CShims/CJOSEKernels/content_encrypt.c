// content_encrypt.c: AES-128-CBC and HMAC-SHA256 in one pass, four blocks of the one beside one block
// of the other. Both wait for their own latency; side by side they hide it (docs/decisions).

#include <string.h>

#include "cjosekernels.h"
#include "sha_rounds.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_CONTENT_TARGET))), apply_to = function)

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { BLOCK = JOSE_CONTENT_BLOCK_BYTES,
       CHUNK = 64 };

// The chain of the cipher. `x` is the coming block's state after its first key was added: the last
// round adds key 10, the next plaintext and key 0 together, which spares the chain two steps.
typedef struct chain {
    __m128i x;
    const __m128i *keys;
} chain;

ALWAYS_INLINE __m128i load(const uint8_t *bytes)
{
    return _mm_loadu_si128((const __m128i *)bytes);
}

ALWAYS_INLINE void rounds(chain *c, const int from, const int to)
{
    for (int i = from; i <= to; i++) c->x = _mm_aesenc_si128(c->x, c->keys[i]);
}

// finish writes the block's ciphertext and begins the next block with its plaintext.
ALWAYS_INLINE void finish(chain *c, uint8_t *out, __m128i next)
{
    const __m128i masked = _mm_xor_si128(next, c->keys[0]);
    c->x = _mm_aesenclast_si128(c->x, _mm_xor_si128(masked, c->keys[10]));
    _mm_storeu_si128((__m128i *)out, _mm_xor_si128(c->x, masked));
}

// both encrypts four blocks at `out`, the fifth plaintext block being in[4], while the MAC takes in
// one chunk of earlier ciphertext.
ALWAYS_INLINE void both(chain *c, jose_sha *s, uint8_t *out, const uint8_t *in,
                        const uint8_t *chunk)
{
    jose_sha_begin(s);
#pragma clang loop unroll(full)
    for (int b = 0; b < 4; b++) {
        rounds(c, 1, 3);
        jose_sha_group(s, chunk, 4 * b);
        rounds(c, 4, 5);
        jose_sha_group(s, chunk, 4 * b + 1);
        rounds(c, 6, 8);
        jose_sha_group(s, chunk, 4 * b + 2);
        rounds(c, 9, 9);
        finish(c, out + BLOCK * b, load(in + BLOCK * (b + 1)));
        jose_sha_group(s, chunk, 4 * b + 3);
    }
    jose_sha_end(s);
}

// A MAC in progress: whole chunks go to `sha`, the rest waits in `held`.
typedef struct mac {
    jose_sha sha;
    size_t count;  // bytes held
    uint8_t held[CHUNK];
} mac;

static void take(mac *m, const uint8_t *bytes, size_t len)
{
    if (len == 0) return;
    if (m->count > 0) {
        const size_t room = CHUNK - m->count, part = len < room ? len : room;
        memcpy(m->held + m->count, bytes, part);
        m->count += part;
        bytes += part;
        len -= part;
        if (m->count < CHUNK) return;
        jose_sha_block(&m->sha, m->held);
        m->count = 0;
    }
    for (; len >= CHUNK; bytes += CHUNK, len -= CHUNK) jose_sha_block(&m->sha, bytes);
    memcpy(m->held, bytes, len);
    m->count = len;
}

static void store_bits(uint8_t out[8], uint64_t bytes)
{
    const uint64_t bits = __builtin_bswap64(bytes * 8);
    memcpy(out, &bits, 8);
}

// seal ends the inner hash of `total` bytes (the key block included) and runs the outer one.
static void seal(mac *m, const uint32_t outer[8], uint64_t total, uint8_t tag[16])
{
    uint8_t block[CHUNK] = {0}, digest[32];
    m->held[m->count++] = 0x80;
    memset(m->held + m->count, 0, CHUNK - m->count);
    if (m->count > CHUNK - 8) {
        jose_sha_block(&m->sha, m->held);
        memset(m->held, 0, CHUNK);
    }
    store_bits(m->held + CHUNK - 8, total);
    jose_sha_block(&m->sha, m->held);

    jose_sha_digest(block, &m->sha);
    block[32] = 0x80;
    store_bits(block + CHUNK - 8, CHUNK + 32);
    jose_sha_load(&m->sha, outer);
    jose_sha_block(&m->sha, block);
    jose_sha_digest(digest, &m->sha);
    memcpy(tag, digest, 16);
}

static __attribute__((noinline)) void encrypt(const jose_content_kernel_key *key,
                                              uint8_t *ciphertext, uint8_t *tag, const uint8_t *iv,
                                              const uint8_t *aad, size_t aad_len,
                                              const uint8_t *plaintext, size_t plaintext_len)
{
    const size_t whole = plaintext_len / BLOCK;  // blocks before the padded one
    uint8_t last[BLOCK], al[8];
    mac m = {.count = 0};
    jose_sha_load(&m.sha, key->inner);
    take(&m, aad, aad_len);
    take(&m, iv, JOSE_CONTENT_IV_BYTES);

    const size_t rest = plaintext_len % BLOCK;
    memset(last, (int)(BLOCK - rest), BLOCK);
    if (rest > 0) memcpy(last, plaintext + BLOCK * whole, rest);

    chain c = {.keys = (const __m128i *)key->rounds};
    c.x = _mm_xor_si128(_mm_xor_si128(load(whole > 0 ? plaintext : last), load(iv)), c.keys[0]);
    size_t done = 0;    // blocks of ciphertext written
    size_t mac_at = 0;  // bytes of ciphertext taken in

    if (whole > 8) {
        for (; done < 4; done++) {
            rounds(&c, 1, 9);
            finish(&c, ciphertext + BLOCK * done, load(plaintext + BLOCK * (done + 1)));
        }
        // The first chunk begins with what the MAC holds; the ones behind lie in the ciphertext.
        mac_at = CHUNK - m.count;
        memcpy(m.held + m.count, ciphertext, mac_at);
        const uint8_t *chunk = m.held;
        for (; done + 4 < whole; done += 4) {
            both(&c, &m.sha, ciphertext + BLOCK * done, plaintext + BLOCK * done, chunk);
            chunk = ciphertext + mac_at;
            mac_at += CHUNK;
        }
        // One chunk was made ready and not taken: step back.
        mac_at -= CHUNK;
        m.count = 0;
    }
    for (; done <= whole; done++) {
        const uint8_t *next = done + 1 < whole ? plaintext + BLOCK * (done + 1) : last;
        rounds(&c, 1, 9);
        finish(&c, ciphertext + BLOCK * done, load(next));  // behind the last block, not used
    }
    take(&m, ciphertext + mac_at, BLOCK * done - mac_at);
    store_bits(al, aad_len);
    take(&m, al, sizeof al);
    seal(&m, key->outer, CHUNK + (uint64_t)aad_len + JOSE_CONTENT_IV_BYTES + BLOCK * done + 8, tag);
}

#pragma clang attribute pop

void jose_content_kernel_encrypt(const jose_content_kernel_key *key, uint8_t *ciphertext,
                                 uint8_t tag[JOSE_CONTENT_TAG_BYTES],
                                 const uint8_t iv[JOSE_CONTENT_IV_BYTES], const uint8_t *aad,
                                 size_t aad_len, const uint8_t *plaintext, size_t plaintext_len)
{
    encrypt(key, ciphertext, tag, iv, aad, aad_len, plaintext, plaintext_len);
    jose_residue_clear(JOSE_RESIDUE_CONTENT);
}

#endif
