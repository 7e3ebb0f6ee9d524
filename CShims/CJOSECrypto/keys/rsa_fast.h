// rsa_fast.h: RSA public operations by the most preferred implementation that a key can use.
#ifndef JOSE_RSA_FAST_H
#define JOSE_RSA_FAST_H

#include <stdatomic.h>

#include "rsa_bn.h"

// The largest modulus that gains from these implementations: 8192 bits.
enum { JOSE_RSA_FAST_MAX_BYTES = 1024 };

// The implementations of RSA public operations, the most preferred first: the vector kernels,
// OpenSSL's Montgomery functions, EVP alone.
enum { JOSE_RSA_IMPL_BN = JOSE_RSA_KERNELS,
       JOSE_RSA_IMPL_EVP,
       JOSE_RSA_IMPLS };

// A public key's n and e, and the constants that one implementation computes from them at the first
// use. The implementation is the most preferred one that the key may use. Threads may share the
// object.
//
// The test of a vector kernel costs more than one use. So the first JOSE_RSA_EARLY_USES uses of all
// keys of one size in a process skip vector kernels that were not tested yet.
typedef struct jose_rsa_fast jose_rsa_fast;

enum { JOSE_RSA_EARLY_USES = 16 };

// The precomputed constants of a key: a vector key, a portable key, or neither if only EVP
// computes. They live as long as their jose_rsa_fast, even after they are replaced, since threads
// may still use them.
typedef struct jose_rsa_precomp {
    int impl;
    bool waits;                     // a more preferred kernel is tested after the early uses
    const jose_rsa_kernel *kernel;  // NULL if there is no vector key
    void *vector;                   // the vector key
    uint32_t size, e;               // of the vector key: modulus size, exponent
    jose_rsa_bn_key *portable;
    struct jose_rsa_precomp *older;  // the constants that were dropped before these
} jose_rsa_precomp;

// After so many wrong results or corrupted constants, a key stops using an implementation.
enum { JOSE_RSA_MAX_DIFFERENCES = 2,
       JOSE_RSA_MAX_CORRUPTIONS = 3 };

// jose_rsa_fast_new keeps pointers to the big-endian numbers, which must outlive it. `vectors`
// allows the vector kernels. Returns NULL if memory runs out or the modulus is too large.
jose_rsa_fast *jose_rsa_fast_new(const uint8_t *modulus, size_t modulus_len,
                                 const uint8_t *exponent, size_t exponent_len, bool vectors);
void jose_rsa_fast_free(jose_rsa_fast *fast);

// jose_rsa_fast_ready returns the current precomputed constants and counts a use (simultaneous uses
// may count as one). Returns NULL if jose_rsa_fast_precomp must compute constants or select the
// implementation again. That function calls OpenSSL, which may leave error entries.
const jose_rsa_precomp *jose_rsa_fast_ready(jose_rsa_fast *fast);

// jose_rsa_fast_precomp returns the current precomputed constants and computes them if needed.
// Returns NULL if memory runs out or fast is NULL.
const jose_rsa_precomp *jose_rsa_fast_precomp(jose_rsa_fast *fast);

// jose_rsa_fast_open computes signature^e mod n, the block in a signature, as long as the modulus.
// precomp has constants of this key; if it is NULL, the result is JOSE_RSA_DECLINED. *scratch
// starts as NULL, belongs to one thread at a time and is freed by jose_rsa_bn_scratch_free. Vector
// kernels need no scratch; other implementations decline if scratch is NULL. Corrupted constants
// are dropped and recomputed at the next use.
jose_rsa_outcome jose_rsa_fast_open(jose_rsa_fast *fast, const jose_rsa_precomp *precomp,
                                    jose_rsa_bn_scratch **scratch, uint8_t *block,
                                    const uint8_t *signature);

// jose_rsa_fast_report_corruption drops corrupted constants, to be recomputed at the next use.
void jose_rsa_fast_report_corruption(jose_rsa_fast *fast, const jose_rsa_precomp *precomp);

// jose_rsa_fast_report_mismatch reports that these constants gave another result than a more
// reliable implementation. They are dropped and recomputed at the next use. After the second report
// the key stops using this implementation; a vector kernel is then retested. Reports about
// constants that were dropped already are ignored.
void jose_rsa_fast_report_mismatch(jose_rsa_fast *fast, const jose_rsa_precomp *precomp);

#endif
