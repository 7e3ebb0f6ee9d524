// played_race.h: a race between ways of computing whose clock, speeds and memory are played; rsa_race.c alone is the
// library's. For edges_race.c.
#ifndef PLAYED_RACE_H
#define PLAYED_RACE_H

#include "faults.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "kernels/kernels.h"
#include "kernels/rsa_race.h"

enum { PLAYED = JOSE_RSA_WAYS };

static struct {
    int64_t now;            // what the clock says
    int clock_fails;        // from this reading on; 0: never
    int64_t granule;        // of what the clock says
    int64_t takes[PLAYED];  // how long an operation of a way takes
    int64_t more[PLAYED];   // and how much longer all but its last
    bool is_off[PLAYED];    // what may not be used
    bool has_no_memory[PLAYED];
    unsigned runs[PLAYED], made, freed;
    bool is_chosen;
    atomic_int waiting;  // threads that the first operation waits for
} played;

static int played_clock(clockid_t which, struct timespec *time)
{
    need(which == CLOCK_MONOTONIC, "the wall clock may be set");
    if (played.clock_fails > 0 && --played.clock_fails == 0) return played.clock_fails = 1, -1;
    const int64_t says = played.granule > 1 ? played.now / played.granule * played.granule : played.now;
    *time = (struct timespec){says / 1000000000, says % 1000000000};
    return 0;
}

static bool play(int way, uint8_t *out)
{
    while (atomic_load(&played.waiting) > 0) usleep(100);
    played.now += played.takes[way] + (played.runs[way] % 3 == 2 ? 0 : played.more[way]);
    played.runs[way]++;
    out[0] = 1;
    return true;
}

static void *play_key(int way)
{
    static int thing;
    if (played.has_no_memory[way]) return NULL;
    played.made++;
    return &thing;
}

static void drop_key(void *key)
{
    need(key != NULL, "a key that is none");
    played.freed++;
}

#if JOSE_KERNELS_X86
#define KERNEL(WAY)                                                                     \
    static void *key_##WAY(const BIGNUM *n, const BIGNUM *e)                            \
    {                                                                                   \
        need(BN_num_bits(n) % 1024 == 0 && BN_get_word(e) == 65537, "key");             \
        return play_key(WAY);                                                           \
    }                                                                                   \
    static jose_rsa_outcome run_##WAY(const void *key, uint8_t *out, const uint8_t *in) \
    {                                                                                   \
        (void)key, (void)in;                                                            \
        return play(WAY, out) ? JOSE_RSA_DONE : JOSE_RSA_DECLINED;                      \
    }
KERNEL(0)
KERNEL(1)
#define PLAYED_KERNEL(WAY)                                                             \
    {                                                                                  \
        .one = 1u << WAY, .key_new = key_##WAY, .key_free = drop_key, .run = run_##WAY \
    }
static const jose_rsa_kernel played_kernels[] = {PLAYED_KERNEL(0), PLAYED_KERNEL(1)};
#else
static const jose_rsa_kernel played_kernels[] = {{.lanes = 0}};
#endif

static bool played_usable_at(unsigned kernel, size_t size)
{
    need(size % 128 == 0, "size");
    const int way = __builtin_ctz(kernel);
    return !played.is_off[way] && !(played.has_no_memory[way] && played.more[way] < 0);
}

// A kernel that there was no memory to ask: `more` below 0 says so.
static bool played_unasked(unsigned kernel, size_t size)
{
    (void)size;
    const int way = __builtin_ctz(kernel);
    return !played.is_off[way] && played.has_no_memory[way] && played.more[way] < 0;
}

static jose_rsa_bn_key *played_bn_key(const BIGNUM *n, const BIGNUM *e)
{
    (void)n, (void)e;
    return play_key(JOSE_RSA_WAY_BN);
}

static void played_bn_free(jose_rsa_bn_key *key)
{
    if (key != NULL) drop_key(key);
}

static jose_rsa_outcome played_bn_run(const jose_rsa_bn_key *key, jose_rsa_bn_scratch *scratch, uint8_t *out,
                                      const uint8_t *in)
{
    (void)key, (void)scratch, (void)in;
    return play(JOSE_RSA_WAY_BN, out) ? JOSE_RSA_DONE : JOSE_RSA_DECLINED;
}

static void *played_evp_key(const uint8_t *modulus, size_t size)
{
    need((modulus[0] & 0x80) != 0 && (modulus[size - 1] & 1) != 0, "modulus");
    return played.is_off[JOSE_RSA_WAY_EVP] ? NULL : play_key(JOSE_RSA_WAY_EVP);
}

static bool played_evp_run(void *key, uint8_t *out, const uint8_t *in, size_t size)
{
    (void)key, (void)in, (void)size;
    return play(JOSE_RSA_WAY_EVP, out);
}

static const jose_rsa_provider provider = {played_evp_key, played_evp_run, drop_key};

static bool played_is_chosen(void)
{
    return played.is_chosen;
}

#define clock_gettime played_clock
#define jose_rsa_kernels played_kernels
#define jose_kernel_usable_at played_usable_at
#define jose_kernel_is_unasked played_unasked
#define jose_way_is_chosen played_is_chosen
#define jose_rsa_bn_key_new played_bn_key
#define jose_rsa_bn_key_free played_bn_free
#define jose_rsa_bn_run played_bn_run
#define jose_rsa_race_is_open played_is_open
#define jose_rsa_race_run played_race
#define jose_rsa_race_first played_first
#define jose_rsa_race_time played_time
#include "kernels/rsa_race.c"

#endif
