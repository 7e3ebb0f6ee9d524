// prove_limbs.c: the small parts of the RSA kernel, each against its definition bit by bit or word
// by word: limbs and back, comparisons, and the checksum of a key.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ifma_arith.h"
#include "ifma_power.h"
#include "prove.h"

#if JOSE_KERNELS_X86

enum { LIMB_BITS = 52,
       SPARE = 64,
       UNTOUCHED = 0x77,
       MOST = JOSE_RSA_KERNEL_MAX_BYTES };

static const struct {
    size_t size;
    int vectors, rows, strided;  // strided: limbs that reading one number writes
} sizes[] = {{256, 5, 40, 40}, {384, 8, 60, 64}, {512, 10, 80, 80}};

static uint64_t checks;

static void prove_sizes(void)
{
    for (size_t size = 0; size <= 1100; size++) {
        int vectors = 0, rows = 0;
        for (int i = 0; i < 3; i++)
            if (sizes[i].size == size) vectors = sizes[i].vectors, rows = sizes[i].rows;
        PROVE(jose_ifma_vectors(size) == vectors && jose_ifma_rows(size) == rows, "sizes");
        checks++;
    }
}

// limb_of returns limb i of a big-endian number, bit by bit.
static uint64_t limb_of(const uint8_t *bytes, size_t size, int i)
{
    uint64_t limb = 0;
    for (size_t b = 0; b < LIMB_BITS; b++) {
        const size_t bit = LIMB_BITS * (size_t)i + b;
        if (bit < 8 * size) limb |= (uint64_t)(bytes[size - 1 - bit / 8] >> bit % 8 & 1) << b;
    }
    return limb;
}

// Reads into an array of known words and writes back between known bytes: nothing else changes.
static void prove_way(int which, int lane, const uint8_t *bytes)
{
    static uint64_t field[8 * JOSE_IFMA_WORDS + 2 * SPARE], want[8 * JOSE_IFMA_WORDS + 2 * SPARE];
    const size_t size = sizes[which].size;
    const int count = lane < 0 ? sizes[which].strided : sizes[which].rows;
    uint8_t back[MOST + 2 * SPARE];
    memset(field, UNTOUCHED, sizeof field);
    memset(want, UNTOUCHED, sizeof want);
    for (int i = 0; i < count; i++) {
        const int V = sizes[which].vectors, at = lane < 0 ? 8 * (i % V) + i / V : 8 * i + lane;
        want[SPARE + at] = limb_of(bytes, size, i);
    }
    jose_ifma_limbs_read(field + SPARE, lane, bytes, size);
    PROVE(memcmp(field, want, sizeof field) == 0, "limbs read");
    memset(back, UNTOUCHED, sizeof back);
    jose_ifma_limbs_write(back + SPARE, size, field + SPARE, lane);
    PROVE(memcmp(back + SPARE, bytes, size) == 0, "limbs written");
    for (size_t i = 0; i < SPARE; i++)
        PROVE(back[i] == UNTOUCHED && back[SPARE + size + i] == UNTOUCHED, "written outside");
    checks += 2;
}

static void prove_ways(void)
{
    uint8_t room[MOST + 2 * SPARE];
    for (int which = 0; which < 3; which++)
        for (int lane = -1; lane < 8; lane++)
            for (int round = 0; round < 24; round++) {
                memset(room, 0xff, sizeof room);  // what is read beside the number shows
                uint8_t *bytes = room + SPARE;
                prove_bytes(bytes, sizes[which].size);
                if (round == 0) memset(bytes, 0xff, sizes[which].size);
                if (round == 1) memset(bytes, 0, sizes[which].size);
                prove_way(which, lane, bytes);
            }
    // For other sizes nothing is read or written.
    uint64_t limbs[JOSE_IFMA_WORDS] = {1};
    jose_ifma_limbs_read(limbs, -1, room, 255);
    jose_ifma_limbs_read(limbs, 0, room, 320);
    PROVE(limbs[0] == 1, "another size");
    room[0] = 1;
    jose_ifma_limbs_write(room, 257, limbs, -1);
    jose_ifma_limbs_write(room, 64, limbs, 0);
    PROVE(room[0] == 1, "another size");
}

static void prove_order(const uint8_t *a, const uint8_t *b, size_t size)
{
    const int order = memcmp(a, b, size);
    PROVE(jose_below(a, b, size) == (order < 0), "below");
    PROVE(jose_below(b, a, size) == (order > 0), "below");
    PROVE(jose_differ(a, b, size) == (order != 0), "differ");
    checks += 3;
}

