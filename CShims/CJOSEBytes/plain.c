// plain.c finds the end of a run of plain characters in a JSON string.
#include "cjosebytes.h"

size_t josebytes_plain_count(const uint8_t *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t c = text[i];
        if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') {
            return i;
        }
    }
    return count;
}
