// fork.c: after a fork no random value repeats, and a failed start is retried.

#include "faults.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: parent and children

enum { ROUNDS = 50,
       CHILDREN = 2,
       FIELD = 32 };

// Each depends on the random value alone, or is equal if the value is.
typedef struct {
    uint8_t random[FIELD], iv[FIELD], wrapped_cek[FIELD], oaep[FIELD], ephemeral[FIELD],
        nonce[FIELD], salted[FIELD], drawn_key[FIELD];
} values;

enum { FIELDS = sizeof(values) / FIELD };
static const char *const field_names[FIELDS] = {
    "random bytes", "IV", "CEK", "OAEP seed", "ephemeral key", "ECDSA nonce", "PSS salt", "key"};

static jose_keymgmt *wrapper, *oaep, *agreement;
static jose_signature *ecdsa, *pss;

static void keymgmt(jose_keymgmt **out, key_name name, jose_keymgmt_rule rule)
{
    jose_key *key = NULL;
    need(faults_import(&key, name, faults_entries[name].type == JOSE_KEY_OCT) == JOSE_OK &&
             jose_keymgmt_make(out, key, &rule, true, 0) == JOSE_OK,
         "key management");
    jose_key_release(key);
}

static void signature(jose_signature **out, key_name name, jose_signature_family family)
{
    jose_key *key = NULL;
    need(faults_import(&key, name, true) == JOSE_OK &&
             jose_signature_make(out, key, family, JOSE_SHA256, true, 0) == JOSE_OK,
         "signature");
    jose_key_release(key);
}

static void make_operations(void)
{
    keymgmt(&wrapper, OCT_16, (jose_keymgmt_rule){JOSE_AES_KW, JOSE_SHA256, 16});
    keymgmt(&oaep, RSA_2048, (jose_keymgmt_rule){JOSE_RSA_OAEP, JOSE_SHA256, 0});
    keymgmt(&agreement, EC_256, (jose_keymgmt_rule){JOSE_ECDH_ES, JOSE_SHA256, 16});
    signature(&ecdsa, EC_256, JOSE_ECDSA);
    signature(&pss, RSA_2048, JOSE_RSA_PSS);
}

static void draw(values *v)
{
    uint8_t encrypted[512], parameters[160], iv[16], tag[32], text[32], large[512];
    const uint8_t message[16] = {0};
    memset(v, 0, sizeof *v);
    need(jose_random(v->random, FIELD) == JOSE_OK, "random");
    jose_seal_output sealed = {encrypted, 40, iv, 16, text, 32, tag, 16};
    need(jose_keymgmt_seal(wrapper, JOSE_A128CBC_HS256, &sealed, NULL, 0, message, 16) == JOSE_OK,
         "wrap");
    memcpy(v->iv, iv, 16);
    memcpy(v->wrapped_cek, encrypted, FIELD);
    sealed.encrypted_key_len = 256;
    need(jose_keymgmt_seal(oaep, JOSE_A128CBC_HS256, &sealed, NULL, 0, message, 16) == JOSE_OK,
         "OAEP");
    memcpy(v->oaep, encrypted, FIELD);
    jose_cek *cek = NULL;
    const jose_recipient recipient = {0};
    const jose_wrapped out = {encrypted, 40, parameters, 64};
    need(jose_cek_begin(&cek, agreement, JOSE_A128CBC_HS256, &out, &recipient) == JOSE_OK, "ECDH");
    jose_cek_free(cek);
    memcpy(v->ephemeral, parameters, FIELD);
    need(jose_signature_sign(ecdsa, large, 64, message, 16) == JOSE_OK, "ECDSA");
    memcpy(v->nonce, large, FIELD);  // R
    need(jose_signature_sign(pss, large, 256, message, 16) == JOSE_OK, "PSS");
    memcpy(v->salted, large, FIELD);
    jose_key *key = NULL;
    need(jose_oct_generate(&key, JOSE_MODULE_PROCESS, FIELD) == JOSE_OK, "key");
    need(jose_key_secret_write(key, v->drawn_key, FIELD) == JOSE_OK, "key");
    jose_key_release(key);
}

// Reverts the MADV_WIPEONFORK of the core's page, as with an emulator that accepts it and ignores
// it. Returns how many pages there were.
static unsigned keep_pages_on_fork(void)
{
    unsigned kept = 0;
    unsigned long start = 0, end = 0;
    char line[512];
    FILE *maps = fopen("/proc/self/smaps", "r");
    need(maps != NULL, "maps");
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) start = from, end = to;
        // glibc may drop the page of its random numbers at any time ("dp"), so it is not reverted
        if (strncmp(line, "VmFlags:", 8) != 0 || strstr(line, " wf") == NULL ||
            strstr(line, " dp") != NULL)
            continue;
        // libcrypto may have such pages too; they stay
        if (end - start != (unsigned long)sysconf(_SC_PAGESIZE)) continue;
        need(madvise((void *)start, end - start, MADV_KEEPONFORK) == 0, "MADV_KEEPONFORK");
        kept++;
    }
    fclose(maps);
    return kept;
}

