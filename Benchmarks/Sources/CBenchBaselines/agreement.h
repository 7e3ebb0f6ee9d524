// agreement.h: a sender's and a recipient's part of ECDH, without any check or text.

#ifndef BENCH_AGREEMENT_H
#define BENCH_AGREEMENT_H

#include <stddef.h>
#include <stdint.h>

enum { BASELINE_POINT = 133,
       BASELINE_SHARED = 66 };

typedef struct baseline_agreement baseline_agreement;

// baseline_agreement_new makes a recipient's key; curve as the registry names it. NULL if that
// failed.
baseline_agreement *baseline_agreement_new(const char *curve);

// baseline_agreement_send draws an ephemeral key: its point, and the secret shared with the
// recipient.
int baseline_agreement_send(baseline_agreement *made, uint8_t *point, size_t *point_count,
                            uint8_t *shared, size_t *count);

// baseline_agreement_receive finds the same secret from the point.
int baseline_agreement_receive(baseline_agreement *made, const uint8_t *point, size_t point_count,
                               uint8_t *shared, size_t *count);

#endif
