// random.h: random bytes for the other files of this target.
#ifndef JOSE_RANDOM_H
#define JOSE_RANDOM_H

#include <stdbool.h>

#include "library.h"

// jose_random_draw fills out; false, and out wiped, if the generator fails. The caller has
// entered jose_host_enter.
bool jose_random_draw(const jose_library *library, uint8_t *out, size_t out_len);

// jose_random_forget follows a secret of `drawn` bytes that libcrypto drew itself: the generator of the thread keeps the
// last block of which it gave a part until it gives a part again. False if the generator fails.
bool jose_random_forget(const jose_library *library, size_t drawn);

#endif
