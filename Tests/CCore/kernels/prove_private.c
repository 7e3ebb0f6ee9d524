// prove_private.c: the private operations of every kernel against OpenSSL.
//
// Inputs are made as x^e, so that the public operation gives the expected result x; of each key one
// result is EVP's. Keys come from a pool of random and of extreme primes. The Montgomery step runs
// with extreme limbs that no message leads to. A key is corrupted in each bit, and a child of fork
// finds no key.

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "private_key.h"
#include "prove.h"
#include "selftest_data.h"

#if JOSE_KERNELS_X86

enum { LANES = JOSE_RSA_PRIVATE_LANES,
       BYTES = JOSE_RSA_KERNEL_MAX_BYTES,
       HALF = BYTES / 2 };

static BN_CTX *context;

// A key with OpenSSL's numbers, prepared for each kernel of this processor.
typedef struct {
    BIGNUM *n, *e, *p, *q;
    size_t size;
    EVP_PKEY_CTX *evp;
    jose_rsa_private_key *prepared[JOSE_RSA_KERNELS];
    jose_rsa_blinding *blinding[JOSE_RSA_KERNELS];
} subject;

static uint64_t operations, steps, changes;

// MARK: keys

// Patterns of limbs: all ones, all zeros, only the highest bit of each, all others.
enum { PATTERNS = 5 };

static void make_prime(BIGNUM *prime, int bits, int number)
{
    uint8_t bytes[HALF];
    BN_zero(prime);
    for (int i = 0; number < PATTERNS && i < bits; i++) {
        const bool is_top = i % 52 == 51, is_odd = i / 52 % 2 == 1;
        const bool is_set[PATTERNS] = {true, false, is_odd, is_top, !is_top};
        if (is_set[number]) BN_set_bit(prime, i);
    }
    if (number >= PATTERNS) {
        prove_bytes(bytes, sizeof bytes);
        BN_bin2bn(bytes, bits / 8, prime);
    }
    BN_set_bit(prime, bits - 1);  // 3/4 of the largest, so that products of two have all bits
    BN_set_bit(prime, bits - 2);
    BN_set_bit(prime, 0);
    const bool is_falling = BN_is_bit_set(prime, bits - 3) && BN_is_bit_set(prime, bits - 4);
    while (BN_mod_word(prime, 65537) == 1 || BN_check_prime(prime, context, NULL) != 1)
        is_falling ? BN_sub_word(prime, 2) : BN_add_word(prime, 2);
}

static void add_number(OSSL_PARAM_BLD *builder, const char *name, const BIGNUM *number)
{
    PROVE(OSSL_PARAM_BLD_push_BN(builder, name, number) == 1, "key");
}

static void make_evp(subject *s, BIGNUM *const parts[5], const BIGNUM *d)
{
    static const char *const names[] = {OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2,
                                        OSSL_PKEY_PARAM_RSA_EXPONENT1,
                                        OSSL_PKEY_PARAM_RSA_EXPONENT2,
                                        OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    add_number(builder, OSSL_PKEY_PARAM_RSA_N, s->n);
    add_number(builder, OSSL_PKEY_PARAM_RSA_E, s->e);
    add_number(builder, OSSL_PKEY_PARAM_RSA_D, d);
    for (int i = 0; i < 5; i++) add_number(builder, names[i], parts[i]);
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    EVP_PKEY *pkey = NULL;
    PROVE(EVP_PKEY_fromdata_init(maker) == 1 &&
              EVP_PKEY_fromdata(maker, &pkey, EVP_PKEY_KEYPAIR, params) == 1,
          "key");
    s->evp = EVP_PKEY_CTX_new(pkey, NULL);
    PROVE(EVP_PKEY_decrypt_init(s->evp) == 1 &&
              EVP_PKEY_CTX_set_rsa_padding(s->evp, RSA_NO_PADDING) == 1,
          "key");
    EVP_PKEY_free(pkey);
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
}

static void renew(subject *s, int kernel)
{
    uint8_t random[BYTES];
    jose_rsa_outcome outcome;
    do {
        prove_bytes(random, s->size);
        outcome = jose_rsa_blinding_renew(s->prepared[kernel], s->blinding[kernel], random);
        PROVE(outcome != JOSE_RSA_CORRUPTED, "blinding");
    } while (outcome != JOSE_RSA_DONE);
}

static void make_subject(subject *s, const BIGNUM *p, const BIGNUM *q, uint64_t exponent)
{
    uint8_t bytes[5][HALF];
    BIGNUM *parts[5], *d = BN_new(), *order = BN_new();
    for (int i = 0; i < 5; i++) parts[i] = BN_new();
    *s = (subject){BN_new(), BN_new(), BN_dup(p), BN_dup(q), 0, NULL, {NULL}, {NULL}};
    BN_mul(s->n, p, q, context);
    BN_set_word(s->e, exponent);
    s->size = (size_t)BN_num_bytes(s->n);
    BN_sub(parts[2], p, BN_value_one()), BN_sub(parts[3], q, BN_value_one());
    BN_mul(order, parts[2], parts[3], context);
    PROVE(BN_mod_inverse(d, s->e, order, context) != NULL, "key");
    BN_copy(parts[0], p), BN_copy(parts[1], q);
    BN_mod(parts[2], d, parts[2], context), BN_mod(parts[3], d, parts[3], context);
    PROVE(BN_mod_inverse(parts[4], q, p, context) != NULL, "key");
    for (int i = 0; i < 5; i++)
        PROVE(BN_bn2binpad(parts[i], bytes[i], (int)s->size / 2) == (int)s->size / 2, "key");
    make_evp(s, parts, d);
    const jose_rsa_crt crt = {s->n, s->e, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]};
    for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++) {
        const jose_rsa_private_kernel *entry = &jose_rsa_private_kernels[kernel];
        const jose_rsa_preparation result =
            jose_rsa_private_key_new(&s->prepared[kernel], kernel, &crt);
        const bool is_taken = entry->is_present() && s->size <= entry->max_one;
        PROVE(result == (is_taken ? JOSE_RSA_PREPARED : JOSE_RSA_NOT_TAKEN), "preparation");
        if (!is_taken) continue;
        s->blinding[kernel] = jose_rsa_blinding_new();
        renew(s, kernel);
    }
    for (int i = 0; i < 5; i++) BN_free(parts[i]);
    BN_free(d), BN_free(order);
}

