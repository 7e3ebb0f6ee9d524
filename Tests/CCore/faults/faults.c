// faults.c: runs every operation with the nth allocation, random draw or outside call failing, for
// each n.
//
//     faults FOLDER [STRIDE]     every STRIDE-th n; 1: every one
//     faults FOLDER cold [STRIDE]   the start of the library, in a process of its own for each n
//     faults FOLDER first [STRIDE]  the first use of each kind of key; forks during a start
//     faults FOLDER flip [STRIDE]   bits of private keys
//     faults FOLDER outside         crafted keys and signatures
//     faults FOLDER fork            random values of parent and child
//     faults FOLDER exit            the end of the process while threads work
//     faults FOLDER stripped        a libcrypto without an algorithm, one process for each

#include "faults.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "cjosekernels.h"

size_t faults_number_of(const EVP_PKEY *pair, const char *name, uint8_t *bytes)
{
    BIGNUM *number = NULL;
    need(EVP_PKEY_get_bn_param(pair, name, &number) == 1, "reference");
    const size_t len = (size_t)BN_bn2bin(number, bytes);
    BN_free(number);
    return len;
}

static const char *const kinds[FAULTS_KINDS] = {
    [FAULTS_MEMORY] = "allocations", [FAULTS_RANDOM] = "random draws", [FAULTS_CALLS] = "calls"};

// Counts wrong statuses and continues.
static unsigned wrong;

// If libcrypto does not report that memory ran out, the result is its rejection, never an
// acceptance. A certificate whose key was lost in parsing has issued nothing. Its decoders of
// certificates and PKCS#12 try one reader after the other and lose their reasons, its EdDSA returns
// what a wrong signature returns, and its OAEP must not distinguish failures.
static unsigned hidden;

static bool may_hide(const operation *operation, const char *name)
{
    static const struct {
        const char *operation, *entry;
        jose_options options;
    } places[] = {
        {"chain", "", 0},
        {"issued", "", 0},
        {"read PKCS#12", "", 0},
        {"verify", "Ed25519", JOSE_PROVIDER_ONLY},
        {"verify", "Ed448", 0},
        {"open", "RSA-OAEP", JOSE_PROVIDER_ONLY},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strcmp(operation->name, places[i].operation) == 0 &&
            strncmp(name, places[i].entry, strlen(places[i].entry)) == 0 &&
            (operation->options & places[i].options) == places[i].options)
            return true;
    return false;
}

static const char *entry_name(const operation *operation)
{
    return *(const char *const *)operation->what;
}

static void complain(const operation *operation, faults_kind kind, unsigned n, const char *what)
{
    wrong++;
    printf("WRONG  %s %s (options %u): %s when number %u of the %s failed: %s\n", operation->name,
           entry_name(operation), operation->options, what, n, kinds[kind], faults_failed());
}

static void verify(const operation *operation, faults_kind kind, unsigned n, jose_status status)
{
    static const char *const names[] = {"OK", "rejected", "bad key", "internal", "unsupported"};
    if (status == JOSE_REJECTED && kind == FAULTS_MEMORY &&
        may_hide(operation, entry_name(operation)))
        hidden++;
    else if (status != JOSE_OK && status != JOSE_INTERNAL && !faults_was_data())
        complain(operation, kind, n, names[status]);
}

static void show_left(void *memory, const char *file, int line)
{
    printf("LEFT   %p %s:%d after %s\n", memory, file, line, faults_failed());
}

// Fails each nth call until an operation ends without a failure. Returns how many there are.
static unsigned exhaust(const operation *operation, faults_kind kind, unsigned stride)
{
    for (unsigned n = 1;; n += stride) {
        faults_forget();
        faults_arm(kind, n);
        const jose_status status = operation->run(operation);
        const bool failed = faults_disarm();
        if (ERR_peek_error() != 0)
            complain(operation, kind, n, "left an error entry"), ERR_clear_error();
        if (jose_kernels_off() != 0) {
            // If the comparison with OpenSSL failed, that is right.
            if (!faults_was_data()) complain(operation, kind, n, "switched a kernel off");
            atomic_store(&jose_kernels_disabled, 0);
        }
        if (failed && getenv("FAULTS_SHOW") != NULL) faults_left(show_left);
        if (failed) {
            verify(operation, kind, n, status);
            continue;
        }
        need(status == JOSE_OK, "%s %s fails by itself: %u", operation->name, entry_name(operation),
             status);
        return faults_seen();
    }
}

