// prove_selftest.c: recomputes the known answers with OpenSSL, and tests broken kernels.

#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

#include "private_key.h"
#include "prove.h"
#include "selftest_data.h"

static enum { WHOLE,
              BREAK_RSA,
              BREAK_X8,
              BREAK_FMA,
              BREAK_FMA_X4,
              BREAK_PRIVATE,
              BREAK_PRIVATE_X4,
              BREAK_PRIVATE_FMA,
              BREAK_RENEWAL,
              BREAK_STEP_X4,
              NO_MEMORY } broken;
static unsigned asked;  // how many operations there were

// The table of the kernels, with functions that may be broken.
static void *broken_key(int which, const BIGNUM *n, const BIGNUM *e)
{
    return broken == NO_MEMORY ? NULL : jose_rsa_kernels[which].key_new(n, e);
}

static jose_rsa_outcome broken_op(int which, int breaks, const void *key, uint8_t *out,
                                  const uint8_t *in)
{
    const jose_rsa_outcome outcome = jose_rsa_kernels[which].run(key, out, in);
    if ((int)broken == breaks) out[77] ^= 4;
    asked++;
    return outcome;
}

static jose_rsa_lanes broken_ops(int which, int breaks, const void *const *keys,
                                 uint8_t *const *out, const uint8_t *const *in)
{
    const jose_rsa_lanes lanes = jose_rsa_kernels[which].run_together(keys, out, in);
    if ((int)broken == breaks) out[jose_rsa_kernels[which].lanes - 1][200] ^= 1;
    return lanes;
}

#define BROKEN(WHICH, ONE, TOGETHER)                                                            \
    static void *broken_key_##WHICH(const BIGNUM *n, const BIGNUM *e)                           \
    {                                                                                           \
        return broken_key(WHICH, n, e);                                                         \
    }                                                                                           \
    static void broken_free_##WHICH(void *key)                                                  \
    {                                                                                           \
        jose_rsa_kernels[WHICH].key_free(key);                                                  \
    }                                                                                           \
    static jose_rsa_outcome broken_op_##WHICH(const void *key, uint8_t *out, const uint8_t *in) \
    {                                                                                           \
        return broken_op(WHICH, ONE, key, out, in);                                             \
    }                                                                                           \
    static jose_rsa_lanes broken_ops_##WHICH(const void *const *keys, uint8_t *const *out,      \
                                             const uint8_t *const *in)                          \
    {                                                                                           \
        return broken_ops(WHICH, TOGETHER, keys, out, in);                                      \
    }
BROKEN(0, BREAK_RSA, BREAK_X8)
BROKEN(1, BREAK_FMA, BREAK_FMA_X4)
#define BROKEN_ROW(WHICH, LANES)                                                        \
    {                                                                                   \
        .lanes = LANES, .key_new = broken_key_##WHICH, .key_free = broken_free_##WHICH, \
        .run = broken_op_##WHICH, .run_together = broken_ops_##WHICH                    \
    }
static const jose_rsa_kernel broken_kernels[] = {BROKEN_ROW(0, JOSE_RSA_KERNEL_LANES),
                                                 BROKEN_ROW(1, JOSE_FMA_LANES)};

static jose_rsa_outcome broken_private(const jose_rsa_private_key *key,
                                       jose_rsa_blinding *blinding, uint8_t *out,
                                       const uint8_t *in)
{
    const jose_rsa_outcome outcome = jose_rsa_private_run(key, blinding, out, in);
    if (broken == (key->kernel == 0 ? BREAK_PRIVATE : BREAK_PRIVATE_FMA)) out[77] ^= 4;
    asked++;
    return outcome;
}

static jose_rsa_lanes broken_private_x4(const jose_rsa_private_key *const *keys,
                                        jose_rsa_blinding *const *blindings, uint8_t *const *out,
                                        const uint8_t *const *in)
{
    const jose_rsa_lanes lanes = jose_rsa_private_run_together(keys, blindings, out, in);
    if (broken == BREAK_PRIVATE_X4) out[JOSE_RSA_PRIVATE_LANES - 1][200] ^= 1;
    return lanes;
}