static void free_subject(subject *s)
{
    for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++) {
        jose_rsa_private_key_free(s->prepared[kernel]);
        jose_rsa_blinding_free(s->blinding[kernel]);
    }
    EVP_PKEY_CTX_free(s->evp);
    BN_free(s->n), BN_free(s->e), BN_free(s->p), BN_free(s->q);
}

// A pool of primes: of `count` any two different ones are a key.
typedef struct {
    BIGNUM **prime;
    int count, bits;
} pool;

static pool make_pool(int modulus_bits, int count)
{
    pool made = {calloc((size_t)count, sizeof(BIGNUM *)), count, modulus_bits / 2};
    for (int i = 0; i < count; i++)
        make_prime(made.prime[i] = BN_new(), made.bits, i);
    return made;
}

// Key number i of the pool: the pairs in a fixed order, either prime first.
static void make_numbered(subject *s, const pool *from, int number)
{
    const int a = number % from->count, distance = 1 + number / from->count;
    const int b = (a + distance) % from->count;
    PROVE(distance < from->count, "too few primes for so many keys");
    static const uint64_t exponents[] = {65537, 65537, 65537, 3, 0xfffffffb};
    uint64_t exponent = exponents[number % 5];
    const BIGNUM *p = from->prime[a], *q = from->prime[b];
    if (BN_mod_word(p, exponent) == 1 || BN_mod_word(q, exponent) == 1) exponent = 65537;
    make_subject(s, p, q, exponent);
}

// MARK: operations

static void make_message(BIGNUM *x, const subject *s, uint64_t number)
{
    uint8_t bytes[BYTES];
    BN_zero(x);
    switch (number) {
    case 0: break;
    case 1: BN_one(x); break;
    case 2: BN_sub(x, s->n, BN_value_one()); break;
    case 3: BN_copy(x, s->p); break;
    case 4: BN_copy(x, s->q); break;
    case 5: BN_sub(x, s->n, s->p); break;
    case 6: BN_set_bit(x, 52 * jose_half_limbs(s->size)); break;
    default:
        prove_bytes(bytes, s->size);
        if (prove_below(8) == 0)  // limbs of all ones or zeros
            for (size_t i = prove_below(s->size), run = prove_below(60); i < s->size && run > 0;
                 i++, run--)
                bytes[i] = prove_below(2) ? 0xff : 0;
        BN_bin2bn(bytes, (int)s->size, x);
        BN_mod(x, x, s->n, context);
    }
}

static void power(uint8_t *out, const BIGNUM *x, const subject *s)
{
    BIGNUM *y = BN_new();
    PROVE(BN_mod_exp(y, x, s->e, s->n, context) == 1, "reference");
    PROVE(BN_bn2binpad(y, out, (int)s->size) == (int)s->size, "reference");
    BN_free(y);
}

// One message for each kernel alone, and by EVP if asked for.
static void prove_one(subject *s, uint64_t number, bool by_evp)
{
    uint8_t want[BYTES], in[BYTES], out[BYTES];
    BIGNUM *x = BN_new();
    make_message(x, s, number);
    BN_bn2binpad(x, want, (int)s->size);
    power(in, x, s);
    for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++) {
        if (s->prepared[kernel] == NULL) continue;
        memset(out, 0x5a, sizeof out);
        PROVE(jose_rsa_private_run(s->prepared[kernel], s->blinding[kernel], out, in) ==
                      JOSE_RSA_DONE &&
                  memcmp(out, want, s->size) == 0,
              "private operation");
        operations++;
    }
    size_t size = s->size;
    if (by_evp)
        PROVE(EVP_PKEY_decrypt(s->evp, out, &size, in, s->size) == 1 &&
                  memcmp(out, want, s->size) == 0,
              "EVP");
    BN_free(x);
}

// Four messages at once, of up to four keys; with a NULL some lanes are idle.
static void prove_four(subject *const s[LANES], uint64_t number)
{
    uint8_t want[LANES][BYTES], in[LANES][BYTES], out[LANES][BYTES], *outs[LANES];
    const uint8_t *ins[LANES];
    const jose_rsa_private_key *keys[LANES];
    jose_rsa_blinding *blindings[LANES];
    BIGNUM *x = BN_new();
    unsigned expected = 0;
    for (int lane = 0; lane < LANES; lane++) {
        keys[lane] = NULL;
        if (s[lane] == NULL) continue;
        keys[lane] = s[lane]->prepared[0], blindings[lane] = s[lane]->blinding[0];
        ins[lane] = in[lane], outs[lane] = out[lane];
        make_message(x, s[lane], number + (uint64_t)lane);
        BN_bn2binpad(x, want[lane], (int)s[lane]->size);
        power(in[lane], x, s[lane]);
        expected |= 1u << lane;
    }
    const jose_rsa_lanes lanes = jose_rsa_private_run_together(keys, blindings, outs, ins);
    PROVE(lanes.done == expected && lanes.corrupted == 0, "four private operations");
    for (int lane = 0; lane < LANES; lane++)
        if (s[lane] != NULL) {
            PROVE(memcmp(out[lane], want[lane], s[lane]->size) == 0, "four private operations");
            operations++;
        }
    BN_free(x);
}

