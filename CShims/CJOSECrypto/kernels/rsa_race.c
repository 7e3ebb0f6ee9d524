// rsa_race.c: which way of computing RSA public operations is the fastest here, measured once. It decides about speed
// alone: each way gave its known answers, and results are the same by all.

#include "rsa_race.h"

#include <openssl/bn.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"
#include "selftest_data.h"

// What a size knows. `racer` is the process whose thread is at it: a child that was forked meanwhile has another
// number and may begin anew.
typedef struct {
    atomic_int racer;
    atomic_bool is_done;
    atomic_int first;
    atomic_uint times[JOSE_RSA_WAYS];
} track;

static track tracks[JOSE_SELFTEST_SIZES] = {
    {.first = JOSE_RSA_WAY_NONE}, {.first = JOSE_RSA_WAY_NONE}, {.first = JOSE_RSA_WAY_NONE}};

// In turns, for a size each: a disturbance meets all alike, and the best counts.
static const int rounds[JOSE_SELFTEST_SIZES] = {8, 5, 3};

enum { EXPONENT = 65537,
       LEAST = 1000 };  // in nanoseconds; no processor is done in less, so the clock that says so is no clock

static track *track_of(size_t size)
{
    for (size_t place = 0; place < JOSE_SELFTEST_SIZES; place++)
        if (size == 256 + 128 * place) return &tracks[place];
    return NULL;
}

// MARK: who runs

typedef struct {
    int way;
    void *key;                     // of a vector kernel, or of EVP
    jose_rsa_bn_key *portable;     // of OpenSSL's functions
    jose_rsa_bn_scratch *scratch;  // likewise
    int64_t best;                  // 0: no time yet
    bool runs;
} rival;

static bool operate(const rival *one, const jose_rsa_provider *provider, uint8_t *out, const uint8_t *in, size_t size)
{
    if (one->way == JOSE_RSA_WAY_EVP) return provider->run(one->key, out, in, size);
    if (one->way == JOSE_RSA_WAY_BN)
        return jose_rsa_bn_run(one->portable, one->scratch, out, in) == JOSE_RSA_DONE;
    return jose_rsa_kernels[one->way].run(one->key, out, in) == JOSE_RSA_DONE;
}

// False without memory. A way that is not here, is off, or is EVP and has no key, does not run.
static bool enter(rival *one, int way, const jose_rsa_provider *provider, const BIGNUM *n, const BIGNUM *e,
                  const uint8_t *modulus, size_t size)
{
    one->way = way;
    if (way == JOSE_RSA_WAY_EVP) {
        one->key = provider == NULL ? NULL : provider->key_new(modulus, size);
        one->runs = one->key != NULL;
    } else if (way == JOSE_RSA_WAY_BN) {
        one->portable = jose_rsa_bn_key_new(n, e);
        one->scratch = jose_rsa_bn_scratch_new();
        one->runs = one->portable != NULL && one->scratch != NULL;
        return one->runs;
    } else {
        if (!jose_kernel_usable_at(jose_rsa_kernels[way].one, size))
            return !jose_kernel_is_unasked(jose_rsa_kernels[way].one, size);
        one->key = jose_rsa_kernels[way].key_new(n, e);
        one->runs = one->key != NULL;
        return one->runs;
    }
    return true;
}

static void leave(const rival *one, const jose_rsa_provider *provider)
{
    if (one->way == JOSE_RSA_WAY_EVP && one->key != NULL) provider->key_free(one->key);
    if (one->way < JOSE_RSA_WAY_BN && one->key != NULL) jose_rsa_kernels[one->way].key_free(one->key);
    jose_rsa_bn_key_free(one->portable);
    jose_rsa_bn_scratch_free(one->scratch);
}

// MARK: the race