static jose_rsa_outcome broken_renew(const jose_rsa_private_key *key, jose_rsa_blinding *blinding,
                                     const uint8_t *random)
{
    const jose_rsa_outcome outcome = jose_rsa_blinding_renew(key, blinding, random);
    if (broken == BREAK_RENEWAL) blinding->unblind[0] ^= 4;
    return outcome;
}

static void broken_step_x4(const jose_private_numbers *const keys[JOSE_RSA_PRIVATE_LANES],
                           jose_step x[JOSE_RSA_PRIVATE_LANES], const jose_step *y)
{
    jose_ifma_private_step_x4(keys, x, y);
    if (broken == BREAK_STEP_X4) x[0].q[1] ^= 1;
}

extern atomic_uint selftest_mistrusted;

static bool selftest_is_off(unsigned kernel)
{
    return (atomic_load(&selftest_mistrusted) & kernel) != 0;
}

#define jose_rsa_kernels broken_kernels
#define jose_rsa_private_run broken_private
#define jose_rsa_private_run_together broken_private_x4
#define jose_rsa_blinding_renew broken_renew
#define jose_ifma_private_step_x4 broken_step_x4
#define jose_kernel_is_off selftest_is_off
#define jose_kernel_usable selftest_usable
#define jose_kernel_usable_at selftest_usable_at
#define jose_kernel_is_untested selftest_is_unasked
#define jose_kernel_is_off_after_test selftest_is_off_after_test
#define jose_kernel_switch_off selftest_switch_off
#define jose_kernel_watch selftest_watch
#define jose_kernel_retest selftest_doubt
#define jose_kernels_disabled selftest_mistrusted
#define jose_selftest_one selftest_one
#define jose_selftest_x4 selftest_x4
#include "selftest.c"
#include "selftest_private.c"
#undef jose_rsa_kernels
#undef jose_rsa_private_run
#undef jose_rsa_private_run_together
#undef jose_rsa_blinding_renew
#undef jose_ifma_private_step_x4
#undef jose_kernel_is_off
#undef jose_kernel_usable
#undef jose_kernel_usable_at
#undef jose_kernel_is_untested
#undef jose_kernel_is_off_after_test
#undef jose_kernel_switch_off
#undef jose_kernel_watch
#undef jose_kernel_retest

static void add_answer(SHA256_CTX *hash, int bits, int number, uint32_t exponent, BN_CTX *context)
{
    uint8_t bytes[512];
    const size_t size = (size_t)bits / 8;
    BIGNUM *e = BN_new(), *y = BN_new();
    jose_selftest_modulus(bytes, size, number);
    BIGNUM *n = BN_bin2bn(bytes, (int)size, NULL);
    jose_selftest_message(bytes, size, number);
    BIGNUM *x = BN_bin2bn(bytes, (int)size, NULL);
    BN_set_word(e, exponent);
    PROVE(BN_mod_exp(y, x, e, n, context) == 1, "reference");
    BN_bn2binpad(y, bytes, (int)size);
    SHA256_Update(hash, bytes, size);
    BN_free(n), BN_free(x), BN_free(e), BN_free(y);
}

static void agree(const char *name, SHA256_CTX *hash, const uint8_t expected[32])
{
    uint8_t digest[32];
    SHA256_Final(digest, hash);
    if (memcmp(digest, expected, 32) == 0) return;
    printf("%s must be {", name);
    for (int i = 0; i < 32; i++) printf("0x%02x,%s", digest[i], i < 31 ? " " : "}\n");
    prove_fail("self-test", "its result is not OpenSSL's");
}

static unsigned heard;

static void hear(unsigned kernel)
{
    PROVE((heard & kernel) == 0, "self-test: reported twice");
    heard |= kernel;
}

static unsigned usable_to(unsigned last)
{
    unsigned set = 0;
    for (unsigned kernel = JOSE_KERNEL_RSA; kernel <= last; kernel *= 2)
        if (selftest_usable(kernel)) set |= kernel;
    return set;
}

static unsigned usable(void)
{
    return usable_to(JOSE_KERNEL_LAST);
}

// As in a new process.
static void forget(void)
{
    atomic_store(&jose_kernels_disabled, 0);
    atomic_store(&reported, 0);
    heard = 0;
    for (int i = 0; i < KERNELS; i++) {
        for (int index = 0; index < JOSE_SELFTEST_SIZES; index++)
            atomic_store(&entries[i].results[index], UNKNOWN);
        atomic_store(&entries[i].last_retest, 0);
    }
}

