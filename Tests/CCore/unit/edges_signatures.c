// edges_signatures.c: each outside call of an RSA verification fails once, and so does each of the
// precomputation of a key. A wrong signature is never accepted by that, a right one never rejected,
// and no partial precomputation is used.

#include "faults.h"

#include <openssl/bn.h>
#include <openssl/err.h>

#include "cjosekernels.h"
#include "signatures/signature.h"

enum { MODULUS = 256 };

static const uint8_t message[] = "what is signed";

// MARK: verifying

typedef struct {
    jose_key *key;
    jose_signature_family family;
    jose_hash hash;
    jose_options options;
    uint8_t right[MODULUS], wrong[MODULUS];
} subject;

static jose_status verify(const jose_signature *verifier, const uint8_t *signature)
{
    return jose_signature_verify(verifier, message, sizeof message, signature, MODULUS);
}

// With the nth call failing, then with none. Returns false if n is beyond the last call.
static bool fail(const subject *s, bool is_right, bool silently, unsigned n)
{
    const uint8_t *signature = is_right ? s->right : s->wrong;
    const jose_status expected = is_right ? JOSE_OK : JOSE_REJECTED;
    jose_signature *verifier = NULL;
    need(jose_signature_make(&verifier, s->key, s->family, s->hash, false, s->options) == JOSE_OK,
         "verifier");
    faults_forget();
    faults_silently(silently);
    faults_arm(FAULTS_CALLS, n);
    const jose_status status = verify(verifier, signature);
    const bool failed = faults_disarm();
    faults_silently(false);
    need(ERR_peek_error() == 0, "an entry remains where %s fails", faults_failed());
    atomic_store(&jose_kernels_disabled, 0);
    need(status == expected || (failed && status == JOSE_INTERNAL),
         "family %d, options %u: %s is %d where %s fails", (int)s->family, s->options,
         is_right ? "a right signature" : "a wrong signature", (int)status, faults_failed());
    for (int i = 0; i < 2; i++)
        need(verify(verifier, signature) == expected, "after %s", faults_failed());
    jose_signature_free(verifier);
    return failed;
}

static void verifications(jose_signature_family family, jose_hash hash)
{
    static const jose_options all[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
    subject s = {.family = family, .hash = hash};
    jose_key *private = NULL;
    jose_signature *signer = NULL;
    need(faults_import(&private, RSA_2048, true) == JOSE_OK &&
             faults_import(&s.key, RSA_2048, false) == JOSE_OK &&
             jose_signature_make(&signer, private, family, hash, true, 0) == JOSE_OK &&
             jose_signature_sign(signer, s.right, MODULUS, message, sizeof message) == JOSE_OK,
         "signature");
    memcpy(s.wrong, s.right, MODULUS);
    s.wrong[MODULUS - 1] ^= 1;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (int is_right = 0; is_right < 2; is_right++)
            for (int silently = 0; silently < 2; silently++) {
                unsigned n = 1;
                s.options = all[i];
                while (fail(&s, is_right, silently, n)) n++;
                need(n > 1, "a verification makes no call");
            }
    jose_signature_free(signer);
    jose_key_release(private);
    jose_key_release(s.key);
}

// MARK: forms

#if JOSE_KERNELS_X86

// A precomputation is complete or NULL, and partial memory is freed.
static unsigned precomps(const jose_rsa_kernel *kernel, const BIGNUM *n, const BIGNUM *e)
{
    unsigned count = 0;
    for (faults_kind kind = FAULTS_MEMORY; kind < FAULTS_KINDS; kind++) {
        bool failed = true;
        for (unsigned at = 1; failed; at++) {
            ERR_clear_error();
            const size_t before = faults_allocated();
            faults_arm(kind, at);
            void *precomp = kernel->key_new(n, e);
            failed = faults_disarm();
            need((precomp == NULL) == failed, "%s: a precomputation where %s fails in %s",
                 kernel->name, faults_failed(), faults_within());
            kernel->key_free(precomp);
            ERR_clear_error();
            need(faults_allocated() == before, "%s keeps something where %s fails", kernel->name,
                 faults_failed());
            count += failed;
        }
    }
    return count;
}

static void all_forms(void)
{
    BIGNUM *n = BN_new(), *e = BN_new();
    need(n != NULL && e != NULL && BN_set_word(e, 65537) == 1, "numbers");
    for (int bits = 2048; bits <= 4096; bits += 1024)
        for (int which = 0; which < JOSE_RSA_KERNELS; which++) {
            const jose_rsa_kernel *kernel = &jose_rsa_kernels[which];
            need(BN_rand(n, bits, BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ODD) == 1, "a modulus");
            if (!kernel->is_present()) {
                if (bits == 2048)
                    printf("signatures   the kernel %s is not available here: not precomputed\n",
                           kernel->name);
                continue;
            }
            need(precomps(kernel, n, e) > 5, "%s: hardly anything can fail", kernel->name);
        }
    BN_free(n);
    BN_free(e);
}

#endif

void faults_edges_signatures(void)
{
    verifications(JOSE_RSA_PKCS1, JOSE_SHA256);
    verifications(JOSE_RSA_PKCS1, JOSE_SHA512);
    verifications(JOSE_RSA_PSS, JOSE_SHA384);
#if JOSE_KERNELS_X86
    all_forms();
#else
    puts("signatures   no kernels are compiled in: nothing precomputed");
#endif
    puts("signatures   no failing call changes a result or leaves a partial precomputation");
}
