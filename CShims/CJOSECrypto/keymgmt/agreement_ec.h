// agreement_ec.h: ECDH on P-256, P-384 and P-521 by the fastest calls libcrypto offers.
#ifndef JOSE_AGREEMENT_EC_H
#define JOSE_AGREEMENT_EC_H

#include "keys/key.h"

// One side of agreements for one thread at a time: a recipient's own key, or the one it sends to.
typedef struct jose_agreement_ec jose_agreement_ec;

// jose_agreement_ec_make returns NULL without memory. A recipient's key is private.
jose_agreement_ec *jose_agreement_ec_make(const jose_library *library, const jose_key *key,
                                          bool sending);
void jose_agreement_ec_free(jose_agreement_ec *agreement);

// jose_agreement_ec_send draws a key, or takes the given one, writes its coordinates and the secret
// that it shares with the recipient. The drawn key is wiped. False on failure.
bool jose_agreement_ec_send(jose_agreement_ec *agreement, const jose_key *ephemeral,
                            uint8_t *coordinates, uint8_t *shared, size_t shared_len);

// jose_agreement_ec_receive writes the secret shared with the sender of these coordinates; false if
// they are no point on the curve, which *is_point tells, or on failure.
bool jose_agreement_ec_receive(jose_agreement_ec *agreement, const uint8_t *coordinates,
                               uint8_t *shared, size_t shared_len, bool *is_point);

#endif