static void fork_and_compare(void)
{
    static values all[ROUNDS * (2 + CHILDREN)];
    size_t count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        draw(&all[count++]);  // buffers and contexts are warm now
        int ends[2];
        need(pipe(ends) == 0, "pipe");
        pid_t children[CHILDREN];
        for (int i = 0; i < CHILDREN; i++) {
            children[i] = fork();
            need(children[i] >= 0, "fork");
            if (children[i] > 0) continue;
            values mine;
            draw(&mine);
            _exit(write(ends[1], &mine, sizeof mine) == sizeof mine ? 0 : 1);
        }
        draw(&all[count++]);
        for (int i = 0; i < CHILDREN; i++) {
            int status = 0;
            need(read(ends[0], &all[count++], sizeof(values)) == sizeof(values), "read");
            need(waitpid(children[i], &status, 0) == children[i] && status == 0, "child");
        }
        close(ends[0]);
        close(ends[1]);
    }
    for (int field = 0; field < FIELDS; field++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count; k++)
                need(memcmp((const uint8_t *)&all[i] + field * FIELD,
                            (const uint8_t *)&all[k] + field * FIELD, FIELD) != 0,
                     "%s came twice", field_names[field]);
    printf("fork         %d forks: no random value of %zu came twice\n", ROUNDS * CHILDREN,
           count * FIELDS);
}

int faults_fork(void)
{
    faults_make_keys();
    make_operations();
    fork_and_compare();
    const unsigned kept = keep_pages_on_fork();
    // an emulator does not show its pages
    need(kept == 1 || getenv("JOSE_EMULATED") != NULL, "%u pages that fork wipes", kept);
    printf("fork         the kernel wipes no page now\n");
    fork_and_compare();
    jose_keymgmt_free(wrapper);
    jose_keymgmt_free(oaep);
    jose_keymgmt_free(agreement);
    jose_signature_free(ecdsa);
    jose_signature_free(pss);
    return 0;
}

// MARK: the start of the library

// For the coverage build.
int __llvm_profile_write_file(void) __attribute__((weak));

// FOR_EVER: something that libcrypto does once in a process failed, and it does not retry.
enum { STARTED,
       REJECTED,
       FOR_EVER,
       COMPLETE,
       WRONG };

// libcrypto's table of names loses a name that it had no memory for. A context, a provider or an
// algorithm that could not be made loses its tables.
static void tolerate(void *memory, const char *file, int line)
{
    (void)line;
    const char *within = faults_within(), *last = strrchr(within, '_');
    const bool making = strcmp(within, "OSSL_LIB_CTX_new") == 0 ||
                        strcmp(within, "OSSL_PROVIDER_load") == 0 ||
                        (last != NULL && strcmp(last, "_fetch") == 0);
    if (strstr(file, "core_namemap.c") != NULL || (making && strncmp(file, "../", 3) == 0))
        __lsan_ignore_object(memory);
}

// In a child: starts with the nth failing, and then once more.
static int start_once(faults_kind kind, unsigned n)
{
    uint8_t bytes[40], many[3000];
    // 4.0 waits for itself forever if an allocation of the first call fails (docs/workarounds.md).
    if (OPENSSL_VERSION_MAJOR >= 4) jose_skip_exit_cleanup();
    faults_arm(kind, n);
    const jose_status status = jose_start();
    jose_status drawn = JOSE_INTERNAL;
    if (status == JOSE_OK) {
        (void)jose_kernels();  // tests each kernel
        drawn = jose_random(bytes, sizeof bytes);
    }
    const bool failed = faults_disarm();
    if (status != JOSE_OK && status != JOSE_INTERNAL) return WRONG;
    if (!failed) return status == JOSE_OK && drawn == JOSE_OK ? COMPLETE : WRONG;
    const bool works = jose_start() == JOSE_OK && jose_random(bytes, sizeof bytes) == JOSE_OK &&
                       jose_random(many, sizeof many) == JOSE_OK && faults_each_kind_works();
    if (!works && kind == FAULTS_MEMORY) return FOR_EVER;
    if (!works) {
        printf("WRONG  the second start fails where %s failed the first\n", faults_failed());
        return WRONG;
    }
    faults_left(tolerate);
    if (__lsan_do_recoverable_leak_check() != 0) {
        printf("WRONG  a start leaks where %s failed in %s, number %u\n", faults_failed(),
               faults_within(), n);
        return WRONG;
    }
    return status == JOSE_OK ? STARTED : REJECTED;
}

int faults_cold(unsigned stride)
{
    static const char *const kinds[] = {[FAULTS_MEMORY] = "allocations", [FAULTS_CALLS] = "calls"};
    unsigned wrong = 0;
    for (int kind = 0; kind < FAULTS_KINDS; kind++) {
        if (kind == FAULTS_RANDOM) continue;  // the generator itself does not exist yet
        unsigned counts[WRONG + 1] = {0};
        for (unsigned n = 1; counts[COMPLETE] == 0; n += kind == FAULTS_CALLS ? 1 : stride) {
            fflush(stdout);
            const pid_t child = fork();
            need(child >= 0, "fork");
            if (child == 0) {
                const int end = start_once((faults_kind)kind, n);
                fflush(stdout);
                if (__llvm_profile_write_file != NULL) (void)__llvm_profile_write_file();
                _exit(end);
            }
            int status = 0;
            need(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                     WEXITSTATUS(status) <= WRONG,
                 "the start with number %u of the %s failing ends with %d", n, kinds[kind], status);
            counts[WEXITSTATUS(status)]++;
        }
        printf("start        of failing %s: %u survived, %u rejected once, %u for ever, %u wrong\n",
               kinds[kind], counts[STARTED], counts[REJECTED], counts[FOR_EVER], counts[WRONG]);
        wrong += counts[WRONG];
    }
    return wrong > 0;
}
