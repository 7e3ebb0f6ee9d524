// curve.c: the curves of RFC 7518 section 6.2.1.1, RFC 8037 section 2 and RFC 8812 section 3.1.

#include "curve.h"

#include <openssl/obj_mac.h>

static const jose_curve_row rows[] = {
    [JOSE_P256] = {JOSE_KEY_EC, SN_X9_62_prime256v1, NID_X9_62_prime256v1, 256, 32},
    [JOSE_P384] = {JOSE_KEY_EC, SN_secp384r1, NID_secp384r1, 384, 48},
    [JOSE_P521] = {JOSE_KEY_EC, SN_secp521r1, NID_secp521r1, 521, JOSE_LARGEST_COORDINATE},
    [JOSE_SECP256K1] = {JOSE_KEY_EC, SN_secp256k1, NID_secp256k1, 256, 32},
    [JOSE_ED25519] = {JOSE_KEY_OKP, SN_ED25519, 0, 255, 32},
    [JOSE_ED448] = {JOSE_KEY_OKP, SN_ED448, 0, 448, 57},
    [JOSE_X25519] = {JOSE_KEY_OKP, SN_X25519, 0, 255, 32},
    [JOSE_X448] = {JOSE_KEY_OKP, SN_X448, 0, 448, 56},
};

const jose_curve_row *jose_curve_row_of(jose_curve curve)
{
    return &rows[curve];
}

size_t jose_curve_bytes(jose_curve curve)
{
    return rows[curve].bytes;
}
