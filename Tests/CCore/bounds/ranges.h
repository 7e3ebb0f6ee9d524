// ranges.h: values of which only the range is known, in place of the 64-bit lanes of a vector.
//
// The kernels have no branch and no address that depends on a number, so one run over ranges covers
// all inputs. A lane holds a word itself, or a handle to one of these:
//
// - a word between two bounds, modulo 2^64;
// - a double that is an integer between two bounds;
// - a mask: all bits or none.
//
// Each operation computes the range of its result. Every different step, such as "the sum of a
// value up to A and one up to B is at most A + B", is printed once for Gappa or z3 to prove
// (bounds.py). What no range can show ends the program.
#ifndef RANGES_H
#define RANGES_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 range_number;

// range_word returns a lane with an unknown word from `low` to `high`.
uint64_t range_word(range_number low, range_number high);

// range_double returns a lane with an unknown integer from `low` to `high` as a double. Each call
// gives another unknown: high and low parts of a product must be those of the same factors.
uint64_t range_double(range_number low, range_number high);

// range_fail prints what is wrong, and the part that runs, and ends the program with 1.
_Noreturn void range_fail(const char *what);

// range_begin starts a part: a kernel and a size. range_end prints the largest sum in it, the
// largest limb that a sum was reduced to, and the largest column that gave a carry.
void range_begin(const char *kernel, int bits);
void range_end(void);

// MARK: operations on lanes

uint64_t range_add(uint64_t a, uint64_t b);
uint64_t range_subtract(uint64_t a, uint64_t b);
uint64_t range_and(uint64_t a, uint64_t b);
uint64_t range_or(uint64_t a, uint64_t b);
uint64_t range_shift_right(uint64_t a, int bits);
uint64_t range_carry(uint64_t a, int bits);  // the same, of a sum that is recorded
uint64_t range_shift_left(uint64_t a, int bits);
uint64_t range_sign(uint64_t a);                       // all bits if negative
uint64_t range_equal(uint64_t a, uint64_t b);          // a mask
uint64_t range_either(uint64_t a, uint64_t b);         // one of the two
void range_check_carry(uint64_t limb, uint64_t mask);  // limb + 1 carries at most 1 out of mask

// sum + the lower or upper 52 bits of the product of the lower 52 bits of a and b.
uint64_t range_add_product(uint64_t sum, uint64_t a, uint64_t b, bool upper);

// a - b and a * b + c of doubles, rounded down.
uint64_t range_double_subtract(uint64_t a, uint64_t b);
uint64_t range_fused(uint64_t a, uint64_t b, uint64_t c);

#endif
