// prove_checksum.c: two and three changed bits of a prepared key, which its checksum must detect.

#include <string.h>

#include "prove.h"

void *prove_any_key(int bits, const char *kernel)
{
    uint8_t bytes[JOSE_RSA_KERNEL_MAX_BYTES];
    const size_t size = (size_t)bits / 8;
    prove_bytes(bytes, size);
    bytes[0] |= 0x80;
    bytes[size - 1] |= 1;
    BIGNUM *n = BN_bin2bn(bytes, (int)size, NULL), *e = BN_new();
    BN_set_word(e, 65537);
    void *key = NULL;
    for (int k = 0; k < JOSE_RSA_KERNELS; k++)
        if (strcmp(jose_rsa_kernels[k].name, kernel) == 0) key = jose_rsa_kernels[k].key_new(n, e);
    PROVE(key != NULL, "key");
    BN_free(n);
    BN_free(e);
    return key;
}

// A bit of one of the words.
typedef struct change {
    size_t word;
    int bit;
} change;

static void flip(const prove_words *key, const change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) *key->at[changes[i].word] ^= UINT64_C(1) << changes[i].bit;
}

static void report(const prove_words *key, const change *changes, size_t count, const char *what)
{
    flip(key, changes, count);
    PROVE(!key->is_intact(key->key), what);
    flip(key, changes, count);
}

static bool is_set(const prove_words *key, size_t word, int bit)
{
    return (*key->at[word] >> bit & 1) != 0;
}

// A bit from `first` on, cyclically, in which two words differ, so that changing both leaves their
// sum unchanged; `first` itself if they are equal.
static int other_bit(const prove_words *key, size_t a, size_t b, int first)
{
    for (int i = 0; i < 64; i++)
        if (is_set(key, a, (first + i) % 64) != is_set(key, b, (first + i) % 64))
            return (first + i) % 64;
    return first;
}

static change any(size_t from, size_t count)
{
    return (change){from + prove_below(count), (int)prove_below(64)};
}

// The index of another word that is summed with this one.
static size_t beside(const prove_words *key, size_t word)
{
    return word % key->lanes + key->lanes * prove_below(key->summed / key->lanes);
}

uint64_t prove_changes(const prove_words *key)
{
    uint64_t checks = 0;
    PROVE(key->is_intact(key->key), "checksum");
    for (size_t i = 0; i < key->summed; i++) {
        for (size_t j = i + key->lanes; j < key->summed; j += key->lanes) {
            // The highest bit has none above it and always cancels; others cancel if they differ.
            const int bits[] = {63, 62, other_bit(key, i, j, (int)prove_below(64)),
                                other_bit(key, i, j, (int)prove_below(64))};
            for (size_t b = 0; b < sizeof bits / sizeof bits[0]; b++, checks++)
                report(key, (change[]){{i, bits[b]}, {j, bits[b]}}, 2, "the same bit of two words");
        }
    }
    for (int i = 0; i < 50000; i++, checks += 4) {
        const size_t a = prove_below(key->summed), b = beside(key, a), c = beside(key, a);
        if (a == b || b == c || a == c) continue;
        const int bit = other_bit(key, a, b, (int)prove_below(64));
        // Twice a bit is the next one.
        const int low = (int)prove_below(63);
        report(key, (change[]){{a, low}, {b, low}, {c, low + 1}}, 3, "twice a bit and the next");
        // A pair that cancels in the first sum, and a bit that belongs to no limb.
        report(key, (change[]){{a, bit}, {b, bit}, any(key->summed, key->others)}, 3,
               "a pair and another word");
        const change three[] = {any(0, key->summed), any(0, key->summed),
                                any(0, key->summed + key->others)};
        if (three[0].word == three[1].word || three[1].word == three[2].word ||
            three[0].word == three[2].word)
            continue;
        report(key, three, 2, "any two");
        report(key, three, 3, "any three");
    }
    PROVE(key->is_intact(key->key), "checksum");
    return checks;
}
