// precomps.h: access to a key's precomputed constants.
#ifndef FORMS_H
#define FORMS_H

#include "keys/rsa_fast.h"

// fast_vector returns the vector key that this key uses now, or NULL.
static inline void *fast_vector(jose_rsa_fast *fast)
{
    const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(fast);
    return precomp == NULL ? NULL : precomp->vector;
}

#endif
