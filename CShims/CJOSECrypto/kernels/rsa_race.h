// rsa_race.h: which way of computing RSA public operations is the fastest here, measured once.
#ifndef JOSE_RSA_RACE_H
#define JOSE_RSA_RACE_H

#include "rsa_kernel.h"

// The ways in the order in which they are taken where nothing was measured: the vector kernels, OpenSSL's
// Montgomery functions, EVP alone.
enum { JOSE_RSA_WAY_BN = JOSE_RSA_KERNELS,
       JOSE_RSA_WAY_EVP,
       JOSE_RSA_WAYS,
       JOSE_RSA_WAY_NONE = -1 };

// EVP's bare public operation, which this floor does not know: the exponent is 65537, a NULL key is none.
typedef struct jose_rsa_provider {
    void *(*key_new)(const uint8_t *modulus, size_t size);
    bool (*run)(void *key, uint8_t *out, const uint8_t *in, size_t size);
    void (*key_free)(void *key);
} jose_rsa_provider;

// jose_rsa_race_is_open says whether a race for moduli of `size` bytes may still be run: it was not yet, and
// no test has chosen the way (cpu.h).
bool jose_rsa_race_is_open(size_t size);

// jose_rsa_race_run lets the ways that this processor has compute public operations on the self-test's key
// and message of this size in turns, less than a millisecond, once in a process. provider may be NULL. False
// where that is for another time: a thread is at it, there was no memory, or none may be run.
bool jose_rsa_race_run(size_t size, const jose_rsa_provider *provider);

// jose_rsa_race_first returns the way that goes before the others for this size, or JOSE_RSA_WAY_NONE where
// their order stays: nothing was measured, or no way gains a tenth.
int jose_rsa_race_first(size_t size);

// jose_rsa_race_time returns the best time of a way in nanoseconds; 0 where it took no part.
uint32_t jose_rsa_race_time(size_t size, int way);

#endif
