// The baseline of a proof of possession: a stranger's key on P-256, and the one signature that it
// verifies.

// EC_KEY and SHA256 are deprecated and yet the fastest public way from a point to a verification.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "bench_baselines.h"

#include "../../../CShims/CJOSEBenchmark/baselines/lane.h"

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>

int baseline_proof(const uint8_t *point, size_t point_count, const uint8_t *text, size_t count,
                   const uint8_t *signature)
{
    uint8_t digest[32];
    SHA256(text, count, digest);
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    ECDSA_SIG *made = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
    int good = key != NULL && made != NULL && ECDSA_SIG_set0(made, r, s) == 1;
    if (!good) {
        BN_free(r);
        BN_free(s);
    }
    good = good && EC_KEY_oct2key(key, point, point_count, NULL) == 1 && ECDSA_do_verify(digest, sizeof digest, made, key) == 1;
    ECDSA_SIG_free(made);
    EC_KEY_free(key);
    return good;
}

void baseline_sha256(const uint8_t *text, size_t count)
{
    uint8_t digest[32];
    SHA256_CTX hash;
    SHA256_Init(&hash);
    SHA256_Update(&hash, text, count);
    SHA256_Final(digest, &hash);
}
