// slots.c: opens and closes the slots of an operation.

#include "slots.h"

bool jose_slots_open(jose_slots *slots, void *(*make)(const void *operation),
                     void (*release)(void *slot))
{
    slots->pool = jose_pool_make();
    slots->make = make;
    slots->release = release;
    return slots->pool != NULL;
}

void jose_slots_close(jose_slots *slots)
{
    jose_pool_free(slots->pool, slots->release);
    slots->pool = NULL;
}
