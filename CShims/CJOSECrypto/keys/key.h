// key.h: what a key of any type is inside this target.
#ifndef JOSE_KEY_H
#define JOSE_KEY_H

#include <stdatomic.h>

#include "runtime/offer.h"

// The largest modulus that any limit can allow, in bytes (libcrypto's own bound).
enum { JOSE_MAX_MODULUS = 16384 / 8 };

// The largest coordinate of a curve in the table, in bytes (P-521).
enum { JOSE_MAX_COORDINATE = 66 };

struct jose_key {
    _Atomic unsigned references;
    atomic_flag is_borrowed;  // the first context works on pkey itself, further ones on duplicates
    EVP_PKEY *pkey;    // NULL for symmetric keys, and for RSA and EC public keys: their contexts are
                       // made from the numbers
    EC_KEY *verifier;  // of EC public keys, shared by all threads (ec_verifier.h); else NULL
    jose_key_type type;
    jose_curve curve;  // only of EC, OKP and AKP keys
    bool is_private;   // symmetric keys are
    bool is_imported;  // of RSA private keys: the numbers are somebody else's
    uint32_t bits;
    uint8_t *secret;  // EC scalar, OKP or AKP seed or symmetric bytes, wiped at the end; NULL for RSA
    size_t secret_bytes;
    size_t number_bytes[2];
    uint8_t numbers[];  // the public ones as they were imported: n and e, x and y, x, or pub
};

// What a key is made of. Everything is copied but pkey.
typedef struct {
    jose_key_type type;
    jose_curve curve;
    bool is_private;
    uint32_t bits;
    jose_number numbers[2];
    jose_number secret;
} jose_key_facts;

// jose_key_adopt makes a key around pkey and takes it over in any case; NULL without memory.
jose_key *jose_key_adopt(EVP_PKEY *pkey, const jose_key_facts *facts);

jose_key *jose_key_retain(jose_key *key);

// jose_key_number lends a public number of the key.
jose_number jose_key_number(const jose_key *key, unsigned index);

// jose_key_context returns a context on the key for one thread at a time, or NULL. The first one
// shares the key's own EVP_PKEY, others get a duplicate: two threads in one EVP_PKEY slow each
// other down by its lock. Where the key has none, each context gets one of its own.
EVP_PKEY_CTX *jose_key_context(const jose_library *library, jose_key *key);

// jose_key_public_context returns a context on a public key built anew from the numbers.
EVP_PKEY_CTX *jose_key_public_context(const jose_library *library, const jose_key *key);

// jose_key_has tells whether libcrypto has all of these parts, those of keys for this kind of key: JOSE_OK or
// JOSE_UNSUPPORTED. curve is looked at for EC, OKP and AKP.
jose_status jose_key_has(const jose_library *library, jose_key_type type, jose_curve curve, jose_parts parts);

// jose_key_missing returns the first of these parts that libcrypto does not have, by its name there; NULL where all are
// there.
const char *jose_key_missing(const jose_library *library, jose_key_type type, jose_curve curve, jose_parts parts);

// jose_key_fromdata builds an EVP_PKEY from parameters. JOSE_BAD_KEY if OpenSSL rejects the
// numbers, JOSE_UNSUPPORTED where it has no such keys, JOSE_INTERNAL without memory or where the host
// replaced this part of libcrypto. curve is looked at for EC, OKP and AKP.
jose_status jose_key_fromdata(EVP_PKEY **pkey, const jose_library *library, jose_key_type type,
                              jose_curve curve, OSSL_PARAM *params, bool is_private);

// Everything known about one type of key that libcrypto works with.
typedef struct {
    // Of a type without curves; with NULL the curve's row says it.
    const jose_key_offer *offer;
    // libcrypto tells by an entry in its queue why it rejects numbers; of other types they were looked at before.
    bool explains_rejections;
    // Whether the host put an implementation of its own in libcrypto's place. May be NULL.
    bool (*replaced)(void);
    // A public EVP_PKEY built anew from the key's numbers; NULL on failure.
    EVP_PKEY *(*public_copy)(const jose_library *library, const jose_key *key);
} jose_key_entry;

extern const jose_key_entry jose_key_rsa, jose_key_ec, jose_key_raw;

#endif
