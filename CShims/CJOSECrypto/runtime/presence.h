// presence.h: whether the libcrypto that runs has something at all.
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

// Something of libcrypto's: its name as OpenSSL fetches it, or the NID of a group.
typedef struct {
    jose_wanted_kind kind;
    const char *name;
    int group;
} jose_wanted;

// jose_presence_check tells whether it is there for this context: JOSE_OK, JOSE_UNSUPPORTED, or JOSE_INTERNAL where memory or the machine
// failed, which says nothing. The caller has entered jose_host_enter.
jose_status jose_presence_check(OSSL_LIB_CTX *context, const jose_wanted *wanted);

// jose_presence_lost tells the same of what was just looked for and not found.
jose_status jose_presence_lost(const jose_wanted *wanted);

#endif
