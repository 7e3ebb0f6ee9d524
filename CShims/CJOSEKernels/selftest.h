// selftest.h: what the known-answer tests of public and of private operations share.
#ifndef JOSE_SELFTEST_H
#define JOSE_SELFTEST_H

#ifndef OPENSSL_SUPPRESS_DEPRECATED
#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_*
#endif
#include "cjosekernels.h"

#include <openssl/bn.h>
#include <openssl/sha.h>
#include <string.h>

#include "kernels.h"
#include "selftest_data.h"

// The result of a test. UNKNOWN: not tested yet, or memory ran out.
typedef enum { UNKNOWN,
               RIGHT,
               WRONG } result;

static inline result compare_digest(SHA256_CTX *hash, const uint8_t expected[32])
{
    uint8_t digest[32];
    SHA256_Final(digest, hash);
    return memcmp(digest, expected, sizeof digest) == 0 ? RIGHT : WRONG;
}

// The modulus sizes by index: 2048, 3072 and 4096 bits.
static inline size_t size_at(int index)
{
    return 256 + 128 * (size_t)index;
}

// jose_selftest_one tests a private kernel with one operation at a time, jose_selftest_x4 with four
// at once. `which` is the kernel's index, and `index` that of the modulus size.
result jose_selftest_one(int which, int index);
result jose_selftest_x4(int which, int index);

#endif
