// presence.h: checks whether the running libcrypto has an algorithm.
#ifndef JOSE_PRESENCE_H
#define JOSE_PRESENCE_H

#include "library.h"

typedef enum {
    JOSE_A_DIGEST,
    JOSE_A_CIPHER,
    JOSE_A_MAC,
    JOSE_A_KDF,
    JOSE_A_GENERATOR,
    JOSE_A_KEY,
    JOSE_A_SIGNATURE,
    JOSE_AN_EXCHANGE,
    JOSE_AN_ENCRYPTION,
    JOSE_A_GROUP
} jose_wanted_kind;

// An algorithm by the name that OpenSSL fetches, or a group by its NID.
typedef struct {
    jose_wanted_kind kind;
    const char *name;
    int group;
} jose_wanted;

// jose_presence_check returns JOSE_OK if libcrypto has the algorithm, else JOSE_UNSUPPORTED.
// JOSE_INTERNAL: after a system failure (host.h) this is unknown. Call it inside JOSE_HOST_SCOPE.
jose_status jose_presence_check(const jose_library *library, const jose_wanted *wanted);

// jose_presence_of_failed_fetch returns why a fetch just failed: JOSE_UNSUPPORTED if libcrypto
// lacks the algorithm, else JOSE_INTERNAL. Call it before the error queue changes.
jose_status jose_presence_of_failed_fetch(const jose_library *library, const jose_wanted *wanted);

#endif
