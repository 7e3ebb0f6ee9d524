// text.c: the loops over JSON text that compilers vectorise, for all texts up to LENGTH.
// tools/run prove-bytes compares the rest of find.c and plain.c with their definitions.

// CBMC knows no vector instructions.
#undef __SSE2__

#include "proofs.h"

#include "find.c"

void prove_count_signs(void)
{
    const size_t count = any_size_to(LENGTH);
    const uint8_t *text = any_bytes(count);
    __CPROVER_assert(josebytes_count_structural(text, count) <= count, "too many signs");
    (void)josebytes_has_space_or(nondet_byte(), text, count);
}
