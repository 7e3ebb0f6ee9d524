// prove_fma_guards.c: each guard of the kernel of doubles, and the kernel with injected errors.
//
// fma_public.c is compiled here again with the arithmetic replaced by functions with errors: their
// results must never be returned.

#include <openssl/bn.h>
#include <stdio.h>
#include <string.h>

#include "fma_arith.h"
#include "prove.h"

#if JOSE_KERNELS_X86

#define jose_fma_power faulty_doubles
#define jose_fma_power_x4 faulty_doubles_x4
#define jose_rsa_fma_run guarded_doubles
#define jose_rsa_fma_run_x4 guarded_doubles_x4
#include "fma_public.c"
#undef jose_fma_power
#undef jose_fma_power_x4
#undef jose_rsa_fma_run
#undef jose_rsa_fma_run_x4

void jose_fma_power(const jose_rsa_fma_key *key, int64_t *x, uint64_t *work);
void jose_fma_power_x4(int blocks, int64_t *x, const double *n, const double *v, const double *r2,
                       uint64_t *work);
jose_rsa_outcome jose_rsa_fma_run(const jose_rsa_fma_key *key, uint8_t *out, const uint8_t *in);
jose_rsa_lanes jose_rsa_fma_run_x4(const jose_rsa_fma_key *const keys[JOSE_FMA_LANES],
                                   uint8_t *const out[JOSE_FMA_LANES],
                                   const uint8_t *const in[JOSE_FMA_LANES]);

enum { LANES = JOSE_FMA_LANES,
       BYTES = JOSE_RSA_KERNEL_MAX_BYTES };

static enum { NONE,
              UNTOUCHED,
              MODULUS,
              NEGATIVE_MODULUS,
              TOO_LARGE,
              TOO_SMALL,
              BEFORE,
              BETWEEN,
              AFTER,
              FAULTS } failure;

static uint64_t checks;

// The work areas are structs: the guard words are right before and after the arrays. `n` is limb by
// limb like x.
static void hurt(int64_t *x, size_t words, const int64_t *n, size_t lanes, uint64_t *work,
                 size_t work_words)
{
    for (size_t i = 0; i < words; i++) {
        if (failure == MODULUS) x[i] = n[i];
        if (failure == NEGATIVE_MODULUS) x[i] = -n[i];
        if (failure == TOO_LARGE && i >= words - lanes) x[i] = INT64_C(1) << 51;
        if (failure == TOO_SMALL && i >= words - lanes) x[i] = -(INT64_C(1) << 51);
    }
    if (failure == BEFORE) x[-1] ^= 1;
    if (failure == BETWEEN) ((uint64_t *)x)[lanes == 1 ? WORDS : 4 * WORDS] ^= UINT64_C(1) << 63;
    if (failure == AFTER) work[work_words] ^= 2;
}

__attribute__((no_sanitize("address", "undefined"))) void faulty_doubles(
    const jose_rsa_fma_key *key, int64_t *x, uint64_t *work)
{
    if (failure == UNTOUCHED) return;
    jose_fma_power(key, x, work);
    const int L = JOSE_FMA_BLOCK * jose_fma_blocks(key->size);
    int64_t n[WORDS];
    for (int i = 0; i < 4 * L; i++)
        n[i] = (int64_t)key->limbs[4 * JOSE_FMA_N_REVERSE * L + (i & ~3) + 3 - i % 4];
    hurt(x, (size_t)(4 * L), n, 1, work, JOSE_FMA_WORK_WORDS);
}

__attribute__((no_sanitize("address", "undefined"))) void faulty_doubles_x4(int blocks, int64_t *x,
                                                                            const double *n,
                                                                            const double *v,
                                                                            const double *r2,
                                                                            uint64_t *work)
{
    if (failure == UNTOUCHED) return;
    jose_fma_power_x4(blocks, x, n, v, r2, work);
    int64_t whole[4 * WORDS];
    for (int i = 0; i < 80 * blocks; i++) whole[i] = (int64_t)n[i];
    hurt(x, (size_t)(80 * blocks), whole, 4, work, JOSE_FMA_WORK_X4_WORDS);
}

