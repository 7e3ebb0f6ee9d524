// clock.c: the wall clock.

#include "cjosecrypto.h"

#include <time.h>

void jose_clock_now(int64_t *seconds, int32_t *nanoseconds)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    *seconds = now.tv_sec;
    *nanoseconds = (int32_t)now.tv_nsec;
}
