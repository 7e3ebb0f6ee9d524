// prove_edges.c: the edges of the kernels' contracts, one below, at and above: keys that are
// rejected although their checksum is right, lanes that are skipped, a public key's two
// implementations before and after use, and which kernels this processor has.

#include <openssl/bn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "precomps.h"
#include "ifma_power.h"
#include "prove.h"

enum { MOST = JOSE_RSA_KERNEL_MAX_BYTES };

static uint64_t checks;
#define EDGE(condition, what) (checks++, (condition) ? (void)0 : prove_fail(what, #condition))

// number is 2^(bits - 1) + low, or its negative.
static BIGNUM *number(int bits, unsigned long low, bool negative)
{
    BIGNUM *n = BN_new();
    PROVE(n != NULL, "memory");
    if (bits > 0) BN_set_bit(n, bits - 1);
    BN_add_word(n, low);
    BN_set_negative(n, negative);
    return n;
}

static bool portable_takes(int bits, unsigned long low, bool negative, unsigned long e)
{
    BIGNUM *n = number(bits, low, negative), *exponent = number(0, e, false);
    jose_rsa_bn_key *key = jose_rsa_bn_key_new(n, exponent);
    const bool taken = key != NULL;
    jose_rsa_bn_key_free(key);
    BN_free(n);
    BN_free(exponent);
    return taken;
}

static void prove_portable_keys(void)
{
    EDGE(!portable_takes(1023, 1, false, 65537), "too small");
    EDGE(portable_takes(1024, 1, false, 65537), "smallest");
    EDGE(portable_takes(1025, 1, false, 65537), "above the smallest");
    EDGE(!portable_takes(2048, 1, true, 65537), "negative");
    EDGE(!portable_takes(2048, 2, false, 65537), "even");
    EDGE(portable_takes(2048, 1, false, 3), "smallest exponent");
    EDGE(!portable_takes(2048, 1, false, 1), "exponent 1");
    EDGE(!portable_takes(2048, 1, false, 4), "even exponent");
    EDGE(portable_takes(2048, 1, false, 0xffffffff), "largest exponent");
    EDGE(!portable_takes(2048, 1, false, 0x100000001), "long exponent");
    BIGNUM *n = number(2048, 1, false), *e = number(0, 3, true);
    EDGE(jose_rsa_bn_key_new(n, e) == NULL, "negative exponent");
    BN_free(n);
    BN_free(e);
}

static bool opens(jose_rsa_fast *fast, jose_rsa_bn_scratch **scratch, uint8_t *opened,
                  const uint8_t *signature)
{
    return jose_rsa_fast_open(fast, jose_rsa_fast_precomp(fast), scratch, opened, signature) ==
           JOSE_RSA_DONE;
}

// The two implementations of a public key: what is made when, and which one is used.
static void prove_fast(void)
{
    static uint8_t modulus[JOSE_RSA_FAST_MAX_BYTES + 1], signature[JOSE_RSA_FAST_MAX_BYTES];
    static uint8_t opened[JOSE_RSA_FAST_MAX_BYTES + 1];
    const uint8_t exponent[] = {1, 0, 1};
    jose_rsa_bn_scratch *scratch = NULL;
    modulus[0] = 0x80;
    modulus[255] = modulus[1023] = modulus[1024] = 1;
    signature[1023] = 2;

    EDGE(jose_rsa_fast_new(modulus, 1025, exponent, 3, true) == NULL, "too large");
    jose_rsa_fast *large = jose_rsa_fast_new(modulus, 1024, exponent, 3, true);
    EDGE(large != NULL, "largest");
    EDGE(jose_rsa_fast_ready(large) == NULL, "not used");
    EDGE(!opens(large, NULL, opened, signature), "without a scratch");
    EDGE(jose_rsa_fast_ready(large) != NULL, "used");
    EDGE(fast_vector(large) == NULL, "no kernel of this size");
    opened[1024] = 0x77;
    EDGE(opens(large, &scratch, opened, signature), "largest");
    EDGE(scratch != NULL && opened[1024] == 0x77, "largest");
    jose_rsa_fast_free(large);

    for (int vectors = 0; vectors < 2; vectors++) {
        jose_rsa_fast *fast = jose_rsa_fast_new(modulus, 256, exponent, 3, vectors);
        const bool usable = vectors == 1 && (jose_kernel_usable(JOSE_KERNEL_RSA) ||
                                             jose_kernel_usable(JOSE_KERNEL_RSA_FMA));
        EDGE((fast_vector(fast) != NULL) == usable, "which implementation");
        EDGE(opens(fast, NULL, opened, signature + 768) == usable, "which implementation");
        EDGE(opens(fast, &scratch, opened, signature + 768), "either implementation");
        EDGE(!opens(fast, &scratch, opened, modulus), "the modulus itself");
        jose_rsa_fast_free(fast);
    }
    modulus[255] = 2;  // neither implementation is possible
    jose_rsa_fast *even = jose_rsa_fast_new(modulus, 256, exponent, 3, true);
    EDGE(!opens(even, &scratch, opened, signature + 768), "even");
    EDGE(jose_rsa_fast_ready(even) != NULL && fast_vector(even) == NULL, "even");
    jose_rsa_fast_free(even);
    EDGE(fast_vector(NULL) == NULL, "no key");
    EDGE(jose_rsa_fast_precomp(NULL) == NULL && !opens(NULL, &scratch, opened, signature),
         "no key");
    jose_rsa_bn_scratch_free(scratch);
}

