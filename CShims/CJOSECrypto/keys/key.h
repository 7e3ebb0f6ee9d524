// key.h: a key of any type, and the interface of a key type.
#ifndef JOSE_KEY_H
#define JOSE_KEY_H

#include <stdatomic.h>

#include "runtime/offer.h"

// The largest modulus that any limit allows, in bytes (libcrypto's bound).
enum { JOSE_MAX_MODULUS = 16384 / 8 };

// The largest coordinate in the table of curves, in bytes (P-521).
enum { JOSE_MAX_COORDINATE = 66 };

struct jose_key {
    _Atomic unsigned references;
    atomic_flag is_borrowed;      // set once a context uses pkey; later ones use duplicates
    EVP_PKEY *pkey;               // NULL: a symmetric key, or an RSA or EC public key of the
                                  // default library, whose contexts are made from the numbers
    EC_KEY *verifier;             // of EC public keys of the default library; threads share it
    const jose_library *library;  // of every operation with the key
    jose_key_type type;
    jose_curve curve;  // only of EC, OKP and AKP keys
    bool is_private;   // symmetric keys are
    bool is_imported;  // RSA private keys: not generated here
    uint32_t bits;
    uint8_t *secret;  // EC scalar, OKP or AKP seed, symmetric bytes; NULL for RSA
    size_t secret_bytes;
    size_t number_bytes[2];
    uint8_t numbers[];  // public: n and e, x and y, x, or pub, as imported
};

// What jose_key_adopt copies into a key.
typedef struct {
    jose_key_type type;
    jose_curve curve;
    bool is_private;
    uint32_t bits;
    jose_number numbers[2];
    jose_number secret;
} jose_key_facts;

// jose_key_adopt makes a key and takes ownership of pkey in any case. NULL if memory runs out.
jose_key *jose_key_adopt(const jose_library *library, EVP_PKEY *pkey,
                         const jose_key_facts *facts);

// jose_key_validate lets the provider check a key: the public number, and whether a private number
// belongs to it. Returns JOSE_BAD_KEY if the provider rejects the key.
jose_status jose_key_validate(const jose_library *library, EVP_PKEY *pkey, bool is_private);

jose_key *jose_key_retain(jose_key *key);

// jose_key_number borrows public number 0 or 1 of the key.
jose_number jose_key_number(const jose_key *key, unsigned index);

// jose_key_context returns a context on the key for one thread at a time, or NULL on failure. The
// first context shares the key's EVP_PKEY. Others get a duplicate: two threads on one EVP_PKEY slow
// each other down by its lock. If there is no EVP_PKEY, each context gets a new one.
EVP_PKEY_CTX *jose_key_context(const jose_library *library, jose_key *key);

// jose_key_public_context returns a context on a new public key built from the numbers, or NULL.
EVP_PKEY_CTX *jose_key_public_context(const jose_library *library, const jose_key *key);

// The curve argument for a key type without curves, which ignores it.
#define JOSE_NO_CURVE JOSE_P256

// jose_key_has returns JOSE_OK if libcrypto has all of these parts for this kind of key, else
// JOSE_UNSUPPORTED. curve is used for EC, OKP and AKP only.
jose_status jose_key_has(const jose_library *library, jose_key_type type, jose_curve curve,
                         jose_parts parts);

// jose_key_missing returns libcrypto's name of the first missing part, or NULL.
const char *jose_key_missing(const jose_library *library, jose_key_type type, jose_curve curve,
                             jose_parts parts);

// jose_key_fromdata builds an EVP_PKEY from parameters. JOSE_BAD_KEY if OpenSSL rejects the
// numbers, JOSE_UNSUPPORTED if it has no such keys, JOSE_INTERNAL if memory runs out or the host
// replaced this part of libcrypto (host.h). curve is used for EC, OKP and AKP only.
jose_status jose_key_fromdata(EVP_PKEY **pkey, const jose_library *library, jose_key_type type,
                              jose_curve curve, OSSL_PARAM *params, bool is_private);

typedef struct {
    // What libcrypto may have for this type (offer.h). NULL: the curve's entry has it (curve.h).
    const jose_key_offer *offer;
    // Whether libcrypto leaves an error entry when it rejects numbers. If not, this target checks
    // the numbers first, and a rejection by libcrypto is JOSE_INTERNAL.
    bool explains_rejections;
    // Whether the host replaced this part of libcrypto. May be NULL.
    bool (*replaced)(void);
    // Builds a new public EVP_PKEY from the key's numbers. Returns NULL on failure.
    EVP_PKEY *(*public_copy)(const jose_library *library, const jose_key *key);
    // Makes the same key for another library.
    jose_status (*copy)(jose_key **made, const jose_library *library, const jose_key *key);
} jose_key_entry;

extern const jose_key_entry jose_key_rsa, jose_key_ec, jose_key_raw, jose_key_symmetric;

#endif
