// content_cbc_hmac.c: AES-CBC with HMAC-SHA-2 (RFC 7518 section 5.2), one entry for each key size.

#include <openssl/crypto.h>
#include <string.h>

#include "runtime/cipher.h"
#include "content.h"
#include "cjosekernels.h"

enum { BLOCK = 16 };
// EVP lengths are int: longer texts are processed in pieces of whole blocks.
static const size_t piece = (size_t)1 << 30;

// MARK: the tag

static void put_length(uint8_t out[8], size_t aad_len)
{
    uint64_t bits = (uint64_t)aad_len * 8;
    for (int i = 0; i < 8; i++) out[i] = (uint8_t)(bits >> (56 - 8 * i));
}

static bool provider_mac(const jose_content_call *call, uint8_t *out, const uint8_t *ciphertext,
                         size_t ciphertext_len)
{
    const jose_digest_entry *digest = jose_digest_entry_of(call->entry->hash);
    uint8_t al[8];
    put_length(al, call->aad_len);
    const jose_number pieces[] = {
        {call->aad, call->aad_len},
        {call->iv, BLOCK},
        {ciphertext, ciphertext_len},
        {al, sizeof al},
    };
    const jose_number key = {call->key, call->entry->key_bytes / 2};
    return jose_library_hmac(call->library, digest->name, out, key, pieces, 4) == digest->bytes;
}

// Starts with what precedes the ciphertext. The MAC key is the first half of the CEK.
static void begin_mac(jose_hmac_state *state, const jose_content_call *call)
{
    if (call->ready != NULL)
        memcpy(state, &call->ready->mac, sizeof *state);
    else
        jose_hmac_start(state, jose_digest_entry_of(call->entry->hash), call->key,
                        call->entry->key_bytes / 2);
    jose_hmac_update(state, call->aad, call->aad_len);
    jose_hmac_update(state, call->iv, BLOCK);
}

// Writes the whole HMAC and wipes the state; the tag is its first half.
static void end_mac(jose_hmac_state *state, uint8_t out[JOSE_MAX_DIGEST], size_t aad_len)
{
    uint8_t al[8];
    put_length(al, aad_len);
    jose_hmac_update(state, al, sizeof al);
    jose_hmac_finish(state, out);
}

static bool authenticate(const jose_content_call *call, uint8_t out[JOSE_MAX_DIGEST],
                         const uint8_t *ciphertext, size_t ciphertext_len)
{
    if (call->options & JOSE_PROVIDER_ONLY)
        return provider_mac(call, out, ciphertext, ciphertext_len);
    jose_hmac_state state;
    begin_mac(&state, call);
    jose_hmac_update(&state, ciphertext, ciphertext_len);
    end_mac(&state, out, call->aad_len);
    return true;
}

enum { SHA256_BLOCK = 64 };
_Static_assert(JOSE_CHUNK / 4 * 3 % SHA256_BLOCK == 0, "a chunk is whole blocks");

// Also decodes the ciphertext to its buffer. Decoding waits for memory, and the MAC for its own
// last result. In small interleaved chunks the processor runs both. False if text is malformed.
static bool authenticate_text(const jose_content_call *call, uint8_t out[JOSE_MAX_DIGEST],
                              uint8_t *ciphertext, size_t ciphertext_len,
                              const jose_encoded *encoded)
{
    jose_hmac_state state;
    begin_mac(&state, call);
    const jose_decoder *decoder = &encoded->decoder;
    const uint8_t *text = encoded->text;
    const size_t chunk = decoder->chunk / 4 * 3;
    size_t at = ciphertext_len < chunk ? ciphertext_len : chunk, hashed = 0;
    // The first piece ends at a block of the hash, so that the others are whole blocks.
    size_t next = chunk - (call->aad_len + BLOCK) % SHA256_BLOCK;
    bool right = decoder->decode(ciphertext, text, jose_encoded_bytes(at));
    while (right && ciphertext_len - at >= chunk) {
        right = decoder->decode(ciphertext + at, text + jose_encoded_bytes(at), decoder->chunk);
        jose_hmac_update(&state, ciphertext + hashed, next);
        hashed += next;
        next = chunk;
        at += chunk;
    }
    right = right && decoder->decode(ciphertext + at, text + jose_encoded_bytes(at),
                                     jose_encoded_bytes(ciphertext_len - at));
    if (right) jose_hmac_update(&state, ciphertext + hashed, ciphertext_len - hashed);
    end_mac(&state, out, call->aad_len);
    return right;
}

