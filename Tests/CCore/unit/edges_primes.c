// edges_primes.c: RSA private keys with composite "primes" and matching exponents; and the cost of
// detecting that n, e and d have no primes.

#include "faults.h"

#include <openssl/bn.h>
#include <openssl/err.h>

enum { BYTES = 300 };

static const jose_rsa_limits limits = {2048, 8192, false};
static const uint8_t exponent[] = {1, 0, 1};

typedef struct {
    uint8_t bytes[1 + JOSE_RSA_PARTS][BYTES];
    size_t len[1 + JOSE_RSA_PARTS];  // n, and the parts
    bool is_whole;                   // there is a d for these primes
} numbers;

static void put(numbers *out, int index, const BIGNUM *number)
{
    need(BN_num_bytes(number) <= BYTES, "reference");
    out->len[index] = (size_t)BN_bn2bin(number, out->bytes[index]);
}

// The numbers of a key of p and q as if both were primes. Returns false if e has no inverse.
static bool numbers_of(numbers *out, const BIGNUM *p, const BIGNUM *q)
{
    BN_CTX *scratch = BN_CTX_new();
    BIGNUM *n = BN_new(), *a = BN_dup(p), *b = BN_dup(q), *d = BN_new(), *part = BN_new(),
           *e = BN_new();
    need(scratch != NULL && part != NULL && BN_set_word(e, 65537) == 1 && BN_sub_word(a, 1) == 1 &&
             BN_sub_word(b, 1) == 1 && BN_mul(n, p, q, scratch) == 1 &&
             BN_mul(d, a, b, scratch) == 1,
         "reference");
    out->is_whole = BN_mod_inverse(part, e, d, scratch) != NULL;
    if (out->is_whole) {
        put(out, 0, n);
        put(out, 1 + JOSE_RSA_D, part);
        put(out, 1 + JOSE_RSA_P, p);
        put(out, 1 + JOSE_RSA_Q, q);
        BN_copy(d, part);
        need(BN_nnmod(part, d, a, scratch) == 1, "reference");
        put(out, 1 + JOSE_RSA_DP, part);
        need(BN_nnmod(part, d, b, scratch) == 1, "reference");
        put(out, 1 + JOSE_RSA_DQ, part);
        out->is_whole = BN_mod_inverse(part, q, p, scratch) != NULL;
        if (out->is_whole) put(out, 1 + JOSE_RSA_QI, part);
    }
    BN_free(n), BN_free(a), BN_free(b), BN_free(d), BN_free(part), BN_free(e), BN_CTX_free(scratch);
    ERR_clear_error();
    return out->is_whole;
}

// With all parts, or with d alone. calls: the number of powers modulo n.
static jose_status import(jose_key **key, const numbers *from, bool has_primes, unsigned *calls)
{
    jose_number parts[JOSE_RSA_PARTS] = {0};
    for (int i = 0; i < (has_primes ? JOSE_RSA_PARTS : 1); i++)
        parts[i] = (jose_number){from->bytes[1 + i], from->len[1 + i]};
    faults_count_calls("BN_mod_exp");
    const jose_status status = jose_rsa_private(key, &limits, from->bytes[0], from->len[0],
                                                exponent, sizeof exponent, parts);
    *calls = faults_counted();
    faults_count_calls(NULL);
    need((*key != NULL) == (status == JOSE_OK) && ERR_peek_error() == 0, "a key and a rejection");
    return status;
}

static BIGNUM *prime_of(int bits)
{
    BIGNUM *prime = BN_new();
    need(prime != NULL && BN_generate_prime_ex(prime, bits, 0, NULL, NULL, NULL) == 1, "reference");
    return prime;
}

// A factor of 1024 bits: a prime, a product of two or three, a square.
typedef enum { PRIME,
               TWO,
               THREE,
               SQUARE,
               KINDS } kind;

static BIGNUM *factor_of(kind kind)
{
    BN_CTX *scratch = BN_CTX_new();
    BIGNUM *made = prime_of(kind == PRIME ? 1024 : kind == THREE ? 342
                                                                 : 512);
    if (kind == SQUARE) need(BN_sqr(made, made, scratch) == 1, "reference");
    for (int i = 0; i < (kind == TWO ? 1 : kind == THREE ? 2
                                                         : 0);
         i++) {
        BIGNUM *other = prime_of(kind == TWO ? 512 : 342);
        need(BN_mul(made, made, other, scratch) == 1, "reference");
        BN_free(other);
    }
    BN_CTX_free(scratch);
    return made;
}

static void composites(void)
{
    for (kind one = PRIME; one < KINDS; one++)
        for (kind other = PRIME; other < KINDS; other++) {
            numbers key;
            bool found = false;
            for (int attempt = 0; !found; attempt++) {
                need(attempt < 50, "reference");
                BIGNUM *p = factor_of(one), *q = factor_of(other);
                found = numbers_of(&key, p, q) && (key.len[0] > 256 || key.bytes[0][0] >= 0x80);
                BN_free(p), BN_free(q);
            }
            jose_key *made = NULL;
            unsigned calls = 0;
            const jose_status right = one == PRIME && other == PRIME ? JOSE_OK : JOSE_BAD_KEY;
            need(import(&made, &key, true, &calls) == right, "factors of kinds %d and %d", one,
                 other);
            jose_key_release(made);
            need(import(&made, &key, false, &calls) == right, "factors of kinds %d and %d, d alone",
                 one, other);
            jose_key_release(made);
        }
}

