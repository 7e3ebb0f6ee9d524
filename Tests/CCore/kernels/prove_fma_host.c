// prove_fma_host.c: the interfaces of the kernel of doubles to its host: numbers in bytes, and the
// processor's floating-point settings.

#include <openssl/bn.h>
#include <stdio.h>
#include <string.h>

#include "fma_arith.h"
#include "fma_power.h"
#include "prove.h"

#if JOSE_KERNELS_X86

enum { LANES = JOSE_FMA_LANES,
       BYTES = JOSE_RSA_KERNEL_MAX_BYTES,
       WORDS = 80 };

static uint64_t checks;

// MARK: numbers

// A number between -n and n, in signed limbs, is written mod n; any other as all ones.
static void prove_written(int bits)
{
    const int blocks = jose_fma_blocks((size_t)bits / 8), L = JOSE_FMA_BLOCK * blocks,
              count = 4 * L;
    BIGNUM *n = BN_new(), *x = BN_new();
    uint8_t modulus[BYTES], want[BYTES], got[BYTES];
    int64_t limbs[4 * WORDS];
    const size_t size = (size_t)bits / 8;
    for (int round = 0; round < 3000; round++) {
        BN_rand(n, bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
        if (round % 5 == 0)
            BN_zero(n), BN_set_bit(n, bits), BN_sub_word(n, 1 + 2 * prove_below(2));  // the largest
        BN_rand_range(x, n);
        if (round % 16 == 0) BN_zero(x);
        if (round % 16 == 1) BN_sub(x, n, BN_value_one());
        bool inside = true, near = false;
        if (round % 16 == 2) BN_copy(x, n), inside = false;
        if (round % 16 == 3) BN_add_word(x, 1), BN_add(x, x, n), inside = false;
        if (round % 16 == 4) BN_zero(x), BN_set_bit(x, bits + (int)prove_below(11)), inside = false;
        // n less than a power of two, among these each highest bit of a word.
        const int power =
            round % 32 < 16 ? 64 * (round / 32) + 63 : (int)prove_below((uint64_t)bits - 1);
        if (round % 16 == 5 && power < bits - 1)
            BN_zero(x), BN_set_bit(x, power), BN_sub(x, n, x), near = true;
        const bool negative = near || (round % 2 == 0 ? round % 32 >= 16 : prove_below(2));
        const int lane = (int)prove_below(5) - 1;
        // Digits of x, then some that borrow from the next.
        BN_bn2binpad(n, modulus, (int)size);
        memset(limbs, 0x5a, sizeof limbs);
        int64_t carry = 0;
        for (int i = 0; i < count; i++) {
            int64_t digit = carry;
            for (int b = 0; b < 52; b++)
                if (BN_is_bit_set(x, 52 * i + b)) digit += INT64_C(1) << b;
            carry =
                i + 1 < count && (digit >= INT64_C(1) << 51 || (digit > 0 && prove_below(64) == 0));
            digit -= carry << 52;
            if (digit < -(INT64_C(1) << 51) - 256) digit += carry << 52, carry = 0;
            limbs[lane < 0 ? 4 * (i % L) + i / L : 4 * i + lane] = negative ? -digit : digit;
        }
        jose_fma_limbs_write(got, size, limbs, lane, modulus);
        if (inside) {
            if (negative && !BN_is_zero(x)) BN_sub(x, n, x);
            BN_bn2binpad(x, want, (int)size);
            PROVE(memcmp(got, want, size) == 0, "written");
        } else {
            PROVE(!jose_below_portable(got, modulus, size), "written outside");
        }
        checks++;
        if (!inside || negative) continue;
        memset(limbs, 0x5a, sizeof limbs);
        jose_fma_limbs_read(limbs, lane, want, size);
        for (int i = 0; i < count; i++) {
            int64_t digit = 0;
            for (int b = 0; b < 52; b++)
                if (BN_is_bit_set(x, 52 * i + b)) digit |= INT64_C(1) << b;
            PROVE(limbs[lane < 0 ? 4 * (i % L) + i / L : 4 * i + lane] == digit, "read");
        }
        checks++;
    }
    // The first byte that differs decides.
    for (size_t at = 0; at < size; at++) {
        prove_bytes(want, size);
        memcpy(got, want, size);
        PROVE(!jose_below_portable(got, want, size), "below");
        want[at] |= 1, got[at] &= 0xfe;
        for (size_t i = at + 1; i < size && at % 2 == 0; i++) got[i] = 0xff, want[i] = 0;
        PROVE(jose_below_portable(got, want, size), "below");
        PROVE(!jose_below_portable(want, got, size), "not below");
        checks += 3;
    }
    BN_free(n);
    BN_free(x);
}

// MARK: the host's settings

enum { SEEN = 0x3f,
       ZEROS = 1 << 6,
       MASKS = 0x3f << 7,
       ROUNDING = 3 << 13,
       FLUSH = 1 << 15 };

uint32_t prove_host(uint32_t number)
{
    uint32_t host =
        (number % 4 << 13) | (number / 4 % 2 ? FLUSH : 0) | (number / 8 % 2 ? ZEROS : 0);
    const uint32_t masks = number / 16 % 8, seen = number / 128 % 8;
    host |= masks == 0 ? 0 : masks == 7 ? MASKS
                                        : (MASKS & ~(UINT32_C(1) << (6 + masks)));
    host |= seen == 0 ? 0 : seen == 7 ? SEEN
                                      : UINT32_C(1) << (seen - 1);
    return host;
}

uint32_t prove_settings(void)
{
    uint32_t now;
    __asm__ volatile("stmxcsr %0"
                     : "=m"(now));
    return now;
}

void prove_set(uint32_t settings)
{
    __asm__ volatile("ldmxcsr %0"
                     :
                     : "m"(settings));
}

// KEEPS runs `code` under the settings `host`, which must be unchanged afterwards.
#define KEEPS(code)                                   \
    do {                                              \
        prove_set(host);                              \
        code;                                         \
        const uint32_t after_ = prove_settings();     \
        prove_set(usual);                             \
        PROVE(after_ == host, "the host's settings"); \
        checks++;                                     \
    } while (0)

// Whatever the host set and whatever exceptions it raised, the result is the same, and the settings
// are unchanged.
static void prove_under_hosts(jose_rsa_fma_key *key, const BIGNUM *n, const BIGNUM *e,
                              const uint8_t *in)
{
    static uint8_t want[BYTES], alone[BYTES], secret[BYTES], rejected[BYTES], out[LANES][BYTES];
    uint8_t *outs[LANES];
    const uint8_t *ins[LANES];
    const jose_rsa_fma_key *keys[LANES];
    const uint32_t usual = prove_settings();
    PROVE((usual & ROUNDING) == 0, "the proof itself rounds to nearest");
    PROVE(jose_rsa_fma_run(key, want, in) == JOSE_RSA_DONE, "result");
    for (int l = 0; l < LANES; l++) outs[l] = out[l], ins[l] = in, keys[l] = key;
    for (uint32_t number = 0; number < PROVE_HOSTS; number++) {
        const uint32_t host = prove_host(number);
        jose_rsa_outcome outcome, encrypted, declined, corrupted;
        jose_rsa_lanes lanes;
        jose_rsa_fma_key *made;
        bool is_exact;
        KEEPS(outcome = jose_rsa_fma_run(key, alone, in));
        KEEPS(encrypted = jose_rsa_fma_encrypt(key, secret, in));
        KEEPS(lanes = jose_rsa_fma_run_x4(keys, outs, ins));
        KEEPS(declined = jose_rsa_fma_run(key, rejected, key->modulus));
        key->checksum ^= 1;
        KEEPS(corrupted = jose_rsa_fma_run(key, rejected, in));
        key->checksum ^= 1;
        KEEPS(is_exact = jose_fma_is_exact());
        KEEPS(made = jose_rsa_fma_key_new(n, e));
        PROVE(outcome == JOSE_RSA_DONE && declined == JOSE_RSA_DECLINED &&
                  corrupted == JOSE_RSA_CORRUPTED,
              "outcome");
        PROVE(lanes.done == 0xf && memcmp(alone, want, key->size) == 0, "result");
        PROVE(encrypted == JOSE_RSA_DONE && memcmp(secret, want, key->size) == 0, "result");
        for (int l = 0; l < LANES; l++) PROVE(memcmp(out[l], want, key->size) == 0, "result");
        PROVE(is_exact, "products");
        PROVE(made != NULL && memcmp(made, key, sizeof *key) == 0, "key");
        KEEPS(jose_rsa_fma_key_free(made));
    }
}

void prove_fma_host(void)
{
    if (!jose_kernel_has_fma()) {
        puts("host     this processor has no FMA: nothing proved");
        return;
    }
    for (int bits = 2048; bits <= 4096; bits += 1024) {
        uint8_t in[BYTES];
        prove_bytes(in, sizeof in);
        in[0] &= 0x7f;
        BIGNUM *n = BN_new(), *e = BN_new();
        BN_set_bit(n, bits - 1);
        BN_add_word(n, 12345);
        BN_set_word(e, 65537);
        jose_rsa_fma_key *key = jose_rsa_fma_key_new(n, e);
        PROVE(key != NULL, "key");
        prove_written(bits);
        prove_under_hosts(key, n, e, in);
        jose_rsa_fma_key_free(key);
        BN_free(n);
        BN_free(e);
    }
    printf("host     %llu numbers written, and runs under other settings that stay as they were\n",
           (unsigned long long)checks);
}

#else

void prove_fma_host(void)
{
    puts("host     not of this processor: nothing proved");
}

#endif
