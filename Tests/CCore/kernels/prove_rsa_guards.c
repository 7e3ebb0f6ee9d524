// prove_rsa_guards.c: each guard of the RSA kernel, and the kernel with injected errors.
//
// ifma_public.c is compiled here again with the arithmetic replaced by functions with errors: their
// results must never be returned.

#include <openssl/bn.h>
#include <stdio.h>
#include <string.h>

#include "prove.h"

void faulty_power(const jose_rsa_ifma_key *key, uint64_t *x, uint64_t *base);
void faulty_power_x8(int limbs, uint64_t *x, const uint64_t *n, const uint64_t *r2,
                     const uint64_t *k0, uint64_t *work);
jose_rsa_outcome guarded_op(const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in);
jose_rsa_lanes guarded_op_x8(const jose_rsa_ifma_key *const keys[8], uint8_t *const out[8],
                             const uint8_t *const in[8]);

#define jose_ifma_power faulty_power
#define jose_ifma_power_x8 faulty_power_x8
#define jose_rsa_ifma_run guarded_op
#define jose_rsa_ifma_run_x8 guarded_op_x8
#include "ifma_public.c"
#undef jose_ifma_power
#undef jose_ifma_power_x8
#undef jose_rsa_ifma_run
#undef jose_rsa_ifma_run_x8

void jose_ifma_power(const jose_rsa_ifma_key *key, uint64_t *x, uint64_t *base);
void jose_ifma_power_x8(int limbs, uint64_t *x, const uint64_t *n, const uint64_t *r2,
                        const uint64_t *k0, uint64_t *work);
jose_rsa_outcome jose_rsa_ifma_run(const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in);

enum failure { NONE,
               UNTOUCHED,
               MODULUS,
               ALL_ONES,
               BEFORE,
               BETWEEN,
               AFTER,
               FAULTS };
static enum failure failure;
// A member of the key and the bits of it that change while the kernel computes, or NULL.
static uint32_t *changing, change;

// The work areas are structs: the guard words are right before and after the arrays.
static void hurt(uint64_t *x, size_t x_words, uint64_t *work, size_t work_words)
{
    if (failure == BEFORE) x[-1] ^= 1;
    if (failure == BETWEEN) x[x_words] ^= UINT64_C(1) << 63;
    if (failure == AFTER) work[work_words] ^= 2;
}

__attribute__((no_sanitize("address", "undefined"))) void faulty_power(const jose_rsa_ifma_key *key,
                                                                       uint64_t *x, uint64_t *base)
{
    if (failure == UNTOUCHED) return;
    if (changing != NULL) *changing ^= change;
    jose_ifma_power(key, x, base);
    if (changing != NULL) *changing ^= change;
    if (failure == MODULUS) memcpy(x, key->n, sizeof key->n);
    if (failure == ALL_ONES) memset(x, 0xff, sizeof key->n);
    hurt(x, JOSE_IFMA_WORDS, base, JOSE_IFMA_WORDS);
}

__attribute__((no_sanitize("address", "undefined"))) void faulty_power_x8(int limbs, uint64_t *x,
                                                                          const uint64_t *n,
                                                                          const uint64_t *r2,
                                                                          const uint64_t *k0,
                                                                          uint64_t *work)
{
    if (failure == UNTOUCHED) return;
    jose_ifma_power_x8(limbs, x, n, r2, k0, work);
    if (failure == MODULUS) memcpy(x, n, 64 * (size_t)limbs);
    if (failure == ALL_ONES) memset(x, 0xff, 64 * (size_t)limbs);
    hurt(x, 8 * JOSE_IFMA_WORDS, work, 16 * JOSE_IFMA_WORDS);
}

static uint64_t checks;

static jose_rsa_ifma_key *try_key(const char *n, const char *e)
{
    BIGNUM *bn = NULL, *be = NULL;
    BN_hex2bn(&bn, n);
    BN_hex2bn(&be, e);
    jose_rsa_ifma_key *key = jose_rsa_ifma_key_new(bn, be);
    BN_free(bn);
    BN_free(be);
    checks++;
    return key;
}

// hex of 2^(bits-1) + low
static const char *power_of_two(int bits, unsigned low)
{
    static char text[2048];
    BIGNUM *n = BN_new();
    BN_set_bit(n, bits - 1);
    BN_add_word(n, low);
    char *hex = BN_bn2hex(n);
    snprintf(text, sizeof text, "%s", hex);
    OPENSSL_free(hex);
    BN_free(n);
    return text;
}

static void prove_keys(void)
{
    static const int others[] = {0, 1, 64, 1024, 2047, 2049, 2056, 3071, 3073, 4095, 4097, 8192};
    for (size_t i = 1; i < sizeof others / sizeof others[0]; i++)
        PROVE(try_key(power_of_two(others[i], 1), "010001") == NULL, "size");
    for (int bits = 2048; bits <= 4096; bits += 1024) {
        static const char *rejected[] = {"0", "1", "2", "4",
                                         "010000", "100000000", "100000001", "-3"};
        PROVE(try_key(power_of_two(bits, 0), "010001") == NULL, "even modulus");
        PROVE(try_key(power_of_two(bits, 2), "010001") == NULL, "even modulus");
        for (size_t i = 0; i < sizeof rejected / sizeof rejected[0]; i++)
            PROVE(try_key(power_of_two(bits, 1), rejected[i]) == NULL, "exponent");
        static const char *allowed[] = {"3", "5", "010001", "ffffffff"};
        for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
            jose_rsa_ifma_key *key = try_key(power_of_two(bits, 3), allowed[i]);
            PROVE(key != NULL, "exponent");
            jose_rsa_ifma_key_free(key);
        }
    }
}

