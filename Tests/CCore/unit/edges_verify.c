// edges_verify.c: the results of kernels are checked by EVP. Kernels with wrong results, and keys
// with wrong precomputed values and a right checksum: which messages may be affected, and that none
// is from then on.

#include "faults.h"

#include <openssl/bn.h>

#include "fma_power.h"
#include "precomps.h"
#include "ifma_power.h"
#include "keymgmt/keymgmt.h"
#include "signatures/signature.h"
#include "wraps.h"

enum { TEXT = 33,
       SEALED = 48,
       MODULUS = 256,
       RSA_EVERY = 256 };

#if JOSE_KERNELS_X86

// The injected error of the next operations of the kernels. The known answers never see it: they
// have other keys.
static enum { WHOLE,
              MONTGOMERY_FORM,
              ONE_BIT } failure;
static const uint8_t *victim;  // the modulus of the key that is hit
static unsigned rsa_calls, bn_calls;
static enum { BN_WHOLE,
              BN_DECLINES,
              BN_ONE_BIT } bn_fault;

// out * R mod n: the value before the last multiplication leaves Montgomery form.
static void enter_montgomery_form(const uint8_t *modulus, int size, uint8_t *out)
{
    BN_CTX *context = BN_CTX_new();
    BIGNUM *n = BN_bin2bn(modulus, size, NULL), *y = BN_bin2bn(out, size, NULL), *r = BN_new();
    need(context != NULL && n != NULL && y != NULL && r != NULL &&
             BN_set_bit(r, 52 * jose_ifma_rows((size_t)size)) == 1 &&
             BN_mod_mul(y, y, r, n, context) == 1 && BN_bn2binpad(y, out, size) == size,
         "Montgomery form");
    BN_free(n), BN_free(y), BN_free(r);
    BN_CTX_free(context);
}

static void inject(const uint8_t *modulus, uint32_t size, jose_rsa_outcome outcome, uint8_t *out)
{
    if (victim == NULL || size != MODULUS || memcmp(modulus, victim, MODULUS) != 0) return;
    rsa_calls++;
    if (outcome == JOSE_RSA_DONE && failure == MONTGOMERY_FORM)
        enter_montgomery_form(modulus, MODULUS, out);
    if (outcome == JOSE_RSA_DONE && failure == ONE_BIT) out[MODULUS - 1] ^= 1;
}

WRAPS(jose_rsa_outcome, jose_rsa_ifma_run,
      (const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in))
{
    const jose_rsa_outcome outcome = __real_jose_rsa_ifma_run(key, out, in);
    inject(key->modulus, key->size, outcome, out);
    return outcome;
}

WRAPS(jose_rsa_outcome, jose_rsa_fma_run,
      (const jose_rsa_fma_key *key, uint8_t *out, const uint8_t *in))
{
    const jose_rsa_outcome outcome = __real_jose_rsa_fma_run(key, out, in);
    inject(key->modulus, key->size, outcome, out);
    return outcome;
}

WRAPS(jose_rsa_outcome, jose_rsa_bn_run,
      (const jose_rsa_bn_key *key, jose_rsa_bn_scratch *scratch, uint8_t *out, const uint8_t *in))
{
    bn_calls++;
    if (bn_fault == BN_DECLINES) return JOSE_RSA_DECLINED;
    const jose_rsa_outcome outcome = __real_jose_rsa_bn_run(key, scratch, out, in);
    if (outcome == JOSE_RSA_DONE && bn_fault == BN_ONE_BIT) out[0] ^= 1;
    return outcome;
}

// MARK: messages

typedef struct {
    jose_key *public, *private;
    jose_keymgmt *maker, *opener;
    size_t key_len;
} pair;

static pair make(key_name name, jose_keymgmt_family family)
{
    pair made = {0};
    const jose_keymgmt_rule rule = {family, JOSE_SHA256, 0};
    need(faults_import(&made.public, name, faults_entries[name].type == JOSE_KEY_OCT) == JOSE_OK &&
             faults_import(&made.private, name, true) == JOSE_OK &&
             jose_keymgmt_make(&made.maker, made.public, &rule, true, JOSE_ACCELERATE_ENCRYPTION) ==
                 JOSE_OK &&
             jose_keymgmt_make(&made.opener, made.private, &rule, false, 0) == JOSE_OK,
         "keys");
    made.key_len = jose_keymgmt_encrypted_key_bytes(made.maker, JOSE_A128CBC_HS256);
    return made;
}