// (4^r - 1) / 3 for a prime r is composite, but a pseudoprime to base 2 (Cipolla). No test with one
// base detects it.
static void pseudoprime(void)
{
    static const jose_options all[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
    static const uint8_t message[] = "a message";
    numbers key;
    BIGNUM *p = BN_new();
    need(p != NULL && BN_set_bit(p, 2 * 509) == 1 && BN_sub_word(p, 1) == 1 &&
             BN_div_word(p, 3) == 0,
         "reference");
    do {
        BIGNUM *q = prime_of(1031);
        (void)numbers_of(&key, p, q);
        BN_free(q);
    } while (!key.is_whole || key.len[0] != 256 || key.bytes[0][0] < 0x80);
    BN_free(p);
    jose_key *made = NULL;
    unsigned calls = 0;
    need(import(&made, &key, true, &calls) == JOSE_OK, "pseudoprime");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (int family = JOSE_RSA_PKCS1; family <= JOSE_RSA_PSS; family++) {
            jose_signature *signer = NULL;
            uint8_t signature[256];
            need(jose_signature_make(&signer, made, (jose_signature_family)family, JOSE_SHA256,
                                     true, all[i]) == JOSE_OK,
                 "signer");
            for (int round = 0; round < 3; round++) {
                memset(signature, FAULTS_BLANK, sizeof signature);
                const jose_status status = jose_signature_sign(signer, signature, sizeof signature,
                                                               message, sizeof message);
                need(status == JOSE_BAD_KEY, "options %u, family %d: %d", all[i], family, status);
                need(faults_is_blank(signature, sizeof signature) && ERR_peek_error() == 0,
                     "a wrong signature was returned");
            }
            jose_signature_free(signer);
        }
    jose_key_release(made);
}

// A modulus that is a prime, or a power of one: no base reveals a factor.
static void powers(int exponent_of_prime)
{
    BN_CTX *scratch = BN_CTX_new();
    BIGNUM *p = prime_of(2048 / exponent_of_prime), *n = BN_dup(p), *order = BN_dup(p),
           *d = BN_new(), *e = BN_new();
    need(scratch != NULL && BN_sub_word(order, 1) == 1 && BN_set_word(e, 65537) == 1, "reference");
    for (int i = 1; i < exponent_of_prime; i++)
        need(BN_mul(n, n, p, scratch) == 1 && BN_mul(order, order, p, scratch) == 1, "reference");
    need(BN_mod_inverse(d, e, order, scratch) != NULL, "reference");
    numbers key = {0};
    put(&key, 0, n);
    put(&key, 1 + JOSE_RSA_D, d);
    // The other limits hold: the top bits of the prime are set.
    const jose_rsa_limits wide = {2040, 8192, false};
    jose_number parts[JOSE_RSA_PARTS] = {{key.bytes[1], key.len[1]}};
    jose_key *made = NULL;
    faults_count_calls("BN_mod_exp");
    need(jose_rsa_private(&made, &wide, key.bytes[0], key.len[0], exponent, sizeof exponent,
                          parts) == JOSE_BAD_KEY &&
             made == NULL,
         "a power of a prime, %d", exponent_of_prime);
    const unsigned calls = faults_counted();
    faults_count_calls(NULL);
    need(calls == 1, "a power of a prime, %d: %u powers", exponent_of_prime, calls);
    BN_free(p), BN_free(n), BN_free(order), BN_free(d), BN_free(e), BN_CTX_free(scratch);
}

// Primes for which every small base behaves the same: consecutive bases would find nothing.
static void alike(void)
{
    BN_CTX *scratch = BN_CTX_new();
    BIGNUM *step = BN_new(), *p = BN_new(), *q = BN_new(), *rest = BN_new(), *three = BN_new(),
           *eight = BN_new();
    need(scratch != NULL && BN_set_word(step, 8) == 1 && BN_set_word(three, 3) == 1 &&
             BN_set_word(eight, 8) == 1,
         "reference");
    for (BN_ULONG prime = 3; prime < 66; prime += 2)
        need(BN_mul_word(step, prime) == 1, "reference");
    for (int i = 0; i < 3; i++) {
        numbers key;
        unsigned calls = 0;
        jose_key *made = NULL;
        do {
            need(BN_generate_prime_ex(p, 1024, 0, eight, three, NULL) == 1 &&
                     BN_nnmod(rest, p, step, scratch) == 1 &&
                     BN_generate_prime_ex(q, 1024, 0, step, rest, NULL) == 1,
                 "reference");
        } while (!numbers_of(&key, p, q) || key.len[0] != 256 || key.bytes[0][0] < 0x80);
        need(import(&made, &key, false, &calls) == JOSE_OK, "similar primes");
        need(calls <= 25, "similar primes: %u powers", calls);  // 1 of 16 million needs more
        jose_key_release(made);
    }
    BN_free(step), BN_free(p), BN_free(q), BN_free(rest), BN_free(three), BN_free(eight),
        BN_CTX_free(scratch);
}

void faults_edges_primes(void)
{
    composites();
    pseudoprime();
    powers(1);
    powers(2);
    powers(3);
    alike();
}
