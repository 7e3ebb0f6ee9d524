// edges_forged.c: a family of forged blocks, each signed with the real key, is rejected by every
// implementation, and never as a failure.

#include "faults.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "precomps.h"
#include "prove_blocks.h"
#include "signatures/signature.h"

enum { MODULUS = 256,
       IMPLEMENTATIONS = 4,
       LANES = 8 };

static const uint8_t message[] = "what nobody signed";

// A real key: its raw private operation, and its verifiers. The kernels of the last one are
// disabled.
typedef struct {
    EVP_PKEY_CTX *raw;
    jose_signature *verifiers[IMPLEMENTATIONS];
    uint8_t waiting[LANES][MODULUS];
    unsigned count;
} subject;

static void verify_batch(subject *s)
{
    jose_batch *batch = jose_batch_make(LANES);
    need(batch != NULL, "batch");
    for (int i = 0; i < LANES; i++) {
        const ptrdiff_t index =
            jose_batch_add(batch, s->verifiers[0], message, sizeof message, s->waiting[i], MODULUS);
        need(index == ((jose_kernels() & (JOSE_USES_RSA | JOSE_USES_RSA_FMA)) != 0 ? i : -1),
             "index");
    }
    jose_batch_run(batch);
    for (size_t i = 0; i < LANES; i++)
        need(!jose_batch_accepted(batch, i), "a batch accepts a forged block");
    jose_batch_free(batch);
}

static jose_status verify_by(subject *s, int level, const uint8_t *signature)
{
    if (level == IMPLEMENTATIONS - 1) jose_kernels_switch_off(FAULTS_EVERY_KERNEL);
    const jose_status status =
        jose_signature_verify(s->verifiers[level], message, sizeof message, signature, MODULUS);
    need(level < IMPLEMENTATIONS - 1 || fast_vector(s->verifiers[level]->fast) == NULL,
         "a kernel that is switched off");
    atomic_store(&jose_kernels_disabled, 0);
    return status;
}

static void forge(void *context, const uint8_t *block, const char *kind)
{
    subject *s = context;
    uint8_t *signature = s->waiting[s->count % LANES];
    size_t len = MODULUS;
    // A block above the modulus cannot be signed: it is used as the signature.
    if (EVP_PKEY_decrypt(s->raw, signature, &len, block, MODULUS) != 1)
        memcpy(signature, block, MODULUS);
    ERR_clear_error();
    for (int w = 0; w < IMPLEMENTATIONS; w++) {
        const jose_status status = verify_by(s, w, signature);
        need(status == JOSE_REJECTED, "%s, implementation %d: %d", kind, w, status);
    }
    if (++s->count % LANES == 0) verify_batch(s);
}

void faults_edges_forged(void)
{
    static const jose_options options[IMPLEMENTATIONS] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY, 0};
    static const jose_rsa_limits limits = {2048, 2048, false};
    uint8_t n[MODULUS], e[8], digest[32];
    jose_key *key = NULL;
    subject s = {0};
    EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)(8 * MODULUS));
    need(pair != NULL, "reference");
    s.raw = EVP_PKEY_CTX_new(pair, NULL);
    need(s.raw != NULL && EVP_PKEY_decrypt_init(s.raw) == 1 &&
             EVP_PKEY_CTX_set_rsa_padding(s.raw, RSA_NO_PADDING) == 1,
         "reference");
    const size_t n_len = faults_number_of(pair, "n", n), e_len = faults_number_of(pair, "e", e);
    need(jose_rsa_public(&key, &limits, n, n_len, e, e_len) == JOSE_OK, "import");
    for (int w = 0; w < IMPLEMENTATIONS; w++)
        need(jose_signature_make(&s.verifiers[w], key, JOSE_RSA_PKCS1, JOSE_SHA256, false,
                                 options[w]) == JOSE_OK,
             "verifier");
    need(jose_hash_digest(JOSE_SHA256, digest, sizeof digest, message, sizeof message) == JOSE_OK,
         "digest");
    const unsigned count = prove_blocks(MODULUS, digest, forge, &s);
    need(count >= 2000 && s.count == count && jose_kernels_off() == 0, "the family: %u", count);
    for (int w = 0; w < IMPLEMENTATIONS; w++) jose_signature_free(s.verifiers[w]);
    jose_key_release(key);
    EVP_PKEY_CTX_free(s.raw);
    EVP_PKEY_free(pair);
    printf("forged       %u blocks rejected by %d implementations and in batches\n", count,
           IMPLEMENTATIONS);
}
