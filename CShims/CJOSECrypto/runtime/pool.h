// pool.h: a pool of idle contexts without a lock.
#ifndef JOSE_POOL_H
#define JOSE_POOL_H

#include <stdbool.h>

// A set of slots for idle items, each slot on its own cache lines. A thread starts at its home
// slot, so that parallel threads do not touch each other's lines.
typedef struct jose_pool jose_pool;

jose_pool *jose_pool_make(void);

// jose_pool_free frees a pool, which may be NULL, and its idle items if free_item is not NULL.
void jose_pool_free(jose_pool *pool, void (*free_item)(void *));

// jose_pool_take removes and returns an idle item, or returns NULL.
void *jose_pool_take(jose_pool *pool);

// jose_pool_put adds an item. Returns false if the pool is full; the caller then frees the item.
bool jose_pool_put(jose_pool *pool, void *item);

#endif
