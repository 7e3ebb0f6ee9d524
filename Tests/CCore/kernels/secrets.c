// secrets.c: no branch and no address in the kernels depends on a secret. The messages of
// encryption, and the keys, messages and blindings of private operations, are poisoned;
// MemorySanitizer ends the program at the first use in a branch or an address. Only what
// jose_declassify makes public may be branched on.

#include <sanitizer/msan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "private_key.h"
#include "selftest_data.h"

static void noise(uint8_t *bytes, size_t len, uint64_t state)
{
    for (size_t i = 0; i < len; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (uint8_t)(state >> 56);
    }
}

static void need(bool condition, const char *what)
{
    if (condition) return;
    printf("FAILED  secrets: %s\n", what);
    exit(1);
}

// Whether every byte has the mark of the secrets that it came from.
static bool marked(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (__msan_test_shadow(bytes + i, 1) != 0) return false;
    return true;
}

static void check_rsa(const jose_rsa_kernel *kernel, size_t key_size, int bits, uint32_t exponent)
{
    uint8_t modulus[512], in[512], out[512];
    const size_t size = (size_t)bits / 8;
    noise(modulus, size, 1);
    modulus[0] |= 0x80;
    modulus[size - 1] |= 1;
    BIGNUM *n = BN_bin2bn(modulus, (int)size, NULL), *e = BN_new();
    BN_set_word(e, exponent);
    void *key = kernel->key_new(n, e);
    need(key != NULL, "key");
    __msan_unpoison(key, key_size);  // written by a library without instruments
    for (uint64_t i = 0; i < 20; i++) {
        noise(in, size, 2 + i);
        in[0] = 0;
        if (i == 0) memset(in, 0, size);  // a fixed point: declined
        __msan_poison(in, size);
        const bool done = kernel->run(key, out, in) == JOSE_RSA_DONE;
        need(done == (i != 0), "verdict");
        need(!done || marked(out, size), "the mark is lost, so the check sees nothing");
    }
    __msan_unpoison(in, sizeof in);
    kernel->key_free(key);
    BN_free(n);
    BN_free(e);
}

// A private key of noise (selftest_data.h): every number of it is secret, and so is what it
// computes.
static void check_private(int kernel, size_t size)
{
    uint8_t parts[JOSE_SELFTEST_NUMBERS][256], in[4][512], out[4][512], random[512];
    for (int i = 0; i < JOSE_SELFTEST_NUMBERS; i++)
        jose_selftest_private(parts[i], size / 2, 0, (jose_selftest_number)i);
    BIGNUM *n = BN_new(), *e = BN_new(), *p = BN_bin2bn(parts[0], (int)size / 2, NULL);
    BIGNUM *q = BN_bin2bn(parts[1], (int)size / 2, NULL);
    BN_CTX *context = BN_CTX_new();
    BN_mul(n, p, q, context);
    BN_set_word(e, 65537);
    __msan_poison(parts, sizeof parts);
    const jose_rsa_crt crt = {n, e, parts[0], parts[1], parts[2], parts[3], parts[4]};
    jose_rsa_private_key *key = NULL;
    need(jose_rsa_private_key_new(&key, kernel, &crt) == JOSE_RSA_PREPARED, "private key");
    need(marked((const uint8_t *)key->secret->p.r3, 6), "a private key is secret");
    __msan_unpoison((void *)(uintptr_t)key->modulus,  // written by a library without instruments
                    jose_rsa_private_kernels[kernel].is_floating ? sizeof(jose_rsa_fma_key)
                                                                 : sizeof(jose_rsa_ifma_key));
    jose_rsa_blinding *blinding = jose_rsa_blinding_new();
    jose_selftest_message(random, size, 1);
    __msan_poison(random, size);
    need(jose_rsa_blinding_renew(key, blinding, random) == JOSE_RSA_DONE, "blinding");
    need(marked((const uint8_t *)blinding->unblind, 6), "a blinding is secret");
    for (int i = 0; i < 4; i++) {
        jose_selftest_message(in[i], size, 2 + i);
        __msan_poison(in[i], size);
    }
    for (int i = 0; i < 2; i++) {
        need(jose_rsa_private_run(key, blinding, out[0], in[0]) == JOSE_RSA_DONE, "private");
        need(marked(out[0], size), "the mark is lost, so the check sees nothing");
    }
    if (jose_rsa_private_kernels[kernel].max_together >= size) {
        const jose_rsa_private_key *keys[4] = {key, key, key, key};
        jose_rsa_blinding *blindings[4] = {blinding, blinding, blinding, blinding};
        uint8_t *outs[4] = {out[0], out[1], out[2], out[3]};
        const uint8_t *ins[4] = {in[0], in[1], in[2], in[3]};
        need(jose_rsa_private_run_together(keys, blindings, outs, ins).done == 15, "four");
        need(marked(out[3], size), "the mark is lost, so the check sees nothing");
    }
    jose_rsa_private_key_free(key);
    jose_rsa_blinding_free(blinding);
    BN_free(n), BN_free(e), BN_free(p), BN_free(q);
    BN_CTX_free(context);
}

// Tests the check itself: a child that indexes by a secret must not survive.
static void check_the_check(void)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        uint8_t secret = 1;
        __msan_poison(&secret, 1);
        if (freopen("/dev/null", "w", stderr) == NULL) _exit(0);
        static volatile uint8_t table[256];
        table[secret] = 1;
        _exit(0);
    }
    int status = 0;
    need(child > 0 && waitpid(child, &status, 0) == child, "fork");
    need(!WIFEXITED(status) || WEXITSTATUS(status) != 0, "an index by a secret was not detected");
}

int main(void)
{
    unsigned cases = 0;
    check_the_check();
    static const size_t sizes[JOSE_RSA_KERNELS] = {sizeof(jose_rsa_ifma_key),
                                                   sizeof(jose_rsa_fma_key)};
    for (int i = 0; i < JOSE_RSA_KERNELS; i++) {
        if (!jose_rsa_kernels[i].is_present()) {
            printf("secrets  the kernel %s does not run here: not checked\n",
                   jose_rsa_kernels[i].name);
            continue;
        }
        for (int bits = 2048; bits <= 4096; bits += 1024, cases++) {
            check_rsa(&jose_rsa_kernels[i], sizes[i], bits, 65537);
            check_rsa(&jose_rsa_kernels[i], sizes[i], bits, 3);
        }
    }
    for (int i = 0; i < JOSE_RSA_KERNELS; i++)
        for (size_t size = 256; size <= jose_rsa_private_kernels[i].max_one; size += 128)
            if (jose_rsa_private_kernels[i].is_present()) check_private(i, size), cases++;
    printf("secrets  no branch or address depends on a message or a private key (%u cases)\n",
           cases);
    return 0;
}
