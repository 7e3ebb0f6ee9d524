// offer.h: the algorithms that libcrypto may offer for each kind of key.
#ifndef JOSE_OFFER_H
#define JOSE_OFFER_H

#include "library.h"

// libcrypto's names of the algorithms for a kind of key; NULL if JOSE uses none.
typedef struct {
    unsigned long since;  // OpenSSL_version_num of the first libcrypto with them; 0: all
    const char *key, *signature, *exchange, *encryption;
    int group;           // NID of the named group that the keys need; 0: none
    bool is_unapproved;  // not approved by FIPS 140-3: never used with a FIPS provider
} jose_key_offer;

// Indexed like the importers.
extern const jose_key_offer jose_key_offers[JOSE_IMPORTERS];

// jose_key_is_offered returns whether the running libcrypto is new enough to have such keys.
bool jose_key_is_offered(const jose_key_offer *offer);

// jose_library_check_keys fills library->of_keys. Returns false after a system failure (host.h).
bool jose_library_check_keys(jose_library *library);

#endif
