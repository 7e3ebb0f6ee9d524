// curve.c: the curves of RFC 7518 section 6.2.1.1, RFC 8037 section 2 and RFC 8812 section 3.1, and the parameter sets of
// RFC 9964 section 5.

#include "curve.h"

#include <openssl/obj_mac.h>
#include <string.h>

#include "runtime/host.h"

#define EC_ROW(group_name, group_nid, size, count, sha, exchanged, certificates)              \
    {                                                                                         \
        JOSE_KEY_EC, group_name, size, count, 2 * (count), sha, .is_certified = certificates, \
        {                                                                                     \
            .key = "EC", .signature = "ECDSA", .exchange = exchanged, .group = group_nid      \
        }                                                                                     \
    }

// FIPS 204, table 2; libcrypto has these keys since 3.5.
#define AKP_ROW(set, count, signature_count)                              \
    {                                                                     \
        JOSE_KEY_AKP, set, 8 * (count), count, signature_count,           \
            .is_certified = true,                                         \
            .offer = {.since = 0x30500000, .key = set, .signature = set}, \
    }

static const jose_curve_row rows[] = {
    [JOSE_P256] = EC_ROW(SN_X9_62_prime256v1, NID_X9_62_prime256v1, 256, 32, JOSE_SHA256, "ECDH", true),
    [JOSE_P384] = EC_ROW(SN_secp384r1, NID_secp384r1, 384, 48, JOSE_SHA384, "ECDH", true),
    [JOSE_P521] = EC_ROW(SN_secp521r1, NID_secp521r1, 521, JOSE_LARGEST_COORDINATE, JOSE_SHA512, "ECDH", true),
    [JOSE_SECP256K1] = EC_ROW(SN_secp256k1, NID_secp256k1, 256, 32, JOSE_SHA256, NULL, false),
    [JOSE_ED25519] = {JOSE_KEY_OKP, SN_ED25519, 255, 32, 64, .is_certified = true,
                      .offer = {.key = "ED25519", .signature = "ED25519"}},
    [JOSE_ED448] = {JOSE_KEY_OKP, SN_ED448, 448, 57, 114, .is_certified = true,
                    .offer = {.key = "ED448", .signature = "ED448"}},
    [JOSE_X25519] = {JOSE_KEY_OKP, SN_X25519, 255, 32, .is_certified = true,
                     .offer = {.key = "X25519", .exchange = "X25519"}},
    [JOSE_X448] = {JOSE_KEY_OKP, SN_X448, 448, 56, .is_certified = true,
                   .offer = {.key = "X448", .exchange = "X448"}},
    [JOSE_ML_DSA_44] = AKP_ROW("ML-DSA-44", 1312, 2420),
    [JOSE_ML_DSA_65] = AKP_ROW("ML-DSA-65", 1952, 3309),
    [JOSE_ML_DSA_87] = AKP_ROW("ML-DSA-87", 2592, 4627),
};
_Static_assert(sizeof rows / sizeof *rows == JOSE_CURVES, "the library has importers for each row");

const jose_curve_row *jose_curve_row_of(jose_curve curve)
{
    return &rows[curve];
}

jose_key_type jose_curve_type(jose_curve curve)
{
    return rows[curve].type;
}

const jose_curve_row *jose_curve_certified(const char *name)
{
    for (int i = 0; i < JOSE_CURVES; i++)
        if (name != NULL && rows[i].is_certified && strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

size_t jose_curve_bytes(jose_curve curve)
{
    return rows[curve].bytes;
}

const char *jose_curve_missing(jose_curve curve)
{
    jose_host host;
    jose_host_enter(&host);
    const jose_library *library = jose_library_get();
    const char *missing = library == NULL ? NULL : jose_key_missing(library, rows[curve].type, curve, JOSE_PART_KEY);
    jose_host_leave(&host);
    return missing;
}
