// ifma_limbs.c: converts big-endian bytes to 52-bit limbs and back, compares numbers, and computes
// `upper` of ifma_pairs.h, all without branches.

#include "ifma_arith.h"
#include "ifma_power.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86

int jose_ifma_vectors(size_t size)
{
    return size == 256 ? 5 : size == 384 ? 8
                         : size == 512   ? 10
                                         : 0;
}

int jose_ifma_rows(size_t size)
{
    return size == 256 ? 40 : size == 384 ? 60
                          : size == 512   ? 80
                                          : 0;
}

// The index of limb i: strided over V vectors, or in one lane of eight numbers.
static inline __attribute__((always_inline)) size_t limb_index(const int V, const bool strided,
                                                               int i)
{
    return strided ? (size_t)(8 * (i % V) + i / V) : (size_t)(8 * i);
}

// With constant arguments, read and write unroll into loads and shifts by constants.
static inline __attribute__((always_inline)) void read(uint64_t *limbs, const uint8_t *bytes,
                                                       const int V, const int count, const int size,
                                                       const bool strided)
{
#pragma clang loop unroll(full)
    for (int i = 0; i < count; i++) {
        const int bit = 52 * i;  // the limb's lowest bit; its word starts at that bit's byte
        const int start = bit / 8 <= size - 8 ? bit / 8 : size - 8;
        const int shift = bit - 8 * start;
        const uint64_t word = jose_load_big(bytes + (size - 8 - start));
        limbs[limb_index(V, strided, i)] = shift < 64 ? word >> shift & JOSE_LIMB_MASK : 0;
    }
}

static inline __attribute__((always_inline)) void write(uint8_t *bytes, const uint64_t *limbs,
                                                        const int V, const int size,
                                                        const bool strided)
{
#pragma clang loop unroll(full)
    for (int w = 0; w < size / 8; w++) {
        const int i = 64 * w / 52, skip = 64 * w % 52;  // bits of limb i that are already out
        uint64_t word = limbs[limb_index(V, strided, i)] >> skip;
        word |= limbs[limb_index(V, strided, i + 1)] << (52 - skip);
        if (104 - skip < 64) word |= limbs[limb_index(V, strided, i + 2)] << (104 - skip);
        jose_store_big(bytes + size - 8 - 8 * w, word);
    }
}

void jose_ifma_limbs_read(uint64_t *limbs, int lane, const uint8_t *bytes, size_t size)
{
    switch (size) {
    case 256:
        lane < 0 ? read(limbs, bytes, 5, 40, 256, true)
                 : read(limbs + lane, bytes, 5, 40, 256, false);
        break;
    case 384:
        lane < 0 ? read(limbs, bytes, 8, 64, 384, true)
                 : read(limbs + lane, bytes, 8, 60, 384, false);
        break;
    case 512:
        lane < 0 ? read(limbs, bytes, 10, 80, 512, true)
                 : read(limbs + lane, bytes, 10, 80, 512, false);
        break;
    default: break;
    }
}

void jose_ifma_limbs_write(uint8_t *bytes, size_t size, const uint64_t *limbs, int lane)
{
    switch (size) {
    case 256:
        lane < 0 ? write(bytes, limbs, 5, 256, true) : write(bytes, limbs + lane, 5, 256, false);
        break;
    case 384:
        lane < 0 ? write(bytes, limbs, 8, 384, true) : write(bytes, limbs + lane, 8, 384, false);
        break;
    case 512:
        lane < 0 ? write(bytes, limbs, 10, 512, true) : write(bytes, limbs + lane, 10, 512, false);
        break;
    default: break;
    }
}

void jose_ifma_upper(uint64_t *upper, const uint64_t *n, uint64_t k0, uint64_t k1, int limbs)
{
    unsigned __int128 sum = 1;  // what limb i receives, below 2^106
    uint64_t below = 0;         // limb i - 1 of n
    for (int i = 0; i < limbs + 2; i++) {
        const uint64_t limb = i < limbs ? n[i] : 0;
        sum += (unsigned __int128)limb * k0 + (unsigned __int128)below * k1;
        if (i >= 2) upper[i - 2] = (uint64_t)sum & JOSE_LIMB_MASK;  // limbs 0 and 1 are 0
        sum >>= 52;
        below = limb;
    }
}

// The first byte that differs decides. The loop goes from the last 64 bytes to the first, and a
// difference replaces the result so far.
__attribute__((target(JOSE_IFMA_TARGET))) bool jose_below(const uint8_t *a, const uint8_t *b,
                                                          size_t size)
{
    uint64_t is_less = 0;
    for (size_t left = size; left > 0;) {
        left -= 64;
        const __m512i x = _mm512_loadu_si512(a + left), y = _mm512_loadu_si512(b + left);
        const uint64_t less = _mm512_cmplt_epu8_mask(x, y);
        const uint64_t other = _mm512_cmpneq_epu8_mask(x, y);
        const uint64_t first = other & (0 - other);  // the lowest bit is the foremost byte
        const uint64_t same = ((other | (0 - other)) >> 63) ^ 1;
        is_less = (is_less & same) | (((less & first) | (0 - (less & first))) >> 63);
    }
    return is_less != 0;
}

bool jose_differ(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < size; i += 8) seen |= jose_load_big(a + i) ^ jose_load_big(b + i);
    return seen != 0;
}

#endif
