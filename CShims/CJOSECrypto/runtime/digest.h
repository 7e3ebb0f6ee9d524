// digest.h: SHA-1, SHA-2 and HMAC by the fastest calls of libcrypto.
//
// Files that use functions which OpenSSL deprecates: digest.c, host.c, queue_structure.c,
// keys/ec_verifier.c, keymgmt/agreement_ec.c; selftest.c and selftest_private.c of CJOSEKernels.
// This header suppresses the warning for the types of SHA.
#ifndef JOSE_DIGEST_H
#define JOSE_DIGEST_H

#include "cjosecrypto.h"

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

enum { JOSE_MAX_DIGEST = 64,
       JOSE_MAX_BLOCK = 128 };

typedef union {
    SHA_CTX sha1;
    SHA256_CTX sha256;
    SHA512_CTX sha512;
} jose_digest_state;

typedef struct {
    const char *name;  // as OpenSSL fetches it
    size_t bytes, block_bytes, state_bytes;
    int (*start)(jose_digest_state *);
    int (*update)(jose_digest_state *, const void *, size_t);
    int (*finish)(uint8_t *, jose_digest_state *);
} jose_digest_entry;

const jose_digest_entry *jose_digest_entry_of(jose_hash hash);

// jose_digest_once writes the digest of message. The low-level functions cannot fail.
void jose_digest_once(const jose_digest_entry *entry, uint8_t *out, const uint8_t *message,
                      size_t message_len);

// jose_digest_secret does the same for a secret message or a secret digest: it wipes the state.
void jose_digest_secret(const jose_digest_entry *entry, uint8_t *out, const uint8_t *message,
                        size_t message_len);

_Static_assert(JOSE_CHUNK % JOSE_MAX_BLOCK == 0, "a chunk is whole blocks");

// jose_decoder_can_interleave returns whether the decoder's chunks are multiples of JOSE_CHUNK, so
// that it can decode while a hash runs.
static inline bool jose_decoder_can_interleave(const jose_decoder *decoder)
{
    return decoder->chunk != 0 && decoder->chunk % JOSE_CHUNK == 0;
}

// HMAC with the keyed first blocks already compressed: key material, to be wiped after use.
typedef struct {
    const jose_digest_entry *entry;
    jose_digest_state inner, outer;
} jose_hmac_state;

void jose_hmac_start(jose_hmac_state *state, const jose_digest_entry *entry, const uint8_t *key,
                     size_t key_len);
void jose_hmac_update(jose_hmac_state *state, const uint8_t *bytes, size_t bytes_len);

// jose_hmac_once writes the MAC of a whole message, entry->bytes long, and leaves state unchanged.
void jose_hmac_once(const jose_hmac_state *state, uint8_t *out, const uint8_t *message,
                    size_t message_len);

// jose_hmac_finish writes entry->bytes and wipes the state.
void jose_hmac_finish(jose_hmac_state *state, uint8_t *out);

#endif
