// memcheck.c: no branch and no address of a private operation by doubles depends on the key or the
// message, as valgrind's memcheck sees the built code. Both are undefined. valgrind rounds to
// nearest, so the result is another number; the branches and addresses are the same.
//
// With the argument `leak` it branches on a bit of the result, which must be reported.

#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "fma_private.h"
#include "selftest_data.h"

int main(int count, char **arguments)
{
    enum { SIZE = 256 };
    static jose_private_numbers numbers;
    static uint64_t c[JOSE_PRIVATE_LIMBS], m[JOSE_PRIVATE_LIMBS];
    uint8_t parts[JOSE_SELFTEST_NUMBERS][SIZE / 2];
    (void)arguments;
    for (int i = 0; i < JOSE_SELFTEST_NUMBERS; i++)
        jose_selftest_private(parts[i], SIZE / 2, 0, (jose_selftest_number)i);
    jose_selftest_noise((uint8_t *)c, sizeof c, 1);
    for (int i = 0; i < JOSE_PRIVATE_LIMBS; i++) c[i] = i < 39 ? c[i] >> 12 : 0;
    VALGRIND_MAKE_MEM_UNDEFINED(parts, sizeof parts);
    VALGRIND_MAKE_MEM_UNDEFINED(c, sizeof c);
    const jose_rsa_crt crt = {NULL, NULL, parts[0], parts[1], parts[2], parts[3], parts[4]};
    if (!jose_private_fill(&numbers, &crt, SIZE)) return 1;
    VALGRIND_MAKE_MEM_DEFINED(&numbers.size, sizeof numbers.size);
    jose_fma_private_power(&numbers, JOSE_EXPONENT_D, m, c);
    if (count > 1 && (m[0] & 1) != 0) puts("odd");
    uint8_t undefined[8] = {0};
    const bool is_secret = VALGRIND_GET_VBITS(m, undefined, sizeof undefined) == 1 &&
                           undefined[0] != 0;  // else the check sees nothing
    puts("memcheck  no branch or address of a private operation by doubles depends on a secret");
    return RUNNING_ON_VALGRIND && !is_secret;
}
