// malloc.c: counts every heap request of the process. Only benchmark programs link this target,
// since sanitizers replace malloc in test programs.

#include "benchmark_counters.h"

#include "../CJOSEBenchmark/counts.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __GLIBC__

extern void *__libc_malloc(size_t count);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t count);
extern void *__libc_memalign(size_t alignment, size_t count);
extern void __libc_free(void *old);

void *malloc(size_t count)
{
    probe_counts.ours++;
    return __libc_malloc(count);
}

void *calloc(size_t count, size_t size)
{
    probe_counts.ours++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t count)
{
    probe_counts.ours++;
    return __libc_realloc(old, count);
}

void *memalign(size_t alignment, size_t count)
{
    probe_counts.ours++;
    return __libc_memalign(alignment, count);
}

void *aligned_alloc(size_t alignment, size_t count)
{
    probe_counts.ours++;
    return __libc_memalign(alignment, count);
}

int posix_memalign(void **out, size_t alignment, size_t count)
{
    probe_counts.ours++;
    void *fresh = __libc_memalign(alignment, count);
    if (fresh == NULL) return ENOMEM;
    *out = fresh;
    return 0;
}

void free(void *old)
{
    __libc_free(old);
}

#endif
