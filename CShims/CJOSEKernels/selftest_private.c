// selftest_private.c: known-answer tests of the kernels for private operations.

#include "selftest.h"

#include "private_key.h"

#if JOSE_KERNELS_X86

// A prepared private key with public numbers, which need no locked memory.
typedef struct {
    jose_private_numbers numbers;
    jose_rsa_private_key key;
    jose_rsa_blinding blinding;
} private_key;

static void private_key_free(private_key *made)
{
    jose_rsa_kernels[made->key.kernel].key_free((void *)(uintptr_t)made->key.modulus);
}

// Returns false only if memory runs out.
static bool make_private_key(private_key *made, int kernel, size_t size, int number)
{
    uint8_t bytes[JOSE_SELFTEST_NUMBERS][JOSE_RSA_KERNEL_MAX_BYTES / 2];
    uint8_t blind[JOSE_RSA_KERNEL_MAX_BYTES], unblind[JOSE_RSA_KERNEL_MAX_BYTES];
    const size_t half = size / 2;
    for (int i = 0; i < JOSE_SELFTEST_NUMBERS; i++)
        jose_selftest_private(bytes[i], half, number, (jose_selftest_number)i);
    BIGNUM *n = BN_new(), *e = BN_new();
    BIGNUM *p = BN_bin2bn(bytes[JOSE_SELFTEST_P], (int)half, NULL);
    BIGNUM *q = BN_bin2bn(bytes[JOSE_SELFTEST_Q], (int)half, NULL);
    BN_CTX *context = BN_CTX_new();
    memset(made, 0, sizeof *made);
    void *modulus = NULL;
    if (n != NULL && e != NULL && p != NULL && q != NULL && context != NULL &&
        BN_mul(n, p, q, context) == 1 && BN_set_word(e, 65537) == 1)
        modulus = jose_rsa_kernels[kernel].key_new(n, e);
    jose_private_key_set(&made->key, &made->numbers, modulus, kernel, size);
    if (modulus != NULL) {
        const jose_rsa_crt crt = {n, e, bytes[JOSE_SELFTEST_P], bytes[JOSE_SELFTEST_Q],
                                  bytes[JOSE_SELFTEST_DP], bytes[JOSE_SELFTEST_DQ],
                                  bytes[JOSE_SELFTEST_QI]};
        (void)jose_private_fill(&made->numbers, &crt, size);
        jose_selftest_message(blind, size, 100 + number);
        jose_selftest_message(unblind, size, 200 + number);
        jose_rsa_blinding_set(&made->key, &made->blinding, blind, unblind);
    }
    BN_free(n);
    BN_free(e);
    BN_free(p);
    BN_free(q);
    BN_CTX_free(context);
    return modulus != NULL;
}

static void make_step(jose_step *step, int limbs, int number, bool is_signed)
{
    memset(step, 0, sizeof *step);
    jose_selftest_limbs(step->p, limbs, number, is_signed);
    jose_selftest_limbs(step->q, limbs, number + 1, is_signed);
}

static void hash_step(SHA256_CTX *hash, const jose_step *step, int limbs)
{
    SHA256_Update(hash, step->p, sizeof step->p[0] * (size_t)limbs);
    SHA256_Update(hash, step->q, sizeof step->q[0] * (size_t)limbs);
}

// Computes one step by the code that runs a single operation. For 4096 bits that is the code for
// four operations, here with four equal lanes.
static void run_step(const jose_rsa_private_kernel *kernel, const private_key *key, jose_step *x,
                     const jose_step *y)
{
    enum { LANES = JOSE_RSA_PRIVATE_LANES };
    if (kernel->is_floating) {
        jose_fma_private_step(&key->numbers, x, y);
    } else if (key->numbers.size < 512) {
        jose_ifma_private_step(&key->numbers, x, y);
    } else {
        const jose_private_numbers *numbers[LANES];
        jose_step xs[LANES], ys[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            numbers[lane] = &key->numbers;
            xs[lane] = *x;
            if (y != NULL) ys[lane] = *y;
        }
        jose_ifma_private_step_x4(numbers, xs, y == NULL ? NULL : ys);
        *x = xs[0];
    }
}