static void drop(pair *made)
{
    jose_keymgmt_free(made->maker);
    jose_keymgmt_free(made->opener);
    jose_key_release(made->public);
    jose_key_release(made->private);
}

// Encrypts one message and returns whether it decrypts to itself.
static bool arrives(const pair *made)
{
    static const uint8_t text[TEXT] = "what the other side must see now";
    uint8_t key[MODULUS], iv[16], sealed[SEALED], tag[16];
    const jose_seal_output out = {key, made->key_len, iv, sizeof iv,
                                  sealed, sizeof sealed, tag, sizeof tag};
    need(jose_keymgmt_seal(made->maker, JOSE_A128CBC_HS256, &out, iv, 0, text, TEXT) == JOSE_OK,
         "seal");
    jose_open_input in = {key, made->key_len, iv, sizeof iv, sealed, sizeof sealed};
    in.tag = tag, in.tag_len = sizeof tag;
    size_t len = 0;
    const jose_status status =
        jose_keymgmt_open(made->opener, JOSE_A128CBC_HS256, &len, &in, iv, 0);
    need(status == JOSE_OK || status == JOSE_REJECTED, "open");
    return status == JOSE_OK && len == TEXT && memcmp(sealed, text, TEXT) == 0;
}

static unsigned lost(const pair *made, unsigned count)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < count; i++) bad += !arrives(made);
    return bad;
}

// MARK: RSA

static const void *prepared(const pair *made)
{
    return fast_vector(made->maker->fast);
}

// The precomputed numbers of a key that its kernel does not check itself. Doubles have only R^2.
typedef enum { R2,
               UPPER,
               K1,
               NUMBERS } number;

// Changes one limb of such a number, as each kernel stores it.
static void corrupt(const pair *made, bool has_checksum, number changed)
{
    const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(made->maker->fast);
    if (precomp->kernel->one == JOSE_KERNEL_RSA) {
        jose_rsa_ifma_key *key = precomp->vector;
        *(changed == R2 ? &key->r2[3] : changed == UPPER ? &key->upper[3]
                                                         : &key->k1) ^= 4;
        if (has_checksum) key->checksum = jose_ifma_checksum(key);
    } else {
        jose_rsa_fma_key *key = precomp->vector;
        double *limb = &key->limbs[JOSE_FMA_LAYOUTS * 20 * jose_fma_blocks(key->size) + 3];
        *limb += *limb < 0 ? 4 : -4;
        if (has_checksum) key->checksum = jose_fma_checksum(key);
    }
}

static void rsa(void)
{
    const jose_kernel_set before = jose_kernels();
    victim = faults_entries[RSA_2048].numbers[0].bytes;

    // A correct key: EVP for the first message and every 256th, the kernel between; no message is
    // lost.
    pair made = make(RSA_2048, JOSE_RSA_OAEP);
    const void *first = prepared(&made);
    need(first != NULL, "prepared");
    rsa_calls = 0;
    need(lost(&made, RSA_EVERY + 10) == 0 && rsa_calls == RSA_EVERY + 10, "whole");
    need(prepared(&made) == first, "correct values stay");
    drop(&made);

    // A wrong bit in a number with a right checksum: the first message detects it, and the values
    // are computed again.
    for (number changed = R2; changed < NUMBERS; changed++) {
        made = make(RSA_2048, JOSE_RSA_OAEP);
        corrupt(&made, true, changed);
        first = prepared(&made);
        need(arrives(&made) && prepared(&made) != first && prepared(&made) != NULL,
             "a wrong bit at making");
        need(lost(&made, 20) == 0, "computed again");
        drop(&made);
    }

    // The same with a wrong checksum, at any time: no message is lost.
    made = make(RSA_2048, JOSE_RSA_OAEP);
    for (unsigned i = 0; i < 3; i++) {
        corrupt(&made, false, (number)i);
        need(arrives(&made) && arrives(&made), "a wrong checksum");
    }
    drop(&made);

    // Values that become wrong later, with a right checksum: detected by the 256th message at the
    // latest.
    made = make(RSA_2048, JOSE_RSA_OAEP);
    need(lost(&made, 10) == 0, "before");
    corrupt(&made, true, R2);
    need(lost(&made, RSA_EVERY - 10) == RSA_EVERY - 10, "until it is checked");
    need(lost(&made, RSA_EVERY + 10) == 0, "after it was checked");
    drop(&made);

    // A kernel that is wrong for this key alone: none of its results is returned, and it is
    // disabled for the key. Other keys keep it, because its known answers are right.
    const unsigned levels =
        ((before & JOSE_KERNEL_RSA) != 0) + ((before & JOSE_KERNEL_RSA_FMA) != 0);
    for (failure = MONTGOMERY_FORM; failure <= ONE_BIT; failure++) {
        made = make(RSA_2048, JOSE_RSA_OAEP);
        rsa_calls = 0;
        need(lost(&made, 2 * RSA_EVERY) == 0, "fault %d", (int)failure);
        need(rsa_calls == levels * JOSE_RSA_MAX_DIFFERENCES,
             "the kernels are disabled for the key: %u", rsa_calls);
        need(prepared(&made) == NULL, "the kernel is disabled for the key");
        drop(&made);
    }
    failure = WHOLE;
    victim = NULL;
    puts("verify       RSA: wrong values and wrong results affect no message after the next check");
    need(jose_kernels() == before && jose_kernels_off() == 0, "the process keeps its kernels");
}