// Values at or above n are declined and give nothing.
static void prove_declined(subject *s)
{
    uint8_t in[BYTES], out[BYTES];
    static const uint8_t zeros[BYTES];
    for (int kind = 0; kind < 3; kind++) {
        memset(in, 0xff, sizeof in);
        BIGNUM *x = BN_dup(s->n);
        if (kind == 1) BN_add_word(x, 1);
        if (kind < 2) BN_bn2binpad(x, in, (int)s->size);
        BN_free(x);
        for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++) {
            if (s->prepared[kernel] == NULL) continue;
            memset(out, 0x5a, sizeof out);
            PROVE(jose_rsa_private_run(s->prepared[kernel], s->blinding[kernel], out, in) ==
                          JOSE_RSA_DECLINED &&
                      memcmp(out, zeros, s->size) == 0,
                  "a message that is not below n");
            PROVE(jose_rsa_blinding_renew(s->prepared[kernel], s->blinding[kernel], in) ==
                      JOSE_RSA_DECLINED,
                  "a blinding that is not below n");
            PROVE(jose_rsa_blinding_renew(s->prepared[kernel], s->blinding[kernel], zeros) ==
                      JOSE_RSA_DECLINED,
                  "a blinding of zero");
        }
    }
}

// MARK: steps

static int64_t extreme(bool is_signed)
{
    const int64_t beta = INT64_C(1) << 52, half = beta / 2;
    const int64_t noise = (int64_t)(prove_random() >> 12);
    switch (prove_below(7)) {
    case 0: return is_signed ? half + 256 : beta - 1;
    case 1: return is_signed ? -half - 256 : 0;
    case 2: return is_signed ? -half : half;
    case 3: return half - 1;
    case 4: return 0;
    case 5: return (int64_t)1 << prove_below(51);
    default: return is_signed ? noise - half : noise;
    }
}

// Limbs of extreme values: of one kind, or each of its own.
static void make_factor(uint64_t *limbs, int count, bool is_signed)
{
    const bool is_uniform = prove_below(2);
    const int64_t one = extreme(is_signed);
    for (int i = 0; i < count; i++)
        limbs[i] = (uint64_t)(is_uniform ? one : extreme(is_signed));
    limbs[count - 1] = prove_random() >> 46;  // below every prime
}

static void value(BIGNUM *x, const uint64_t *limbs, int count)
{
    BN_zero(x);
    for (int i = count - 1; i >= 0; i--) {
        const int64_t limb = (int64_t)limbs[i];
        BN_lshift(x, x, 52);
        limb < 0 ? BN_sub_word(x, (uint64_t)-limb) : BN_add_word(x, (uint64_t)limb);
    }
}

// out must be a b / R modulo the prime, below it.
static void check_step(const uint64_t *out, const uint64_t *a, const uint64_t *b,
                       const BIGNUM *prime, int limbs)
{
    BIGNUM *x = BN_new(), *y = BN_new(), *z = BN_new();
    value(x, a, limbs), value(y, b, limbs), value(z, out, limbs);
    PROVE(BN_cmp(z, prime) < 0, "a step's result is below the prime");
    BN_mod_mul(x, x, y, prime, context);
    BN_nnmod(x, x, prime, context);
    BN_lshift(z, z, 52 * limbs);
    BN_nnmod(z, z, prime, context);
    PROVE(BN_cmp(x, z) == 0, "a step's result");
    steps++;
    BN_free(x), BN_free(y), BN_free(z);
}

static void prove_steps(subject *s)
{
    const int limbs = jose_half_limbs(s->size);
    for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++) {
        const jose_rsa_private_key *key = s->prepared[kernel];
        if (key == NULL) continue;
        const bool is_floating = jose_rsa_private_kernels[kernel].is_floating;
        jose_step a[LANES], b[LANES], x[LANES];
        const jose_private_numbers *keys[LANES];
        for (int is_square = 0; is_square < 2; is_square++) {
            for (int lane = 0; lane < LANES; lane++) {
                keys[lane] = key->secret;
                make_factor(a[lane].p, limbs, is_floating);
                make_factor(a[lane].q, limbs, is_floating);
                make_factor(b[lane].p, limbs, is_floating);
                make_factor(b[lane].q, limbs, is_floating);
            }
            if (is_square) memcpy(b, a, sizeof b);
            memcpy(x, a, sizeof x);
            if (is_floating) {
                jose_fma_private_step(key->secret, x, is_square ? NULL : b);
            } else {
                jose_ifma_private_step_x4(keys, x, is_square ? NULL : b);
                for (int lane = 0; lane < LANES; lane++) {
                    check_step(x[lane].p, a[lane].p, b[lane].p, s->p, limbs);
                    check_step(x[lane].q, a[lane].q, b[lane].q, s->q, limbs);
                }
                if (s->size == 512) continue;
                memcpy(x, a, sizeof x);
                jose_ifma_private_step(key->secret, x, is_square ? NULL : b);
            }
            check_step(x->p, a->p, b->p, s->p, limbs);
            check_step(x->q, a->q, b->q, s->q, limbs);
        }
    }
}

// MARK: keys in memory

static void set_writable(const void *memory, int protection)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    PROVE(mprotect((void *)((uintptr_t)memory & ~page), sizeof(jose_private_numbers),
                   protection) == 0,
          "mprotect");
}

// Each bit of a prepared key. Only the checksum is computed: with it corrupted nothing else runs.
static void prove_bits(subject *s, int kernel, int stride)
{
    uint8_t in[BYTES] = {0}, out[BYTES];
    const jose_rsa_private_key *key = s->prepared[kernel];
    uint64_t *words = (uint64_t *)(uintptr_t)key->secret;
    const int count = (int)(sizeof(jose_private_numbers) / 8);
    set_writable(words, PROT_READ | PROT_WRITE);
    for (int bit = (int)prove_below((uint64_t)stride); bit < 64 * count; bit += stride) {
        words[bit / 64] ^= UINT64_C(1) << bit % 64;
        PROVE(jose_rsa_private_run(key, s->blinding[kernel], out, in) == JOSE_RSA_CORRUPTED,
              "a changed bit");
        // Two bits of words of the same sum, so that one may cancel the other.
        const int other = bit / 64 + 4 < count - 1 ? bit / 64 + 4 : bit / 64 - 4;
        words[other] ^= UINT64_C(1) << bit % 64;
        PROVE(jose_rsa_private_run(key, s->blinding[kernel], out, in) == JOSE_RSA_CORRUPTED,
              "two changed bits");
        words[other] ^= UINT64_C(1) << bit % 64;
        words[bit / 64] ^= UINT64_C(1) << bit % 64;
        changes += 2;
    }
    set_writable(words, PROT_READ);
    PROVE(jose_rsa_private_run(key, s->blinding[kernel], out, in) == JOSE_RSA_DONE, "restored");
}

