// rsa_area.h: guard words, wiping and big-endian words for both vector kernels. Every function here
// uses instructions of any x86-64, since it is inlined into code of either kernel.
#ifndef JOSE_RSA_AREA_H
#define JOSE_RSA_AREA_H

#include <stdint.h>
#include <string.h>

// Guard words around the memory that a kernel writes detect writes outside of it.
enum { JOSE_GUARD_WORDS = 8 };
#define JOSE_GUARD UINT64_C(0xa5c3f00d7e1b962d)

static inline void jose_guard(uint64_t words[JOSE_GUARD_WORDS])
{
    for (int i = 0; i < JOSE_GUARD_WORDS; i++) words[i] = JOSE_GUARD + (uint64_t)i;
}

// jose_guard_corruption returns the bits of the guard words that changed, 0 if none did.
static inline uint64_t jose_guard_corruption(const volatile uint64_t words[JOSE_GUARD_WORDS])
{
    uint64_t seen = 0;
    for (int i = 0; i < JOSE_GUARD_WORDS; i++) seen |= words[i] ^ (JOSE_GUARD + (uint64_t)i);
    return seen;
}

// jose_area_wipe zeroes memory in a way that the compiler cannot remove.
static inline void jose_area_wipe(void *words, size_t size)
{
    memset(words, 0, size);
    __asm__ volatile(""
                     :
                     : "r"(words)
                     : "memory");
}

static inline uint64_t jose_load_big(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
    return __builtin_bswap64(word);
}

static inline void jose_store_big(uint8_t *bytes, uint64_t word)
{
    word = __builtin_bswap64(word);
    memcpy(bytes, &word, 8);
}

#endif
