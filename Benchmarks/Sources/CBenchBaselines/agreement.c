// The baselines of ECDH: for each curve the fastest calls there are. P-256 and its siblings on
// EC_KEY, which EVP wraps at a cost of two microseconds; X25519 by libsodium; X448 by EVP, which
// alone has it.

#define OPENSSL_SUPPRESS_DEPRECATED

#include "agreement.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_25519 = 32 };

struct baseline_agreement {
    // P-256, P-384, P-521
    EC_KEY *own, *drawn;
    EC_POINT *theirs;
    BN_CTX *scratch;
    // X25519
    uint8_t scalar[SIZE_25519], point[SIZE_25519];
    // X448
    EVP_PKEY *recipient, *peer;
    EVP_PKEY_CTX *draw, *agree;
    enum { ON_EC,
           ON_SODIUM,
           ON_EVP } kind;
};

static int on_ec(baseline_agreement *made, const char *curve)
{
    int nid = strcmp(curve, "P-256") == 0   ? NID_X9_62_prime256v1
              : strcmp(curve, "P-384") == 0 ? NID_secp384r1
                                            : NID_secp521r1;
    made->kind = ON_EC;
    made->own = EC_KEY_new_by_curve_name(nid);
    made->drawn = EC_KEY_new_by_curve_name(nid);
    made->scratch = BN_CTX_new();
    if (made->own == NULL || made->drawn == NULL || made->scratch == NULL) return 0;
    made->theirs = EC_POINT_new(EC_KEY_get0_group(made->own));
    return made->theirs != NULL && EC_KEY_generate_key(made->own) == 1;
}

static int on_evp(baseline_agreement *made, const char *curve)
{
    made->kind = ON_EVP;
    made->draw = EVP_PKEY_CTX_new_from_name(NULL, curve, NULL);
    if (made->draw == NULL || EVP_PKEY_keygen_init(made->draw) != 1) return 0;
    if (EVP_PKEY_generate(made->draw, &made->recipient) != 1) return 0;
    if (EVP_PKEY_generate(made->draw, &made->peer) != 1) return 0;
    made->agree = EVP_PKEY_CTX_new_from_pkey(NULL, made->recipient, NULL);
    return made->agree != NULL && EVP_PKEY_derive_init(made->agree) == 1;
}

baseline_agreement *baseline_agreement_new(const char *curve)
{
    baseline_agreement *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    if (strcmp(curve, "X25519") == 0) {
        made->kind = ON_SODIUM;
        int good = RAND_bytes(made->scalar, SIZE_25519) == 1 && crypto_scalarmult_curve25519_base(made->point, made->scalar) == 0;
        return good ? made : NULL;
    }
    return (curve[0] == 'P' ? on_ec(made, curve) : on_evp(made, curve)) ? made : NULL;
}

static int derive(EVP_PKEY_CTX *context, EVP_PKEY *peer, uint8_t *shared, size_t *count)
{
    *count = BASELINE_SHARED;
    return EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1 && EVP_PKEY_derive(context, shared, count) == 1;
}

static int compute(EC_KEY *key, const EC_POINT *point, uint8_t *shared, size_t *count)
{
    int size = ECDH_compute_key(shared, BASELINE_SHARED, point, key, NULL);
    *count = size < 0 ? 0 : (size_t)size;
    return size > 0;
}

int baseline_agreement_send(baseline_agreement *made, uint8_t *point, size_t *point_count,
                            uint8_t *shared, size_t *count)
{
    uint8_t scalar[SIZE_25519];
    if (made->kind == ON_EC) {
        const EC_GROUP *group = EC_KEY_get0_group(made->own);
        if (EC_KEY_generate_key(made->drawn) != 1) return 0;
        *point_count = EC_POINT_point2oct(group, EC_KEY_get0_public_key(made->drawn),
                                          POINT_CONVERSION_UNCOMPRESSED, point, BASELINE_POINT,
                                          made->scratch);
        return *point_count != 0 && compute(made->drawn, EC_KEY_get0_public_key(made->own), shared, count);
    }
    if (made->kind == ON_SODIUM) {
        *point_count = *count = SIZE_25519;
        return RAND_bytes(scalar, SIZE_25519) == 1 && crypto_scalarmult_curve25519_base(point, scalar) == 0 && crypto_scalarmult_curve25519(shared, scalar, made->point) == 0;
    }
    EVP_PKEY *ephemeral = NULL;
    if (EVP_PKEY_generate(made->draw, &ephemeral) != 1) return 0;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, ephemeral, NULL);
    int good = context != NULL && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_get_octet_string_param(ephemeral, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, point, BASELINE_POINT, point_count) == 1 && derive(context, made->recipient, shared, count);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(ephemeral);
    return good;
}

int baseline_agreement_receive(baseline_agreement *made, const uint8_t *point, size_t point_count,
                               uint8_t *shared, size_t *count)
{
    if (made->kind == ON_EC) {
        return EC_POINT_oct2point(EC_KEY_get0_group(made->own), made->theirs, point, point_count,
                                  made->scratch) == 1 &&
               compute(made->own, made->theirs, shared, count);
    }
    if (made->kind == ON_SODIUM) {
        *count = SIZE_25519;
        return crypto_scalarmult_curve25519(shared, made->scalar, point) == 0;
    }
    return EVP_PKEY_set1_encoded_public_key(made->peer, point, point_count) == 1 && derive(made->agree, made->peer, shared, count);
}
