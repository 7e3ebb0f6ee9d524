// find.c: searches bytes with memchr, the fastest choice, and with loops that compilers vectorise.
#include <string.h>

#include "cjosebytes.h"

// find_from appends the positions at or after `from`, until *found has `max` positions.
static inline void find_from(josebytes_positions *found, size_t max, size_t from,
                             const uint8_t *bytes, size_t count, uint8_t byte)
{
    while (from < count && found->count < max) {
        const uint8_t *next = memchr(bytes + from, byte, count - from);
        if (next == NULL) break;
        found->position[found->count] = (size_t)(next - bytes);
        from = found->position[found->count++] + 1;
    }
}

josebytes_positions josebytes_find(const uint8_t *bytes, size_t count, uint8_t byte)
{
    josebytes_positions found = {0};
    find_from(&found, JOSEBYTES_MAX_POSITIONS, 0, bytes, count, byte);
    return found;
}

josebytes_positions josebytes_find_first_and_last(const uint8_t *bytes, size_t count, uint8_t byte)
{
    enum { FRONT = JOSEBYTES_MAX_POSITIONS - 2,
           BACK = 64 };
    josebytes_positions found = {0};
    find_from(&found, FRONT, 0, bytes, count, byte);
    if (found.count < FRONT) return found;
    const size_t front = found.position[FRONT - 1] + 1;
    for (size_t at = count; at > front && count - at < BACK; at--) {
        if (bytes[at - 1] != byte) continue;
        found.position[found.count++] = at - 1;
        return found;
    }
    find_from(&found, JOSEBYTES_MAX_POSITIONS, front, bytes, count, byte);
    return found;
}

static inline uint8_t is_structural(uint8_t byte)
{
    // [ and { differ in one bit.
    return byte == ',' || byte == ':' || (byte | 0x20) == '{';
}

// Counts in one byte, so that the compiler counts in whole vectors. A run does not overflow it.
size_t josebytes_count_structural(const uint8_t *bytes, size_t count)
{
    enum { RUN = 240 };
    size_t structural = 0, at = 0;
    for (; count - at >= RUN; at += RUN) {
        uint8_t in_run = 0;
        for (size_t i = 0; i < RUN; i++) in_run += is_structural(bytes[at + i]);
        structural += in_run;
    }
    for (; at < count; at++) structural += is_structural(bytes[at]);
    return structural;
}

// Minimums of bytes let the compiler process a whole vector with one instruction.
bool josebytes_has_space_or(uint8_t byte, const uint8_t *bytes, size_t count)
{
    uint8_t lowest = 0xff, nearest = 0xff;
    for (size_t i = 0; i < count; i++) {
        const uint8_t difference = bytes[i] ^ byte;
        lowest = bytes[i] < lowest ? bytes[i] : lowest;
        nearest = difference < nearest ? difference : nearest;
    }
    return lowest <= ' ' || nearest == 0;
}