// ask_with tests with one broken kernel and returns what is usable then.
static unsigned ask_with(int which, unsigned *failed)
{
    forget();
    broken = which;
    const unsigned set = usable();
    *failed = atomic_load(&jose_kernels_disabled);
    PROVE(heard == *failed, "self-test: each failure is reported once");
    return set;
}

// Whatever the host set, every kernel gives its known answers, and the settings are unchanged:
// public kernels under every seventh setting, private ones, whose answers take ten times as long,
// under every 31st.
static void prove_under_hosts(unsigned all)
{
#if JOSE_KERNELS_X86
    const uint32_t usual = prove_settings();
    for (uint32_t number = 0; number < PROVE_HOSTS; number++) {
        if (number % 7 != 0 && number % 31 != 0) continue;
        const unsigned last = number % 31 == 0 ? JOSE_KERNEL_LAST : JOSE_KERNEL_LAST_PUBLIC;
        forget();
        broken = WHOLE;
        prove_set(prove_host(number));
        const unsigned set = usable_to(last);
        const uint32_t after = prove_settings();
        prove_set(usual);
        PROVE(set == (all & (2 * last - 1)) && heard == 0 && after == prove_host(number),
              "self-test under a host's settings");
    }
#else
    (void)all;
#endif
}

// A kernel is retested at most once a minute; only a wrong answer switches it off.
static void prove_doubts(unsigned all, unsigned one, unsigned together, int breaks)
{
    const unsigned both = all & (one | together);
    forget();
    broken = WHOLE;
    retest(both, 1);  // not tested yet: its first use will test it
    PROVE(usable() == all, "doubt");
    asked = 0;
    retest(both, 1000);
    PROVE((asked > 0) == (both != 0) && usable() == all, "a right kernel stays");
    const unsigned once = asked;
    for (int64_t now = 1000; now < 1060; now++) retest(both, now);
    PROVE(asked == once, "not within a minute");
    broken = breaks;
    retest(together, 1060);
    PROVE(usable() == all, "another kernel's doubt");
    retest(both, 1060);
    PROVE(usable() == (all & ~one), "a broken one is off");
    PROVE(heard == (all & one), "and is reported");
    selftest_doubt(both);
    PROVE(usable() == (all & ~one), "by the clock");

    // If memory runs out there is no result, neither now nor later.
    forget();
    broken = NO_MEMORY;
    PROVE(usable() == 0 && heard == 0, "without memory");
    broken = WHOLE;
    PROVE(usable() == all, "with memory again");
    broken = NO_MEMORY;
    retest(both, 5000);
    PROVE(usable() == all && heard == 0, "a doubt without memory");
}

// One size is tested when it is needed, and no other. A wrong answer at any size is final for all.
static void prove_sizes(unsigned all, unsigned one, int breaks)
{
    if ((all & one) == 0) return;
    forget();
    broken = WHOLE;
    asked = 0;
    PROVE(selftest_is_unasked(one, 256) && selftest_is_unasked(one, 384) && asked == 0, "unasked");
    PROVE(!selftest_is_unasked(one, 255) && !selftest_usable_at(one, 255) &&
              !selftest_usable_at(one, 640) && asked == 0,
          "no such size");
    for (unsigned times = 1; times <= JOSE_SELFTEST_SIZES; times++) {
        const size_t size = 128 + 128 * times;
        PROVE(selftest_usable_at(one, size) && !selftest_is_unasked(one, size), "a size");
        PROVE(asked == times * JOSE_SELFTEST_EXPONENTS && selftest_usable_at(one, size),
              "it alone, once");
    }
    PROVE(selftest_usable(one) && asked == JOSE_SELFTEST_SIZES * JOSE_SELFTEST_EXPONENTS,
          "then all");
    forget();
    PROVE(selftest_usable_at(one, 256), "right");
    broken = breaks;
    PROVE(!selftest_usable_at(one, 512) && heard == one, "wrong at another size");
    broken = WHOLE;
    PROVE(!selftest_usable_at(one, 256) && !selftest_usable_at(one, 384) &&
              !selftest_is_unasked(one, 384) && !selftest_usable(one),
          "off for all");
    forget();
    broken = NO_MEMORY;
    PROVE(!selftest_usable_at(one, 384) && selftest_is_unasked(one, 384) && heard == 0,
          "without memory");
    broken = WHOLE;
    PROVE(selftest_usable_at(one, 384), "with memory again");
}

