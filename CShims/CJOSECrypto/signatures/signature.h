// signature.h: what a signature family is inside this target.
#ifndef JOSE_SIGNATURE_H
#define JOSE_SIGNATURE_H

#include "runtime/digest.h"
#include "keys/key.h"
#include "keys/rsa_fast.h"
#include "runtime/slots.h"

typedef struct jose_batch_item jose_batch_item;

// What a faster way than EVP said of a signature. A yes decides. What opens to something else is looked at again; what
// could not be looked at is EVP's.
typedef struct {
    enum {
        JOSE_FAST_NONE,      // there was none: the form wants a slot, or is NULL
        JOSE_FAST_UNDECIDED,  // it could not say: the input, the memory or a damaged key
        JOSE_FAST_ACCEPTED,
        JOSE_FAST_DIFFERS  // it opens to something else
    } result;
    const jose_rsa_precomp *precomp;  // what it worked with, or is to
} jose_fast_check;

// A thread's initialised contexts for one operation.
typedef struct {
    EVP_PKEY_CTX *work;            // signs or verifies
    EVP_PKEY_CTX *check;           // verifies what work signed, on numbers of its own
    EVP_MD_CTX *md;                // only where low-level hashes are not wanted
    EVP_MD_CTX *whole;             // for families that take the message itself
    jose_rsa_bn_scratch *scratch;  // of the portable RSA operation, once used
    jose_rsa_bn_key *recheck_key;        // looks again at what was rejected, once used; on numbers of its own
    jose_fast_check fast_check;             // what was said at once of the signature that is verified now
} jose_signature_slot;

enum { JOSE_RSA_PARAMS = 7 };

// In what the RSA families differ.
typedef struct {
    // Padding and digest, for contexts that are set once: each costs hundreds of nanoseconds.
    void (*fill)(OSSL_PARAM params[JOSE_RSA_PARAMS], const jose_signature *operation);
    // Whether the block that a signature opened to is an encoding of the digest. It may be changed.
    bool (*is_encoding)(const jose_signature *operation, uint8_t *opened, const uint8_t *digest);
    // Whether libcrypto has a rejection for which it gives no reason.
    bool is_rejected_silently;
} jose_signature_rsa_scheme;

// Everything known about one family.
typedef struct {
    // What it takes of libcrypto besides the digest of its hash, which the families without one do not look at.
    jose_parts parts;
    bool has_hash;
    const jose_signature_rsa_scheme *scheme;  // NULL for the others
    // Whether a key of this type, curve and size works with this hash.
    bool (*suits)(const jose_key *key, const jose_digest_entry_t *digest);
    size_t (*signature_bytes)(const jose_key *key, const jose_digest_entry_t *digest);
    // Once prepared, it works without a slot and leaves OpenSSL's error queue alone.
    bool is_bare;
    // Computes operation->prepared; false without memory. May be NULL.
    bool (*ready)(jose_signature *operation);
    // Makes operation->fast where there is a faster way than EVP. May be NULL, may do nothing.
    void (*accelerate)(jose_signature *operation);
    // Looks at a signature by a way that needs no context and leaves no error entries, and may decode the payload. May be NULL.
    jose_fast_check (*check_fast)(const jose_signature *operation, const uint8_t *message,
                              size_t message_len, jose_payload *payload, const uint8_t *signature);
    // Takes a signature into a batch; false where that is no use. May be NULL.
    bool (*take)(const jose_signature *operation, jose_batch_item *item, const uint8_t *message,
                 size_t message_len, const uint8_t *signature);
    // Fills slot; false on failure, what was made is freed by the caller. May be NULL.
    bool (*prepare)(const jose_signature *operation, jose_signature_slot *slot);
    jose_status (*sign)(const jose_signature *operation, jose_signature_slot *slot,
                        uint8_t *signature, const uint8_t *message, size_t message_len);
    jose_status (*verify)(const jose_signature *operation, jose_signature_slot *slot,
                          const uint8_t *message, size_t message_len, const uint8_t *signature);
} jose_signature_entry;

struct jose_signature {
    const jose_signature_entry *entry;
    const jose_library *library;
    const jose_digest_entry_t *digest;
    const EVP_MD *md;
    jose_key *key;
    jose_slots slots;
    jose_rsa_fast *fast;  // looks at signatures, EVP judges what it does not accept; or NULL
    void *prepared;       // what the family computed from a secret; wiped at the end
    size_t prepared_bytes;
    size_t bytes;
    bool signing;
    bool bare;  // takes neither a slot nor care of the error queue
    jose_options options;
};

// jose_signature_curve_bytes is the size by the key's curve, for the families whose keys have one.
size_t jose_signature_curve_bytes(const jose_key *key, const jose_digest_entry_t *digest);

// jose_signature_hash writes the digest of message, digest->bytes long.
bool jose_signature_hash(const jose_signature *operation, jose_signature_slot *slot, uint8_t *out,
                         const uint8_t *message, size_t message_len);

// jose_signature_contexts makes slot->work for families that sign a digest by EVP_PKEY_sign; params
// are set once, which saves hundreds of nanoseconds a call.
bool jose_signature_contexts(const jose_signature *operation, jose_signature_slot *slot,
                             const OSSL_PARAM *params);

// jose_signature_checks makes slot->check, likewise.
bool jose_signature_checks(const jose_signature *operation, jose_signature_slot *slot,
                           const OSSL_PARAM *params);

// For families that take the message itself by EVP (signature_whole.c). jose_whole_prepare fills slot, with a public copy
// of the key where signatures are to be looked at.
bool jose_whole_prepare(const jose_signature *operation, jose_signature_slot *slot);

// jose_whole_sign signs, and looks at the signature where that is asked for.
jose_status jose_whole_sign(const jose_signature *operation, jose_signature_slot *slot,
                            uint8_t *signature, const uint8_t *message, size_t message_len);

jose_status jose_whole_verify(const jose_signature *operation, jose_signature_slot *slot,
                              const uint8_t *message, size_t message_len, const uint8_t *signature);

extern const jose_signature_entry jose_signature_rsa_pkcs1, jose_signature_rsa_pss,
    jose_signature_ecdsa, jose_signature_eddsa, jose_signature_hmac, jose_signature_mldsa;

#endif
