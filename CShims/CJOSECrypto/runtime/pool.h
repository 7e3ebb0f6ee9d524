// pool.h: idle contexts, taken and put back without a lock.
#ifndef JOSE_POOL_H
#define JOSE_POOL_H

#include <stdbool.h>

// A set of slots, each on cache lines of its own. A thread starts at its home slot, so that
// threads that work side by side do not touch each other's lines.
typedef struct jose_pool jose_pool;

jose_pool *jose_pool_make(void);

// jose_pool_free frees the pool and, by free_item, what is idle in it; NULL is allowed.
void jose_pool_free(jose_pool *pool, void (*free_item)(void *));

// jose_pool_take returns an idle item, or NULL: the caller makes one.
void *jose_pool_take(jose_pool *pool);

// jose_pool_put takes an item back, or returns false: the pool is full, the caller frees it.
bool jose_pool_put(jose_pool *pool, void *item);

#endif
