// primes.c: libcrypto's private operations leave nothing on the stack from which the primes of a
// key can be computed. With AVX-512 IFMA, libcrypto 3.0 leaves R mod p and R mod q there.

#include <openssl/bn.h>
#include <string.h>

#include "cjosekernels.h"
#include "keys/key.h"
#include "private.h"

enum { DEPTH = 96 * 1024,
       MAX_WORDS = 30 };

static uint8_t below[DEPTH];

__attribute__((noinline)) static void copy_stack(void)
{
    _Alignas(8) uint8_t here;  // numbers on the stack are aligned
    const volatile uint8_t *from = &here - sizeof below;
    for (size_t i = 0; i < sizeof below; i++) below[i] = from[i];
}

// Whether a number, or a power of two less it, shares a factor with n.
static bool reveals(BIGNUM *x, int power, const BIGNUM *n, BN_CTX *context)
{
    BIGNUM *rest = BN_new(), *factor = BN_new();
    need(rest != NULL && factor != NULL && BN_set_bit(rest, power) == 1 &&
         BN_sub(rest, rest, x) == 1);
    bool found = false;
    for (int i = 0; i < 2; i++) {
        need(BN_gcd(factor, i == 0 ? x : rest, n, context) == 1);
        found |= !BN_is_one(factor) && BN_cmp(factor, n) != 0;
    }
    BN_free(rest);
    BN_free(factor);
    return found;
}

// Reads each place as limbs of 52 bits or as words of 64, as many as a prime has.
static bool has_primes(const BIGNUM *n)
{
    const int bits = BN_num_bits(n) / 2, limbs = bits / 52 + 1;
    BN_CTX *context = BN_CTX_new();
    BIGNUM *x = BN_new();
    need(context != NULL && x != NULL);
    bool found = false;
    for (size_t at = 0; !found && at + 8 * MAX_WORDS <= sizeof below; at += 8) {
        uint64_t words[MAX_WORDS], high = 0;
        int used = 0;
        memcpy(words, below + at, sizeof words);
        for (int i = 0; i < limbs; i++) used += words[i] != 0, high |= words[i] >> 52;
        if (used < bits / 64) continue;
        need(BN_lebin2bn(below + at, bits / 8, x) != NULL);
        found = reveals(x, bits, n, context);
        if (high != 0) continue;
        BN_zero(x);
        for (int i = limbs - 1; i >= 0; i--)
            need(BN_lshift(x, x, 52) == 1 && BN_add_word(x, words[i]) == 1);
        found |= reveals(x, 52 * limbs, n, context);
    }
    BN_free(x);
    BN_CTX_free(context);
    return found;
}

static void import(const subject *s)
{
    static const jose_rsa_limits limits = {2048, 8192, false};
    uint8_t bytes[JOSE_RSA_PARTS][512];
    jose_number parts[JOSE_RSA_PARTS];
    for (int part = 0; part < JOSE_RSA_PARTS; part++) {
        const size_t len = jose_rsa_part_bytes(s->key, (jose_rsa_part)part);
        need(jose_rsa_part_write(s->key, (jose_rsa_part)part, bytes[part], len) == JOSE_OK);
        parts[part] = (jose_number){bytes[part], len};
    }
    const jose_number n = jose_key_number(s->key, 0), e = jose_key_number(s->key, 1);
    jose_key *key = NULL;
    need(jose_rsa_private(&key, &limits, n.bytes, n.len, e.bytes, e.len, parts) == JOSE_OK);
    jose_key_release(key);
}

__attribute__((noinline)) static void compute(const subject *s, const operation *o, int kind)
{
    static const uint8_t text[] = "text";
    uint8_t signature[MAX_BYTES], cek[CEK];
    if (kind == OPERATIONS)
        import(s);
    else if (kind == OAEP)
        need(operation_unwrap(o, cek, s->encrypted_key, s->size));
    else
        need(jose_signature_sign(o->signer, signature, s->size, text, sizeof text) == JOSE_OK);
}

static void check_size(uint32_t bits)
{
    subject s = subject_make(bits);
    const jose_number n = jose_key_number(s.key, 0);
    BIGNUM *modulus = BN_bin2bn(n.bytes, (int)n.len, NULL);
    need(modulus != NULL);
    for (int kind = 0; kind <= OPERATIONS; kind++) {
        operation o = operation_make(&s, kind < OPERATIONS ? kind : 0, 0);
        jose_residue_clear(sizeof below);
        compute(&s, &o, kind);
        copy_stack();
        need(!has_primes(modulus));
        operation_free(&o);
    }
    BN_free(modulus);
    jose_key_release(s.key);
}

void check_primes(void)
{
    check_size(2048);
    check_size(3072);
    puts("private  primes: libcrypto's operations leave none on the stack");
}