// has_flag returns whether the system lists a feature of the processor, -1 if unknown.
static int has_flag(const char *name)
{
    static char line[16384];
    if (line[0] == 0) {
        FILE *file = fopen("/proc/cpuinfo", "r");
        if (file == NULL) return -1;
        while (fgets(line, sizeof line - 1, file) != NULL && strncmp(line, "flags", 5) != 0) {}
        fclose(file);
        if (strncmp(line, "flags", 5) != 0) return -1;
        line[strcspn(line, "\n")] = ' ';
    }
    char word[32];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(line, word) != NULL;
}

static void prove_processor(void)
{
    static const char *const ifma[] = {"avx512f", "avx512vl", "avx512dq",
                                       "avx512bw", "avx512ifma", "bmi2"};
    bool all_ifma = JOSE_KERNELS_X86;
    bool all_fma = JOSE_KERNELS_X86 && has_flag("avx2") == 1 && has_flag("fma") == 1;
    for (size_t i = 0; i < sizeof ifma / sizeof ifma[0]; i++) all_ifma &= has_flag(ifma[i]) == 1;
    // A hidden feature is absent.
    const char *level = getenv("JOSE_TEST_CPU");
    if (level != NULL && strcmp(level, "ifma") != 0) all_ifma = false;
    if (level != NULL && strcmp(level, "portable") == 0) all_fma = false;
    if (has_flag("fpu") == 1) {
        EDGE(jose_kernel_has_ifma() == all_ifma, "processor");
        EDGE(jose_kernel_has_fma() == all_fma, "processor");
        EDGE(jose_kernel_has_fma() == all_fma, "processor, asked again");
    }
#if defined(__OPTIMIZE__)
    EDGE(jose_kernel_usable(JOSE_KERNEL_RSA) == jose_kernel_has_ifma(), "usable");
    EDGE(jose_kernel_usable(JOSE_KERNEL_RSA_X8) == jose_kernel_has_ifma(), "usable");
    EDGE(jose_kernel_usable(JOSE_KERNEL_RSA_FMA) == jose_kernel_has_fma(), "usable");
    EDGE(jose_kernel_usable(JOSE_KERNEL_RSA_FMA_X4) == jose_kernel_has_fma(), "usable");
#endif
    const jose_cpu_level best = jose_cpu_best();
    for (int limit = JOSE_CPU_IFMA; limit >= JOSE_CPU_PORTABLE; limit--) {
        // If a test hides something, the processor may have more than `best`.
        EDGE(jose_cpu_limit((jose_cpu_level)limit) || limit > (int)best, "limited");
        EDGE(jose_cpu_best() <= (jose_cpu_level)limit, "no better level than allowed");
        EDGE(!jose_kernel_has_ifma() || limit == JOSE_CPU_IFMA, "hidden");
        EDGE(!jose_kernel_has_fma() || limit >= JOSE_CPU_FMA, "hidden");
    }
    (void)jose_cpu_limit(best);
    EDGE(jose_cpu_best() == best, "as it was");
    EDGE(!jose_kernel_usable(0) && !jose_kernel_usable(3) && !jose_kernel_usable(128), "no kernel");
    EDGE(!jose_kernel_is_off_after_test(JOSE_KERNEL_RSA) && !jose_kernel_is_off_after_test(16),
         "none failed");
}

