// private_crt.c: the parts of a private operation around the exponentiations, in plain integers:
// bytes to limbs and back, the last reductions, and the recombination of the two halves. No branch
// and no address depends on a number.

#include "private_key.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86

void jose_limbs_from_bytes(uint64_t *limbs, int count, const uint8_t *bytes, size_t size)
{
    for (int i = 0; i < count; i++) {
        const size_t bit = 52 * (size_t)i;  // the lowest bit of limb i
        // Reads 64 bits from the byte of this bit on, or else the highest 64 bits.
        const size_t start = bit / 8 <= size - 8 ? bit / 8 : size - 8;
        const size_t shift = bit - 8 * start;
        const uint64_t word = jose_load_big(bytes + (size - 8 - start));
        limbs[i] = shift < 64 ? word >> shift & JOSE_HALF_MASK : 0;
    }
}

void jose_limbs_to_bytes(uint8_t *bytes, size_t size, const uint64_t *limbs)
{
    for (size_t w = 0; w < size / 8; w++) {
        const size_t i = 64 * w / 52, skip = 64 * w % 52;  // bits of limb i that are already out
        uint64_t word = limbs[i] >> skip | limbs[i + 1] << (52 - skip);
        if (104 - skip < 64) word |= limbs[i + 2] << (104 - skip);
        jose_store_big(bytes + size - 8 - 8 * w, word);
    }
}

// MARK: lanes

// Four adjacent lanes: the limbs fill one lane after the other (picture in ifma_private.c).
void jose_lanes_put(uint64_t *words, int vectors, int lane, const uint64_t *number, int limbs)
{
    for (int l = 0, i = 0; l < 4; l++)
        for (int j = 0; j < vectors; j++, i++)
            words[8 * j + lane + l] = i < limbs ? number[i] : 0;
}

void jose_lanes_get(uint64_t *number, int limbs, const uint64_t *words, int vectors, int lane)
{
    for (int l = 0, i = 0; l < 4; l++)
        for (int j = 0; j < vectors && i < limbs; j++, i++) number[i] = words[8 * j + lane + l];
}

// One lane, with limb i in vector i (ifma_private_x4.c).
void jose_lane_put(uint64_t *words, int lane, const uint64_t *number, int limbs)
{
    for (int i = 0; i < limbs; i++) words[8 * i + lane] = number[i];
}

void jose_lane_get(uint64_t *number, int limbs, const uint64_t *words, int lane)
{
    for (int i = 0; i < limbs; i++) number[i] = words[8 * i + lane];
}

void jose_reduce_once(uint64_t *x, const uint64_t *n, int limbs)
{
    uint64_t difference[2 * JOSE_HALF_LIMBS], borrow = 0;
    for (int i = 0; i < limbs; i++) {
        const uint64_t d = x[i] - n[i] - borrow;
        difference[i] = d & JOSE_HALF_MASK;
        borrow = d >> 63;
    }
    const uint64_t keep = jose_mask_of(0 - borrow);  // all ones if x < n
    for (int i = 0; i < limbs; i++) x[i] = (x[i] & keep) | (difference[i] & ~keep);
    jose_area_wipe(difference, sizeof difference[0] * (size_t)limbs);
}

// Each sum is between -2^52 and 2^54, so a carry is between -1 and 4.
void jose_crt_difference(uint64_t *t, const jose_private_numbers *key, const uint64_t *xp,
                         const uint64_t *xq, int limbs)
{
    int64_t carry = 0;
    for (int i = 0; i < limbs; i++) {
        const int64_t sum = (int64_t)(xp[i] - xq[i] + 2 * key->p.prime[i]) + carry;
        t[i] = (uint64_t)sum & JOSE_HALF_MASK;
        carry = sum >> 52;
    }
}

// A column has at most 40 products below 2^104, so the sum stays below 2^110.
void jose_crt_recombine(uint64_t *m, const jose_private_numbers *key, const uint64_t *h,
                        const uint64_t *xq, int limbs)
{
    unsigned __int128 sum = 0;
    for (int i = 0; i < 2 * limbs; i++) {
        if (i < limbs) sum += xq[i];
        const int from = i < limbs ? 0 : i - limbs + 1, to = i < limbs ? i : limbs - 1;
        for (int j = from; j <= to; j++) sum += (unsigned __int128)h[j] * key->q.prime[i - j];
        m[i] = (uint64_t)sum & JOSE_HALF_MASK;
        sum >>= 52;
    }
}

#endif