// In nanoseconds; below 0 where there is no such clock.
static int64_t now(void)
{
    struct timespec time;
    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void run_once(rival *one, const jose_rsa_provider *provider, const uint8_t *in, size_t size)
{
    uint8_t out[JOSE_RSA_KERNEL_MAX_BYTES];
    const int64_t start = now();
    if (start < 0 || !operate(one, provider, out, in, size)) return;
    const int64_t time = now() - start;
    if (time >= LEAST && time <= UINT32_MAX && (one->best == 0 || time < one->best)) one->best = time;
}

// The first run of each warms it up. Who is twice as slow as the first in the order cannot win.
static void run_all(rival all[JOSE_RSA_WAYS], const rival *leader, const jose_rsa_provider *provider, const uint8_t *in,
                    size_t size, int count)
{
    for (int round = 0; round <= count; round++)
        for (int way = 0; way < JOSE_RSA_WAYS; way++) {
            rival *one = &all[way];
            if (!one->runs) continue;
            run_once(one, provider, in, size);
            if (round == 0) one->best = 0;
            if (one->best > 2 * leader->best && leader->best > 0) one->runs = false;
        }
}

// The order stays but for a gain of a tenth over its first.
static int winner(const rival all[JOSE_RSA_WAYS], const rival *leader)
{
    const rival *fastest = leader;
    for (int way = 0; way < JOSE_RSA_WAYS; way++)
        if (all[way].best > 0 && all[way].best < fastest->best) fastest = &all[way];
    return 10 * fastest->best <= 9 * leader->best && fastest != leader ? fastest->way : JOSE_RSA_WAY_NONE;
}

static bool race(track *track, const jose_rsa_provider *provider, size_t size)
{
    uint8_t modulus[JOSE_RSA_KERNEL_MAX_BYTES], in[JOSE_RSA_KERNEL_MAX_BYTES];
    rival all[JOSE_RSA_WAYS] = {0};
    const rival *leader = NULL;
    jose_selftest_modulus(modulus, size, 0);
    jose_selftest_message(in, size, 0);
    BIGNUM *n = BN_bin2bn(modulus, (int)size, NULL), *e = BN_new();
    bool is_ready = n != NULL && e != NULL && BN_set_word(e, EXPONENT) == 1;
    for (int way = 0; way < JOSE_RSA_WAYS && is_ready; way++) {
        is_ready = enter(&all[way], way, provider, n, e, modulus, size);
        if (leader == NULL && all[way].runs) leader = &all[way];
    }
    if (is_ready) {
        run_all(all, leader, provider, in, size, rounds[track - tracks]);
        for (int way = 0; way < JOSE_RSA_WAYS; way++)
            atomic_store_explicit(&track->times[way], (uint32_t)all[way].best, memory_order_relaxed);
        atomic_store_explicit(&track->first, winner(all, leader), memory_order_relaxed);
        atomic_store_explicit(&track->is_done, true, memory_order_release);
    }
    for (int way = 0; way < JOSE_RSA_WAYS; way++) leave(&all[way], provider);
    BN_free(n);
    BN_free(e);
    return is_ready;
}

// MARK: the contract

bool jose_rsa_race_is_open(size_t size)
{
    track *track = track_of(size);
    return track != NULL && !jose_way_is_chosen() && !atomic_load_explicit(&track->is_done, memory_order_acquire);
}

bool jose_rsa_race_run(size_t size, const jose_rsa_provider *provider)
{
    track *track = track_of(size);
    if (track == NULL || jose_way_is_chosen()) return false;
    const int self = getpid();
    int racer = atomic_load_explicit(&track->racer, memory_order_relaxed);
    if (racer == self || !atomic_compare_exchange_strong(&track->racer, &racer, self)) return false;
    const bool is_done = atomic_load_explicit(&track->is_done, memory_order_acquire) || race(track, provider, size);
    atomic_store_explicit(&track->racer, 0, memory_order_release);
    return is_done;
}

int jose_rsa_race_first(size_t size)
{
    track *track = track_of(size);
    if (track == NULL || !atomic_load_explicit(&track->is_done, memory_order_acquire)) return JOSE_RSA_WAY_NONE;
    return atomic_load_explicit(&track->first, memory_order_relaxed);
}

uint32_t jose_rsa_race_time(size_t size, int way)
{
    track *track = track_of(size);
    if (track == NULL || !atomic_load_explicit(&track->is_done, memory_order_acquire)) return 0;
    return atomic_load_explicit(&track->times[way], memory_order_relaxed);
}
