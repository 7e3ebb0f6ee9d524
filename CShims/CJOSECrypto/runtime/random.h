// random.h: random bytes for the other files of this target.
#ifndef JOSE_RANDOM_H
#define JOSE_RANDOM_H

#include <stdbool.h>

#include "library.h"

// jose_random_draw fills out, inside JOSE_HOST_SCOPE. Returns false, with out wiped, on failure.
bool jose_random_draw(const jose_library *library, uint8_t *out, size_t out_len);

// jose_random_epoch returns a number above 0 that changes in a child of fork, or 0 while forks
// cannot be detected. Data that parent and child must not both use is kept with its epoch.
uint64_t jose_random_epoch(void);

// jose_random_forget makes the thread's generator forget a secret of `drawn` bytes. After a draw
// that is not a multiple of 16 bytes, the generator keeps the last block until the next such draw.
// So this function draws one byte then. Returns false if the generator fails.
bool jose_random_forget(const jose_library *library, size_t drawn);

#endif