// MARK: the cipher

static EVP_CIPHER_CTX *begin(const jose_content_call *call, bool encrypting)
{
    const jose_content_entry *entry = call->entry;
    bool is_prepared = call->ready != NULL;
    EVP_CIPHER_CTX *context =
        is_prepared ? call->ready->cipher : jose_cipher_take(call->library, entry->cipher);
    if (context != NULL &&
        EVP_CipherInit_ex2(context, NULL, is_prepared ? NULL : call->key + entry->key_bytes / 2,
                           call->iv, encrypting, NULL) == 1)
        return context;
    if (context != NULL && !is_prepared) jose_cipher_put(call->library, entry->cipher, context);
    return NULL;
}

static void end(const jose_content_call *call, EVP_CIPHER_CTX *context)
{
    if (call->ready == NULL) jose_cipher_put(call->library, call->entry->cipher, context);
}

// EVP_Cipher neither pads nor keeps a block back, so no plaintext stays in the context.
static bool run_blocks(EVP_CIPHER_CTX *context, uint8_t *out, const uint8_t *in, size_t len)
{
    for (size_t done = 0; done < len;) {
        size_t now = len - done < piece ? len - done : piece;
        if (EVP_Cipher(context, out + done, in + done, (unsigned)now) != (int)now) return false;
        done += now;
    }
    return true;
}

// MARK: the entries' functions

static size_t ciphertext_bytes(size_t plaintext_len)
{
    if (plaintext_len > SIZE_MAX - 2 * BLOCK) return SIZE_MAX;
    return (plaintext_len / BLOCK + 1) * BLOCK;
}

static bool ciphertext_possible(size_t ciphertext_len)
{
    return ciphertext_len > 0 && ciphertext_len % BLOCK == 0;
}

// SHA-384 and SHA-512 gain nothing: their code fills the processor, and each call costs much.
static bool is_interleaved(const jose_content_call *call)
{
    return call->entry->hash == JOSE_SHA256 && !(call->options & JOSE_PROVIDER_ONLY);
}

// The cipher and the hash each leave most of the processor idle (docs/decisions/0006).
static bool encrypt_interleaved(const jose_content_call *call, EVP_CIPHER_CTX *context,
                                uint8_t *ciphertext, uint8_t mac[JOSE_MAX_DIGEST],
                                const uint8_t *plaintext, size_t whole, const uint8_t last[BLOCK])
{
    jose_hmac_state state;
    begin_mac(&state, call);
    size_t at = whole < SHA256_BLOCK ? whole : SHA256_BLOCK, hashed = 0;
    // The first piece ends at a block of the hash, so that the others are whole blocks.
    size_t next = SHA256_BLOCK - (call->aad_len + BLOCK) % SHA256_BLOCK;
    bool done = run_blocks(context, ciphertext, plaintext, at);
    while (done && whole - at >= SHA256_BLOCK) {
        done = run_blocks(context, ciphertext + at, plaintext + at, SHA256_BLOCK);
        jose_hmac_update(&state, ciphertext + hashed, next);
        hashed += next;
        next = SHA256_BLOCK;
        at += SHA256_BLOCK;
    }
    done = done && run_blocks(context, ciphertext + at, plaintext + at, whole - at) &&
           run_blocks(context, ciphertext + whole, last, BLOCK);
    if (done) jose_hmac_update(&state, ciphertext + hashed, whole + BLOCK - hashed);
    end_mac(&state, mac, call->aad_len);
    return done;
}

static bool encrypt_two_pass(const jose_content_call *call, EVP_CIPHER_CTX *context,
                             uint8_t *ciphertext, uint8_t mac[JOSE_MAX_DIGEST],
                             const uint8_t *plaintext, size_t whole, const uint8_t last[BLOCK])
{
    return run_blocks(context, ciphertext, plaintext, whole) &&
           run_blocks(context, ciphertext + whole, last, BLOCK) &&
           authenticate(call, mac, ciphertext, whole + BLOCK);
}