// Every changed bit of a prepared key makes it rejected.
static void prove_checksum(jose_rsa_ifma_key *key, const uint8_t *in)
{
    uint8_t out[JOSE_RSA_KERNEL_MAX_BYTES];
    uint8_t *bytes = (uint8_t *)key;
    for (size_t bit = 0; bit < 8 * (offsetof(jose_rsa_ifma_key, checksum) + 8); bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        PROVE(jose_rsa_ifma_run(key, out, in) == JOSE_RSA_CORRUPTED, "checksum");
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        checks++;
    }
    PROVE(jose_rsa_ifma_run(key, out, in) == JOSE_RSA_DONE, "checksum");
}

static bool is_intact(const void *key)
{
    return jose_ifma_checksum(key) == ((const jose_rsa_ifma_key *)key)->checksum;
}

static void prove_pairs(int bits)
{
    enum { SUMMED = offsetof(jose_rsa_ifma_key, k0) / sizeof(uint64_t),
           OTHERS = 4 };  // k0; k1; e and size; the checksum
    jose_rsa_ifma_key *key = prove_any_key(bits, "ifma");
    uint64_t *words[SUMMED + OTHERS];
    for (size_t i = 0; i < SUMMED + OTHERS; i++) words[i] = (uint64_t *)(void *)key + i;
    checks += prove_changes(&(prove_words){key, is_intact, words, SUMMED, OTHERS, 8});
    jose_rsa_ifma_key_free(key);
}

static void prove_faults(const jose_rsa_ifma_key *key, const uint8_t *in)
{
    static const uint8_t zero[JOSE_RSA_KERNEL_MAX_BYTES];
    uint8_t out[8][JOSE_RSA_KERNEL_MAX_BYTES];
    uint8_t *outs[8];
    const uint8_t *ins[8];
    const jose_rsa_ifma_key *keys[8];
    for (int l = 0; l < 8; l++) outs[l] = out[l], ins[l] = in, keys[l] = key;
    keys[3] = NULL;
    for (failure = NONE; failure < FAULTS; failure++) {
        // A kernel that does nothing looks like a fixed point, which the input may explain.
        const jose_rsa_outcome expected = failure == NONE        ? JOSE_RSA_DONE
                                          : failure == UNTOUCHED ? JOSE_RSA_DECLINED
                                                                 : JOSE_RSA_CORRUPTED;
        PROVE(guarded_op(key, out[0], in) == expected, "fault");
        PROVE((memcmp(out[0], zero, key->size) == 0) == (failure != NONE), "output after an error");
        const jose_rsa_lanes lanes = guarded_op_x8(keys, outs, ins);
        PROVE(lanes.done == (expected == JOSE_RSA_DONE ? 0xf7 : 0), "batch with an error");
        PROVE(lanes.corrupted == (expected == JOSE_RSA_CORRUPTED ? 0xf7 : 0),
              "batch with an error");
        for (int l = 0; l < 8; l++)
            if (l != 3)
                PROVE((memcmp(out[l], zero, key->size) == 0) == (failure != NONE), "batch output");
        checks += 5;
    }
}

// Another size or an even exponent during the operation: it ends, and writes no more bytes.
static void prove_changed_members(jose_rsa_ifma_key *key, const uint8_t *in)
{
    uint8_t out[2 * JOSE_RSA_KERNEL_MAX_BYTES];
    const uint32_t sizes[] = {256, 384, 512};
    failure = NONE;
    for (int i = 0; i < 4; i++) {
        changing = i < 3 ? &key->size : &key->e, change = i < 3 ? key->size ^ sizes[i] : 1;
        memset(out, 0x5a, sizeof out);
        (void)guarded_op(key, out, in);
        changing = NULL;
        for (size_t byte = key->size; byte < sizeof out; byte++)
            PROVE(out[byte] == 0x5a, "bytes behind the result");
        checks++;
    }
}

void prove_rsa_guards(void)
{
    if (!jose_kernel_has_ifma()) {
        PROVE(try_key(power_of_two(2048, 1), "010001") == NULL, "processor");
        puts("guards   this processor has no IFMA: nothing proved");
        return;
    }
    prove_keys();
    for (int bits = 2048; bits <= 4096; bits += 1024) {
        uint8_t in[JOSE_RSA_KERNEL_MAX_BYTES];
        prove_bytes(in, sizeof in);
        in[0] &= 0x7f;
        jose_rsa_ifma_key *key = try_key(power_of_two(bits, 12345), "010001");
        PROVE(key != NULL, "key");
        prove_checksum(key, in);
        prove_pairs(bits);
        prove_faults(key, in);
        prove_changed_members(key, in);
        memset(key, 0, sizeof *key);  // a key that was wiped
        uint8_t out[JOSE_RSA_KERNEL_MAX_BYTES];
        PROVE(jose_rsa_ifma_run(key, out, in) == JOSE_RSA_CORRUPTED, "wiped key");
        checks++;
        jose_rsa_ifma_key_free(key);
    }
    printf("guards   %llu errors, each rejected\n", (unsigned long long)checks);
}
