// forms.h: what the tests ask of a prepared key.
#ifndef FORMS_H
#define FORMS_H

#include "keys/rsa_fast.h"

// fast_vector returns the key of the vector kernel that this one goes by now, or NULL.
static inline void *fast_vector(jose_rsa_fast *fast)
{
    const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(fast);
    return precomp == NULL ? NULL : precomp->vector;
}

#endif
