// ec_verifier.c: ECDSA verification by EC_KEY. EVP takes 50,000 instructions more to prepare a key
// and 8,000 more for a signature. EC_KEY is deprecated; digest.h lists such files.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "ec_verifier.h"

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>

#include "curve.h"
#include "runtime/host.h"

// Returns a group to copy. Making one takes two thirds of the time to make a key.
static EC_GROUP *take_group(const jose_library *library, jose_curve curve)
{
    EC_GROUP *group = jose_pool_take(library->groups[curve]);
    if (group != NULL) return group;
    return EC_GROUP_new_by_curve_name_ex(library->context, library->properties,
                                         jose_curve_entry_of(curve)->offer->group);
}

static void put_group(const jose_library *library, jose_curve curve, EC_GROUP *group)
{
    if (!jose_pool_put(library->groups[curve], group)) EC_GROUP_free(group);
}

jose_status jose_ec_verifier_make(EC_KEY **verifier, const jose_library *library, jose_curve curve,
                                  const uint8_t *point, size_t len)
{
    *verifier = NULL;
    if (jose_host_replaced_ec()) return JOSE_INTERNAL;
    jose_status status = jose_key_has(library, JOSE_KEY_EC, curve, JOSE_PART_KEY);
    if (status != JOSE_OK) return status;
    EC_GROUP *group = take_group(library, curve);
    if (group == NULL) return JOSE_INTERNAL;
    EC_KEY *made = EC_KEY_new_ex(library->context, library->properties);
    status = made != NULL && EC_KEY_set_group(made, group) == 1 ? JOSE_OK : JOSE_INTERNAL;
    put_group(library, curve, group);
    // Rejects coordinates that are not below p, and points off the curve. The cofactor is 1.
    if (status == JOSE_OK && EC_KEY_oct2key(made, point, len, NULL) != 1)
        // Without an entry in the error queue, the failure has no known cause.
        status = jose_host_first_library() == 0 || jose_take_system_failure() ? JOSE_INTERNAL
                                                                              : JOSE_BAD_KEY;
    if (status == JOSE_OK)
        *verifier = made;
    else
        EC_KEY_free(made);
    return status;
}

void jose_ec_verifier_free(EC_KEY *verifier)
{
    EC_KEY_free(verifier);
}

static ECDSA_SIG *read_signature(const uint8_t *signature, size_t half)
{
    ECDSA_SIG *made = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, (int)half, NULL),
           *s = BN_bin2bn(signature + half, (int)half, NULL);
    if (made != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(made, r, s) == 1) return made;
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(made);
    return NULL;
}

jose_status jose_ecdsa_status(int right)
{
    if (right == 1) return JOSE_OK;
    const bool is_rejection = right == 0 || jose_host_first_is(ERR_LIB_EC, EC_R_POINT_AT_INFINITY);
    return !is_rejection || jose_take_system_failure() ? JOSE_INTERNAL : JOSE_REJECTED;
}

jose_status jose_ec_verifier_verify(EC_KEY *verifier, const uint8_t *digest, size_t digest_bytes,
                                    const uint8_t *signature, size_t signature_bytes)
{
    ECDSA_SIG *made = read_signature(signature, signature_bytes / 2);
    if (made == NULL) return JOSE_INTERNAL;
    const int right = ECDSA_do_verify(digest, (int)digest_bytes, made, verifier);
    ECDSA_SIG_free(made);
    return jose_ecdsa_status(right);
}
