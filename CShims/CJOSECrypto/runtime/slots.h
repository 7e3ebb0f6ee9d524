// slots.h: pools of slots. A slot has the contexts for one use of an operation by one thread.
#ifndef JOSE_SLOTS_H
#define JOSE_SLOTS_H

#include <stddef.h>

#include "pool.h"

// The idle slots of one operation, and how to make and free another.
typedef struct {
    jose_pool *pool;
    void *(*make)(const void *operation);  // NULL on failure
    void (*release)(void *slot);           // frees a slot; accepts NULL as the slot
} jose_slots;

// jose_slots_open returns false if memory runs out. It makes no slot yet.
static inline bool jose_slots_open(jose_slots *slots, void *(*make)(const void *operation),
                                   void (*release)(void *slot))
{
    *slots = (jose_slots){jose_pool_make(), make, release};
    return slots->pool != NULL;
}

// jose_slots_close frees the idle slots. It accepts a zeroed jose_slots that was never opened.
static inline void jose_slots_close(jose_slots *slots)
{
    jose_pool_free(slots->pool, slots->release);
    slots->pool = NULL;
}

// jose_slots_take returns an idle slot or a new one, or NULL if none can be made.
static inline void *jose_slots_take(const jose_slots *slots, const void *operation)
{
    void *slot = jose_pool_take(slots->pool);
    return slot != NULL ? slot : slots->make(operation);
}

// jose_slots_put returns a slot to the pool, or frees it.
static inline void jose_slots_put(const jose_slots *slots, void *slot)
{
    if (!jose_pool_put(slots->pool, slot)) slots->release(slot);
}

#endif