// MARK: rejections

enum { SIGNED = 11 };
static const uint8_t message[SIGNED] = "what it is";

typedef struct {
    jose_key *public, *private;
    jose_signature *verifier;
    uint8_t right[MODULUS], wrong[MODULUS];
} signing;

static signing make_signing(jose_signature_family family, jose_hash hash, jose_options options)
{
    signing made = {0};
    jose_signature *signer = NULL;
    need(faults_import(&made.public, RSA_2048, false) == JOSE_OK &&
             faults_import(&made.private, RSA_2048, true) == JOSE_OK &&
             jose_signature_make(&signer, made.private, family, hash, true, JOSE_PROVIDER_ONLY) ==
                 JOSE_OK &&
             jose_signature_make(&made.verifier, made.public, family, hash, false, options) ==
                 JOSE_OK &&
             jose_signature_sign(signer, made.right, MODULUS, message, SIGNED) == JOSE_OK,
         "signing");
    memcpy(made.wrong, made.right, MODULUS);
    made.wrong[MODULUS - 1] ^= 1;
    jose_signature_free(signer);
    return made;
}

static void drop_signing(signing *made)
{
    jose_signature_free(made->verifier);
    jose_key_release(made->public);
    jose_key_release(made->private);
}

static jose_status verify(const signing *made, const uint8_t *signature)
{
    return jose_signature_verify(made->verifier, message, SIGNED, signature, MODULUS);
}

// Whether EVP was called.
static bool evp_verifies(const signing *made, const uint8_t *signature, jose_status expected)
{
    faults_count_calls("EVP_PKEY_verify");
    need(verify(made, signature) == expected, "result");
    const unsigned calls = faults_counted();
    faults_count_calls(NULL);
    need(calls <= 1, "EVP was called %u times", calls);
    return calls > 0;
}

static void rejections(jose_signature_family family, jose_hash hash, jose_options options)
{
    const bool has_kernel =
        options == 0 && (jose_kernels() & (JOSE_KERNEL_RSA | JOSE_KERNEL_RSA_FMA)) != 0;
    // A rejection is checked twice, the second time by OpenSSL's Montgomery functions; EVP is not
    // called.
    signing made = make_signing(family, hash, options);
    victim = faults_entries[RSA_2048].numbers[0].bytes;
    for (int i = 0; i < 4; i++) {
        need(!evp_verifies(&made, made.right, JOSE_OK), "accepted at once");
        rsa_calls = bn_calls = 0;
        need(!evp_verifies(&made, made.wrong, JOSE_REJECTED), "rejected by two");
        need(rsa_calls + bn_calls == 2 && bn_calls >= 1, "%u and %u checks", rsa_calls, bn_calls);
    }
    // If the second check declines, EVP decides; if it accepts, that counts against differing
    // values.
    bn_fault = BN_DECLINES;
    need(evp_verifies(&made, made.wrong, JOSE_REJECTED), "EVP rejects");
    need(evp_verifies(&made, made.wrong, JOSE_REJECTED), "and again");
    bn_fault = BN_WHOLE;
    need(!evp_verifies(&made, made.wrong, JOSE_REJECTED), "rejected by two");
    drop_signing(&made);

    // A kernel that is wrong for this key: each valid signature is accepted, and the kernel is
    // disabled for the key.
    made = make_signing(family, hash, options);
    rsa_calls = 0;
    failure = ONE_BIT;
    for (int i = 0; i < 20; i++) {
        need(!evp_verifies(&made, made.right, JOSE_OK), "a valid signature");
        need(verify(&made, made.wrong) == JOSE_REJECTED, "a forged signature");
    }
    const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(made.verifier->fast);
    need(precomp->kernel == NULL && (!has_kernel || rsa_calls > 0),
         "the kernels are disabled for the key");
    failure = WHOLE;

    // Only the second check is wrong: the rejection was right anyway.
    bn_fault = has_kernel ? BN_ONE_BIT : BN_WHOLE;
    signing whole = make_signing(family, hash, options);
    need(verify(&whole, whole.right) == JOSE_OK && verify(&whole, whole.wrong) == JOSE_REJECTED,
         "a wrong second check");
    bn_fault = BN_WHOLE;
    drop_signing(&whole);
    drop_signing(&made);
    victim = NULL;
}

