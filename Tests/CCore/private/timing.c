// timing.c: whether the time of a private operation depends on the message or the exponents, by
// Welch's t-test over interleaved samples (dudect: Reparaz, Balasch and Verbauwhede, 2017).
//
// Both classes are copied to the same memory before each sample: two keys at two addresses differ
// by more than any secret. Blinding is left out, since it would hide a dependence on the message.

#include <math.h>
#include <string.h>
#include <x86intrin.h>

#include "private.h"
#include "private_key.h"
#include "selftest_data.h"

enum { MAX_SAMPLES = 200000,
       LANES = JOSE_RSA_PRIVATE_LANES };

// A class: a key and a message.
typedef struct {
    jose_private_numbers numbers;
    uint64_t c[JOSE_PRIVATE_LIMBS];
} class;

static class classes[2], used;
static double times[2][MAX_SAMPLES];

// Fills a class. `sparse` exponents have two bits, and a `small` message is 2.
static void fill(class *made, size_t size, bool sparse, bool small)
{
    uint8_t parts[JOSE_SELFTEST_NUMBERS][MAX_BYTES / 2];
    const size_t half = size / 2;
    memset(made, 0, sizeof *made);
    for (int i = 0; i < JOSE_SELFTEST_NUMBERS; i++)
        jose_selftest_private(parts[i], half, 0, (jose_selftest_number)i);
    for (int i = JOSE_SELFTEST_DP; sparse && i <= JOSE_SELFTEST_DQ; i++) {
        memset(parts[i], 0, half);
        parts[i][0] = 0x20, parts[i][half - 1] = 1;
    }
    const jose_rsa_crt crt = {NULL, NULL, parts[0], parts[1], parts[2], parts[3], parts[4]};
    need(jose_private_fill(&made->numbers, &crt, size));
    const int limbs = 2 * jose_half_limbs(size);
    jose_selftest_noise((uint8_t *)made->c, 8 * (size_t)limbs, 77);
    for (int i = 0; i < limbs; i++) made->c[i] = small ? 2 * (i == 0) : made->c[i] >> 12;
    made->c[limbs - 1] = small ? 0 : 1;  // below n
}

static uint64_t sample(int kernel, bool together)
{
    static uint64_t m[LANES][JOSE_PRIVATE_LIMBS], c[LANES][JOSE_PRIVATE_LIMBS];
    const jose_private_numbers *keys[LANES];
    for (int i = 0; i < LANES; i++) {
        keys[i] = &used.numbers;
        memcpy(c[i], used.c, sizeof used.c);
    }
    unsigned ignored;
    const uint64_t start = __rdtsc();
    if (together)
        jose_ifma_private_power_x4(keys, JOSE_EXPONENT_D, m,
                                   (const uint64_t(*)[JOSE_PRIVATE_LIMBS])c);
    else if (kernel == 0)
        jose_ifma_private_power(&used.numbers, JOSE_EXPONENT_D, m[0], c[0]);
    else
        jose_fma_private_power(&used.numbers, JOSE_EXPONENT_D, m[0], c[0]);
    return __rdtscp(&ignored) - start;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sets *difference to the relative difference of the means of the faster half of both classes,
// which has no interruption, and returns Welch's t.
static double compare(int kernel, bool together, int samples, double *difference)
{
    int count[2] = {0, 0};
    double mean[2], variance[2];
    while (count[0] < samples || count[1] < samples) {
        uint8_t coin;
        need(jose_random(&coin, 1) == JOSE_OK);
        const int which = coin & 1;
        if (count[which] == samples) continue;
        memcpy(&used, &classes[which], sizeof used);
        times[which][count[which]++] = (double)sample(kernel, together);
    }
    for (int which = 0; which < 2; which++) {
        const int half = samples / 2;
        qsort(times[which], (size_t)samples, sizeof times[which][0], ascending);
        mean[which] = variance[which] = 0;
        for (int i = 0; i < half; i++) mean[which] += times[which][i] / half;
        for (int i = 0; i < half; i++)
            variance[which] += (times[which][i] - mean[which]) * (times[which][i] - mean[which]);
        variance[which] /= (double)half * (half - 1);
    }
    *difference = fabs(mean[0] - mean[1]) / mean[0];
    return (mean[0] - mean[1]) / sqrt(variance[0] + variance[1]);
}

// A dependence would show in every repetition; what another program does on a shared processor does
// not.
static void check(const char *name, int kernel, bool together, size_t size, int samples)
{
    static const char *const what[] = {"messages", "exponents"};
    for (int exponents = 0; exponents < 2; exponents++) {
        fill(&classes[0], size, exponents, !exponents);
        fill(&classes[1], size, false, false);
        double t = 0, difference = 0;
        int times_seen = 0;
        for (; times_seen < 3; times_seen++) {
            t = compare(kernel, together, samples, &difference);
            if (fabs(t) < 4.5 || difference < 0.001) break;
        }
        printf("private  timing, %s, %zu bits, %s: t %.1f, difference %.3f %%\n", name, 8 * size,
               what[exponents], t, 100 * difference);
        need(times_seen < 3);
    }
}

void check_timing(int samples)
{
    if (samples > MAX_SAMPLES) samples = MAX_SAMPLES;
    if (jose_rsa_private_kernels[0].is_present())
        for (size_t size = 256; size <= 512; size += 128) {
            if (size < 512) check("one", 0, false, size, samples);
            check("four", 0, true, size, samples);
        }
    if (jose_rsa_private_kernels[1].is_present()) check("doubles", 1, false, 256, samples);
}
