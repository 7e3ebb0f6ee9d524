// wraps.h: functions that a test program calls instead of others.
#ifndef CCORE_WRAPS_H
#define CCORE_WRAPS_H

// WRAPS begins the function that the linker calls instead of `name` (--wrap); the original is
// __real_name.
#define WRAPS(type, name, arguments) \
    type __real_##name arguments;    \
    type __wrap_##name arguments;    \
    type __wrap_##name arguments

#endif
