// digest.c: SHA-1, SHA-2 and HMAC by libcrypto's low-level functions, which neither fetch nor
// allocate. They are deprecated; EVP costs 50 to 300 ns more a call.

#include "digest.h"

#include <openssl/crypto.h>
#include <string.h>

#include "host.h"
#include "library.h"

#define ENTRY_FUNCTIONS(name, field, Init, Update, Final)                         \
    static int name##_start(jose_digest_state *s)                                 \
    {                                                                             \
        return Init(&s->field);                                                   \
    }                                                                             \
    static int name##_update(jose_digest_state *s, const void *bytes, size_t len) \
    {                                                                             \
        return Update(&s->field, bytes, len);                                     \
    }                                                                             \
    static int name##_finish(uint8_t *out, jose_digest_state *s)                  \
    {                                                                             \
        return Final(out, &s->field);                                             \
    }

ENTRY_FUNCTIONS(sha1, sha1, SHA1_Init, SHA1_Update, SHA1_Final)
ENTRY_FUNCTIONS(sha256, sha256, SHA256_Init, SHA256_Update, SHA256_Final)
ENTRY_FUNCTIONS(sha384, sha512, SHA384_Init, SHA384_Update, SHA384_Final)
ENTRY_FUNCTIONS(sha512, sha512, SHA512_Init, SHA512_Update, SHA512_Final)

static const jose_digest_entry entries[] = {
    [JOSE_SHA1] = {"SHA1", 20, 64, sizeof(SHA_CTX), sha1_start, sha1_update, sha1_finish},
    [JOSE_SHA256] = {"SHA2-256", 32, 64, sizeof(SHA256_CTX), sha256_start, sha256_update,
                     sha256_finish},
    [JOSE_SHA384] = {"SHA2-384", 48, 128, sizeof(SHA512_CTX), sha384_start, sha384_update,
                     sha384_finish},
    [JOSE_SHA512] = {"SHA2-512", 64, 128, sizeof(SHA512_CTX), sha512_start, sha512_update,
                     sha512_finish},
};

const jose_digest_entry *jose_digest_entry_of(jose_hash hash)
{
    return &entries[hash];
}

void jose_digest_once(const jose_digest_entry *entry, uint8_t *out, const uint8_t *message,
                      size_t message_len)
{
    jose_digest_state state;
    entry->start(&state);
    entry->update(&state, message, message_len);
    entry->finish(out, &state);
}

void jose_digest_secret(const jose_digest_entry *entry, uint8_t *out, const uint8_t *message,
                        size_t message_len)
{
    jose_digest_state state;
    entry->start(&state);
    entry->update(&state, message, message_len);
    entry->finish(out, &state);
    // libcrypto leaves the digest in the state. For a long HMAC key that is the effective key.
    OPENSSL_cleanse(&state, entry->state_bytes);
}

void jose_hmac_start(jose_hmac_state *state, const jose_digest_entry *entry, const uint8_t *key,
                     size_t key_len)
{
    uint8_t block[JOSE_MAX_BLOCK] = {0};
    if (key_len > entry->block_bytes) {
        jose_digest_secret(entry, block, key, key_len);
    } else if (key_len > 0) {
        memcpy(block, key, key_len);
    }

    state->entry = entry;
    for (size_t i = 0; i < entry->block_bytes; i++) block[i] ^= 0x36;
    entry->start(&state->inner);
    entry->update(&state->inner, block, entry->block_bytes);
    for (size_t i = 0; i < entry->block_bytes; i++) block[i] ^= 0x36 ^ 0x5c;
    entry->start(&state->outer);
    entry->update(&state->outer, block, entry->block_bytes);
    OPENSSL_cleanse(block, entry->block_bytes);
}

void jose_hmac_update(jose_hmac_state *state, const uint8_t *bytes, size_t bytes_len)
{
    state->entry->update(&state->inner, bytes, bytes_len);
}

void jose_hmac_once(const jose_hmac_state *state, uint8_t *out, const uint8_t *message,
                    size_t message_len)
{
    const jose_digest_entry *entry = state->entry;
    // One state for both halves, and one wipe: the second half overwrites what the first leaves.
    jose_digest_state work;
    memcpy(&work, &state->inner, entry->state_bytes);
    entry->update(&work, message, message_len);
    entry->finish(out, &work);
    memcpy(&work, &state->outer, entry->state_bytes);
    entry->update(&work, out, entry->bytes);
    entry->finish(out, &work);
    OPENSSL_cleanse(&work, entry->state_bytes);
}

void jose_hmac_finish(jose_hmac_state *state, uint8_t *out)
{
    uint8_t inner[JOSE_MAX_DIGEST];
    state->entry->finish(inner, &state->inner);
    state->entry->update(&state->outer, inner, state->entry->bytes);
    state->entry->finish(out, &state->outer);
    OPENSSL_cleanse(inner, state->entry->bytes);
    OPENSSL_cleanse(&state->inner, state->entry->state_bytes);
    OPENSSL_cleanse(&state->outer, state->entry->state_bytes);
}

// MARK: public functions

size_t jose_hash_bytes(jose_hash hash)
{
    return entries[hash].bytes;
}

jose_status jose_hash_digest(jose_hash hash, uint8_t *out, size_t out_len, const uint8_t *message,
                             size_t message_len)
{
    const jose_library *library = jose_library_current();
    if (library == NULL || out_len != entries[hash].bytes) return JOSE_INTERNAL;
    if (library->is_fips) {
        JOSE_HOST_SCOPE;
        const jose_number piece = {message, message_len};
        return jose_library_digest(library, hash, out, &piece, 1) ? JOSE_OK : JOSE_INTERNAL;
    }
    jose_digest_secret(&entries[hash], out, message, message_len);
    return JOSE_OK;
}

jose_status jose_hmac(jose_hash hash, uint8_t *out, size_t out_len, const uint8_t *key,
                      size_t key_len, const uint8_t *message, size_t message_len)
{
    const jose_library *library = jose_library_current();
    if (library == NULL || out_len != entries[hash].bytes) return JOSE_INTERNAL;
    if (library->is_fips) {
        JOSE_HOST_SCOPE;
        const jose_number secret = {key, key_len}, piece = {message, message_len};
        uint8_t code[JOSE_MAX_DIGEST];
        const bool done = jose_library_hmac(library, entries[hash].name, code, secret, &piece,
                                            1) == out_len;
        if (done) memcpy(out, code, out_len);
        OPENSSL_cleanse(code, sizeof code);
        return done ? JOSE_OK : JOSE_INTERNAL;
    }
    jose_hmac_state state;
    jose_hmac_start(&state, &entries[hash], key, key_len);
    jose_hmac_update(&state, message, message_len);
    jose_hmac_finish(&state, out);
    return JOSE_OK;
}
