// keymgmt.h: what a key management family is inside this target.
#ifndef JOSE_KEYMGMT_H
#define JOSE_KEYMGMT_H

#include "content.h"
#include "key.h"
#include "kernels/rsa_fast.h"

// A thread's initialised context for one operation.
typedef struct {
    EVP_PKEY_CTX *work;  // wraps or unwraps
} jose_keymgmt_slot;

// Everything known about one family.
typedef struct {
    size_t (*encrypted_key_bytes)(const jose_key *key);
    // Makes operation->fast where it is wanted and there is one. May be NULL, may do nothing.
    void (*accelerate)(jose_keymgmt *operation);
    // How many random bytes wrap wants besides the key.
    size_t (*seed_bytes)(const jose_keymgmt *operation);
    // Whether a content encryption key of this length can be carried.
    bool (*fits)(const jose_keymgmt *operation, size_t cek_len);
    // Fills slot; false on failure, what was made is freed by the caller.
    bool (*prepare)(const jose_keymgmt *operation, jose_keymgmt_slot *slot);
    bool (*wrap)(const jose_keymgmt *operation, jose_keymgmt_slot *slot, uint8_t *encrypted_key,
                 const uint8_t *cek, size_t cek_len, const uint8_t *seed);
    // cek holds a random key, which the right one replaces without a branch on whether there is
    // one. False only if the machine failed.
    bool (*unwrap)(const jose_keymgmt *operation, jose_keymgmt_slot *slot, uint8_t *cek,
                   size_t cek_len, const uint8_t *encrypted_key, size_t encrypted_key_len);
} jose_keymgmt_row;

enum { JOSE_LARGEST_SEED = JOSE_LARGEST_DIGEST };

struct jose_keymgmt {
    const jose_keymgmt_row *row;
    const jose_library *library;
    const jose_digest_row_t *digest;
    uint8_t empty_hash[JOSE_LARGEST_DIGEST];
    jose_key *key;
    jose_pool *pool;
    jose_rsa_fast *fast;  // encrypts by the vector kernel where that was asked for; or NULL
    size_t bytes;
    bool wrapping;
    jose_options options;
};

extern const jose_keymgmt_row jose_keymgmt_rsa_oaep;

#endif
