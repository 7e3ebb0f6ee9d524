// wraps.h: functions that a test program has called in place of others.
#ifndef CCORE_WRAPS_H
#define CCORE_WRAPS_H

// WRAPS begins the function that the linker calls in the place of `name` (--wrap); what it stands for
// is __real_name.
#define WRAPS(type, name, arguments) \
    type __real_##name arguments;    \
    type __wrap_##name arguments;    \
    type __wrap_##name arguments

#endif