// Words of the modulus that blinds, which has a checksum of its own. Every other word is of the
// number in use.
static void prove_modulus(subject *s, int kernel)
{
    uint8_t in[BYTES] = {0}, random[BYTES] = {0}, out[LANES][BYTES];
    const jose_rsa_private_key *key = s->prepared[kernel];
    const jose_rsa_private_key *keys[LANES] = {key, key, key, key};
    jose_rsa_blinding *blinding = s->blinding[kernel];
    jose_rsa_blinding *const blindings[LANES] = {blinding, blinding, blinding, blinding};
    uint8_t *const outs[LANES] = {out[0], out[1], out[2], out[3]};
    const uint8_t *const ins[LANES] = {in, in, in, in};
    uint64_t *words = (uint64_t *)(uintptr_t)key->modulus;
    random[s->size - 1] = 2;
    for (int word = 0; word < 5; word++) {
        const uint64_t bit = UINT64_C(1) << prove_below(64);
        words[word] ^= bit;
        PROVE(jose_rsa_private_run(key, blinding, out[0], in) == JOSE_RSA_CORRUPTED &&
                  jose_rsa_blinding_renew(key, blinding, random) == JOSE_RSA_CORRUPTED,
              "a changed bit of the modulus");
        PROVE(jose_rsa_private_run_together(keys, blindings, outs, ins).done == 0,
              "a changed bit of the modulus in lanes");
        words[word] ^= bit;
        changes++;
    }
    PROVE(jose_rsa_private_run(key, blinding, out[0], in) == JOSE_RSA_DONE, "restored");
}

// Every number from 1 to n - 1 blinds, also one of a single byte.
static void prove_blindings(subject *s, int kernel)
{
    uint8_t random[BYTES], in[BYTES] = {0}, out[BYTES];
    in[s->size - 1] = 1;
    for (size_t i = 0; i < s->size; i++) {
        memset(random, 0, sizeof random);
        random[i] = 1;
        PROVE(jose_rsa_blinding_renew(s->prepared[kernel], s->blinding[kernel], random) ==
                  JOSE_RSA_DONE,
              "a blinding of one byte");
    }
    PROVE(jose_rsa_private_run(s->prepared[kernel], s->blinding[kernel], out, in) ==
                  JOSE_RSA_DONE &&
              memcmp(out, in, s->size) == 0,
          "an operation with it");
}

// Each bit of what says where a prepared key is and how large it is. Nothing may be written: the
// size may be the number that changed.
static void prove_handle(subject *s, int kernel)
{
    uint8_t in[BYTES] = {0}, random[BYTES], untouched[LANES * BYTES], out[LANES * BYTES];
    jose_rsa_private_key *key = s->prepared[kernel];
    const jose_rsa_private_key *keys[LANES] = {key, key, key, key};
    jose_rsa_blinding *blinding = s->blinding[kernel];
    jose_rsa_blinding *const blindings[LANES] = {blinding, blinding, blinding, blinding};
    uint8_t *const outs[LANES] = {out, out, out, out};
    const uint8_t *const ins[LANES] = {in, in, in, in};
    memset(untouched, 0x5a, sizeof untouched), memset(out, 0x5a, sizeof out);
    memset(random, 0x33, sizeof random);
    for (size_t bit = 0; bit < 8 * sizeof *key; bit++) {
        uint8_t *const byte = (uint8_t *)key + bit / 8, was = *byte;
        *byte ^= (uint8_t)(1 << bit % 8);
        PROVE(jose_rsa_private_run(key, blinding, out, in) == JOSE_RSA_CORRUPTED &&
                  jose_rsa_blinding_renew(key, blinding, random) == JOSE_RSA_CORRUPTED,
              "a changed bit of a key's place or size");
        PROVE(jose_rsa_private_run_together(keys, blindings, outs, ins).done == 0, "four of them");
        PROVE(memcmp(out, untouched, sizeof out) == 0, "nothing is written");
        *byte = was;
        changes++;
    }
    PROVE(jose_rsa_private_run(key, blinding, out, in) == JOSE_RSA_DONE, "restored");
}

// A child of fork has zeros in place of the key, and nothing can be written to it here.
static void prove_pages(subject *s, int kernel)
{
    const jose_rsa_private_key *key = s->prepared[kernel];
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        uint8_t in[BYTES] = {0}, out[BYTES];
        const uint64_t *words = (const uint64_t *)key->secret;
        uint64_t any = 0;
        for (size_t i = 0; i < sizeof(jose_private_numbers) / 8; i++) any |= words[i];
        const jose_rsa_outcome outcome =
            jose_rsa_private_run(key, s->blinding[kernel], out, in);
        _exit(any == 0 && outcome == JOSE_RSA_CORRUPTED ? 0 : 1);
    }
    int status = 1;
    PROVE(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child of fork");
}

// Under the sanitizers mlock does nothing.
#if __has_feature(address_sanitizer)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

// The properties of the key's memory, as the kernel reports them.
static void prove_locked(const void *memory)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool is_inside = false, is_found = false;
    unsigned long locked = 0;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long from, to;
        char access[8];
        if (sscanf(line, "%lx-%lx %7s", &from, &to, access) == 3) {
            is_inside = (uintptr_t)memory >= from && (uintptr_t)memory < to;
            if (is_inside) PROVE(strcmp(access, "r--p") == 0, "a key is read-only");
        }
        if (!is_inside) continue;
        (void)sscanf(line, "Locked: %lu", &locked);
        if (strncmp(line, "VmFlags:", 8) == 0) {
            PROVE((IS_SANITIZED || strstr(line, " lo") != NULL) && strstr(line, " dd") != NULL &&
                      strstr(line, " wf") != NULL,
                  "a key is locked, not dumped, wiped on fork");
            is_found = true;
        }
    }
    if (maps != NULL) fclose(maps);
    PROVE(is_found, "the key's memory");
}

