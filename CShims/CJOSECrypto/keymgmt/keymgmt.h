// keymgmt.h: the interface of a key management family.
#ifndef JOSE_KEYMGMT_H
#define JOSE_KEYMGMT_H

#include <stdatomic.h>

#include "agreement_ec.h"
#include "content/content.h"
#include "keys/key.h"
#include "keys/rsa_private_batch.h"
#include "runtime/slots.h"

// A thread's initialised contexts for one operation. Each family uses some of them.
typedef struct {
    EVP_PKEY_CTX *work;               // wraps, unwraps, or agrees
    EVP_PKEY_CTX *draw;               // makes ephemeral keys
    EVP_PKEY *peer;                   // the public key of the other party
    jose_agreement_ec *agreement;     // for EC keys, unless JOSE_PROVIDER_ONLY is set
    EVP_CIPHER_CTX *cipher;           // AES with the operation's key
    jose_content_ready direct;        // `dir`: the key as content key, made at the first use
    jose_rsa_blinding_slot blinding;  // for jose_keymgmt.private_fast
} jose_keymgmt_slot;

// The arguments of one wrapping, with exact sizes.
typedef struct {
    const jose_content_entry *content;
    const jose_recipient *recipient;
    uint8_t *encrypted_key, *parameters;
    const uint8_t *seed;        // seed_bytes random bytes
    const jose_key *ephemeral;  // for a published test vector, else NULL
} jose_wrap;

typedef struct {
    const jose_content_entry *content;
    const jose_recipient *recipient;
    const uint8_t *encrypted_key;
    size_t encrypted_key_len;
    jose_private_item *computed;  // the batch's item with the decrypted block, or NULL
} jose_unwrap;

// The description of one family. Functions that would do nothing may be NULL.
typedef struct {
    // What it needs from libcrypto besides the rule's digest and cipher.
    jose_parts parts;
    // Needs the digest of the rule's hash.
    bool has_hash;
    // The cipher that wraps with AES-128; the next two are for AES-192 and AES-256.
    jose_cipher wrap_cipher_128;
    // `dir`: the key is the content encryption key of every message.
    bool is_direct;
    // ECDH-ES, `dir`: if wrap_bytes is 0, the agreed or shared key is the content encryption key.
    bool determines_cek;
    // PBES2: a received salt may have another size than parameter_bytes.
    bool reads_any_parameter_size;
    // Whether the key matches the algorithm.
    bool (*accepts_key)(const jose_key *key, const jose_keymgmt_rule *rule);
    size_t (*encrypted_key_bytes)(const jose_keymgmt *operation, size_t cek_len);
    size_t (*parameter_bytes)(const jose_keymgmt *operation);
    // Makes operation->fast and private_fast if they are requested and possible.
    void (*accelerate)(jose_keymgmt *operation);
    // How many random bytes wrap needs besides the content encryption key.
    size_t (*seed_bytes)(const jose_keymgmt *operation);
    // Whether an encrypted key of the right size can be unwrapped, by public facts only: an RSA
    // ciphertext must be from 2 to n - 2. NULL: nothing to check.
    bool (*may_unwrap)(const jose_keymgmt *operation, const uint8_t *encrypted_key);
    // Whether a content encryption key of this length can be wrapped.
    bool (*supports)(const jose_keymgmt *operation, size_t cek_len);
    // Fills the slot. On failure returns false; the caller frees what was made.
    bool (*prepare)(const jose_keymgmt *operation, jose_keymgmt_slot *slot);
    // Reads cek, or writes it if the operation determines the key.
    bool (*wrap)(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_wrap *call,
                 uint8_t *cek, size_t cek_len);
    // Replaces the random key in cek by the right one, without a branch on whether unwrapping
    // succeeds. Returns false only after a system failure (host.h).
    bool (*unwrap)(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_unwrap *call,
                   uint8_t *cek, size_t cek_len);
    // Does the same with the result of an external key.
    bool (*use_external)(const jose_keymgmt *operation, const jose_unwrap *call,
                         const jose_external_result *external, uint8_t *cek, size_t cek_len);
} jose_keymgmt_entry;

enum { JOSE_MAX_SEED = JOSE_MAX_DIGEST };

// EVP repeats encryptions of a vector kernel as a check: all messages before the first right result
// with a precomputed key, and every 256th message.
enum { JOSE_RSA_CROSSCHECK_INTERVAL = 256 };
typedef struct {
    _Atomic(const jose_rsa_precomp *) agreed;  // the precomputed key whose result EVP confirmed
    atomic_uint messages;
} jose_keymgmt_crosscheck;

struct jose_keymgmt {
    const jose_keymgmt_entry *entry;
    const jose_library *library;
    const jose_digest_entry *digest;
    uint8_t empty_hash[JOSE_MAX_DIGEST];
    jose_key *key;
    jose_slots slots;
    jose_rsa_fast *fast;                  // encrypts, or checks private_fast; or NULL
    jose_keymgmt_crosscheck *crosscheck;  // checks what `fast` encrypts; or NULL
    jose_rsa_private_fast *private_fast;  // tried before EVP decrypts, if the key opted in; or NULL
    size_t wrap_bytes;
    size_t parameter_bytes, seed_bytes;
    bool determines_cek;
    bool wrapping;
    bool external;  // decrypts with an external key's results
    jose_options options;
};

// jose_keymgmt_take borrows a slot of this operation, or returns NULL. jose_keymgmt_put returns it.
jose_keymgmt_slot *jose_keymgmt_take(const jose_keymgmt *operation);
void jose_keymgmt_put(const jose_keymgmt *operation, jose_keymgmt_slot *slot);

// jose_keymgmt_supports_entry returns whether keys of this content encryption can be wrapped, and
// jose_keymgmt_wrapped_bytes their encrypted size.
bool jose_keymgmt_supports_entry(const jose_keymgmt *operation, const jose_content_entry *content);
size_t jose_keymgmt_wrapped_bytes(const jose_keymgmt *operation, const jose_content_entry *content);

// jose_seal_output_is_right returns whether IV, ciphertext and tag have their exact sizes.
bool jose_seal_output_is_right(const jose_content_entry *content, const jose_seal_output *out,
                               size_t plaintext_len);

// jose_seal_output_wipe wipes IV, ciphertext and tag.
void jose_seal_output_wipe(const jose_seal_output *out);

extern const jose_keymgmt_entry jose_keymgmt_rsa_oaep, jose_keymgmt_aes_kw, jose_keymgmt_direct,
    jose_keymgmt_ecdh, jose_keymgmt_gcm_kw, jose_keymgmt_pbes2;

#endif
