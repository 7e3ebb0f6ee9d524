// rsa_fast.h: a public key ready for the first way that this processor has, and what becomes of a
// way that was wrong.
#ifndef JOSE_RSA_FAST_H
#define JOSE_RSA_FAST_H

#include <stdatomic.h>

#include "rsa_bn.h"

// The largest modulus that is worth the trouble: 8192 bits.
enum { JOSE_RSA_FAST_MAX_BYTES = 1024 };

// The ways of computing RSA public operations, in the order in which they are tried: the vector
// kernels, OpenSSL's Montgomery functions, EVP alone.
enum { JOSE_RSA_IMPL_BN = JOSE_RSA_KERNELS,
       JOSE_RSA_IMPL_EVP,
       JOSE_RSA_IMPLS };

// A public key's numbers, and what a way of computing wants made of them once: the first vector
// kernel that may be used, else OpenSSL's Montgomery functions. That is done at the first use, as
// libcrypto does it: a key that is only looked at costs nothing. Threads may share it.
//
// What costs more than one use is done when it pays: the first uses of all keys of a size in a
// process go without the vector kernels that were not asked their known answers yet.
typedef struct jose_rsa_fast jose_rsa_fast;

enum { JOSE_RSA_EARLY_USES = 16 };

// A key in the form that one way wants: one of the two, or neither where EVP alone is to compute. It lives
// as long as its jose_rsa_fast, also where another has taken its place.
typedef struct jose_rsa_precomp {
    int impl;
    bool waits;                     // until a better way is asked its known answers: the early uses are not over
    const jose_rsa_kernel *kernel;  // NULL where there is no key for one
    void *vector;                   // that kernel's key
    uint32_t size, e;               // of that key
    jose_rsa_bn_key *portable;
    struct jose_rsa_precomp *older;  // of those whose place another took
} jose_rsa_precomp;

// How often a form is made anew for one key before its way is given up: after a second difference, or a
// third damage.
enum { JOSE_RSA_MAX_DIFFERENCES = 2,
       JOSE_RSA_MAX_CORRUPTIONS = 3 };

// jose_rsa_fast_new keeps the numbers, big endian, which must outlive it; `vectors` allows the vector
// kernels. NULL without memory or for a larger modulus.
jose_rsa_fast *jose_rsa_fast_new(const uint8_t *modulus, size_t modulus_len, const uint8_t *exponent,
                                 size_t exponent_len, bool vectors);
void jose_rsa_fast_free(jose_rsa_fast *fast);

// jose_rsa_fast_ready returns the form to work with now, and counts a use, of uses at the same time
// perhaps one; NULL where there is none yet, or its way is to be looked at again. Then
// jose_rsa_fast_precomp calls OpenSSL's functions, which may leave entries in the error queue.
const jose_rsa_precomp *jose_rsa_fast_ready(jose_rsa_fast *fast);

// jose_rsa_fast_precomp returns the form to work with now, made where need be; NULL without memory or
// where fast is NULL.
const jose_rsa_precomp *jose_rsa_fast_precomp(jose_rsa_fast *fast);

// jose_rsa_fast_opens computes the block that the signature holds, as long as the modulus, by a form of
// this key; NULL declines. *scratch is NULL at first, belongs to one thread at a time and is freed by
// jose_rsa_bn_scratch_free; a form of a vector kernel needs none, another declines without.
// A form that is found damaged is dropped: the next use makes it anew.
jose_rsa_outcome jose_rsa_fast_opens(jose_rsa_fast *fast, const jose_rsa_precomp *precomp,
                                     jose_rsa_bn_scratch **scratch, uint8_t *opened,
                                     const uint8_t *signature);

// jose_rsa_fast_corrupted tells that an operation with this form was damaged.
void jose_rsa_fast_corrupted(jose_rsa_fast *fast, const jose_rsa_precomp *precomp);

// jose_rsa_fast_differs tells that an operation with this form was done and its result is not what a
// better judge found. The form is made anew; where that repeats, the key goes another way, and the
// vector kernels are asked their known answers again.
void jose_rsa_fast_differs(jose_rsa_fast *fast, const jose_rsa_precomp *precomp);

#endif