static jose_rsa_fma_key *try_key(int bits, unsigned long low, const char *e)
{
    BIGNUM *n = BN_new(), *exponent = NULL;
    if (bits > 0) BN_set_bit(n, bits - 1);
    BN_add_word(n, low);
    BN_hex2bn(&exponent, e);
    jose_rsa_fma_key *key = jose_rsa_fma_key_new(n, exponent);
    BN_set_negative(n, 1);
    PROVE(jose_rsa_fma_key_new(n, exponent) == NULL, "a negative modulus");
    BN_free(n);
    BN_free(exponent);
    checks += 2;
    return key;
}

static void prove_keys(void)
{
    static const int others[] = {1, 64, 1024, 2047, 2049, 2056, 3071, 3073, 4095, 4097, 8192};
    static const char *const rejected[] = {"0", "1", "2", "4",
                                           "010000", "100000000", "100000001", "-3"};
    static const char *const allowed[] = {"3", "5", "010001", "ffffffff"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        PROVE(try_key(others[i], 1, "010001") == NULL, "size");
    for (int bits = 2048; bits <= 4096; bits += 1024) {
        PROVE(try_key(bits, 0, "010001") == NULL && try_key(bits, 2, "010001") == NULL,
              "even modulus");
        for (size_t i = 0; i < sizeof rejected / sizeof rejected[0]; i++)
            PROVE(try_key(bits, 1, rejected[i]) == NULL, "exponent");
        for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
            jose_rsa_fma_key *key = try_key(bits, 3, allowed[i]);
            PROVE(key != NULL, "exponent");
            jose_rsa_fma_key_free(key);
        }
    }
}

// Every changed bit of a prepared key makes it rejected, and so do two swapped words.
static void prove_checksum(jose_rsa_fma_key *key, const uint8_t *in)
{
    uint8_t out[BYTES];
    uint8_t *bytes = (uint8_t *)key;
    const size_t used =
        7 * 4 * JOSE_FMA_BLOCK * (size_t)jose_fma_blocks(key->size) * sizeof(double);
    for (size_t bit = 0; bit < 8 * (offsetof(jose_rsa_fma_key, checksum) + 8); bit++) {
        if (bit == 8 * used) bit = 8 * offsetof(jose_rsa_fma_key, modulus);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        PROVE(jose_rsa_fma_run(key, out, in) == JOSE_RSA_CORRUPTED, "checksum");
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        checks++;
    }
    for (size_t i = 4; i < used / sizeof(double); i++) {
        const double here = key->limbs[i], before = key->limbs[i - 4];  // of one lane of the sums
        if (here == before) continue;
        key->limbs[i] = before, key->limbs[i - 4] = here;
        PROVE(jose_rsa_fma_run(key, out, in) == JOSE_RSA_CORRUPTED, "checksum");
        key->limbs[i] = here, key->limbs[i - 4] = before;
        checks++;
    }
    PROVE(jose_rsa_fma_run(key, out, in) == JOSE_RSA_DONE, "checksum");
}

static bool is_intact(const void *key)
{
    return jose_fma_checksum(key) == ((const jose_rsa_fma_key *)key)->checksum;
}

static void prove_pairs(int bits)
{
    enum { MODULUS_WORDS = sizeof((jose_rsa_fma_key *)NULL)->modulus / sizeof(uint64_t),
           OTHERS = 2 };  // e and size; the checksum
    jose_rsa_fma_key *key = prove_any_key(bits, "fma");
    const size_t used = 7 * 4 * JOSE_FMA_BLOCK * (size_t)jose_fma_blocks(key->size);
    uint64_t *words[JOSE_FMA_KEY_LIMBS + MODULUS_WORDS + OTHERS];
    for (size_t i = 0; i < used; i++) words[i] = (uint64_t *)(void *)key->limbs + i;
    for (size_t i = 0; i < MODULUS_WORDS + OTHERS; i++)
        words[used + i] = (uint64_t *)(void *)key->modulus + i;
    checks += prove_changes(&(prove_words){key, is_intact, words, used + MODULUS_WORDS, OTHERS, 4});
    jose_rsa_fma_key_free(key);
}

