// fma_power.h: the functions that the files of the kernel of doubles share.
#ifndef JOSE_FMA_POWER_H
#define JOSE_FMA_POWER_H

#include "kernels.h"

#if JOSE_KERNELS_X86

// The layouts of two numbers in a prepared key: n (names with N) and -1/n mod R (names with V). A
// number has four quarters, 0 (lowest limbs) to 3. A layout has as many vectors of four lanes as a
// quarter has limbs. Its comment names the quarter in each lane, lowest lane first. After the last
// layout, a prepared key has R^2 mod n, one limb after the other.
typedef enum jose_fma_layout {
    JOSE_FMA_N_PAIRS,    // 2 2 3 3
    JOSE_FMA_N_HALVES,   // 3 3 1 1
    JOSE_FMA_N_REVERSE,  // 3 2 1 0
    JOSE_FMA_V_PAIRS,    // 0 0 1 1
    JOSE_FMA_V_HALVES,   // 2 2 0 0
    JOSE_FMA_V_REVERSE,  // 3 2 1 0
    JOSE_FMA_LAYOUTS
} jose_fma_layout;

// jose_fma_blocks returns the number of blocks in a quarter of a number: 2, 3 or 4, or 0 for
// another size. A block is five limbs, so a number has 20 limbs for each of these blocks.
int jose_fma_blocks(size_t size);

// jose_fma_power computes x = x^e mod n in place. On entry x < n. Its limbs are below 2^52, and
// limb i is at x[4 * (i % L) + i / L], where L is a quarter of the limbs. On return the limbs are
// signed, at most 2^51 + 2^8 in size, and -n < x < n. The caller sets the mode of fma_mode.h.
// `work` has JOSE_FMA_WORK_WORDS words; x and work are aligned to 64 bytes.
void jose_fma_power(const jose_rsa_fma_key *key, int64_t *x, uint64_t *work);

// Products modulo n with a fixed factor, for the blinding of private operations, with 2048 bits. A
// factor is in Montgomery form: doubles, lowest limb first. jose_fma_factor makes a factor of x.
// jose_fma_scale computes x = x * factor mod n in place. jose_fma_square_factor squares a factor. x
// is as for jose_fma_power, and the caller sets the mode of fma_mode.h.
void jose_fma_factor(const jose_rsa_fma_key *key, double *factor, int64_t *x, uint64_t *work);
void jose_fma_scale(const jose_rsa_fma_key *key, int64_t *x, const double *factor, uint64_t *work);
void jose_fma_square_factor(const jose_rsa_fma_key *key, double *factor, uint64_t *work);

// jose_fma_power_x4 computes x = x^65537 mod n for four keys, one in each lane. Their numbers have
// 20 * quarter_blocks limbs; limb i of lane l is at [4 * i + l]. `v` is -1/n mod R. `work` has
// JOSE_FMA_WORK_X4_WORDS words. The rest is as for jose_fma_power.
void jose_fma_power_x4(int quarter_blocks, int64_t *x, const double *n, const double *v,
                       const double *r2, uint64_t *work);

enum { JOSE_FMA_WORK_WORDS = 4 * (20 * 12 + 30),
       JOSE_FMA_WORK_X4_WORDS = 4 * 80 * 6 };

// jose_fma_limbs_read writes a number of big-endian bytes as limbs below 2^52: in jose_fma_power's
// order if lane < 0, else in lane `lane` of four numbers. jose_fma_limbs_write takes a result of
// the power functions, adds n if it is negative, and writes its bytes. A result that is not between
// -n and n becomes bytes that are not below n.
void jose_fma_limbs_read(int64_t *limbs, int lane, const uint8_t *bytes, size_t size);
void jose_fma_limbs_write(uint8_t *bytes, size_t size, const int64_t *limbs, int lane,
                          const uint8_t *modulus);

// jose_fma_is_exact computes some products in the mode of fma_mode.h. Returns whether the low and
// the high part of each is right.
bool jose_fma_is_exact(void);

uint64_t jose_fma_checksum(const jose_rsa_fma_key *key);

// jose_below_portable returns whether a < b, both `size` big-endian bytes, without branching on
// them. Any x86-64 processor can run it.
bool jose_below_portable(const uint8_t *a, const uint8_t *b, size_t size);

#endif
#endif