#if JOSE_KERNELS_X86

static jose_rsa_ifma_key *vector_key(int bits, unsigned long low, bool negative)
{
    BIGNUM *n = number(bits, low, negative), *e = number(0, 65537, false);
    jose_rsa_ifma_key *key = jose_rsa_ifma_key_new(n, e);
    BN_free(n);
    BN_free(e);
    return key;
}

static bool works(jose_rsa_ifma_key *key)
{
    uint8_t in[MOST] = {0}, out[MOST];
    memset(in + 200, 0x5a, 56);
    key->checksum = jose_ifma_checksum(key);
    return jose_rsa_ifma_run(key, out, in) == JOSE_RSA_DONE;
}

// A key with a right checksum is still rejected if a number in it is invalid.
static void prove_whole_keys(void)
{
    jose_rsa_ifma_key *key = vector_key(2048, 12345, false), good;
    PROVE(key != NULL, "key");
    good = *key;
    EDGE(works(key), "a good key");
    static const uint32_t exponents[] = {0, 1, 2, 4, 65536, 0xfffffffe};
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++) {
        key->e = exponents[i];
        EDGE(!works(key), "exponent");
    }
    key->e = 3;
    EDGE(works(key), "the smallest exponent");
    *key = good;
    static const uint32_t others[] = {0, 255, 257, 320, 383, 385, 511};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        key->size = others[i];
        EDGE(!works(key), "size");
    }
    *key = good;
    key->modulus[255] ^= 1;
    EDGE(!works(key), "even modulus");
    *key = good;
    key->modulus[0] = 0x7f;
    EDGE(!works(key), "short modulus");
    *key = good;
    key->k0 ^= 2;
    EDGE(!works(key), "not the inverse");
    *key = good;
    key->n[0] ^= 2;
    EDGE(!works(key), "not the inverse");
    jose_rsa_ifma_key_free(key);
    EDGE(vector_key(2048, 1, true) == NULL, "negative modulus");
}

// Two keys of one modulus have equal bytes, wherever their memory comes from.
static void prove_clean_keys(void)
{
    enum { BLOCKS = 64,
           BLOCK = 4096 };
    void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BLOCK);
        PROVE(blocks[i] != NULL, "memory");
        memset(blocks[i], 0xee, BLOCK);
        __asm__ volatile(""
                         :
                         : "r"(blocks[i])
                         : "memory");
    }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    jose_rsa_ifma_key *key = vector_key(2048, 12345, false);
    PROVE(key != NULL, "key");
    for (int i = 40; i < JOSE_IFMA_WORDS; i++) EDGE(key->n[i] == 0 && key->r2[i] == 0, "clean");
    for (int i = 256; i < MOST; i++) EDGE(key->modulus[i] == 0, "clean");
    jose_rsa_ifma_key_free(key);
}

enum { NO_KEY,
       SMALL,
       LARGE,
       CUBE,     // of another exponent
       DAMAGED,  // with a wrong checksum
       KEYS,
       HIGH };  // the small key, with an input that is not below n

static void *lane_key(const jose_rsa_kernel *kernel, int kind)
{
    BIGNUM *n = number(kind == LARGE ? 3072 : 2048, 12345, false),
           *e = number(0, kind == CUBE ? 3 : 65537, false);
    void *key = kernel->key_new(n, e);
    PROVE(key != NULL, "key");
    if (kind == DAMAGED && kernel == &jose_rsa_kernels[0])
        ((jose_rsa_ifma_key *)key)->checksum ^= 1;
    else if (kind == DAMAGED)
        ((jose_rsa_fma_key *)key)->checksum ^= 1;
    BN_free(n);
    BN_free(e);
    return key;
}

