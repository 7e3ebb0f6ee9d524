// rsa_factors.c: is a modulus divisible by a small prime, does it bear the ROCA fingerprint?
//
// The odd primes below 752 are multiplied into divisors below 2^63. For each divisor d one pass
// over the words gives r with n = r * 2^(64 * words) (mod d) by two multiplications a word and no
// division. A prime p of d divides n exactly if it divides r.

#include <pthread.h>
#include <stddef.h>

#include "rsa.h"

enum { PRIMES = 132, DIVISORS = 24, LARGEST_PRIME = 751, LARGEST_ROCA_PRIME = 167 };

static struct {
    uint16_t primes[PRIMES];
    int divisor_count;
    struct {
        uint64_t d;
        uint64_t inverse;  // d * inverse = 1 (mod 2^64)
        uint64_t square;   // 2^128 mod d
        int first, end;    // its primes
    } divisors[DIVISORS];
} table;

static uint64_t high(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static void fill_divisor(uint64_t d, int first, int end)
{
    uint64_t inverse = d;  // right in three bits; each step doubles them
    for (int i = 0; i < 5; i++) inverse *= 2 - d * inverse;
    uint64_t square = 1;
    for (int i = 0; i < 128; i++) {
        square <<= 1;
        if (square >= d) square -= d;
    }
    table.divisors[table.divisor_count].d = d;
    table.divisors[table.divisor_count].inverse = inverse;
    table.divisors[table.divisor_count].square = square;
    table.divisors[table.divisor_count].first = first;
    table.divisors[table.divisor_count].end = end;
    table.divisor_count++;
}

static void fill_table(void)
{
    int count = 0, first = 0;
    uint64_t product = 1;
    for (unsigned candidate = 3; candidate <= LARGEST_PRIME; candidate += 2) {
        bool prime = true;
        for (int i = 0; i < count && prime; i++) prime = candidate % table.primes[i] != 0;
        if (!prime) continue;
        if (product > (UINT64_MAX >> 1) / candidate) {
            fill_divisor(product, first, count);
            first = count;
            product = 1;
        }
        table.primes[count++] = (uint16_t)candidate;
        product *= candidate;
    }
    fill_divisor(product, first, count);
}

static bool table_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    return pthread_once(&once, fill_table) == 0;
}

// r with n = r * 2^(64 * words) (mod d), 0 <= r <= d.
static uint64_t scaled_residue(const uint64_t *modulus, size_t words, uint64_t d, uint64_t inverse)
{
    uint64_t carry = 0;  // what is taken from the next word; at most d
    for (size_t i = 0; i < words; i++) {
        uint64_t borrow = modulus[i] < carry;
        uint64_t quotient = (modulus[i] - carry) * inverse;
        carry = high(quotient, d) + borrow;
    }
    return d - carry;
}

bool jose_rsa_has_small_factor(const uint64_t *modulus, size_t words)
{
    if (!table_ready()) return true;
    for (int i = 0; i < table.divisor_count; i++) {
        uint64_t r = scaled_residue(modulus, words, table.divisors[i].d,
                                    table.divisors[i].inverse);
        for (int k = table.divisors[i].first; k < table.divisors[i].end; k++)
            if (r % table.primes[k] == 0) return true;
    }
    return false;
}

// a * b / 2^64 mod d for a, b <= d: one step of Montgomery multiplication.
static uint64_t reduced_product(uint64_t a, uint64_t b, uint64_t d, uint64_t inverse)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t subtrahend = high((uint64_t)product * inverse, d);
    uint64_t top = (uint64_t)(product >> 64);
    return top >= subtrahend ? top - subtrahend : top - subtrahend + d;
}

static bool is_power_of_65537(unsigned residue, unsigned prime)
{
    unsigned power = 1;
    do {
        if (power == residue) return true;
        power = power * (65537 % prime) % prime;
    } while (power != 1);
    return false;
}

bool jose_rsa_has_roca_fingerprint(const uint64_t *modulus, size_t words)
{
    if (!table_ready()) return true;
    for (int i = 0; i < table.divisor_count; i++) {
        uint64_t d = table.divisors[i].d, inverse = table.divisors[i].inverse;
        uint64_t residue = scaled_residue(modulus, words, d, inverse);
        for (size_t word = 0; word < words; word++)
            residue = reduced_product(residue, table.divisors[i].square, d, inverse);
        for (int k = table.divisors[i].first; k < table.divisors[i].end; k++) {
            unsigned prime = table.primes[k];
            if (prime > LARGEST_ROCA_PRIME) return true;
            // An honest modulus leaves here, at the second or third prime that says anything.
            if (!is_power_of_65537((unsigned)(residue % prime), prime)) return false;
        }
    }
    return true;
}
