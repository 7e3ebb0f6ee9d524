// measure_race.c: how long a race between the ways takes on this processor, its keys made and given back: the
// library's own rsa_race.c, in a process whose way a test has chosen too.

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

#include "cjosecrypto.h"
#include "keys/rsa_provider.h"
#include "measure.h"

static bool is_not_chosen(void)
{
    return false;
}

#define jose_way_is_chosen is_not_chosen
#define jose_rsa_race_is_open measured_is_open
#define jose_rsa_race_run measured_run
#define jose_rsa_race_first measured_first
#define jose_rsa_race_time measured_time
#include "kernels/rsa_race.c"

enum { RACES = 200 };

// In nanoseconds, as if none had been before.
static int64_t race_once(size_t size)
{
    atomic_store(&track_of(size)->is_done, false);
    const int64_t start = now();
    if (!measured_run(size, &jose_rsa_evp) || measured_is_open(size)) return -1;
    return now() - start;
}

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The known answers are asked before it, as the uses before a race do for the way that they took.
bool measure_race(int bits)
{
    const size_t size = (size_t)bits / 8;
    int64_t all[RACES];
    if (jose_start() != JOSE_OK) return false;
    for (int way = 0; way < JOSE_RSA_KERNELS; way++) (void)jose_kernel_usable_at(jose_rsa_kernels[way].one, size);
    int changed = 0;  // how often another way than the first of the order was to go first
    for (int i = 0; i < RACES; i++) {
        if ((all[i] = race_once(size)) < 0) return false;
        changed += measured_first(size) != JOSE_RSA_WAY_NONE;
    }
    const int64_t first = all[0];
    qsort(all, RACES, sizeof all[0], by_size);
    printf("rsa %d: a race of the ways, keys and all: the first %.3f ms | best of %d %.3f | median %.3f | worst %.3f | %d change the order |", bits,
           (double)first * 1e-6, RACES, (double)all[0] * 1e-6, (double)all[RACES / 2] * 1e-6, (double)all[RACES - 1] * 1e-6, changed);
    for (int way = 0; way < JOSE_RSA_WAYS; way++)
        printf(" %s %u", way == JOSE_RSA_WAY_EVP ? "evp" : way == JOSE_RSA_WAY_BN ? "bn"
                                                                                  : jose_rsa_kernels[way].name,
               measured_time(size, way));
    puts(" ns");
    return true;
}
