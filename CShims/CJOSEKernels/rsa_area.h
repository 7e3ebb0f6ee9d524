// rsa_area.h: what the vector kernels' work areas and numbers share: guard words, wiping, words of big-endian bytes. No
// function here wants an instruction that not every x86-64 has: each is inlined into code of either kernel.
#ifndef JOSE_RSA_AREA_H
#define JOSE_RSA_AREA_H

#include <stdint.h>
#include <string.h>

// What a kernel writes lies between words that it must not touch.
enum { JOSE_GUARD_WORDS = 8 };
#define JOSE_GUARD UINT64_C(0xa5c3f00d7e1b962d)

static inline void jose_guard(uint64_t words[JOSE_GUARD_WORDS])
{
    for (int i = 0; i < JOSE_GUARD_WORDS; i++) words[i] = JOSE_GUARD + (uint64_t)i;
}

// jose_guard_corruption returns the bits that are no longer what they were; 0: none.
static inline uint64_t jose_guard_corruption(const volatile uint64_t words[JOSE_GUARD_WORDS])
{
    uint64_t seen = 0;
    for (int i = 0; i < JOSE_GUARD_WORDS; i++) seen |= words[i] ^ (JOSE_GUARD + (uint64_t)i);
    return seen;
}

// jose_area_wipe leaves zeros that the compiler cannot drop.
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
