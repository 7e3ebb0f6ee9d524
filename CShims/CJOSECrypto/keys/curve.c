// curve.c: the curves of RFC 7518 section 6.2.1.1, RFC 8037 section 2 and RFC 8812 section 3.1.

#include "curve.h"

#include <openssl/obj_mac.h>

#include "runtime/host.h"

// The NID of a group, and of a key in a certificate, is the same number.
#define EC_ROW(group_name, group_nid, size, count, sha, exchanged, certificates)         \
    {                                                                                    \
        JOSE_KEY_EC, group_name, size, count, 2 * (count), sha, certificates,            \
        {                                                                                \
            .key = "EC", .signature = "ECDSA", .exchange = exchanged, .group = group_nid \
        }                                                                                \
    }

static const jose_curve_row rows[] = {
    [JOSE_P256] = EC_ROW(SN_X9_62_prime256v1, NID_X9_62_prime256v1, 256, 32, JOSE_SHA256, "ECDH", NID_X9_62_prime256v1),
    [JOSE_P384] = EC_ROW(SN_secp384r1, NID_secp384r1, 384, 48, JOSE_SHA384, "ECDH", NID_secp384r1),
    [JOSE_P521] = EC_ROW(SN_secp521r1, NID_secp521r1, 521, JOSE_LARGEST_COORDINATE, JOSE_SHA512, "ECDH", NID_secp521r1),
    [JOSE_SECP256K1] = EC_ROW(SN_secp256k1, NID_secp256k1, 256, 32, JOSE_SHA256, NULL, 0),
    [JOSE_ED25519] = {JOSE_KEY_OKP, SN_ED25519, 255, 32, 64, .certified = NID_ED25519,
                      .offer = {.key = "ED25519", .signature = "ED25519"}},
    [JOSE_ED448] = {JOSE_KEY_OKP, SN_ED448, 448, 57, 114, .certified = NID_ED448,
                    .offer = {.key = "ED448", .signature = "ED448"}},
    [JOSE_X25519] = {JOSE_KEY_OKP, SN_X25519, 255, 32, .certified = NID_X25519,
                     .offer = {.key = "X25519", .exchange = "X25519"}},
    [JOSE_X448] = {JOSE_KEY_OKP, SN_X448, 448, 56, .certified = NID_X448,
                   .offer = {.key = "X448", .exchange = "X448"}},
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

const jose_curve_row *jose_curve_certified(jose_key_type type, int nid)
{
    for (int i = 0; i < JOSE_CURVES; i++)
        if (nid != 0 && rows[i].type == type && rows[i].certified == nid) return &rows[i];
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
