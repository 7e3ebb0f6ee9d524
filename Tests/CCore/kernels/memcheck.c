// memcheck.c: no branch and no address depends on a key or a message, as valgrind's memcheck sees
// the built code that needs no AVX-512: preparing a key, the integers around the exponentiations,
// and a private operation by doubles. All secrets are undefined. valgrind rounds to nearest, so the
// result by doubles is another number; the branches and addresses are the same.
//
// With the argument `leak` it branches on a bit of a result, which must be reported.

#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "fma_power.h"
#include "fma_private.h"
#include "ifma_power.h"
#include "selftest_data.h"

enum { MAX_SIZE = JOSE_RSA_KERNEL_MAX_BYTES };

static jose_private_numbers numbers;
static uint64_t c[JOSE_PRIVATE_LIMBS], m[JOSE_PRIVATE_LIMBS];
static uint64_t xp[JOSE_HALF_LIMBS], xq[JOSE_HALF_LIMBS], h[JOSE_HALF_LIMBS];
static uint8_t bytes[MAX_SIZE], out[MAX_SIZE];

// Undefined limbs below every prime.
static void make_limbs(uint64_t *limbs, int count, uint64_t seed)
{
    jose_selftest_noise((uint8_t *)limbs, 8 * (size_t)count, seed);
    for (int i = 0; i < count; i++) limbs[i] >>= i < count - 1 ? 12 : 40;
    VALGRIND_MAKE_MEM_UNDEFINED(limbs, 8 * (size_t)count);
}

// Fills `numbers`. The first and the last byte of a prime are known, as is_prime_shaped says.
static bool prepare(size_t size)
{
    uint8_t parts[JOSE_SELFTEST_NUMBERS][MAX_SIZE / 2];
    for (int i = 0; i < JOSE_SELFTEST_NUMBERS; i++) {
        jose_selftest_private(parts[i], size / 2, 0, (jose_selftest_number)i);
        VALGRIND_MAKE_MEM_UNDEFINED(parts[i], size / 2);
        if (i > JOSE_SELFTEST_Q) continue;
        VALGRIND_MAKE_MEM_DEFINED(parts[i], 1);
        VALGRIND_MAKE_MEM_DEFINED(&parts[i][size / 2 - 1], 1);
    }
    const jose_rsa_crt crt = {NULL, NULL, parts[0], parts[1], parts[2], parts[3], parts[4]};
    memset(&numbers, 0, sizeof numbers);
    return jose_private_fill(&numbers, &crt, size);
}

static bool is_undefined(const void *word)
{
    uint8_t undefined[8] = {0};
    return !RUNNING_ON_VALGRIND ||
           (VALGRIND_GET_VBITS(word, undefined, sizeof undefined) == 1 && undefined[0] != 0);
}

// The steps around the exponentiations, in the order of an operation.
static bool run_integers(size_t size)
{
    const int limbs = jose_half_limbs(size);
    static uint64_t words[8 * JOSE_HALF_LIMBS];
    static uint8_t modulus[MAX_SIZE];
    static int64_t signed_limbs[2 * JOSE_HALF_LIMBS + 2];
    make_limbs(xp, limbs, 1), make_limbs(xq, limbs, 2), make_limbs(h, limbs, 3);
    jose_reduce_once(xp, numbers.p.prime, limbs);
    jose_reduce_once(xq, numbers.q.prime, limbs);
    jose_crt_difference(h, &numbers, xp, xq, limbs);
    jose_ifma_upper(xp, numbers.p.prime, numbers.p.inverse[0], numbers.p.inverse[1], limbs);
    if (!is_undefined(xp)) return false;
    jose_lanes_put(words, size == 256 ? 5 : 8, 4, h, limbs < 32 ? limbs : 32);
    jose_lanes_get(h, limbs < 32 ? limbs : 32, words, size == 256 ? 5 : 8, 4);
    jose_lane_put(words, 3, h, limbs);
    jose_lane_get(h, limbs, words, 3);
    jose_reduce_once(h, numbers.p.prime, limbs);
    memset(m, 0, sizeof m);
    jose_crt_recombine(m, &numbers, h, xq, limbs);
    jose_limbs_to_bytes(bytes, size, m);
    jose_limbs_from_bytes(c, 2 * limbs, bytes, size);
    memset(modulus, 0x99, sizeof modulus);
    bytes[0] ^= (uint8_t)jose_below_portable(bytes, modulus, size);
    jose_fma_limbs_read(signed_limbs, -1, bytes, size);
    jose_fma_limbs_write(out, size, signed_limbs, -1, modulus);
    return is_undefined(out);
}

int main(int count, char **arguments)
{
    (void)arguments;
    bool is_secret = true;  // else the check sees nothing
    for (size_t size = 256; size <= MAX_SIZE; size += 128) {
        if (!prepare(size)) return 1;
        is_secret = is_undefined(numbers.p.r3) && is_undefined(numbers.coefficient) &&
                    run_integers(size) && is_secret;
    }
    if (!prepare(256)) return 1;
    make_limbs(c, 39, 4);
    c[39] = 0;
    jose_fma_private_power(&numbers, JOSE_EXPONENT_D, m, c);
    is_secret = is_undefined(m) && is_secret;
    if (count > 1 && (m[0] & 1) != 0) puts("odd");
    if (!is_secret) puts("FAILED  memcheck: a result of secrets is defined");
    puts("memcheck  no branch or address of the integers or of the doubles depends on a secret");
    return !is_secret;
}
