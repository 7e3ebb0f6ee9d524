// first.c: the first use of each kind of key in a process while memory fails once, and a fork while
// another thread starts.

#include "faults.h"

#include <limits.h>
#include <openssl/err.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/library.h"

int __llvm_profile_write_file(void) __attribute__((weak));

// MARK: uses

static const uint8_t message[] = "what it is about";

// Signs where the curve signs, agrees where it agrees.
static jose_status use_curve(jose_curve curve)
{
    static const jose_keymgmt_rule agreement = {JOSE_ECDH_ES, JOSE_SHA256, 16};
    const bool is_ec = jose_curve_type(curve) == JOSE_KEY_EC,
               is_pair = jose_curve_type(curve) == JOSE_KEY_AKP;
    const bool agrees = curve == JOSE_X25519 || curve == JOSE_X448;
    static const jose_hash hashes[] = {JOSE_SHA256, JOSE_SHA384, JOSE_SHA512, JOSE_SHA256};
    jose_key *key = NULL;
    jose_status status = is_ec     ? jose_ec_generate(&key, JOSE_MODULE_PROCESS, curve)
                         : is_pair ? jose_akp_generate(&key, JOSE_MODULE_PROCESS, curve)
                                   : jose_okp_generate(&key, JOSE_MODULE_PROCESS, curve);
    if (status == JOSE_OK && !agrees) {
        jose_signature *signer = NULL;
        uint8_t bytes[MAX_SIGNATURE];
        status = jose_signature_make(&signer, key,
                                     is_ec     ? JOSE_ECDSA
                                     : is_pair ? JOSE_ML_DSA
                                               : JOSE_EDDSA,
                                     is_ec ? hashes[curve - JOSE_P256] : JOSE_SHA512, true,
                                     JOSE_PROVIDER_ONLY);
        if (status == JOSE_OK)
            status = jose_signature_sign(signer, bytes, jose_signature_bytes(signer), message,
                                         sizeof message);
        jose_signature_free(signer);
    }
    if (status == JOSE_OK && curve != JOSE_SECP256K1 && (is_ec || agrees)) {
        jose_keymgmt *sender = NULL;
        jose_cek *cek = NULL;
        uint8_t encrypted[40], parameters[160];
        const jose_wrapped out = {encrypted, sizeof encrypted, parameters,
                                  (is_ec ? 2 : 1) * jose_curve_bytes(curve)};
        const jose_recipient recipient = {0};
        status = jose_keymgmt_make(&sender, key, &agreement, true, JOSE_PROVIDER_ONLY);
        if (status == JOSE_OK)
            status = jose_cek_begin(&cek, sender, JOSE_A128CBC_HS256, &out, &recipient);
        jose_cek_free(cek);
        jose_keymgmt_free(sender);
    }
    jose_key_release(key);
    return status;
}

// Encrypts to a public key with a modulus of unknown factors.
static jose_status use_rsa(void)
{
    static const jose_rsa_limits limits = {2048, 8192, false};
    static const uint8_t exponent[] = {1, 0, 1};
    static const jose_keymgmt_rule oaep = {JOSE_RSA_OAEP, JOSE_SHA256, 0};
    uint8_t modulus[256], encrypted[256];
    jose_key *key = NULL;
    jose_status status = JOSE_BAD_KEY;
    memset(modulus, 0xa7, sizeof modulus);
    for (unsigned last = 1; status == JOSE_BAD_KEY && last < 256;
         last += 2) {  // until no small prime divides it
        modulus[255] = (uint8_t)last;
        status = jose_rsa_public(&key, &limits, modulus, sizeof modulus, exponent, sizeof exponent);
    }
    jose_keymgmt *sender = NULL;
    jose_cek *cek = NULL;
    const jose_wrapped out = {encrypted, sizeof encrypted, NULL, 0};
    const jose_recipient recipient = {0};
    if (status == JOSE_OK)
        status = jose_keymgmt_make(&sender, key, &oaep, true, JOSE_PROVIDER_ONLY);
    if (status == JOSE_OK)
        status = jose_cek_begin(&cek, sender, JOSE_A128CBC_HS256, &out, &recipient);
    jose_cek_free(cek);
    jose_keymgmt_free(sender);
    jose_key_release(key);
    return status;
}

