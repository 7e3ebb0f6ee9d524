// counts.c: counts libcrypto's heap requests, separately from all others.

#include "counts.h"

#include <openssl/crypto.h>
#include <stddef.h>
#include <stdlib.h>

__thread probe_allocations probe_counts;

// glibc's own functions. The malloc of CJOSEBenchmarkCounters counts a request and calls them.
// Requests of libcrypto call them directly, so that they are not counted twice.
#ifdef __GLIBC__
extern void *__libc_malloc(size_t count);
extern void *__libc_realloc(void *old, size_t count);
extern void __libc_free(void *old);
#else
#define __libc_malloc malloc
#define __libc_realloc realloc
#define __libc_free free
#endif

probe_allocations probe_allocations_now(void)
{
    return probe_counts;
}

static void *crypto_malloc(size_t count, const char *file, int line)
{
    (void)file, (void)line;
    probe_counts.crypto++;
    return __libc_malloc(count);
}

static void *crypto_realloc(void *old, size_t count, const char *file, int line)
{
    (void)file, (void)line;
    probe_counts.crypto++;
    return __libc_realloc(old, count);
}

static void crypto_free(void *old, const char *file, int line)
{
    (void)file, (void)line;
    __libc_free(old);
}

bool probe_counts_malloc(void)
{
    const uint64_t before = probe_counts.ours;
    void *volatile fresh = malloc(1);
    free(fresh);
    return probe_counts.ours != before;
}

bool probe_install(void)
{
    return CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) == 1;
}