static void prove_rejected(const subject *s)
{
    uint8_t bytes[5][HALF];
    const int half = (int)s->size / 2;
    memset(bytes, 0, sizeof bytes);
    for (int kind = 0; kind < 4; kind++) {
        jose_rsa_private_key *key = NULL;
        BIGNUM *n = BN_dup(s->n);
        BN_bn2binpad(s->p, bytes[0], half), BN_bn2binpad(s->q, bytes[1], half);
        if (kind == 0) bytes[0][0] &= 0x7f;                   // a shorter prime
        if (kind == 1) bytes[1][half - 1] &= 0xfe;            // an even one
        if (kind == 2) BN_rshift(n, n, 8), BN_set_bit(n, 0);  // a shorter modulus
        if (kind == 3) BN_sub_word(n, 1);                     // an even one
        const jose_rsa_crt crt = {n, s->e, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]};
        for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++)
            PROVE(jose_rsa_private_key_new(&key, kernel, &crt) == JOSE_RSA_NOT_TAKEN &&
                      key == NULL,
                  "a key that no kernel takes");
        BN_free(n);
    }
}

// MARK: known answers

// m = unblind (c blind)^d by the formula that the kernels compute, whatever the numbers are.
static void formula(uint8_t *out, const uint8_t *in, size_t size, const uint8_t *blind,
                    const uint8_t *unblind, uint8_t parts[JOSE_SELFTEST_NUMBERS][HALF])
{
    const int half = (int)size / 2;
    BIGNUM *b[JOSE_SELFTEST_NUMBERS], *n = BN_new(), *c = BN_bin2bn(in, (int)size, NULL);
    BIGNUM *u = BN_bin2bn(blind, (int)size, NULL), *v = BN_bin2bn(unblind, (int)size, NULL);
    BIGNUM *xp = BN_new(), *xq = BN_new();
    for (int i = 0; i < JOSE_SELFTEST_NUMBERS; i++) b[i] = BN_bin2bn(parts[i], half, NULL);
    BN_mul(n, b[JOSE_SELFTEST_P], b[JOSE_SELFTEST_Q], context);
    BN_mod_mul(c, c, u, n, context);
    BN_mod_exp(xp, c, b[JOSE_SELFTEST_DP], b[JOSE_SELFTEST_P], context);
    BN_mod_exp(xq, c, b[JOSE_SELFTEST_DQ], b[JOSE_SELFTEST_Q], context);
    BN_mod_sub(xp, xp, xq, b[JOSE_SELFTEST_P], context);
    BN_mod_mul(xp, xp, b[JOSE_SELFTEST_QI], b[JOSE_SELFTEST_P], context);
    BN_mul(xp, xp, b[JOSE_SELFTEST_Q], context);
    BN_add(xp, xp, xq);
    BN_mod_mul(xp, xp, v, n, context);
    BN_bn2binpad(xp, out, (int)size);
    for (int i = 0; i < JOSE_SELFTEST_NUMBERS; i++) BN_free(b[i]);
    BN_free(n), BN_free(c), BN_free(u), BN_free(v), BN_free(xp), BN_free(xq);
}

static void square_number(uint8_t *number, size_t size, uint8_t parts[][HALF])
{
    BIGNUM *x = BN_bin2bn(number, (int)size, NULL), *n = BN_new();
    BIGNUM *p = BN_bin2bn(parts[JOSE_SELFTEST_P], (int)size / 2, NULL);
    BIGNUM *q = BN_bin2bn(parts[JOSE_SELFTEST_Q], (int)size / 2, NULL);
    BN_mul(n, p, q, context);
    BN_mod_sqr(x, x, n, context);
    BN_bn2binpad(x, number, (int)size);
    BN_free(x), BN_free(n), BN_free(p), BN_free(q);
}

// x^-d by the exponents prime - 1 - d, as a new blinding needs it.
static void inverse_power(uint8_t *out, const uint8_t *in, size_t size,
                          uint8_t parts[JOSE_SELFTEST_NUMBERS][HALF])
{
    const int half = (int)size / 2;
    uint8_t others[JOSE_SELFTEST_NUMBERS][HALF], one[BYTES] = {0};
    memcpy(others, parts, sizeof others);
    one[size - 1] = 1;
    for (int i = 0; i < 2; i++) {
        BIGNUM *exponent = BN_bin2bn(parts[JOSE_SELFTEST_P + i], half, NULL);
        BIGNUM *d = BN_bin2bn(parts[JOSE_SELFTEST_DP + i], half, NULL);
        BN_sub_word(exponent, 1), BN_sub(exponent, exponent, d);
        PROVE(BN_bn2binpad(exponent, others[JOSE_SELFTEST_DP + i], half) == half, "reference");
        BN_free(exponent), BN_free(d);
    }
    formula(out, in, size, one, one, others);
}

static void hash_operation(SHA256_CTX *hash, size_t size, int number, int runs, bool is_renewed)
{
    uint8_t parts[JOSE_SELFTEST_NUMBERS][HALF], blind[BYTES], unblind[BYTES], message[BYTES];
    for (int i = 0; i < JOSE_SELFTEST_NUMBERS; i++)
        jose_selftest_private(parts[i], size / 2, number, (jose_selftest_number)i);
    jose_selftest_message(blind, size, 100 + number);
    jose_selftest_message(unblind, size, 200 + number);
    jose_selftest_message(message, size, number);
    for (int run = 0; run < runs; run++) {
        formula(message, message, size, blind, unblind, parts);
        SHA256_Update(hash, message, size);
        square_number(blind, size, parts), square_number(unblind, size, parts);
    }
    if (!is_renewed) return;
    jose_selftest_message(blind, size, 300);
    inverse_power(unblind, blind, size, parts);
    formula(message, message, size, blind, unblind, parts);
    SHA256_Update(hash, message, size);
}

