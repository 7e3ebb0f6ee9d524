// offer.c: what libcrypto may offer for each kind of key, and checks of what it has.

#include "offer.h"

#include <openssl/obj_mac.h>

#include "presence.h"

#define EC(nid, exchanged)                                                     \
    {                                                                          \
        .key = "EC", .signature = "ECDSA", .exchange = exchanged, .group = nid \
    }
// libcrypto has these keys since 3.5.
#define AKP(set)                                          \
    {                                                     \
        .since = 0x30500000, .key = set, .signature = set \
    }

const jose_key_offer jose_key_offers[JOSE_IMPORTERS] = {
    [JOSE_P256] = EC(NID_X9_62_prime256v1, "ECDH"),
    [JOSE_P384] = EC(NID_secp384r1, "ECDH"),
    [JOSE_P521] = EC(NID_secp521r1, "ECDH"),
    [JOSE_SECP256K1] =
        {.key = "EC", .signature = "ECDSA", .group = NID_secp256k1, .is_unapproved = true},
    [JOSE_ED25519] = {.key = "ED25519", .signature = "ED25519"},
    [JOSE_ED448] = {.key = "ED448", .signature = "ED448"},
    [JOSE_X25519] = {.key = "X25519", .exchange = "X25519", .is_unapproved = true},
    [JOSE_X448] = {.key = "X448", .exchange = "X448", .is_unapproved = true},
    [JOSE_ML_DSA_44] = AKP("ML-DSA-44"),
    [JOSE_ML_DSA_65] = AKP("ML-DSA-65"),
    [JOSE_ML_DSA_87] = AKP("ML-DSA-87"),
    [JOSE_IMPORTS_RSA] = {.key = "RSA", .signature = "RSA", .encryption = "RSA"},
};

bool jose_key_is_offered(const jose_key_offer *offer)
{
    return OpenSSL_version_num() >= offer->since;
}

static bool check(const jose_library *library, jose_parts *found, jose_parts part,
                  jose_wanted wanted)
{
    if (wanted.name == NULL) return true;
    const jose_status status = jose_presence_check(library, &wanted);
    if (status == JOSE_OK) *found |= part;
    return status != JOSE_INTERNAL;
}

static bool check_all(const jose_library *library, const jose_key_offer *offer, jose_parts *found)
{
    *found = 0;
    if (!jose_key_is_offered(offer) || (library->is_fips && offer->is_unapproved)) return true;
    jose_parts group = 0;
    if (offer->group != 0 &&
        !check(library, &group, JOSE_PART_KEY, (jose_wanted){JOSE_A_GROUP, "", offer->group}))
        return false;
    if (offer->group != 0 && group == 0) return true;
    return check(library, found, JOSE_PART_KEY, (jose_wanted){JOSE_A_KEY, offer->key, 0}) &&
           check(library, found, JOSE_PART_SIGNATURE,
                 (jose_wanted){JOSE_A_SIGNATURE, offer->signature, 0}) &&
           check(library, found, JOSE_PART_EXCHANGE,
                 (jose_wanted){JOSE_AN_EXCHANGE, offer->exchange, 0}) &&
           check(library, found, JOSE_PART_ENCRYPTION,
                 (jose_wanted){JOSE_AN_ENCRYPTION, offer->encryption, 0});
}

bool jose_library_check_keys(jose_library *library)
{
    for (int kind = 0; kind < JOSE_IMPORTERS; kind++)
        if (!check_all(library, &jose_key_offers[kind], &library->of_keys[kind])) return false;
    return true;
}