// A kernel that is wrong at the check before a signature is returned: every signature is returned
// all the same, because EVP checks then, and the kernel is disabled for the key. (`flip` tests that
// a wrong signature is not returned.)
static void own_signatures(jose_signature_family family, jose_hash hash, jose_options options)
{
    const unsigned kernels =
        ((jose_kernels() & JOSE_KERNEL_RSA) != 0) + ((jose_kernels() & JOSE_KERNEL_RSA_FMA) != 0);
    const bool has_kernel = options == 0 && kernels > 0;
    signing made = make_signing(family, hash, options);
    jose_signature *signer = NULL;
    need(jose_signature_make(&signer, made.private, family, hash, true, options) == JOSE_OK,
         "signer");
    victim = faults_entries[RSA_2048].numbers[0].bytes;
    for (int round = 0; round < 3; round++) {  // whole, wrong, whole again
        unsigned calls = 0;
        failure = round == 1 ? ONE_BIT : WHOLE;
        for (int i = 0; i < 20; i++) {
            uint8_t signature[MODULUS];
            faults_count_calls("EVP_PKEY_verify");
            need(jose_signature_sign(signer, signature, MODULUS, message, SIGNED) == JOSE_OK,
                 "a signature leaves");
            calls += faults_counted();
            faults_count_calls(NULL);
            failure = WHOLE;
            need(verify(&made, signature) == JOSE_OK, "and is right");
            failure = round == 1 ? ONE_BIT : WHOLE;
        }
        // Two checks of each kernel differed. From the third on the key does without it.
        const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(signer->fast);
        need(calls == (round == 1 && has_kernel ? kernels * JOSE_RSA_MAX_DIFFERENCES : 0),
             "EVP checked %u times", calls);
        need((precomp->kernel != NULL) == (round == 0 && has_kernel),
             "the kernels are disabled for the key");
    }
    failure = WHOLE;
    victim = NULL;
    jose_signature_free(signer);
    drop_signing(&made);
}

// RS256 and its siblings reject SHA-1: this library cannot make its PKCS#1 block, so it could not
// verify what EVP signs.
static void without_a_block(void)
{
    jose_key *key = NULL;
    need(faults_import(&key, RSA_2048, true) == JOSE_OK, "key");
    for (int signing = 0; signing < 2; signing++)
        for (int options = 0; options <= JOSE_PROVIDER_ONLY; options += JOSE_PROVIDER_ONLY) {
            jose_signature *operation = (jose_signature *)key;  // the call must set NULL
            need(jose_signature_make(&operation, key, JOSE_RSA_PKCS1, JOSE_SHA1, signing,
                                     (jose_options)options) == JOSE_BAD_KEY &&
                     operation == NULL,
                 "SHA-1");
        }
    jose_key_release(key);
}

#endif

void faults_edges_verify(void)
{
#if JOSE_KERNELS_X86
    if (jose_kernels() & (JOSE_KERNEL_RSA | JOSE_KERNEL_RSA_FMA))
        rsa();
    else
        puts("verify       the RSA kernel is not available here: not checked");
    for (int options = 0; options <= JOSE_PORTABLE; options += JOSE_PORTABLE) {
        rejections(JOSE_RSA_PKCS1, JOSE_SHA256, (jose_options)options);
        rejections(JOSE_RSA_PSS, JOSE_SHA384, (jose_options)options);
        own_signatures(JOSE_RSA_PKCS1, JOSE_SHA256, (jose_options)options);
        own_signatures(JOSE_RSA_PSS, JOSE_SHA384, (jose_options)options);
    }
    without_a_block();
    puts("verify       signatures: both checks decide, and no valid signature is rejected or not "
         "returned");
#else
    puts("verify       no kernels are compiled in: not checked");
#endif
}