// One half of a step: a b / R modulo a prime, as little-endian limbs.
static void hash_half(SHA256_CTX *hash, size_t size, int number, jose_selftest_number which,
                      const uint64_t *a, const uint64_t *b)
{
    const int limbs = jose_half_limbs(size);
    uint8_t bytes[HALF];
    uint64_t out[JOSE_HALF_LIMBS];
    jose_selftest_private(bytes, size / 2, number, which);
    BIGNUM *prime = BN_bin2bn(bytes, (int)size / 2, NULL), *x = BN_new(), *y = BN_new();
    BIGNUM *r = BN_new();
    value(x, a, limbs), value(y, b, limbs);
    BN_set_bit(r, 52 * limbs);
    PROVE(BN_mod_inverse(r, r, prime, context) != NULL, "reference");
    BN_mul(x, x, y, context);
    BN_nnmod(x, x, prime, context);
    BN_mod_mul(x, x, r, prime, context);
    BN_bn2binpad(x, bytes, (int)size / 2);
    jose_limbs_from_bytes(out, limbs, bytes, size / 2);
    SHA256_Update(hash, out, sizeof out[0] * (size_t)limbs);
    BN_free(prime), BN_free(x), BN_free(y), BN_free(r);
}

static void hash_step(SHA256_CTX *hash, size_t size, int number, int a, int b, bool is_signed)
{
    const int limbs = jose_half_limbs(size);
    uint64_t x[JOSE_HALF_LIMBS], y[JOSE_HALF_LIMBS];
    for (int half = 0; half < 2; half++) {
        jose_selftest_limbs(x, limbs, a + half, is_signed);
        jose_selftest_limbs(y, limbs, b + half, is_signed);
        hash_half(hash, size, number, (jose_selftest_number)half, x, y);
    }
}

static void agree(const char *name, SHA256_CTX *hash, const uint8_t expected[32])
{
    uint8_t digest[32];
    SHA256_Final(digest, hash);
    if (memcmp(digest, expected, 32) == 0) return;
    printf("%s must be {", name);
    for (int i = 0; i < 32; i++) printf("0x%02x%s", digest[i], i < 31 ? ", " : "}\n");
    prove_fail("self-test", "its result is not OpenSSL's");
}

static void prove_answers(void)
{
    for (int index = 0; index < JOSE_SELFTEST_SIZES; index++) {
        const size_t size = 256 + 128 * (size_t)index;
        for (int is_floating = 0; is_floating < (index == 0 ? 2 : 1); is_floating++) {
            SHA256_CTX hash;
            SHA256_Init(&hash);
            for (int i = 0; i < JOSE_SELFTEST_PRIVATE_KEYS; i++) {
                hash_operation(&hash, size, i, 2, i == 0);
                for (int s = 0; s < JOSE_SELFTEST_STEPS; s++) {
                    hash_step(&hash, size, i, 2 * s, 2 * s + 1, is_floating);
                    hash_step(&hash, size, i, 2 * s, 2 * s, is_floating);
                }
            }
            if (is_floating)
                agree("jose_selftest_rsa_private_fma", &hash,
                      jose_selftest_rsa_private_fma[index]);
            else
                agree("jose_selftest_rsa_private", &hash, jose_selftest_rsa_private[index]);
        }
        SHA256_CTX hash;
        SHA256_Init(&hash);
        for (int l = 0; l < LANES; l++) hash_operation(&hash, size, l, 1, false);
        for (int i = 0; i < 2 * JOSE_SELFTEST_STEPS; i++)
            for (int l = 0; l < LANES; l++)
                hash_step(&hash, size, l, i + l, i % 2 == 0 ? i + l : i + l + 1, false);
        agree("jose_selftest_rsa_private_x4", &hash, jose_selftest_rsa_private_x4[index]);
    }
}

// MARK: the host's settings

static void prove_hosts(subject *s)
{
    const uint32_t usual = prove_settings();
    uint8_t want[BYTES], in[BYTES], out[BYTES], random[BYTES];
    jose_step factor = {{1}, {1}};
    BIGNUM *x = BN_new();
    if (s->prepared[1] == NULL) return;
    make_message(x, s, 100);
    BN_bn2binpad(x, want, (int)s->size);
    power(in, x, s);
    prove_bytes(random, s->size);
    random[0] = 0;  // below n
    for (uint32_t number = 0; number < PROVE_HOSTS; number += 5) {
        prove_set(prove_host(number));
        jose_rsa_outcome outcome = JOSE_RSA_DONE;
        if (number % 50 == 0)  // an exponentiation more
            outcome = jose_rsa_blinding_renew(s->prepared[1], s->blinding[1], random);
        const uint32_t renewed = prove_settings();
        jose_fma_private_step(s->prepared[1]->secret, &factor, NULL);
        const uint32_t stepped = prove_settings();
        if (outcome == JOSE_RSA_DONE)
            outcome = jose_rsa_private_run(s->prepared[1], s->blinding[1], out, in);
        const uint32_t after = prove_settings();
        prove_set(usual);
        PROVE(renewed == prove_host(number), "a new blinding under a host's settings");
        PROVE(stepped == prove_host(number), "a step under a host's settings");
        PROVE(outcome == JOSE_RSA_DONE && memcmp(out, want, s->size) == 0 &&
                  after == prove_host(number),
              "a private operation under a host's settings");
    }
    BN_free(x);
}

// MARK: contracts that no message reaches