// The first byte that differs decides, whatever follows, near or in a later block of 64.
static void prove_comparisons(size_t size)
{
    uint8_t a[MOST + SPARE], b[MOST + SPARE];
    prove_bytes(a, sizeof a);
    for (size_t at = 0; at < size; at++)
        for (int behind = 0; behind < 4; behind++) {
            memcpy(b, a, sizeof b);
            for (size_t i = size; i < sizeof b; i++) b[i] = (uint8_t)~a[i];  // not part of it
            prove_order(a, b, size);
            const uint8_t byte = (uint8_t)(behind == 3 ? 0x7f : 1 + prove_below(254));
            a[at] = byte;
            b[at] = (uint8_t)(byte + 1);
            for (size_t i = at + 1; i < size; i++) {
                const bool later = i / 64 > at / 64;
                if (behind == 1 || (behind == 2 && later)) a[i] = 0xff, b[i] = 0;
            }
            prove_order(a, b, size);
        }
    memcpy(b, a, sizeof b);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
        prove_order(a, b, size);
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static uint64_t chunk(uint64_t word, int by)
{
    return word << by | word >> (64 - by);
}

// checksum_of is the checksum in plain words: Fletcher sums in eight lanes, folded, then k0, k1, e
// and the size.
static uint64_t checksum_of(const jose_rsa_ifma_key *key)
{
    uint64_t sum = 3 * jose_checksum_spread(key->k0) + 5 * jose_checksum_spread(key->k1);
    uint64_t word;
    for (uint64_t lane = 0; lane < 8; lane++) {
        uint64_t a = lane + 1, b = 0;
        for (size_t at = 8 * lane; at < offsetof(jose_rsa_ifma_key, k0); at += 64) {
            memcpy(&word, (const uint8_t *)key + at, 8);
            a += word;
            b = chunk(b, 29) + a;
        }
        sum += (jose_checksum_spread(a) ^ b) * (2 * lane + 1);
    }
    return jose_checksum_end(sum + jose_checksum_spread((uint64_t)key->e << 32 | key->size));
}

// upper beta^2 = n (k0 + k1 beta) + 1, also for an n that is no key's.
static void prove_upper(int limbs, int round)
{
    uint64_t n[JOSE_IFMA_PAIR_WORDS], upper[JOSE_IFMA_PAIR_WORDS + 1];
    uint64_t back[JOSE_IFMA_PAIR_WORDS + 2];
    prove_bytes((uint8_t *)n, sizeof n);
    for (int i = 0; i < limbs; i++) n[i] = round == 0 ? JOSE_LIMB_MASK : n[i] & JOSE_LIMB_MASK;
    n[0] |= 1;
    const unsigned __int128 low = (unsigned __int128)n[1] << 52 | n[0];
    unsigned __int128 inverse = low;  // right to 3 bits; each round doubles them
    for (int i = 0; i < 6; i++) inverse *= 2 - low * inverse;
    inverse = 0 - inverse;
    const uint64_t k0 = (uint64_t)inverse & JOSE_LIMB_MASK;
    const uint64_t k1 = (uint64_t)(inverse >> 52) & JOSE_LIMB_MASK;
    upper[limbs] = UNTOUCHED;
    jose_ifma_upper(upper, n, k0, k1, limbs);
    PROVE(upper[limbs] == UNTOUCHED, "written outside");
    unsigned __int128 carry = 1;
    for (int i = 0; i < limbs + 2; i++) {
        if (i < limbs) carry += (unsigned __int128)n[i] * k0;
        if (i > 0 && i <= limbs) carry += (unsigned __int128)n[i - 1] * k1;
        back[i] = (uint64_t)carry & JOSE_LIMB_MASK;
        carry >>= 52;
    }
    PROVE(back[0] == 0 && back[1] == 0 && carry == 0, "inverse");
    PROVE(memcmp(back + 2, upper, sizeof upper[0] * (size_t)limbs) == 0, "upper");
    checks += 3;
}

static void prove_checksums(void)
{
    jose_rsa_ifma_key key;
    for (int round = 0; round < 100; round++) {
        prove_bytes((uint8_t *)&key, sizeof key);
        PROVE(jose_ifma_checksum(&key) == checksum_of(&key), "checksum");
        checks++;
    }
}

void prove_limbs(void)
{
    prove_sizes();
    prove_ways();
    for (int round = 0; round < 100; round++)
        for (int limbs = 20; limbs <= JOSE_IFMA_PAIR_WORDS; limbs += 10) prove_upper(limbs, round);
    if (jose_kernel_has_ifma()) {
        for (int i = 0; i < 3; i++) prove_comparisons(sizes[i].size);
        prove_comparisons(64);
        prove_checksums();
    } else
        puts("limbs    this processor has no IFMA: no comparisons and checksums");
    printf("limbs    %llu conversions, comparisons and checksums as defined\n",
           (unsigned long long)checks);
}

#else

void prove_limbs(void)
{
    puts("limbs    not of this processor: nothing proved");
}

#endif
