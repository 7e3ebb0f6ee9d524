// keymgmt.h: what a key management family is inside this target.
#ifndef JOSE_KEYMGMT_H
#define JOSE_KEYMGMT_H

#include <stdatomic.h>

#include "agreement_ec.h"
#include "content/content.h"
#include "keys/key.h"
#include "keys/rsa_fast.h"
#include "runtime/slots.h"

// A thread's initialised contexts for one operation; which are there is the family's business.
typedef struct {
    EVP_PKEY_CTX *work;            // wraps, unwraps, or agrees
    EVP_PKEY_CTX *draw;            // makes ephemeral keys
    EVP_PKEY *peer;                // the other side of an agreement
    jose_agreement_ec *agreement;  // where EVP is not asked for
    EVP_CIPHER_CTX *cipher;        // AES under the key itself
    jose_content_ready direct;     // the key itself as a content key, once used
} jose_keymgmt_slot;

// One wrapping. What is written has its exact size.
typedef struct {
    const jose_content_entry *content;
    const jose_recipient *recipient;
    uint8_t *encrypted_key, *parameters;
    const uint8_t *seed;        // the random bytes that the family asked for
    const jose_key *ephemeral;  // of a published vector, else NULL
} jose_wrap;

// One unwrapping.
typedef struct {
    const jose_content_entry *content;
    const jose_recipient *recipient;
    const uint8_t *encrypted_key;
    size_t encrypted_key_len;
} jose_unwrap;

// Everything known about one family. Functions may be NULL where they would do nothing.
typedef struct {
    // What it takes of libcrypto besides the two below.
    jose_parts parts;
    // The digest of the rule's hash.
    bool has_hash;
    // The first of the three ciphers that wrap, where the rule says a size.
    jose_cipher wraps_by;
    // The key is the content key of every message.
    bool is_direct;
    // Without an AES key that wraps, what was agreed upon is the content encryption key itself.
    bool gives_key;
    // Parameters that are read may have another size than those that are written.
    bool takes_any_parameters;
    // Whether the key can do it at all.
    bool (*suits)(const jose_key *key, const jose_keymgmt_rule *rule);
    size_t (*encrypted_key_bytes)(const jose_keymgmt *operation, size_t cek_len);
    size_t (*parameter_bytes)(const jose_keymgmt *operation);
    // Makes operation->fast where it is wanted and there is one.
    void (*accelerate)(jose_keymgmt *operation);
    // How many random bytes wrap wants besides the key.
    size_t (*seed_bytes)(const jose_keymgmt *operation);
    // Whether a content encryption key of this length can be carried.
    bool (*fits)(const jose_keymgmt *operation, size_t cek_len);
    // Fills slot; false on failure, what was made is freed by the caller.
    bool (*prepare)(const jose_keymgmt *operation, jose_keymgmt_slot *slot);
    // Reads cek, or writes it where the operation gives the key.
    bool (*wrap)(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_wrap *call,
                 uint8_t *cek, size_t cek_len);
    // cek holds a random key, which the right one replaces without a branch on whether there is
    // one. False only if the machine failed.
    bool (*unwrap)(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_unwrap *call,
                   uint8_t *cek, size_t cek_len);
    // The same with what somebody else made of the message with the private key.
    bool (*take_external)(const jose_keymgmt *operation, const jose_unwrap *call,
                        const jose_external_result *external, uint8_t *cek, size_t cek_len);
} jose_keymgmt_entry;

enum { JOSE_MAX_SEED = JOSE_MAX_DIGEST };

// EVP's word on the vector kernel, for one key: it judges the first message of each form of the key,
// and every 256th of all.
enum { JOSE_RSA_CROSSCHECK_INTERVAL = 256 };
typedef struct {
    _Atomic(const jose_rsa_precomp *) agreed;  // the form that EVP agreed with
    atomic_uint messages;
} jose_keymgmt_crosscheck;

struct jose_keymgmt {
    const jose_keymgmt_entry *entry;
    const jose_library *library;
    const jose_digest_entry_t *digest;
    uint8_t empty_hash[JOSE_MAX_DIGEST];
    jose_key *key;
    jose_slots slots;
    jose_rsa_fast *fast;        // encrypts by the vector kernel where that was asked for; or NULL
    jose_keymgmt_crosscheck *crosscheck;  // of what it encrypts
    size_t wrap_bytes;
    size_t parameter_bytes, seed_bytes;
    bool gives_key;
    bool wrapping;
    bool external;  // opens by the answers of somebody else
    jose_options options;
};

// jose_keymgmt_take lends a context of this operation to the thread, or NULL; put takes it back.
jose_keymgmt_slot *jose_keymgmt_take(const jose_keymgmt *operation);
void jose_keymgmt_put(const jose_keymgmt *operation, jose_keymgmt_slot *slot);

// jose_keymgmt_carries and jose_keymgmt_wrapped_bytes: whether keys of this content encryption can
// be carried, and how large they are then.
bool jose_keymgmt_carries(const jose_keymgmt *operation, const jose_content_entry *content);
size_t jose_keymgmt_wrapped_bytes(const jose_keymgmt *operation, const jose_content_entry *content);

// jose_sealed_is_right: IV, ciphertext and tag have their exact places.
bool jose_sealed_is_right(const jose_content_entry *content, const jose_sealed *out,
                          size_t plaintext_len);

// jose_sealed_wipe wipes IV, ciphertext and tag.
void jose_sealed_wipe(const jose_sealed *out);

extern const jose_keymgmt_entry jose_keymgmt_rsa_oaep, jose_keymgmt_aes_kw, jose_keymgmt_direct,
    jose_keymgmt_ecdh, jose_keymgmt_gcm_kw, jose_keymgmt_pbes2;

#endif
