// timing.c: whether the time of a private operation depends on the message or the exponents, by
// Welch's t-test over interleaved samples (dudect: Reparaz, Balasch and Verbauwhede, 2017).
//
// Both classes are copied to the same memory before each sample: two keys at two addresses differ
// by more than any secret. Blinding is left out, since it would hide a dependence on the message.
//
// A batch runs whole, with blinding and the decoding of each item: it must not show that an item
// does not decode, or which.

#include <math.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string.h>
#include <x86intrin.h>

#include "keymgmt/keymgmt.h"
#include "keys/key.h"
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

// What is timed: copies a class to the memory that both share, and returns the time in cycles.
typedef uint64_t sampler(int which);

#define TIMED(operation)                       \
    unsigned ignored;                          \
    const uint64_t start = __rdtscp(&ignored); \
    operation;                                 \
    return __rdtscp(&ignored) - start

static uint64_t m[LANES][JOSE_PRIVATE_LIMBS], c[LANES][JOSE_PRIVATE_LIMBS];

static uint64_t one_by_ifma(int which)
{
    memcpy(&used, &classes[which], sizeof used);
    TIMED(jose_ifma_private_power(&used.numbers, JOSE_EXPONENT_D, m[0], used.c));
}

static uint64_t one_by_doubles(int which)
{
    memcpy(&used, &classes[which], sizeof used);
    TIMED(jose_fma_private_power(&used.numbers, JOSE_EXPONENT_D, m[0], used.c));
}

// Lanes of one key. The first ones have the message of the class, the others that of class 1.
static uint64_t lanes_of(int which, int messages)
{
    memcpy(&used, &classes[which], sizeof used);
    const jose_private_numbers *keys[LANES];
    for (int i = 0; i < LANES; i++) {
        keys[i] = &used.numbers;
        memcpy(c[i], i < messages ? used.c : classes[1].c, sizeof c[i]);
    }
    TIMED(jose_ifma_private_power_x4(keys, JOSE_EXPONENT_D, m,
                                     (const uint64_t(*)[JOSE_PRIVATE_LIMBS])c));
}

static uint64_t four(int which)
{
    return lanes_of(which, LANES);
}

