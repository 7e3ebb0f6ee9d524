// crafted.c: makes crafted RSA keys. It takes a second on any machine.
//
// A number B is its own e-th power modulo each prime p that divides B^(e - 1) - 1. B + 1 divides
// B^65536 - 1, and so does a prime of the missing size. If e - 1 is a multiple of p - 1 for many
// primes p, the same holds for every number.

#include "crafted.h"

#include <openssl/bn.h>

enum { LARGEST_SMALL = 751,
       STILL = 3491888401,
       MAX_PRIMES = 1000 };

static uint32_t power(uint64_t base, uint32_t exponent, uint32_t modulus)
{
    uint64_t result = 1;
    for (base %= modulus; exponent > 0; exponent /= 2, base = base * base % modulus)
        if (exponent % 2 == 1) result = result * base % modulus;
    return (uint32_t)result;
}

static bool is_prime(uint32_t number)
{
    if (number % 2 == 0) return number == 2;
    for (uint64_t d = 3; d * d <= number; d += 2)
        if (number % d == 0) return false;
    return number > 1;
}

static void finish(crafted_key *key, const BIGNUM *n, size_t bits, uint32_t e)
{
    key->size = bits / 8;
    need((size_t)BN_num_bits(n) == bits &&
             BN_bn2binpad(n, key->n, (int)key->size) == (int)key->size,
         "size");
    for (int i = 0; i < 4; i++) key->e[i] = (uint8_t)(e >> (24 - 8 * i));
}

// Returns a prime p with number^65536 = 1 (mod p) that brings `part` to exactly `bits` bits, or 0.
static uint32_t missing_prime(const BIGNUM *number, const BIGNUM *part, size_t bits)
{
    BIGNUM *whole = BN_new();
    need(whole != NULL, "memory");
    uint32_t found = 0;
    const int more = (int)bits - BN_num_bits(part);
    if (more >= 11 && more <= 20)  // p is odd, 1 more than a multiple of 16
        for (uint32_t p = (UINT32_C(1) << (more - 1)) + 1; p < UINT32_C(2) << more && found == 0;
             p += 16) {
            if (p <= LARGEST_SMALL || power(3, p - 1, p) != 1) continue;  // as good as a prime
            const BN_ULONG residue = BN_mod_word(number, p);
            if (residue == 0 || power(residue, 65536, p) != 1 || BN_mod_word(part, p) == 0 ||
                !is_prime(p))
                continue;
            need(BN_copy(whole, part) != NULL && BN_mul_word(whole, p) == 1, "memory");
            if ((size_t)BN_num_bits(whole) == bits) found = p;
        }
    BN_free(whole);
    return found;
}

bool crafted_jump(crafted_key *key, size_t bits, const uint8_t *number)
{
    BIGNUM *b = BN_bin2bn(number, (int)(bits / 8), NULL), *n = BN_dup(b);
    need(b != NULL && n != NULL && BN_add_word(n, 1) == 1, "memory");
    for (BN_ULONG p = 2; p <= LARGEST_SMALL; p++)
        while (BN_mod_word(n, p) == 0) BN_div_word(n, p);
    const uint32_t p = missing_prime(b, n, bits);
    if (p != 0) {
        need(BN_mul_word(n, p) == 1, "memory");
        finish(key, n, bits, 65537);
    }
    BN_free(b);
    BN_free(n);
    return p != 0;
}

// All primes p above the small ones with p - 1 dividing STILL - 1.
static unsigned still_primes(uint32_t primes[MAX_PRIMES])
{
    static uint32_t known[MAX_PRIMES];
    static unsigned count;
    const bool is_known = count > 0;
    for (uint64_t d = 1; !is_known && d * d <= STILL - 1; d++) {
        if ((STILL - 1) % d != 0) continue;
        const uint32_t pair[] = {(uint32_t)d, (uint32_t)((STILL - 1) / d)};
        for (int i = 0; i < 2; i++)
            if (pair[i] >= LARGEST_SMALL && is_prime(pair[i] + 1)) known[count++] = pair[i] + 1;
        need(count < MAX_PRIMES - 2, "primes");
    }
    memcpy(primes, known, sizeof known);
    return count;
}

