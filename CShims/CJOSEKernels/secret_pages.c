// secret_pages.c: memory for prepared private keys: locked, left out of core files, zero in a child
// of fork, read-only once filled, and between two pages without access.

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "private_key.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86

static size_t page_size(void)
{
    const long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

static size_t whole_pages(size_t size)
{
    const size_t page = page_size();
    return (size + page - 1) / page * page;
}

// A child of fork gets zeros: it does not inherit the lock, so its copy could be written to swap. A
// key of zeros fails its checksum. A system without such memory has no prepared keys.
static bool lock(void *memory, size_t size)
{
#if defined(MADV_DONTDUMP) && defined(MADV_WIPEONFORK)
    return mlock(memory, size) == 0 && madvise(memory, size, MADV_DONTDUMP) == 0 &&
           madvise(memory, size, MADV_WIPEONFORK) == 0;
#else
    return (void)memory, (void)size, false;
#endif
}

// The areas in use. Each takes two or three memory maps of the process. Linux allows 65,530 of
// them, and without a free one the host cannot make a thread.
static atomic_uint areas;

static void *new_area(size_t size)
{
    const size_t page = page_size(), inner = whole_pages(size), outer = inner + 2 * page;
    uint8_t *all = mmap(NULL, outer, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    uint8_t *memory = all + page;
    if (mprotect(memory, inner, PROT_READ | PROT_WRITE) == 0 && lock(memory, inner)) return memory;
    munmap(all, outer);
    return NULL;
}

void *jose_secret_pages_new(size_t size)
{
    const unsigned before = atomic_fetch_add_explicit(&areas, 1, memory_order_relaxed);
    void *memory = before < JOSE_MAX_SECRET_PAGES ? new_area(size) : NULL;
    if (memory == NULL) atomic_fetch_sub_explicit(&areas, 1, memory_order_relaxed);
    return memory;
}

bool jose_secret_pages_protect(void *memory, size_t size)
{
    return mprotect(memory, whole_pages(size), PROT_READ) == 0;
}

void jose_secret_pages_free(void *memory, size_t size)
{
    if (memory == NULL) return;
    const size_t page = page_size(), inner = whole_pages(size);
    // Without write access nothing can be wiped here. The operating system clears pages before it
    // gives them to another process.
    if (mprotect(memory, inner, PROT_READ | PROT_WRITE) == 0) jose_area_wipe(memory, inner);
    munmap((uint8_t *)memory - page, inner + 2 * page);
    atomic_fetch_sub_explicit(&areas, 1, memory_order_relaxed);
}

#endif
