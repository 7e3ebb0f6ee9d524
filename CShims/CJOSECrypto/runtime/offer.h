// offer.h: what libcrypto may have for each kind of key.
#ifndef JOSE_OFFER_H
#define JOSE_OFFER_H

#include "library.h"

// What libcrypto offers for a kind of key, by the names that OpenSSL fetches it by; NULL where JOSE
// has no use for it.
typedef struct {
    unsigned long since;  // the first libcrypto that has it, as OpenSSL_version_num says; 0: all that are supported
    const char *key, *signature, *exchange, *encryption;
    int group;  // the NID of the named group that keys need besides; 0: none
} jose_key_offer;

// By the place of the kind among the importers.
extern const jose_key_offer jose_key_offers[JOSE_IMPORTERS];

// jose_key_is_offered tells whether the libcrypto that runs can have it at all: an older one is not
// asked.
bool jose_key_is_offered(const jose_key_offer *offer);

// jose_library_check_keys fills in of_keys while a library is made; false where the machine failed.
bool jose_library_check_keys(jose_library *library);

#endif
