// Finding a byte: the C library's search is the fastest there is.
#include <string.h>

#include "cjosebytes.h"

size_t josebytes_find(const uint8_t *bytes, size_t count, uint8_t byte) {
    if (count == 0) return 0;
    const uint8_t *found = memchr(bytes, byte, count);
    return found == NULL ? count : (size_t)(found - bytes);
}