// The limbs of a number below 2^(52 count).
static void limbs_of(uint64_t *limbs, int count, const BIGNUM *number)
{
    BIGNUM *rest = BN_dup(number);
    for (int i = 0; i < count; i++) {
        limbs[i] = BN_is_zero(rest) ? 0 : BN_mod_word(rest, UINT64_C(1) << 52);
        BN_rshift(rest, rest, 52);
    }
    PROVE(BN_is_zero(rest), "limbs");
    BN_free(rest);
}

// m is below n, and m^e is c.
static void check_power(const subject *s, const uint64_t *m, const BIGNUM *c)
{
    BIGNUM *x = BN_new(), *y = BN_new();
    value(x, m, 2 * jose_half_limbs(s->size));
    PROVE(BN_cmp(x, s->n) < 0, "a power that is not below n");
    BN_mod_exp(x, x, s->e, s->n, context);
    BN_mod(y, c, s->n, context);
    PROVE(BN_cmp(x, y) == 0, "a power at the edge of its range");
    BN_free(x), BN_free(y);
    operations++;
}

// Powers of numbers around 0 and n, up to 2n: their halves or the difference of these are 0, so
// each reduction at the end must subtract. Blinded messages never are such numbers.
static void prove_edges_of_powers(const subject *s)
{
    BIGNUM *c = BN_new();
    for (int i = 0; i < 7; i++) {
        uint64_t in[LANES][JOSE_PRIVATE_LIMBS] = {{0}}, out[LANES][JOSE_PRIVATE_LIMBS];
        const jose_private_numbers *keys[LANES];
        BN_zero(c);
        if (i == 1) BN_one(c);
        if (i >= 2) BN_copy(c, s->n);
        if (i == 3) BN_add_word(c, 1);
        if (i == 4) BN_lshift1(c, c), BN_sub_word(c, 1);
        if (i == 5) BN_copy(c, s->p);
        if (i == 6) BN_add(c, c, s->q);
        for (int lane = 0; lane < LANES; lane++)
            limbs_of(in[lane], 2 * jose_half_limbs(s->size), c);
        if (s->prepared[1] != NULL) {
            jose_fma_private_power(s->prepared[1]->secret, JOSE_EXPONENT_D, out[0], in[0]);
            check_power(s, out[0], c);
        }
        if (s->prepared[0] == NULL) continue;
        for (int lane = 0; lane < LANES; lane++) keys[lane] = s->prepared[0]->secret;
        jose_ifma_private_power_x4(keys, JOSE_EXPONENT_D, out, in);
        for (int lane = 0; lane < LANES; lane++) check_power(s, out[lane], c);
        if (s->size == 512) continue;
        jose_ifma_private_power(keys[0], JOSE_EXPONENT_D, out[0], in[0]);
        check_power(s, out[0], c);
    }
    BN_free(c);
}

// Lanes without a key, with a message that is not below n, with a key of another size, with a
// damaged key: the others are computed.
static void prove_lanes(subject *s, subject *other, const subject *smaller)
{
    for (int idle = 0; idle < LANES && s->prepared[0] != NULL; idle++)
        for (int kind = 0; kind < 4; kind++) {
            uint8_t want[LANES][BYTES], in[LANES][BYTES], out[LANES][BYTES], *outs[LANES];
            const uint8_t *ins[LANES];
            const jose_rsa_private_key *keys[LANES];
            jose_rsa_blinding *blindings[LANES];
            static const uint8_t zeros[BYTES];
            uint8_t unwritten[BYTES];
            jose_private_numbers damaged = *s->prepared[0]->secret;
            jose_rsa_private_key copy = *s->prepared[0];
            BIGNUM *x = BN_new();
            memset(unwritten, 0x5a, sizeof unwritten);
            damaged.coefficient[3] ^= 1, copy.secret = &damaged;
            for (int lane = 0; lane < LANES; lane++) {
                subject *from = lane % 2 ? other : s;
                keys[lane] = from->prepared[0], blindings[lane] = from->blinding[0];
                ins[lane] = in[lane], outs[lane] = out[lane];
                make_message(x, from, 7 + (uint64_t)lane);
                BN_bn2binpad(x, want[lane], (int)from->size);
                power(in[lane], x, from);
                memset(out[lane], 0x5a, sizeof out[lane]);
            }
            BN_free(x);
            if (kind == 0) keys[idle] = NULL;
            if (kind == 1) memset(in[idle], 0xff, sizeof in[idle]);
            if (kind == 2) {  // the first lane decides on the size
                if (idle == 0 || smaller == NULL) continue;
                keys[idle] = smaller->prepared[0], blindings[idle] = smaller->blinding[0];
            }
            if (kind == 3) keys[idle] = &copy;
            const jose_rsa_lanes lanes =
                jose_rsa_private_run_together(keys, blindings, outs, ins);
            PROVE(lanes.done == ((1u << LANES) - 1) - (1u << idle) &&
                      lanes.corrupted == (kind == 3 ? 1u << idle : 0),
                  "an idle lane");
            for (int lane = 0; lane < LANES; lane++) {
                // Nothing is written with a damaged key, whose size means nothing.
                const uint8_t *expected = lane != idle ? want[lane] : kind == 3 ? unwritten
                                                                                : zeros;
                PROVE((lane == idle && kind == 0) ||
                          memcmp(out[lane], expected, keys[lane]->size) == 0,
                      "a lane next to an idle one");
            }
            operations += LANES - 1;
        }
}

// MARK: all of it

// The known answers first: the mutants of the kernels that they notice end here.
static void prove_usable(void)
{
    for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++)
        for (size_t size = 256; size <= 512; size += 128) {
            const jose_rsa_private_kernel *entry = &jose_rsa_private_kernels[kernel];
            if (!entry->is_present()) continue;
            PROVE((size > entry->max_one || jose_kernel_usable_at(entry->one, size)) &&
                      (size > entry->max_together || jose_kernel_usable_at(entry->together, size)),
                  "known answers");
        }
}

