// prove.c: runs the parts of the kernel proof. Public kernels get SECONDS, private ones a fifth of
// that in addition.
// Usage: prove SECONDS [SEED [rsa|doubles|blocks|private]]
//        prove 0 SEED private BITS KEYS OPERATIONS [STATE]

#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state, first_seed;
static double end;

uint64_t prove_random(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t prove_below(uint64_t bound)
{
    return prove_random() % bound;
}

void prove_bytes(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        const uint64_t word = prove_random();
        memcpy(bytes + i, &word, count - i < 8 ? count - i : 8);
    }
}

void prove_seed(uint64_t seed)
{
    state = first_seed = seed;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool prove_time_left(void)
{
    return now() < end;
}

void prove_allow(double seconds)
{
    end = now() + seconds;
}

void prove_fail(const char *what, const char *detail)
{
    printf("FAILED  %s: %s (seed %llu)\n", what, detail, (unsigned long long)first_seed);
    exit(1);
}

int main(int count, char **arguments)
{
    const double seconds = count > 1 ? atof(arguments[1]) : 10;
    const uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 0) : (uint64_t)time(NULL);
    const bool whole = count < 4;  // rsa: RSA alone gets all the time
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("seed %llu, %.0f seconds\n", (unsigned long long)seed, seconds);
    prove_seed(seed);
    if (!whole && strcmp(arguments[3], "blocks") == 0) {
        prove_portable();
        puts("all equal");
        return 0;
    }
    if (!whole && strcmp(arguments[3], "private") == 0) {
        if (count > 6)
            prove_private_campaign(atoi(arguments[4]), atoi(arguments[5]),
                                   strtoull(arguments[6], NULL, 0), seed,
                                   count > 7 ? arguments[7] : NULL);
        else
            prove_private(seconds);
        puts("all equal");
        return 0;
    }
    if (!whole &&
        strcmp(arguments[3], "doubles") == 0) {  // only what can kill a mutant of that kernel
        prove_edges();                           // also if a wrong probe hides the kernel
        prove_fma(seconds / 2);
        prove_fma_guards();
        prove_fma_host();
        prove_rsa(seconds / 2);
        puts("all equal");
        return 0;
    }
    prove_selftest();
    prove_limbs();
    prove_edges();
    prove_precomps();
    prove_portable();
    prove_forged();
    prove_rsa_guards();
    prove_fma_guards();
    prove_fma_host();
    if (whole) prove_fma(seconds / 5);
    if (whole) prove_private(seconds / 5);
    prove_rsa(whole ? seconds * 4 / 5 : seconds);
    puts("all equal");
    return 0;
}
