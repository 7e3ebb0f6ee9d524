// Replaces malloc to know how much of the heap a call holds at once.

#include "campaigns.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <time.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define NOT_COUNTED 1
#endif
#endif

static __thread heap_use use;
static __thread int64_t held;

bool heap_counts(void)
{
#ifdef NOT_COUNTED
    return false;
#else
    return true;
#endif
}

// Without it the pages of a large block go back to the kernel at every call, and their coming back
// is measured.
__attribute__((constructor)) static void keep(void)
{
    (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

void heap_begin(void)
{
    use = (heap_use){0, 0};
    held = 0;
}

heap_use heap_end(void)
{
    return use;
}

uint64_t thread_nanoseconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#ifndef NOT_COUNTED
// glibc's own entry points behind malloc and its siblings.
extern void *__libc_malloc(size_t count);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t count);
extern void *__libc_memalign(size_t alignment, size_t count);
extern void __libc_free(void *old);

static void *taken(void *memory)
{
    if (memory == NULL) return NULL;
    use.requests++;
    held += (int64_t)malloc_usable_size(memory);
    if (held > use.most) use.most = held;
    return memory;
}

static void given_back(void *memory)
{
    if (memory != NULL) held -= (int64_t)malloc_usable_size(memory);
}

void *malloc(size_t count)
{
    return taken(__libc_malloc(count));
}

void *calloc(size_t count, size_t size)
{
    return taken(__libc_calloc(count, size));
}

void *realloc(void *old, size_t count)
{
    given_back(old);
    return taken(__libc_realloc(old, count));
}

void *memalign(size_t alignment, size_t count)
{
    return taken(__libc_memalign(alignment, count));
}

void *aligned_alloc(size_t alignment, size_t count)
{
    return taken(__libc_memalign(alignment, count));
}

int posix_memalign(void **out, size_t alignment, size_t count)
{
    void *fresh = taken(__libc_memalign(alignment, count));
    if (fresh == NULL) return ENOMEM;
    *out = fresh;
    return 0;
}

void free(void *old)
{
    given_back(old);
    __libc_free(old);
}
#endif
