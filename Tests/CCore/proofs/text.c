// text.c: byte search and JSON text, for all texts up to LENGTH. Without SSE2: CBMC knows no vector
// instructions. tools/run prove-bytes compares both.

#undef __SSE2__

#include "proofs.h"

#include "find.c"
#include "plain.c"

// An any-sized text of exactly *count bytes.
static uint8_t *any_text(size_t *count)
{
    *count = any_size_to(LENGTH);
    return any_bytes(*count);
}

static void check_positions(josebytes_positions found, const uint8_t *text, size_t count,
                            uint8_t byte)
{
    __CPROVER_assert(found.count <= JOSEBYTES_MAX_POSITIONS, "too many positions");
    for (size_t i = 0; i < JOSEBYTES_MAX_POSITIONS && i < found.count; i++)
        __CPROVER_assert(found.position[i] < count && text[found.position[i]] == byte &&
                             (i == 0 || found.position[i - 1] < found.position[i]),
                         "a wrong position");
}

void prove_find(void)
{
    size_t count;
    const uint8_t *text = any_text(&count), byte = nondet_byte();
    check_positions(josebytes_find(text, count, byte), text, count, byte);
    check_positions(josebytes_find_outer(text, count, byte), text, count, byte);
}

void prove_count_signs(void)
{
    size_t count;
    const uint8_t *text = any_text(&count);
    __CPROVER_assert(josebytes_count_signs(text, count) <= count, "too many signs");
    (void)josebytes_has_space_or(nondet_byte(), text, count);
}

void prove_plain_count(void)
{
    size_t count;
    const uint8_t *text = any_text(&count);
    const size_t plain = josebytes_plain_count(text, count);
    __CPROVER_assert(plain <= count, "more than the text");
    const size_t at = nondet_size();
    if (at < plain)
        __CPROVER_assert(text[at] >= 0x20 && text[at] < 0x80 && text[at] != '"' && text[at] != '\\',
                         "not plain");
}

void prove_copy_plain(void)
{
    size_t count;
    const uint8_t *text = any_text(&count);
    uint8_t *out = any_bytes(count);
    const bool is_copied = josebytes_copy_plain(out, text, count);
    const size_t at = nondet_size();
    if (is_copied && at < count)
        __CPROVER_assert(out[at] == text[at] && text[at] >= 0x20 && text[at] != '"' &&
                             text[at] != '\\',
                         "not plain");
}