static jose_status encrypt(const jose_content_call *call, uint8_t *ciphertext, uint8_t *tag,
                           const uint8_t *plaintext, size_t plaintext_len)
{
    const size_t rest = plaintext_len % BLOCK, whole = plaintext_len - rest;
    uint8_t last[BLOCK], mac[JOSE_MAX_DIGEST];
    if (rest > 0) memcpy(last, plaintext + whole, rest);
    memset(last + rest, (int)(BLOCK - rest), BLOCK - rest);

    EVP_CIPHER_CTX *context = begin(call, true);
    bool done = false;
    if (context != NULL) {
        done = is_interleaved(call)
                   ? encrypt_interleaved(call, context, ciphertext, mac, plaintext, whole, last)
                   : encrypt_two_pass(call, context, ciphertext, mac, plaintext, whole, last);
        end(call, context);
    }
    OPENSSL_cleanse(last, sizeof last);
    if (done) memcpy(tag, mac, call->entry->tag_bytes);
    return done ? JOSE_OK : JOSE_INTERNAL;
}

// Returns all ones if the last block ends in right padding, else zero. *padding is the length, if
// the padding is right. No branch or index depends on the text.
static uint32_t check_padding(const uint8_t last[BLOCK], uint32_t *padding)
{
    uint32_t count = last[BLOCK - 1], bad = 0;
    bad |= (count - 1) >> 8;      // count = 0 wraps
    bad |= (BLOCK - count) >> 8;  // count > 16 wraps
    for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t counts = (i - count) >> 31;  // 1 while i < count
        bad |= (0U - counts) & (last[BLOCK - 1 - i] ^ count);
    }
    *padding = count;
    // All ones if bad is 0, else zero.
    return ((bad | (0U - bad)) >> 31) - 1;
}

static jose_status decrypt(const jose_content_call *call, size_t *plaintext_len,
                           uint8_t *ciphertext, size_t ciphertext_len, const jose_encoded *encoded,
                           const uint8_t *tag)
{
    uint8_t mac[JOSE_MAX_DIGEST];
    if (encoded->text != NULL) {
        if (!call->entry->decodes || (call->options & JOSE_PROVIDER_ONLY)) return JOSE_INTERNAL;
        if (!authenticate_text(call, mac, ciphertext, ciphertext_len, encoded)) {
            OPENSSL_cleanse(mac, sizeof mac);
            return JOSE_REJECTED;
        }
    } else if (!authenticate(call, mac, ciphertext, ciphertext_len)) {
        return JOSE_INTERNAL;
    }
    bool right = jose_declassify(CRYPTO_memcmp(mac, tag, call->entry->tag_bytes) == 0);
    OPENSSL_cleanse(mac, sizeof mac);
    if (!right) return JOSE_REJECTED;

    EVP_CIPHER_CTX *context = begin(call, false);
    bool done = false;
    if (context != NULL) {
        done = run_blocks(context, ciphertext, ciphertext, ciphertext_len);
        end(call, context);
    }
    uint32_t padding = 0;
    uint32_t padded = done ? check_padding(ciphertext + ciphertext_len - BLOCK, &padding) : 0;
    if (!jose_declassify(padded != 0)) {
        OPENSSL_cleanse(ciphertext, ciphertext_len);
        return done ? JOSE_REJECTED : JOSE_INTERNAL;
    }
    *plaintext_len = jose_declassify_size(ciphertext_len - padding);
    return JOSE_OK;
}

#define ENTRY(bits, sha)                                                                           \
    {                                                                                              \
        .name = "A" #bits "CBC-HS" #sha, .key_bytes = (bits) / 4, .iv_bytes = BLOCK,               \
        .tag_bytes = (bits) / 8, .hash = JOSE_SHA##sha, .cipher = JOSE_AES_##bits##_CBC,           \
        .parts = JOSE_PART_HMAC | 1 << JOSE_SHA##sha | 1 << (JOSE_HASHES + JOSE_AES_##bits##_CBC), \
        .checks_tag_first = true, .decodes = (sha) == 256, .ciphertext_bytes = ciphertext_bytes,   \
        .ciphertext_possible = ciphertext_possible, .encrypt = encrypt, .decrypt = decrypt         \
    }

const jose_content_entry jose_content_cbc_hmac[3] = {ENTRY(128, 256), ENTRY(192, 384),
                                                     ENTRY(256, 512)};
