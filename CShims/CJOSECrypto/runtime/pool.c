// pool.c: a pool of idle contexts without a lock.

#include "pool.h"

#include <openssl/crypto.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 128,  // two cache lines: processors fetch them in pairs
       MIN_SLOTS = 4,
       MAX_SLOTS = 64 };

typedef struct {
    _Alignas(LINE) _Atomic(void *) item;
} slot;

struct jose_pool {
    void *memory;   // what to free; the pool itself is aligned inside it
    unsigned mask;  // slots - 1
    slot slots[];
};

// Two slots per processor, rounded up to a power of two. Counting reads a file: done once.
static unsigned slot_count(void)
{
    static _Atomic unsigned known;
    unsigned counted = atomic_load_explicit(&known, memory_order_relaxed);
    if (counted != 0) return counted;
    long wanted = 2 * sysconf(_SC_NPROCESSORS_ONLN);
    unsigned count = MIN_SLOTS;
    while (count < MAX_SLOTS && (long)count < wanted) count *= 2;
    atomic_store_explicit(&known, count, memory_order_relaxed);
    return count;
}

static unsigned thread_number(void)
{
    static _Atomic unsigned next = 1;
    static _Thread_local unsigned mine;
    if (mine == 0) mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    return mine;
}

jose_pool *jose_pool_make(void)
{
    unsigned count = slot_count();
    size_t bytes = sizeof(jose_pool) + count * sizeof(slot);
    void *memory = OPENSSL_zalloc(bytes + LINE);
    if (memory == NULL) return NULL;
    jose_pool *pool = (jose_pool *)(((uintptr_t)memory + LINE - 1) & ~(uintptr_t)(LINE - 1));
    pool->memory = memory;
    pool->mask = count - 1;
    for (unsigned i = 0; i < count; i++) atomic_init(&pool->slots[i].item, NULL);
    return pool;
}

void jose_pool_free(jose_pool *pool, void (*free_item)(void *))
{
    if (pool == NULL) return;
    for (unsigned i = 0; i <= pool->mask; i++) {
        void *item = atomic_load_explicit(&pool->slots[i].item, memory_order_acquire);
        if (item != NULL && free_item != NULL) free_item(item);
    }
    OPENSSL_free(pool->memory);
}

void *jose_pool_take(jose_pool *pool)
{
    unsigned home = thread_number();
    for (unsigned i = 0; i <= pool->mask; i++) {
        _Atomic(void *) *at = &pool->slots[(home + i) & pool->mask].item;
        // Reads before the exchange, so that empty slots of other threads are only read.
        if (atomic_load_explicit(at, memory_order_relaxed) == NULL) continue;
        void *item = atomic_exchange_explicit(at, NULL, memory_order_acquire);
        if (item != NULL) return item;
    }
    return NULL;
}

bool jose_pool_put(jose_pool *pool, void *item)
{
    unsigned home = thread_number();
    for (unsigned i = 0; i <= pool->mask; i++) {
        _Atomic(void *) *at = &pool->slots[(home + i) & pool->mask].item;
        if (atomic_load_explicit(at, memory_order_relaxed) != NULL) continue;
        void *empty = NULL;
        if (atomic_compare_exchange_strong_explicit(at, &empty, item, memory_order_release,
                                                    memory_order_relaxed))
            return true;
    }
    return false;
}
