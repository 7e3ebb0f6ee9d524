// prove_seal.c: two and three bits of a prepared key that change at once, which its seal must tell.

#include "prove.h"

static void flip(uint64_t *const *words, const size_t *at, const int *bit, size_t count)
{
    for (size_t i = 0; i < count; i++) *words[at[i]] ^= UINT64_C(1) << bit[i];
}

uint64_t prove_changes(uint64_t *const *words, size_t count, size_t lanes, bool (*is_sealed)(const void *key), const void *key)
{
    uint64_t checks = 0;
    PROVE(is_sealed(key), "seal");
    // What cancels in a sum by lanes is the same bit twice in one lane: all pairs of words. The highest bit, a double's sign, has no
    // other one above it.
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + lanes; j < count; j += lanes) {
            const int bits[] = {63, 62, (int)prove_below(62)};
            for (size_t b = 0; b < sizeof bits / sizeof bits[0]; b++, checks++) {
                flip(words, (size_t[]){i, j}, (int[]){bits[b], bits[b]}, 2);
                PROVE(!is_sealed(key), "the same bit of two words");
                flip(words, (size_t[]){i, j}, (int[]){bits[b], bits[b]}, 2);
            }
        }
    }
    for (int i = 0; i < 20000; i++, checks++) {
        const size_t number = 2 + prove_below(2);
        const size_t at[3] = {prove_below(count), prove_below(count), prove_below(count)};
        const int first = (int)prove_below(64);
        // Three different bits, whatever the words.
        const int bit[3] = {first, (first + 1 + (int)prove_below(31)) % 64, (first + 32 + (int)prove_below(31)) % 64};
        flip(words, at, bit, number);
        PROVE(!is_sealed(key), "some bits");
        flip(words, at, bit, number);
    }
    PROVE(is_sealed(key), "seal");
    return checks;
}