// The expected result of `lanes` lanes of these kinds. One element before and one after have keys
// that must not be used.
static void prove_row(const jose_rsa_kernel *kernel, void *const *made, const uint8_t *row)
{
    static uint8_t room[10][MOST], alone[MOST], untouched[MOST];
    uint8_t in[MOST], whole[MOST];
    memset(in, 0x5a, sizeof in);
    memset(whole, 0xff, sizeof whole);  // above every modulus
    memset(untouched, 0x77, sizeof untouched);
    const int behind = kernel->lanes + 1;
    const void *keys[10] = {made[LARGE]};
    const uint8_t *ins[10];
    uint8_t *outs[10];
    int first = NO_KEY;
    unsigned done = 0, corrupted = 0;
    keys[behind] = made[SMALL];
    for (int i = 0; i <= behind; i++) ins[i] = in, outs[i] = memset(room[i], 0x77, MOST);
    for (int l = 0; l < kernel->lanes; l++) {
        const int kind = row[l];
        keys[l + 1] = made[kind == HIGH ? SMALL : kind];
        if (kind == HIGH) ins[l + 1] = whole;
        if (kind == DAMAGED) corrupted |= 1u << l;
        if (kind != SMALL && kind != LARGE) continue;
        if (first == NO_KEY) first = kind;
        if (kind == first) done |= 1u << l;
    }
    const jose_rsa_lanes lanes = kernel->run_together(keys + 1, outs + 1, ins + 1);
    EDGE(lanes.done == done && lanes.corrupted == corrupted, "lanes");
    for (int i = 0; i <= behind; i++) {
        const int kind = i > 0 && i < behind ? row[i - 1] : NO_KEY;
        const size_t size = kind == NO_KEY || kind == DAMAGED ? 0 : kind == LARGE ? 384
                                                                                  : 256;
        memset(alone, 0, sizeof alone);
        if (size > 0 && (done >> (i - 1) & 1) != 0)
            PROVE(kernel->run(keys[i], alone, in) == JOSE_RSA_DONE, "alone");
        EDGE(memcmp(room[i], alone, size) == 0, "lane");
        EDGE(memcmp(room[i] + size, untouched, MOST - size) == 0, "next to the lane");
    }
}

// Lanes without a key, of another size or exponent, or with an input not below n are skipped. Those
// with a corrupted key are reported, the others are right. Memory next to the lanes is not read.
static void prove_lanes(const jose_rsa_kernel *kernel)
{
    // Eight lanes, or four and four.
    static const uint8_t rows[][8] = {
        {SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL},
        {NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY},
        {HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH},
        {NO_KEY, SMALL, LARGE, SMALL, HIGH, LARGE, NO_KEY, SMALL},
        {SMALL, LARGE, SMALL, LARGE, NO_KEY, NO_KEY, NO_KEY, LARGE},
        {LARGE, SMALL, LARGE, SMALL, LARGE, LARGE, HIGH, SMALL},
        {HIGH, LARGE, SMALL, NO_KEY, LARGE, LARGE, NO_KEY, LARGE},
        {NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY, SMALL},
        {LARGE, NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY, NO_KEY},
        {CUBE, SMALL, CUBE, SMALL, SMALL, CUBE, CUBE, LARGE},
        {DAMAGED, SMALL, LARGE, DAMAGED, SMALL, DAMAGED, DAMAGED, SMALL},
        {DAMAGED, DAMAGED, DAMAGED, DAMAGED, NO_KEY, DAMAGED, NO_KEY, LARGE},
    };
    void *made[KEYS] = {NULL};
    for (int kind = SMALL; kind < KEYS; kind++) made[kind] = lane_key(kernel, kind);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int l = 0; l < 8; l += kernel->lanes) prove_row(kernel, made, rows[r] + l);
    for (int kind = SMALL; kind < KEYS; kind++) kernel->key_free(made[kind]);
}

#endif

void prove_edges(void)
{
    prove_processor();
    prove_portable_keys();
    prove_fast();
#if JOSE_KERNELS_X86
    if (jose_kernel_has_ifma()) {
        prove_whole_keys();
        prove_clean_keys();
    } else
        puts("edges    this processor has no IFMA: no whole and clean keys");
    for (int level = 0; level < JOSE_RSA_KERNELS; level++)
        if (jose_rsa_kernels[level].is_present())
            prove_lanes(&jose_rsa_kernels[level]);
        else
            printf("edges    the kernel %s does not run here: no lanes\n",
                   jose_rsa_kernels[level].name);
#else
    puts("edges    no kernels of this processor: no keys and lanes");
#endif
    printf("edges    %llu edges of the contracts hold\n", (unsigned long long)checks);
}
