// signature.h: the interface of a signature family.
#ifndef JOSE_SIGNATURE_H
#define JOSE_SIGNATURE_H

#include "runtime/digest.h"
#include "keys/key.h"
#include "keys/rsa_private_fast.h"
#include "runtime/slots.h"

typedef struct jose_batch_item jose_batch_item;

// The result of a faster check than EVP.
typedef struct {
    enum {
        JOSE_FAST_NONE,       // not checked yet: the check needs a slot
        JOSE_FAST_UNDECIDED,  // because of the input, memory or a corrupted key: EVP decides
        JOSE_FAST_ACCEPTED,   // final
        JOSE_FAST_DIFFERS     // opened to another block: checked again with separate n and e
    } result;
    const jose_rsa_precomp *precomp;  // the constants for the check, or NULL
} jose_fast_check;

// A thread's initialised contexts for one operation.
typedef struct {
    EVP_PKEY_CTX *work;               // signs or verifies
    EVP_PKEY_CTX *check;              // verifies what work signed, with a separate public key
    EVP_MD_CTX *md;                   // only with JOSE_PROVIDER_ONLY
    EVP_MD_CTX *whole;                // for families that sign the message itself
    jose_rsa_bn_scratch *scratch;     // for the portable RSA implementation; NULL until used
    jose_rsa_bn_key *recheck_key;     // for recheck in signature_rsa.c; NULL until used
    jose_rsa_blinding_slot blinding;  // for jose_signature.private_fast
    jose_fast_check fast_check;       // of the signature that is being verified
} jose_signature_slot;

enum { JOSE_RSA_PARAMS = 7 };

// The differences between the RSA families.
typedef struct {
    // Fills a new context's parameters. To set one later would cost hundreds of nanoseconds.
    void (*fill)(OSSL_PARAM params[JOSE_RSA_PARAMS], const jose_signature *operation);
    // Whether the opened block of a signature encodes the digest. It may change the block.
    bool (*is_encoding)(const jose_signature *operation, uint8_t *opened, const uint8_t *digest);
    // Writes the block to sign for a digest, operation->bytes long. Returns false on failure.
    bool (*encode)(const jose_signature *operation, uint8_t *block, const uint8_t *digest);
    // Whether libcrypto may reject a signature without an entry in its error queue.
    bool may_reject_without_error;
    // Whether signing draws random numbers.
    bool has_salt;
} jose_signature_rsa_scheme;

// The description of one family. All functions from `ready` to `prepare` may be NULL.
typedef struct {
    // What it needs from libcrypto besides the digest of its hash.
    jose_parts parts;
    bool has_hash;                            // if false, the hash of an operation is ignored
    const jose_signature_rsa_scheme *scheme;  // NULL for families other than RSA
    // Whether a key of this type, curve and size works with this hash.
    bool (*accepts_key)(const jose_key *key, const jose_digest_entry *digest);
    size_t (*signature_bytes)(const jose_key *key, const jose_digest_entry *digest);
    // True: an operation with `prepared` needs no slot and does not change the error queue.
    bool needs_no_slot;
    // Computes operation->prepared. Returns false if memory runs out.
    bool (*ready)(jose_signature *operation);
    // Makes operation->fast, if there is a faster implementation than EVP, and private_fast.
    void (*accelerate)(jose_signature *operation);
    // Checks a signature without a context or error entries, and may decode the payload.
    jose_fast_check (*check_fast)(const jose_signature *operation, const uint8_t *message,
                                  size_t message_len, jose_payload *payload,
                                  const uint8_t *signature);
    // Adds a signature to a batch. Returns false if that gains nothing.
    bool (*add_to_batch)(const jose_signature *operation, jose_batch_item *item,
                         const uint8_t *message, size_t message_len, const uint8_t *signature);
    // Fills the slot. On failure returns false; the caller frees what was made.
    bool (*prepare)(const jose_signature *operation, jose_signature_slot *slot);
    jose_status (*sign)(const jose_signature *operation, jose_signature_slot *slot,
                        uint8_t *signature, const uint8_t *message, size_t message_len);
    jose_status (*verify)(const jose_signature *operation, jose_signature_slot *slot,
                          const uint8_t *message, size_t message_len, const uint8_t *signature);
} jose_signature_entry;

struct jose_signature {
    const jose_signature_entry *entry;
    const jose_library *library;
    const jose_digest_entry *digest;
    const EVP_MD *md;
    jose_key *key;
    jose_slots slots;
    jose_rsa_fast *fast;                  // checks signatures before EVP does; or NULL
    jose_rsa_private_fast *private_fast;  // signs before EVP does, if the key opted in; or NULL
    void *prepared;                       // computed from a secret; wiped at the end
    size_t prepared_bytes;
    size_t bytes;
    bool signing;
    bool needs_no_slot;  // and does not change the error queue
    jose_options options;
};

// jose_signature_curve_bytes returns the signature size of the key's curve.
size_t jose_signature_curve_bytes(const jose_key *key, const jose_digest_entry *digest);

// jose_signature_hash writes the digest of message, digest->bytes long. Returns false on failure.
bool jose_signature_hash(const jose_signature *operation, jose_signature_slot *slot, uint8_t *out,
                         const uint8_t *message, size_t message_len);

// jose_signature_make_work makes slot->work, with params, for families that sign a digest by EVP.
bool jose_signature_make_work(const jose_signature *operation, jose_signature_slot *slot,
                              const OSSL_PARAM *params);

// jose_signature_make_check does the same for slot->check, which verifies with the public key.
bool jose_signature_make_check(const jose_signature *operation, jose_signature_slot *slot,
                               const OSSL_PARAM *params);

// The functions below are for families that sign the message itself by EVP. jose_whole_prepare
// fills the slot, with a public copy of the key if signatures are to be checked.
bool jose_whole_prepare(const jose_signature *operation, jose_signature_slot *slot);

// jose_whole_sign signs, and verifies the signature with JOSE_CHECK_SIGNATURES.
jose_status jose_whole_sign(const jose_signature *operation, jose_signature_slot *slot,
                            uint8_t *signature, const uint8_t *message, size_t message_len);

jose_status jose_whole_verify(const jose_signature *operation, jose_signature_slot *slot,
                              const uint8_t *message, size_t message_len, const uint8_t *signature);

extern const jose_signature_entry jose_signature_rsa_pkcs1, jose_signature_rsa_pss,
    jose_signature_ecdsa, jose_signature_eddsa, jose_signature_hmac, jose_signature_mldsa;

#endif