// Hashes x y / R and x x / R for each pair of factors x and y.
static void run_steps(const jose_rsa_private_kernel *kernel, SHA256_CTX *hash,
                      const private_key *key, int limbs)
{
    for (int i = 0; i < JOSE_SELFTEST_STEPS; i++) {
        jose_step x, y;
        for (int is_square = 0; is_square < 2; is_square++) {
            make_step(&x, limbs, 2 * i, kernel->is_floating);
            make_step(&y, limbs, 2 * i + 1, kernel->is_floating);
            run_step(kernel, key, &x, is_square ? NULL : &y);
            hash_step(hash, &x, limbs);
        }
    }
}

static bool renew(private_key *key, size_t size)
{
    uint8_t random[JOSE_RSA_KERNEL_MAX_BYTES];
    jose_selftest_message(random, size, 300);
    return jose_rsa_blinding_renew(&key->key, &key->blinding, random) == JOSE_RSA_DONE;
}

// Each key computes twice, so that the second operation uses the squared blinding. Key 0 computes a
// third time with a new blinding, since making u^-d uses the exponents JOSE_EXPONENT_MINUS_D.
result jose_selftest_one(int which, int index)
{
    const jose_rsa_private_kernel *kernel = &jose_rsa_private_kernels[which];
    const size_t size = size_at(index);
    if (size > kernel->max_one) return RIGHT;  // no key of this size is prepared for it
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (int i = 0; i < JOSE_SELFTEST_PRIVATE_KEYS; i++) {
        private_key key;
        uint8_t number[JOSE_RSA_KERNEL_MAX_BYTES];
        if (!make_private_key(&key, which, size, i)) return UNKNOWN;
        jose_selftest_message(number, size, i);
        bool done = true;
        for (int run = 0; done && run < (i == 0 ? 3 : 2); run++) {
            done = run < 2 || renew(&key, size);
            done = done && jose_rsa_private_run(&key.key, &key.blinding, number, number) ==
                               JOSE_RSA_DONE;
            SHA256_Update(&hash, number, size);
        }
        if (done) run_steps(kernel, &hash, &key, jose_half_limbs(size));
        private_key_free(&key);
        if (!done) return WRONG;
    }
    return compare_digest(&hash, kernel->is_floating ? jose_selftest_rsa_private_fma[index]
                                                     : jose_selftest_rsa_private[index]);
}

result jose_selftest_x4(int which, int index)
{
    enum { LANES = JOSE_RSA_PRIVATE_LANES };
    const size_t size = size_at(index);
    const int limbs = jose_half_limbs(size);
    private_key made[LANES];
    const jose_rsa_private_key *keys[LANES];
    const jose_private_numbers *numbers[LANES];
    jose_rsa_blinding *blindings[LANES];
    uint8_t number[LANES][JOSE_RSA_KERNEL_MAX_BYTES], *outs[LANES];
    result all = RIGHT;
    int count = 0;
    for (; all == RIGHT && count < LANES; count++) {
        if (!make_private_key(&made[count], which, size, count)) all = UNKNOWN;
        keys[count] = &made[count].key, numbers[count] = &made[count].numbers;
        blindings[count] = &made[count].blinding;
        jose_selftest_message(number[count], size, count);
        outs[count] = number[count];
    }
    SHA256_CTX hash;
    SHA256_Init(&hash);
    if (all == RIGHT && jose_rsa_private_run_together(keys, blindings, outs,
                                                      (const uint8_t *const *)outs)
                                .done != (1u << LANES) - 1)
        all = WRONG;
    for (int l = 0; all == RIGHT && l < LANES; l++) SHA256_Update(&hash, number[l], size);
    for (int i = 0; all == RIGHT && i < 2 * JOSE_SELFTEST_STEPS; i++) {
        jose_step x[LANES], y[LANES];
        for (int l = 0; l < LANES; l++) {
            make_step(&x[l], limbs, i + l, false);
            make_step(&y[l], limbs, i + l + 1, false);
        }
        jose_ifma_private_step_x4(numbers, x, i % 2 == 0 ? NULL : y);
        for (int l = 0; l < LANES; l++) hash_step(&hash, &x[l], limbs);
    }
    while (count > 0) private_key_free(&made[--count]);
    return all == RIGHT ? compare_digest(&hash, jose_selftest_rsa_private_x4[index]) : all;
}

#else

result jose_selftest_one(int which, int index)
{
    return (void)which, (void)index, UNKNOWN;
}

result jose_selftest_x4(int which, int index)
{
    return (void)which, (void)index, UNKNOWN;
}

#endif