// A watcher that is set late gets earlier reports, and none twice.
static void prove_late_watcher(void)
{
    selftest_watch(NULL);
    atomic_store(&jose_kernels_disabled, 0);
    atomic_store(&reported, 0);
    heard = 0;
    selftest_switch_off(JOSE_KERNEL_RSA_X8);
    PROVE(heard == 0, "no watcher");
    selftest_watch(hear);
    PROVE(heard == JOSE_KERNEL_RSA_X8, "reported late");
    selftest_switch_off(JOSE_KERNEL_RSA_X8);
    selftest_switch_off(JOSE_KERNEL_RSA);
    PROVE(heard == (JOSE_KERNEL_RSA_X8 | JOSE_KERNEL_RSA), "reported once");
}

void prove_selftest(void)
{
    BN_CTX *context = BN_CTX_new();
    for (int index = 0; index < JOSE_SELFTEST_SIZES; index++) {
        const int bits = 2048 + 1024 * index;
        SHA256_CTX rsa_hash, rsa_x8_hash;
        SHA256_Init(&rsa_hash), SHA256_Init(&rsa_x8_hash);
        for (int i = 0; i < JOSE_SELFTEST_EXPONENTS; i++)
            add_answer(&rsa_hash, bits, i, jose_selftest_exponents[i], context);
        for (int l = 0; l < 8; l++) add_answer(&rsa_x8_hash, bits, l, 65537, context);
        agree("jose_selftest_rsa", &rsa_hash, jose_selftest_rsa[index]);
        agree("jose_selftest_rsa_x8", &rsa_x8_hash, jose_selftest_rsa_x8[index]);
    }
    BN_CTX_free(context);

    unsigned failed;
    selftest_watch(hear);
    const unsigned all = ask_with(WHOLE, &failed);
    PROVE(failed == 0, "self-test");
    for (unsigned kernel = 1; kernel <= JOSE_KERNEL_LAST; kernel *= 2)
        PROVE(jose_kernel_usable(kernel) == ((all & kernel) != 0) &&
                  !jose_kernel_is_off_after_test(kernel),
              "self-test");
    static const struct {
        int which;
        unsigned kernels;
    } faults[] = {{BREAK_RSA, JOSE_KERNEL_RSA},
                  {BREAK_X8, JOSE_KERNEL_RSA_X8},
                  {BREAK_FMA, JOSE_KERNEL_RSA_FMA},
                  {BREAK_FMA_X4, JOSE_KERNEL_RSA_FMA_X4},
                  {BREAK_PRIVATE, JOSE_KERNEL_RSA_PRIVATE},
                  {BREAK_PRIVATE_X4, JOSE_KERNEL_RSA_PRIVATE_X4},
                  {BREAK_PRIVATE_FMA, JOSE_KERNEL_RSA_PRIVATE_FMA},
                  {BREAK_RENEWAL, JOSE_KERNEL_RSA_PRIVATE | JOSE_KERNEL_RSA_PRIVATE_FMA},
                  {BREAK_STEP_X4, JOSE_KERNEL_RSA_PRIVATE | JOSE_KERNEL_RSA_PRIVATE_X4}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        PROVE(ask_with(faults[i].which, &failed) == (all & ~faults[i].kernels), "broken kernel");
        PROVE(failed == (all & faults[i].kernels), "broken kernel");
    }
    prove_under_hosts(all);
    prove_doubts(all, JOSE_KERNEL_RSA, JOSE_KERNEL_RSA_X8, BREAK_RSA);
    prove_doubts(all, JOSE_KERNEL_RSA_FMA, JOSE_KERNEL_RSA_FMA_X4, BREAK_FMA);
    prove_sizes(all, JOSE_KERNEL_RSA, BREAK_RSA);
    prove_sizes(all, JOSE_KERNEL_RSA_FMA, BREAK_FMA);
    prove_late_watcher();
    printf("selftest answers are OpenSSL's; usable kernels %u; broken ones are switched off\n",
           all);
}