// One key: each edge, random messages, four at once with the last keys.
static void prove_key(subject *s, subject *const others[LANES], uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) prove_one(s, i, i == 7);
    prove_declined(s);
    for (uint64_t i = 0; s->prepared[0] != NULL && i < (count + LANES - 1) / LANES; i++) {
        subject *lanes[LANES] = {s, s, s, s};
        for (int lane = 0; lane < LANES; lane++)
            if (prove_below(2)) lanes[lane] = others[lane];
        prove_four(lanes, LANES * i);
    }
    for (int i = 0; i < 4; i++) prove_steps(s);
}

void prove_private(double seconds)
{
    context = BN_CTX_new();
    prove_usable();
    prove_answers();
    subject smaller = {0};
    for (int index = 0; index < JOSE_SELFTEST_SIZES; index++) {
        const int bits = 2048 + 1024 * index;
        const pool primes = make_pool(bits, index == 0 ? 10 : 7);
        prove_allow(seconds / JOSE_SELFTEST_SIZES);
        subject kept[LANES];
        for (int i = 0; i < LANES; i++) make_numbered(&kept[i], &primes, i);
        subject *const others[LANES] = {&kept[0], &kept[1], &kept[2], &kept[3]};
        for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++) {
            if (kept[0].prepared[kernel] == NULL) continue;
            prove_bits(&kept[0], kernel, 7);
            prove_handle(&kept[0], kernel);
            prove_modulus(&kept[0], kernel);
            if (index == 0) prove_blindings(&kept[0], kernel);
            prove_pages(&kept[0], kernel);
            prove_locked(kept[0].prepared[kernel]->secret);
        }
        prove_rejected(&kept[0]);
        prove_edges_of_powers(&kept[1]);
        prove_lanes(&kept[1], &kept[2], index > 0 ? &smaller : NULL);
        if (index == 0) prove_hosts(&kept[0]);
        int number = LANES;
        do {
            subject s;
            make_numbered(&s, &primes, number++ % (primes.count * (primes.count - 1)));
            prove_key(&s, others, 12);
            free_subject(&s);
        } while (prove_time_left());
        if (index > 0) free_subject(&smaller);
        smaller = kept[0];
        for (int i = 1; i < LANES; i++) free_subject(&kept[i]);
        for (int i = 0; i < primes.count; i++) BN_free(primes.prime[i]);
        free(primes.prime);
    }
    free_subject(&smaller);
    BN_CTX_free(context);
    printf("private %llu operations and %llu steps equal OpenSSL's, %llu changes of keys found\n",
           (unsigned long long)operations, (unsigned long long)steps, (unsigned long long)changes);
}

// What a campaign has reached, in a text file. It is replaced as a whole, so that an end at any
// time loses only the keys since.
typedef struct {
    int bits, keys, next;
    uint64_t count, seed, operations, steps;
} progress;

#define PROGRESS "bits %d keys %d count %llu seed %llu: next key %d, %llu operations, %llu steps\n"

static void read_progress(progress *so_far, const char *path)
{
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    unsigned long long count, seed, done, made;
    int bits, keys, next;
    if (file == NULL) return;
    const int found =
        fscanf(file, PROGRESS, &bits, &keys, &count, &seed, &next, &done, &made);
    fclose(file);
    PROVE(found == 7 && bits == so_far->bits && keys == so_far->keys && count == so_far->count &&
              seed == so_far->seed,
          "the state is of a run with other numbers: remove the file");
    so_far->next = next, so_far->operations = done, so_far->steps = made;
}

static void write_progress(const progress *now, const char *path)
{
    char beside[4096];
    if (path == NULL) return;
    snprintf(beside, sizeof beside, "%s.new", path);
    FILE *file = fopen(beside, "w");
    PROVE(file != NULL, "state");
    fprintf(file, PROGRESS, now->bits, now->keys, (unsigned long long)now->count,
            (unsigned long long)now->seed, now->next, (unsigned long long)now->operations,
            (unsigned long long)now->steps);
    PROVE(fclose(file) == 0 && rename(beside, path) == 0, "state");
}

void prove_private_campaign(int bits, int keys, uint64_t count, uint64_t seed, const char *path)
{
    enum { SAVED_EVERY = 10,
           PRINTED_EVERY = 100 };
    progress so_far = {.bits = bits, .keys = keys, .count = count, .seed = seed};
    read_progress(&so_far, path);
    operations = so_far.operations, steps = so_far.steps;
    context = BN_CTX_new();
    int primes_needed = LANES + 1;
    while (primes_needed * (primes_needed - 1) < keys) primes_needed++;
    const pool primes = make_pool(bits, primes_needed);
    printf("%d primes of %d bits\n", primes.count, bits / 2);
    subject kept[LANES];
    for (int i = 0; i < LANES; i++) make_numbered(&kept[i], &primes, i);
    subject *const others[LANES] = {&kept[0], &kept[1], &kept[2], &kept[3]};
    while (so_far.next < keys) {
        subject s;
        prove_seed(seed + 1 + (uint64_t)so_far.next);  // the same from wherever a run goes on
        make_numbered(&s, &primes, so_far.next);
        prove_key(&s, others, count);
        free_subject(&s);
        so_far.next++, so_far.operations = operations, so_far.steps = steps;
        const bool is_last = so_far.next == keys;
        if (so_far.next % SAVED_EVERY == 0 || is_last) write_progress(&so_far, path);
        if (so_far.next % PRINTED_EVERY == 0 || is_last)
            printf("private %d: up to key %d, %llu operations and %llu steps equal\n", bits,
                   so_far.next, (unsigned long long)operations, (unsigned long long)steps);
    }
    for (int i = 0; i < LANES; i++) free_subject(&kept[i]);
    for (int i = 0; i < primes.count; i++) BN_free(primes.prime[i]);
    free(primes.prime);
    BN_CTX_free(context);
}

#else

void prove_private(double seconds)
{
    (void)seconds;
}

void prove_private_campaign(int bits, int keys, uint64_t count, uint64_t seed, const char *path)
{
    (void)bits, (void)keys, (void)count, (void)seed, (void)path;
}

#endif