static void run_all(const operation *list, const char *title, unsigned stride)
{
    unsigned operations = 0;
    unsigned long counts[FAULTS_KINDS] = {0};
    const char *only = getenv("FAULTS_ONLY");
    const bool every_call = getenv("FAULTS_EVERY_CALL") != NULL;
    for (const operation *each = list; each->name != NULL; each++, operations++) {
        if (only != NULL && strstr(each->name, only) == NULL) continue;
        if (getenv("FAULTS_SHOW") != NULL)
            printf("%s %s %u\n", each->name, entry_name(each), each->options);
        for (int kind = 0; kind < FAULTS_KINDS; kind++)
            counts[kind] +=
                exhaust(each, (faults_kind)kind, kind == FAULTS_CALLS && every_call ? 1 : stride);
        if (__lsan_do_recoverable_leak_check() != 0)
            wrong++, printf("WRONG  %s %s leaks\n", each->name, entry_name(each));
    }
    printf("%-12s %3u operations: %lu allocations, %lu random draws, %lu calls\n", title,
           operations, counts[0], counts[1], counts[2]);
    if (hidden > 0) printf("%13s%u failures that libcrypto hid: rejected\n", "", hidden);
    hidden = 0;
    fflush(stdout);
}

int main(int count, char **arguments)
{
    const char *mode = count > 2 ? arguments[2] : "1";
    const unsigned stride =
        (unsigned)atoi(arguments[count - 1]) > 0 ? (unsigned)atoi(arguments[count - 1]) : 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    faults_install();
    if (strcmp(mode, "cold") == 0) return faults_cold(stride);
    if (strcmp(mode, "first") == 0) return faults_first(stride);
    if (strcmp(mode, "stripped") == 0) return faults_stripped();
    need(jose_start() == JOSE_OK && jose_kernels_off() == 0, "start");
    if (strcmp(mode, "flip") == 0) return faults_flip(stride);
    if (strcmp(mode, "outside") == 0) return faults_outside();
    if (strcmp(mode, "fork") == 0) return faults_fork();
    if (strcmp(mode, "exit") == 0) return faults_exit();
    faults_draw_from_us();
    faults_generator_restart();
    faults_make_keys();
    faults_make_chains();
    run_all(faults_encryptions(), "encryption", stride);
    run_all(faults_signatures(), "signatures", stride);
    run_all(faults_files(arguments[1]), "files", stride);
    run_all(faults_keys(), "keys", stride);
    run_all(faults_chains(), "chains", stride);
    const char *only = getenv("FAULTS_ONLY");
    if (only != NULL && strcmp(only, "edges of sizes") == 0) faults_edges_sizes();
    if (only != NULL && strcmp(only, "edges of chains") == 0) faults_edges_chains();
    if (only != NULL && strcmp(only, "edges of policies") == 0) faults_edges_policies();
    if (only != NULL && strcmp(only, "edges of primes") == 0) faults_edges_primes();
    if (only != NULL && strcmp(only, "edges of signatures") == 0) faults_edges_signatures();
    if (only != NULL && strcmp(only, "edges of payloads") == 0) faults_edges_payloads();
    // Last, since their allocations would slow down each leak check above.
    if (only == NULL) {
        faults_edges();
        faults_edges_sizes();
        faults_edges_chains();
        faults_edges_policies();
        faults_edges_primes();
        faults_edges_content();
        faults_edges_host();
        faults_edges_rejections();
        faults_edges_random();
        faults_edges_verify();
        faults_edges_uses();
        faults_edges_signatures();
        faults_edges_floats();
        faults_edges_payloads();
    }
    if (wrong > 0) printf("FAILED  %u wrong statuses\n", wrong);
    return wrong > 0;
}
