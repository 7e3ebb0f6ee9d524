// fma_limbs.c: converts big-endian bytes to 52-bit limbs, converts signed limbs to bytes, and
// compares numbers, all without branches.

#include "fma_arith.h"
#include "fma_power.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86

int jose_fma_blocks(size_t size)
{
    return size == 256 ? 2 : size == 384 ? 3
                         : size == 512   ? 4
                                         : 0;
}

// The index of limb i. A single number is stored in four quarters, and each vector has one limb of
// each quarter. Of four numbers, each vector has limb i of all, and the caller adds the lane.
JOSE_FMA_INLINE int limb_index(const int blocks, const bool single, int i)
{
    const int L = JOSE_FMA_BLOCK * blocks;
    return single ? 4 * (i % L) + i / L : 4 * i;
}

// With constant arguments, read and write unroll into loads and shifts by constants.
JOSE_FMA_INLINE void read(int64_t *limbs, const uint8_t *bytes, const int blocks, const int size,
                          const bool single)
{
    JOSE_FMA_UNROLL
    for (int i = 0; i < 20 * blocks; i++) {
        const int bit = 52 * i;  // the limb's lowest bit; its word starts at that bit's byte
        const int start = bit / 8 <= size - 8 ? bit / 8 : size - 8;
        const int shift = bit - 8 * start;
        const uint64_t word = jose_load_big(bytes + (size - 8 - start));
        limbs[limb_index(blocks, single, i)] =
            shift < 64 ? (int64_t)(word >> shift & JOSE_FMA_MASK) : 0;
    }
}

// Writes x, or x + n if x is negative. If x is not between -n and n, the bytes written are not
// below n: all ones if x is -n or has more than 8 size bits, else x itself or the sum modulo
// 2^(8 size).
JOSE_FMA_INLINE void write(uint8_t *bytes, const int64_t *limbs, const int blocks, const int size,
                           const bool single, const uint8_t *modulus)
{
    uint64_t plain[4 * JOSE_FMA_BLOCK * 4 + 1], words[JOSE_RSA_KERNEL_MAX_BYTES / 8];
    int64_t carry = 0;
    JOSE_FMA_UNROLL
    for (int i = 0; i < 20 * blocks; i++) {
        carry += limbs[limb_index(blocks, single, i)];
        plain[i] = (uint64_t)carry & JOSE_FMA_MASK;
        carry >>= 52;
    }
    plain[20 * blocks] = 0;
    const uint64_t negative = jose_mask_of((uint64_t)(carry >> 63));
    uint64_t wrong = (uint64_t)carry ^ negative;
    JOSE_FMA_UNROLL
    for (int i = 8 * size / 52; i < 20 * blocks; i++) {  // above the modulus only the sign is left
        const int skip = 52 * i < 8 * size ? 8 * size - 52 * i : 0;
        wrong |= plain[i] >> skip ^ (negative & JOSE_FMA_MASK) >> skip;
    }
    unsigned __int128 sum = 0;
    uint64_t any = 0;
    JOSE_FMA_UNROLL
    for (int w = 0; w < size / 8; w++) {
        const int i = 64 * w / 52, skip = 64 * w % 52;  // bits of limb i that are already out
        uint64_t word = plain[i] >> skip | plain[i + 1] << (52 - skip);
        if (104 - skip < 64) word |= plain[i + 2] << (104 - skip);
        sum = (sum >> 64) + word + (jose_load_big(modulus + size - 8 - 8 * w) & negative);
        words[w] = (uint64_t)sum;
        any |= words[w];
    }
    // x = -n has the sum 0, which is below n. For a smaller x the sum wraps to a number above n.
    wrong |= negative & 1 & ~((any | (0 - any)) >> 63);
    const uint64_t ones = jose_mask_of(0 - ((wrong | (0 - wrong)) >> 63));
    for (int w = 0; w < size / 8; w++) jose_store_big(bytes + size - 8 - 8 * w, words[w] | ones);
}

#define JOSE_FMA_LIMBS(BITS, BLOCKS)                                                         \
    static __attribute__((noinline)) void read_##BITS(int64_t *limbs, int lane,              \
                                                      const uint8_t *bytes)                  \
    {                                                                                        \
        lane < 0 ? read(limbs, bytes, BLOCKS, BITS / 8, true)                                \
                 : read(limbs + lane, bytes, BLOCKS, BITS / 8, false);                       \
    }                                                                                        \
    static __attribute__((noinline)) void write_##BITS(uint8_t *bytes, const int64_t *limbs, \
                                                       int lane, const uint8_t *modulus)     \
    {                                                                                        \
        lane < 0 ? write(bytes, limbs, BLOCKS, BITS / 8, true, modulus)                      \
                 : write(bytes, limbs + lane, BLOCKS, BITS / 8, false, modulus);             \
    }

JOSE_FMA_LIMBS(2048, 2)
JOSE_FMA_LIMBS(3072, 3)
JOSE_FMA_LIMBS(4096, 4)

void jose_fma_limbs_read(int64_t *limbs, int lane, const uint8_t *bytes, size_t size)
{
    switch (size) {
    case 256: read_2048(limbs, lane, bytes); break;
    case 384: read_3072(limbs, lane, bytes); break;
    case 512: read_4096(limbs, lane, bytes); break;
    default: break;
    }
}

void jose_fma_limbs_write(uint8_t *bytes, size_t size, const int64_t *limbs, int lane,
                          const uint8_t *modulus)
{
    switch (size) {
    case 256: write_2048(bytes, limbs, lane, modulus); break;
    case 384: write_3072(bytes, limbs, lane, modulus); break;
    case 512: write_4096(bytes, limbs, lane, modulus); break;
    default: break;
    }
}

// a - b borrows at the top if a < b.
bool jose_below_portable(const uint8_t *a, const uint8_t *b, size_t size)
{
    __int128 difference = 0;
    for (size_t left = size; left > 0;) {
        left -= 8;
        difference = (difference >> 64) + jose_load_big(a + left) - jose_load_big(b + left);
    }
    return difference < 0;
}

#endif
