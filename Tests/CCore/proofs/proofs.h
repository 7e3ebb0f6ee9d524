// proofs.h: what the proofs share. CBMC explores every value of a variable that is not set.
#ifndef PROOFS_H
#define PROOFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void __CPROVER_assume(bool condition);
void __CPROVER_assert(bool condition, const char *what);

// Any value: CBMC knows functions by this prefix.
size_t nondet_size(void);
uint8_t nondet_byte(void);

// any_size_to returns any size up to max.
static inline size_t any_size_to(size_t max)
{
    const size_t size = nondet_size();
    __CPROVER_assume(size <= max);
    return size;
}

// any_bytes returns memory of exactly count bytes, each with any value. Access outside it fails the
// proof, also if count is 0.
static inline uint8_t *any_bytes(size_t count)
{
    uint8_t *bytes = malloc(count);
    __CPROVER_assume(bytes != NULL);
    return bytes;
}

#endif