static uint64_t one_of_four(int which)
{
    return lanes_of(which, 1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sets *difference to the relative difference of the means of the faster half of both classes,
// which has no interruption, and returns Welch's t.
static double compare(sampler *sample, int samples, double *difference)
{
    int count[2] = {0, 0};
    double mean[2], variance[2];
    while (count[0] < samples || count[1] < samples) {
        uint8_t coin;
        need(jose_random(&coin, 1) == JOSE_OK);
        const int which = coin & 1;
        if (count[which] == samples) continue;
        times[which][count[which]++] = (double)sample(which);
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
static void check_classes(const char *name, const char *what, sampler *sample, size_t size,
                          int samples)
{
    double t = 0, difference = 0;
    int times_seen = 0;
    for (; times_seen < 3; times_seen++) {
        t = compare(sample, samples, &difference);
        if (fabs(t) < 4.5 || difference < 0.001) break;
    }
    printf("private  timing, %s, %zu bits, %s: t %.1f, difference %.3f %%\n", name, 8 * size, what,
           t, 100 * difference);
    need(times_seen < 3);
}

static void check(const char *name, sampler *sample, size_t size, int samples)
{
    static const char *const what[] = {"messages", "exponents"};
    for (int exponents = 0; exponents < 2; exponents++) {
        fill(&classes[0], size, exponents, !exponents);
        fill(&classes[1], size, false, false);
        check_classes(name, what[exponents], sample, size, samples);
    }
}

// MARK: batches

enum { VARIANTS = 32 };

// The encrypted keys of a batch: of class 1 one does not decode, in each lane and for each reason.
static uint8_t encrypted[2][VARIANTS][LANES][MAX_BYTES];
static subject batch_subject;
static operation batch_operation;

static void encrypt(uint8_t *out, const uint8_t *in, size_t len, bool by_oaep)
{
    size_t size = batch_subject.size;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(batch_subject.key->pkey, NULL);
    need(context != NULL && EVP_PKEY_encrypt_init(context) == 1);
    need(EVP_PKEY_CTX_set_rsa_padding(
             context, by_oaep ? RSA_PKCS1_OAEP_PADDING : RSA_NO_PADDING) == 1);
    if (by_oaep) need(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1);
    need(EVP_PKEY_encrypt(context, out, &size, in, len) == 1 && size == batch_subject.size);
    EVP_PKEY_CTX_free(context);
}

static void encrypt_wrong(uint8_t *out, int reason)
{
    enum { BAD_PADDING,
           BAD_FIRST_BYTE,
           BAD_LENGTH,
           REASONS };
    uint8_t block[MAX_BYTES];
    need(jose_random(block, batch_subject.size) == JOSE_OK);
    block[0] = reason % REASONS == BAD_PADDING ? 0 : 1;  // below n
    if (reason % REASONS == BAD_LENGTH)
        encrypt(out, block, CEK / 2, true);
    else
        encrypt(out, block, batch_subject.size, false);
}

// The operations, or the decoding of the items: next to the operations its time would not show.
static uint64_t batch_of_four(int which, bool decodes)
{
    static uint8_t keys[LANES][MAX_BYTES], ceks[LANES][CEK];
    const jose_recipient none = {0};
    uint8_t variant;
    need(jose_random(&variant, 1) == JOSE_OK);
    memcpy(keys, encrypted[which][variant % VARIANTS], sizeof keys);
    jose_private_batch *batch = jose_private_batch_make(LANES);
    jose_keymgmt_slot *slot = jose_keymgmt_take(batch_operation.opener);
    need(batch != NULL && slot != NULL);
    for (int i = 0; i < LANES; i++)
        need(jose_private_batch_add_key(batch, batch_operation.opener, keys[i],
                                        batch_subject.size) == i);
    unsigned ignored;
    uint64_t start = __rdtscp(&ignored);
    jose_private_batch_run(batch);
    uint64_t end = __rdtscp(&ignored);
    if (decodes) start = end;
    for (int i = 0; decodes && i < LANES; i++) {
        const jose_unwrap call = {.recipient = &none,
                                  .encrypted_key = keys[i],
                                  .encrypted_key_len = batch_subject.size,
                                  .computed = jose_private_batch_item(batch, (size_t)i)};
        (void)batch_operation.opener->entry->unwrap(batch_operation.opener, slot, &call, ceks[i],
                                                    CEK);
    }
    if (decodes) end = __rdtscp(&ignored);
    jose_keymgmt_put(batch_operation.opener, slot);
    jose_private_batch_free(batch);
    return end - start;
}

static uint64_t batch_operations(int which)
{
    return batch_of_four(which, false);
}

static uint64_t batch_decoding(int which)
{
    return batch_of_four(which, true);
}

static void check_batch(size_t size, int samples)
{
    batch_subject = subject_make((uint32_t)(8 * size));
    batch_operation = operation_make(&batch_subject, OAEP, accelerated);
    operation_warm(&batch_operation, &batch_subject);
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < VARIANTS; i++)
            for (int lane = 0; lane < LANES; lane++) {
                uint8_t *out = encrypted[which][i][lane];
                if (which == 1 && i % LANES == lane)
                    encrypt_wrong(out, i / LANES);
                else
                    encrypt(out, batch_subject.cek, CEK, true);
            }
    const unsigned calls = fault_lane_calls(), by_evp = evp_calls;
    check_classes("batch", "a wrong item", batch_operations, size, samples);
    check_classes("decoding of a batch", "a wrong item", batch_decoding, size, samples);
    need(fault_lane_calls() - calls >= 4 * (unsigned)samples && evp_calls == by_evp);
    operation_free(&batch_operation);
    jose_key_release(batch_subject.key);
}

void check_timing(int samples)
{
    if (samples > MAX_SAMPLES) samples = MAX_SAMPLES;
    if (jose_rsa_private_kernels[0].is_present())
        for (size_t size = 256; size <= 512; size += 128) {
            if (size < 512) check("one", one_by_ifma, size, samples);
            check("four", four, size, samples);
            check("one of four", one_of_four, size, samples);
            check_batch(size, samples);
        }
    if (jose_rsa_private_kernels[1].is_present()) check("doubles", one_by_doubles, 256, samples);
}
