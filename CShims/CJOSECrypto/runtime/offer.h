// offer.h: what libcrypto may offer for each kind of key.
#ifndef JOSE_OFFER_H
#define JOSE_OFFER_H

#include "library.h"

// libcrypto's names of what it offers for a kind of key; NULL if JOSE does not use it.
typedef struct {
    unsigned long since;  // OpenSSL_version_num of the first with it; 0: all
    const char *key, *signature, *exchange, *encryption;
    int group;           // NID of the named group that the keys need; 0: none
    bool is_unapproved;  // in no FIPS 140-3 service: not with a FIPS provider, whatever it offers
} jose_key_offer;

// Indexed like the importers.
extern const jose_key_offer jose_key_offers[JOSE_IMPORTERS];

// jose_key_is_offered returns whether the running libcrypto is new enough to have it; an older one
// is not queried.
bool jose_key_is_offered(const jose_key_offer *offer);

// jose_library_check_keys fills of_keys while a library is made. Returns false if the machine
// failed.
bool jose_library_check_keys(jose_library *library);

#endif
