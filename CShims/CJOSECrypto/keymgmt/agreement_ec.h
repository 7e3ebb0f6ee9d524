// agreement_ec.h: ECDH on P-256, P-384 and P-521 by the fastest calls of libcrypto.
#ifndef JOSE_AGREEMENT_EC_H
#define JOSE_AGREEMENT_EC_H

#include "keys/key.h"

// One party of ECDH, for one thread at a time: a recipient with its private key, or a sender with
// the recipient's public key.
typedef struct jose_agreement_ec jose_agreement_ec;

// jose_agreement_ec_make returns NULL if memory runs out. A recipient's key must be private.
jose_agreement_ec *jose_agreement_ec_make(const jose_library *library, const jose_key *key,
                                          bool sending);
void jose_agreement_ec_free(jose_agreement_ec *agreement);

// jose_agreement_ec_send draws an ephemeral key, or uses the given one, and writes its coordinates
// and the shared secret. A drawn key is wiped. Returns false on failure.
bool jose_agreement_ec_send(jose_agreement_ec *agreement, const jose_key *ephemeral,
                            uint8_t *coordinates, uint8_t *shared, size_t shared_len);

// jose_agreement_ec_receive writes the secret shared with the sender of these coordinates. Returns
// false on failure; *is_point is false if they are not a point on the curve.
bool jose_agreement_ec_receive(jose_agreement_ec *agreement, const uint8_t *coordinates,
                               uint8_t *shared, size_t shared_len, bool *is_point);

#endif
