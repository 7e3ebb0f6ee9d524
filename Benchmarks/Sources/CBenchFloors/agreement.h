// agreement.h: a sender's and a recipient's part of ECDH, without any check or text.

#ifndef BENCH_AGREEMENT_H
#define BENCH_AGREEMENT_H

#include <stddef.h>
#include <stdint.h>

enum { FLOOR_POINT = 133, FLOOR_SHARED = 66 };

typedef struct floor_agreement floor_agreement;

// floor_agreement_new makes a recipient's key; curve as the registry names it. NULL if that failed.
floor_agreement *floor_agreement_new(const char *curve);

// floor_agreement_send draws an ephemeral key: its point, and the secret shared with the recipient.
int floor_agreement_send(floor_agreement *made, uint8_t *point, size_t *point_count, uint8_t *shared,
                         size_t *count);

// floor_agreement_receive finds the same secret from the point.
int floor_agreement_receive(floor_agreement *made, const uint8_t *point, size_t point_count,
                            uint8_t *shared, size_t *count);

#endif