void crafted_still(crafted_key *key, size_t bits, unsigned seed)
{
    uint32_t primes[MAX_PRIMES];
    const unsigned count = still_primes(primes);
    BIGNUM *n = BN_new(), *whole = BN_new();
    need(n != NULL && whole != NULL, "memory");
    uint64_t state = seed + 1;
    for (bool done = false; !done;) {
        for (unsigned i = count - 1; i > 0; i--) {  // another order
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            const unsigned k = (unsigned)((state >> 33) % (i + 1));
            const uint32_t p = primes[i];
            primes[i] = primes[k], primes[k] = p;
        }
        unsigned next = 0;
        BN_one(n);
        while ((size_t)BN_num_bits(n) + 32 < bits && next < count) BN_mul_word(n, primes[next++]);
        for (; next < count && !done; next++) {
            need(BN_copy(whole, n) != NULL && BN_mul_word(whole, primes[next]) == 1, "memory");
            done = (size_t)BN_num_bits(whole) == bits;
        }
    }
    finish(key, whole, bits, STILL);
    BN_free(n);
    BN_free(whole);
}

bool crafted_edge(crafted_key *key, size_t bits, unsigned nth)
{
    static const uint32_t exponents[] = {65537, 65539, 0x80000001, 0xffffffff,
                                         0xfffffffd, 0xfffffffb, STILL, 0x10000001};
    BIGNUM *n = BN_new();
    need(n != NULL && BN_set_bit(n, nth % 2 ? (int)bits : (int)bits - 1) == 1, "memory");
    if (nth % 2)
        BN_sub_word(n, nth);
    else
        BN_add_word(n, nth + 1);
    bool is_kept = true;
    for (BN_ULONG p = 3; p <= LARGEST_SMALL && is_kept; p += 2) is_kept = BN_mod_word(n, p) != 0;
    if (is_kept)
        finish(key, n, bits, exponents[nth / 2 % (sizeof exponents / sizeof exponents[0])]);
    BN_free(n);
    return is_kept;
}

// 2^exponent mod n, its square, or their negatives.
static void montgomery(BIGNUM *x, const BIGNUM *n, int exponent, unsigned which)
{
    BN_CTX *context = BN_CTX_new();
    BN_zero(x);
    need(context != NULL && BN_set_bit(x, which & 1 ? 2 * exponent : exponent) == 1 &&
             BN_mod(x, x, n, context) == 1,
         "memory");
    if (which & 2) BN_sub(x, n, x);
    BN_CTX_free(context);
}

bool crafted_number(const crafted_key *key, unsigned nth, uint8_t *number)
{
    const int size = (int)key->size, rows = size * 8 / 1024 * 20;  // limbs of 52 bits: ifma_power.h
    BIGNUM *n = BN_bin2bn(key->n, size, NULL), *x = BN_new();
    need(n != NULL && x != NULL, "memory");
    bool is_there = true;
    switch (nth) {
    case 0: BN_zero(x); break;
    case 1: BN_one(x); break;
    case 2: BN_copy(x, n), BN_sub_word(x, 1); break;
    case 3: BN_copy(x, n); break;
    case 4: BN_copy(x, n), BN_add_word(x, 1); break;
    case 5: BN_zero(x), BN_set_bit(x, 8 * size), BN_sub_word(x, 1); break;
    case 6: BN_set_word(x, 2); break;
    case 7: BN_rshift1(x, n); break;
    case 8:
    case 9:
    case 10:
    case 11: montgomery(x, n, 52 * rows, nth - 8); break;
    case 12:
    case 13:
    case 14:
    case 15: montgomery(x, n, 8 * size, nth - 12); break;
    default: is_there = false;
    }
    if (is_there) need(BN_bn2binpad(x, number, size) == size, "size");
    BN_free(n);
    BN_free(x);
    return is_there;
}

jose_status crafted_import(jose_key **key, const crafted_key *crafted)
{
    static const jose_rsa_limits limits = {2048, 8192, false};
    const uint8_t *e = crafted->e;
    size_t e_len = 4;
    for (; *e == 0; e++) e_len--;
    return jose_rsa_public(key, &limits, crafted->n, crafted->size, e, e_len);
}
