// curve.c: the table of curves (RFC 7518 section 6.2.1.1, RFC 8037 section 2, RFC 8812 section 3.1)
// and of the parameter sets of RFC 9964 section 5.

#include "curve.h"

#include <openssl/obj_mac.h>
#include <string.h>

#include "runtime/host.h"

// jose_key_offers (offer.c) has the same index.
#define OFFER(curve) .offer = &jose_key_offers[curve]
#define EC_ENTRY(curve, name, bits, count, sha, certificates)    \
    [curve] = {JOSE_KEY_EC, name, bits, count, 2 * (count), sha, \
               .is_for_certificates = certificates, OFFER(curve)}
#define OKP_ENTRY(curve, name, bits, count, signature_count)     \
    [curve] = {JOSE_KEY_OKP, name, bits, count, signature_count, \
               .is_for_certificates = true, OFFER(curve)}
// FIPS 204, table 2.
#define AKP_ENTRY(curve, set, count, signature_count)                  \
    [curve] = {JOSE_KEY_AKP, set, 8 * (count), count, signature_count, \
               .is_for_certificates = true, OFFER(curve)}

static const jose_curve_entry entries[] = {
    EC_ENTRY(JOSE_P256, SN_X9_62_prime256v1, 256, 32, JOSE_SHA256, true),
    EC_ENTRY(JOSE_P384, SN_secp384r1, 384, 48, JOSE_SHA384, true),
    EC_ENTRY(JOSE_P521, SN_secp521r1, 521, JOSE_MAX_COORDINATE, JOSE_SHA512, true),
    EC_ENTRY(JOSE_SECP256K1, SN_secp256k1, 256, 32, JOSE_SHA256, false),
    OKP_ENTRY(JOSE_ED25519, SN_ED25519, 255, 32, 64),
    OKP_ENTRY(JOSE_ED448, SN_ED448, 448, 57, 114),
    OKP_ENTRY(JOSE_X25519, SN_X25519, 255, 32, 0),
    OKP_ENTRY(JOSE_X448, SN_X448, 448, 56, 0),
    AKP_ENTRY(JOSE_ML_DSA_44, "ML-DSA-44", 1312, 2420),
    AKP_ENTRY(JOSE_ML_DSA_65, "ML-DSA-65", 1952, 3309),
    AKP_ENTRY(JOSE_ML_DSA_87, "ML-DSA-87", 2592, 4627),
};
_Static_assert(sizeof entries / sizeof *entries == JOSE_CURVES,
               "the library has importers for each entry");

const jose_curve_entry *jose_curve_entry_of(jose_curve curve)
{
    return &entries[curve];
}

jose_key_type jose_curve_type(jose_curve curve)
{
    return entries[curve].type;
}

const jose_curve_entry *jose_curve_for_certificates(const char *name)
{
    for (int i = 0; i < JOSE_CURVES; i++)
        if (name != NULL && entries[i].is_for_certificates && strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}

size_t jose_curve_bytes(jose_curve curve)
{
    return entries[curve].bytes;
}

const char *jose_curve_missing(jose_curve curve)
{
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? NULL
                           : jose_key_missing(library, entries[curve].type, curve, JOSE_PART_KEY);
}
