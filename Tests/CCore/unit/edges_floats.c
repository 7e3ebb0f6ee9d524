// edges_floats.c: with other rounding, flush-to-zero or unmasked floating-point exceptions of the
// host, every operation gives the same results and leaves these settings unchanged.

#include "faults.h"

#if defined(__x86_64__)

enum { SEEN = 0x3f,
       ZEROS = 1 << 6,
       MASKS = 0x3f << 7,
       FLUSH = 1 << 15,
       SIGNATURE = 256,
       LANES = 4 };

static uint32_t usual;
static unsigned runs;

static uint32_t settings(void)
{
    uint32_t now;
    __asm__ volatile("stmxcsr %0"
                     : "=m"(now));
    return now;
}

static void set(uint32_t to)
{
    __asm__ volatile("ldmxcsr %0"
                     :
                     : "m"(to));
}

// Each rounding mode; denormals flushed to zero or not; exceptions unmasked and none raised, or
// masked and all raised.
enum { HOSTS = 4 * 2 * 2 };
static uint32_t host(uint32_t number)
{
    return (number % 4 << 13) | (number / 4 % 2 ? FLUSH | ZEROS : 0) |
           (uint32_t)(number / 8 ? MASKS | SEEN : 0);
}

// KEEPS runs `code` under the settings of that number.
#define KEEPS(number, code)                                                                   \
    do {                                                                                      \
        set(host(number));                                                                    \
        code;                                                                                 \
        const uint32_t after_ = settings();                                                   \
        set(usual);                                                                           \
        need(after_ == host(number), "settings %x are %x after it: %s", host(number), after_, \
             #code);                                                                          \
        runs++;                                                                               \
    } while (0)

// An operation is created, used and compared, all under those settings.
static void all_operations(const operation *list)
{
    for (const operation *each = list; each->name != NULL; each++)
        for (uint32_t number = 0; number < HOSTS; number += 5) {  // each rounding
            jose_status status;
            faults_forget();
            faults_arm(FAULTS_MEMORY, 0);
            KEEPS(number, status = each->run(each));
            faults_disarm();
            need(status == JOSE_OK, "%s: %u under settings %x", each->name, status, host(number));
        }
}

// One key and signature, alone and in lanes, and a wrong signature: each call by itself.
static void verifications(jose_signature_family family)
{
    static const uint8_t message[] = "what a host with other settings verifies";
    uint8_t signature[SIGNATURE], wrong[SIGNATURE];
    jose_key *own = NULL, *key = NULL;
    jose_signature *signer = NULL;
    need(faults_import(&own, RSA_2048, true) == JOSE_OK &&
             faults_import(&key, RSA_2048, false) == JOSE_OK &&
             jose_signature_make(&signer, own, family, JOSE_SHA256, true, 0) == JOSE_OK,
         "keys");
    for (uint32_t number = 0; number < HOSTS; number++) {
        jose_signature *verifier = NULL;
        jose_status made, signs, accepts, rejects;
        KEEPS(number, made = jose_signature_make(&verifier, key, family, JOSE_SHA256, false, 0));
        KEEPS(number,
              signs = jose_signature_sign(signer, signature, SIGNATURE, message, sizeof message));
        need(made == JOSE_OK && signs == JOSE_OK, "a signature under settings %x", host(number));
        memcpy(wrong, signature, SIGNATURE);
        wrong[SIGNATURE - 1] ^= 1;
        KEEPS(number, accepts = jose_signature_verify(verifier, message, sizeof message, signature,
                                                      SIGNATURE));
        KEEPS(number,
              rejects = jose_signature_verify(verifier, message, sizeof message, wrong, SIGNATURE));
        need(accepts == JOSE_OK && rejects == JOSE_REJECTED, "results %u, %u under settings %x",
             accepts, rejects, host(number));
        jose_batch *batch = jose_batch_make(LANES);
        need(batch != NULL, "a batch under settings %x", host(number));
        ptrdiff_t index = 0;
        for (int i = 0; i < LANES; i++)
            KEEPS(number, index = jose_batch_add(batch, verifier, message, sizeof message,
                                                 i == 2 ? wrong : signature, SIGNATURE));
        KEEPS(number, jose_batch_run(batch));
        if (index < 0 && number == 0)
            puts("floats   no lanes here: batches are rejected under each setting");
        for (size_t i = 0; i < LANES && index >= 0; i++)
            need(jose_batch_accepted(batch, i) == (i != 2), "lane %zu under settings %x", i,
                 host(number));
        jose_batch_free(batch);
        jose_signature_free(verifier);
    }
    need(jose_kernels_off() == 0, "a kernel was blamed for the host's settings");
    jose_signature_free(signer);
    jose_key_release(own);
    jose_key_release(key);
}

#endif

void faults_edges_floats(void)
{
#if defined(__x86_64__)
    usual = settings();
    verifications(JOSE_RSA_PKCS1);
    verifications(JOSE_RSA_PSS);
    all_operations(faults_encryptions());
    all_operations(faults_signatures());
    all_operations(faults_keys());
    all_operations(faults_chains());
    printf("floats       %u calls and operations under other settings of the host, which are "
           "unchanged\n",
           runs);
#else
    puts("floats       the settings of this processor are not tried: no kernel of it depends on "
         "them");
#endif
}
