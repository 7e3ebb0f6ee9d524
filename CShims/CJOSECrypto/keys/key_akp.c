// key_akp.c: AKP keys of ML-DSA (RFC 9964 section 3). A private key is its seed (section 4; FIPS
// 204, algorithm 6). Every byte string of the right length is a public key.

#include "key_raw.h"
#include "runtime/host.h"

static bool is_set(jose_curve set)
{
    return jose_curve_type(set) == JOSE_KEY_AKP;
}

jose_status jose_akp_public(jose_key **key, jose_curve set, const uint8_t *pub, size_t pub_len)
{
    *key = NULL;
    if (!is_set(set) || pub_len != jose_curve_bytes(set)) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? JOSE_INTERNAL : jose_raw_public(key, library, set, pub);
}

jose_status jose_akp_private(jose_key **key, jose_curve set, const uint8_t *pub, size_t pub_len,
                             const uint8_t *seed, size_t seed_len,
                             const uint8_t *expanded, size_t expanded_len)
{
    *key = NULL;
    if (!is_set(set) || seed_len != JOSE_AKP_SEED ||
        (pub_len != 0 && pub_len != jose_curve_bytes(set)))
        return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? JOSE_INTERNAL
                           : jose_raw_private(key, library, set, pub_len == 0 ? NULL : pub, seed,
                                              expanded_len == 0 ? NULL : expanded, expanded_len);
}

jose_status jose_akp_generate(jose_key **key, jose_module module, jose_curve set)
{
    *key = NULL;
    if (!is_set(set)) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_of(module);
    return library == NULL ? JOSE_INTERNAL : jose_raw_generate(key, library, set);
}