// A kind that libcrypto cannot have is skipped.
static jose_status use(int kind)
{
    if (kind >= JOSE_ML_DSA_44 && kind < JOSE_CURVES && signatures_here() < SIGNATURES)
        return JOSE_OK;
    return kind < JOSE_CURVES ? use_curve((jose_curve)kind) : use_rsa();
}

bool faults_each_kind_works(void)
{
    for (int kind = 0; kind < JOSE_IMPORTERS; kind++)
        if (use(kind) != JOSE_OK) return false;
    return true;
}

// MARK: memory that fails once

enum { WORKED,
       COMPLETE,
       WRONG };

// In a child the nth allocation fails in the first use of a kind of key. Every kind must work
// afterwards.
static int use_first(int kind, unsigned n)
{
    need(jose_start() == JOSE_OK, "start");
    faults_arm(FAULTS_MEMORY, n);
    const jose_status first = use(kind);
    const bool failed = faults_disarm();
    if (!failed) return first == JOSE_OK ? COMPLETE : WRONG;
    for (int other = 0; other < JOSE_IMPORTERS; other++) {
        const int next = (kind + other) % JOSE_IMPORTERS;
        const jose_status later = use(next);
        if (later == JOSE_OK) continue;
        printf("WRONG  kind %d of key is %u for ever where allocation %u of the first use of kind "
               "%d failed (%s)\n",
               next, later, n, kind, faults_failed());
        return WRONG;
    }
    return WORKED;
}

static int end_of(int (*run)(int, unsigned), int kind, unsigned n)
{
    fflush(stdout);
    const pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        const int end = run(kind, n);
        fflush(stdout);
        if (__llvm_profile_write_file != NULL) (void)__llvm_profile_write_file();
        _exit(end);
    }
    int status = 0;
    need(waitpid(child, &status, 0) == child, "wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
}

// MARK: a fork while another thread starts

static pthread_barrier_t forked;
static _Atomic bool is_started;

static void *start(void *unused)
{
    need(jose_start() == JOSE_OK, "start");
    is_started = true;
    pthread_barrier_wait(&forked);  // an exiting thread takes other locks
    return unused;
}

// In a child, which forks when the start has reached allocation n.
static int fork_within(int kind, unsigned n)
{
    pthread_t thread;
    ERR_clear_error();  // runs what libcrypto does once in a process under its own locks
    need(pthread_barrier_init(&forked, NULL, 2) == 0, "barrier");
    faults_arm(FAULTS_MEMORY, UINT_MAX);
    need(pthread_create(&thread, NULL, start, NULL) == 0, "thread");
    while (!is_started && faults_seen() < n) continue;
    const pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        alarm(20);  // where it hangs
        _exit(jose_start() == JOSE_OK && use(kind) == JOSE_OK ? WORKED : WRONG);
    }
    pthread_barrier_wait(&forked);
    int status = 0;
    need(pthread_join(thread, NULL) == 0 && waitpid(child, &status, 0) == child, "wait");
    return status == 0 ? WORKED : WRONG;
}

int faults_first(unsigned stride)
{
    unsigned wrong = 0;
    for (int kind = 0; kind < JOSE_IMPORTERS; kind++) {
        unsigned counts[WRONG + 1] = {0};
        for (unsigned n = 1; counts[COMPLETE] == 0 && n < 10000; n += stride)
            counts[end_of(use_first, kind, n)]++;
        need(counts[COMPLETE] == 1, "the first use of kind %d of key does not end", kind);
        printf("first use    of kind %d of key: %u failing allocations, %u wrong\n", kind,
               counts[WORKED] + counts[WRONG], counts[WRONG]);
        wrong += counts[WRONG];
    }
    unsigned forks = 0, hang = 0;
    for (unsigned n = 101; n < 2100; n += 100, forks++)
        hang += end_of(fork_within, (int)(forks % JOSE_CURVES), n) != WORKED;
    printf("start        %u forks while another thread starts: %u children hang\n", forks, hang);
    return wrong > 0 || hang > 0;
}
