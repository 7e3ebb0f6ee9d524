// rsa_factors.c: checks a modulus for small prime factors and the ROCA fingerprint.
//
// The odd primes below 752 are multiplied into divisors below 2^63. One pass over the words gives,
// for each divisor d, a number r with n = r * 2^(64 * words) (mod d), by two multiplications a word
// and no division. A prime factor of d divides n if and only if it divides r.

#include <pthread.h>
#include <stddef.h>

#include "rsa.h"

enum {
    PRIMES = 132,
    LARGEST_PRIME = 751,
    LARGEST_ROCA_PRIME = 167,
    LANES = 4,  // divisors in parallel: one chain would wait for its own products
    DIVISORS = 5 * LANES
};

typedef struct {
    uint16_t value;
    uint8_t divisor;     // the divisor it is part of
    bool distinguishes;  // not every residue is a power of 65537
    uint64_t inverse;    // value * inverse = 1 (mod 2^64)
    uint64_t limit;      // x * inverse <= limit if and only if value divides x
    uint64_t powers[3];  // bit k: k is a power of 65537; for primes to 167
} small_prime;

static struct {
    small_prime primes[PRIMES];
    uint64_t divisors[DIVISORS];
    uint64_t inverses[DIVISORS];
} table;

static uint64_t inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;  // right in 3 bits; each step doubles them
    for (int i = 0; i < 5; i++) inverse *= 2 - odd * inverse;
    return inverse;
}

static void fill_prime(small_prime *prime, unsigned value, int divisor)
{
    prime->value = (uint16_t)value;
    prime->divisor = (uint8_t)divisor;
    prime->inverse = inverse_of(value);
    prime->limit = UINT64_MAX / value;
    if (value > LARGEST_ROCA_PRIME) return;
    unsigned power = 1, count = 0;
    do {
        prime->powers[power / 64] |= (uint64_t)1 << (power % 64);
        power = power * (65537 % value) % value;
        count++;
    } while (power != 1);
    prime->distinguishes = count < value - 1;
}

static void fill_table(void)
{
    int count = 0, divisor = 0;
    for (int i = 0; i < DIVISORS; i++) table.divisors[i] = 1;
    for (unsigned value = 3; value <= LARGEST_PRIME; value += 2) {
        bool prime = true;
        for (int i = 0; i < count && prime; i++) prime = value % table.primes[i].value != 0;
        if (!prime) continue;
        if (table.divisors[divisor] > (UINT64_MAX >> 1) / value) divisor++;
        table.divisors[divisor] *= value;
        fill_prime(&table.primes[count++], value, divisor);
    }
    for (int i = 0; i < DIVISORS; i++) table.inverses[i] = inverse_of(table.divisors[i]);
}

bool jose_rsa_factors_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    return pthread_once(&once, fill_table) == 0;
}

// Each residue is an r with n = r * 2^(64 * words) (mod d), 0 <= r <= d.
static void scaled_residues(uint64_t residues[DIVISORS], const uint64_t *modulus, size_t words)
{
    for (int first = 0; first < DIVISORS; first += LANES) {
        uint64_t carry[LANES] = {0};  // borrowed from the next word; at most d
        for (size_t i = 0; i < words; i++) {
            for (int k = 0; k < LANES; k++) {
                uint64_t borrow = modulus[i] < carry[k];
                uint64_t quotient = (modulus[i] - carry[k]) * table.inverses[first + k];
                unsigned __int128 product = (unsigned __int128)quotient * table.divisors[first + k];
                carry[k] = (uint64_t)(product >> 64) + borrow;
            }
        }
        for (int k = 0; k < LANES; k++) residues[first + k] = table.divisors[first + k] - carry[k];
    }
}

// 2^(64 * words) modulo a small prime.
static unsigned scale(unsigned prime, size_t words)
{
    unsigned base = (unsigned)(UINT64_MAX % prime + 1) % prime, result = 1;
    for (; words > 0; words >>= 1) {
        if (words & 1) result = result * base % prime;
        base = base * base % prime;
    }
    return result;
}

// For most honest moduli the first or second prime that distinguishes gives false.
static bool has_roca_fingerprint(const uint64_t residues[DIVISORS], size_t words)
{
    for (int i = 0; i < PRIMES && table.primes[i].value <= LARGEST_ROCA_PRIME; i++) {
        const small_prime *prime = &table.primes[i];
        if (!prime->distinguishes) continue;
        unsigned residue = (unsigned)(residues[prime->divisor] % prime->value);
        residue = residue * scale(prime->value, words) % prime->value;
        if ((prime->powers[residue / 64] >> (residue % 64) & 1) == 0) return false;
    }
    return true;
}

bool jose_rsa_is_weak(const uint64_t *modulus, size_t words)
{
    uint64_t residues[DIVISORS];
    scaled_residues(residues, modulus, words);
    bool divisible = false;
    for (int i = 0; i < PRIMES; i++) {
        const small_prime *prime = &table.primes[i];
        divisible |= residues[prime->divisor] * prime->inverse <= prime->limit;
    }
    return divisible || has_roca_fingerprint(residues, words);
}