// Invalid keys with a right checksum.
static void prove_matching_checksum(const jose_rsa_fma_key *whole, const uint8_t *in)
{
    static jose_rsa_fma_key key;
    uint8_t out[BYTES];
    const int L = JOSE_FMA_BLOCK * jose_fma_blocks(whole->size);
    for (int which = 0; which < 8; which++) {
        key = *whole;
        if (which == 1) key.e = 1;
        if (which == 2) key.e ^= 1;
        if (which == 3) key.modulus[0] &= 0x7f;
        if (which == 4) key.modulus[key.size - 1] ^= 1;
        if (which == 5) key.limbs[4 * JOSE_FMA_N_REVERSE * L + 3] += 2;
        if (which == 6) key.limbs[4 * JOSE_FMA_V_PAIRS * L] += 1;
        if (which == 7) key.size = 320;
        key.checksum = jose_fma_checksum(&key);
        PROVE((jose_rsa_fma_run(&key, out, in) == JOSE_RSA_DONE) == (which == 0), "checksum");
        PROVE((jose_rsa_fma_run(&key, out, in) == JOSE_RSA_CORRUPTED) == (which != 0), "checksum");
        checks += 2;
    }
}

static void prove_faults(const jose_rsa_fma_key *key, const uint8_t *in)
{
    static const uint8_t zero[BYTES];
    uint8_t out[LANES][BYTES];
    uint8_t *outs[LANES];
    const uint8_t *ins[LANES];
    const jose_rsa_fma_key *keys[LANES];
    for (int l = 0; l < LANES; l++) outs[l] = out[l], ins[l] = in, keys[l] = key;
    keys[2] = NULL;
    for (int each = NONE; each < FAULTS; each++) {
        failure = each;
        // A kernel that does nothing looks like a fixed point, which the input may explain; 0 is
        // one too.
        const jose_rsa_outcome expected = failure == NONE        ? JOSE_RSA_DONE
                                          : failure == UNTOUCHED ? JOSE_RSA_DECLINED
                                                                 : JOSE_RSA_CORRUPTED;
        PROVE(guarded_doubles(key, out[0], in) == expected, "fault");
        PROVE((memcmp(out[0], zero, key->size) == 0) == (failure != NONE), "output after an error");
        const jose_rsa_lanes lanes = guarded_doubles_x4(keys, outs, ins);
        PROVE(lanes.done == (expected == JOSE_RSA_DONE ? 0xb : 0), "batch with an error");
        PROVE(lanes.corrupted == (expected == JOSE_RSA_CORRUPTED ? 0xb : 0), "batch with an error");
        for (int l = 0; l < LANES; l++)
            if (l != 2)
                PROVE((memcmp(out[l], zero, key->size) == 0) == (failure != NONE), "batch output");
        checks += 5;
    }
    failure = NONE;
}

void prove_fma_guards(void)
{
    if (!jose_kernel_has_fma()) {
        PROVE(try_key(2048, 1, "010001") == NULL, "processor");
        puts("doubles  this processor has no FMA: nothing proved");
        return;
    }
    prove_keys();
    for (int bits = 2048; bits <= 4096; bits += 1024) {
        uint8_t in[BYTES], out[BYTES];
        prove_bytes(in, sizeof in);
        in[0] &= 0x7f;
        jose_rsa_fma_key *key = try_key(bits, 12345, "010001");
        PROVE(key != NULL, "key");
        prove_checksum(key, in);
        prove_pairs(bits);
        prove_matching_checksum(key, in);
        prove_faults(key, in);
        memset(key, 0, sizeof *key);  // a key that was wiped
        PROVE(jose_rsa_fma_run(key, out, in) == JOSE_RSA_CORRUPTED, "wiped key");
        checks++;
        jose_rsa_fma_key_free(key);
    }
    printf("doubles  %llu errors of the kernel of doubles rejected\n", (unsigned long long)checks);
}

#else

void prove_fma_guards(void)
{
    puts("doubles  not of this processor: nothing proved");
}

#endif
