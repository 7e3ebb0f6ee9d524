// Counts every heap request of the process, libcrypto's apart from all others.

#include "bench_probe.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stddef.h>

// glibc's own entry points behind malloc and its siblings.
extern void *__libc_malloc(size_t count);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t count);
extern void *__libc_memalign(size_t alignment, size_t count);
extern void __libc_free(void *old);

static __thread probe_allocations counts;

probe_allocations probe_allocations_now(void) { return counts; }

void *malloc(size_t count) {
    counts.ours++;
    return __libc_malloc(count);
}

void *calloc(size_t count, size_t size) {
    counts.ours++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t count) {
    counts.ours++;
    return __libc_realloc(old, count);
}

void *memalign(size_t alignment, size_t count) {
    counts.ours++;
    return __libc_memalign(alignment, count);
}

void *aligned_alloc(size_t alignment, size_t count) {
    counts.ours++;
    return __libc_memalign(alignment, count);
}

int posix_memalign(void **out, size_t alignment, size_t count) {
    counts.ours++;
    void *fresh = __libc_memalign(alignment, count);
    if (fresh == NULL) return ENOMEM;
    *out = fresh;
    return 0;
}

void free(void *old) { __libc_free(old); }

static void *crypto_malloc(size_t count, const char *file, int line) {
    (void)file, (void)line;
    counts.crypto++;
    return __libc_malloc(count);
}

static void *crypto_realloc(void *old, size_t count, const char *file, int line) {
    (void)file, (void)line;
    counts.crypto++;
    return __libc_realloc(old, count);
}

static void crypto_free(void *old, const char *file, int line) {
    (void)file, (void)line;
    __libc_free(old);
}

bool probe_install(void) {
    return CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) == 1;
}
