// inputs.c: bad ciphertexts, keys that no kernel takes, a host's settings, memory that cannot be
// locked: each as without acceleration.

#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cjosekernels.h"
#include "keymgmt/keymgmt.h"
#include "keys/key.h"
#include "private.h"
#include "private_key.h"
#include "wraps.h"

// MARK: ciphertexts

// Whatever is decrypted, both operations find the same content key or neither does.
static void compare(const operation *fast, const operation *plain, const uint8_t *encrypted_key,
                    size_t len, bool is_right)
{
    uint8_t a[CEK], b[CEK], untouched[CEK];
    memset(a, 0x5a, CEK), memset(b, 0x5a, CEK), memset(untouched, 0x5a, CEK);
    need(operation_unwrap(fast, a, encrypted_key, len));
    need(operation_unwrap(plain, b, encrypted_key, len));
    need(memcmp(a, b, CEK) == 0 && (memcmp(a, untouched, CEK) != 0) == is_right);
}

// How often the next blinding pair can be used. A warm operation has one slot.
static unsigned uses_left(const operation *o)
{
    jose_keymgmt_slot *slot = jose_keymgmt_take(o->opener);
    need(slot != NULL);
    const unsigned left = slot->blinding.key == NULL ? 0 : slot->blinding.uses_left;
    jose_keymgmt_put(o->opener, slot);
    return left;
}

// 1 modulo p and -1 modulo q: it is its own power too, and only the key's owner knows it.
static void make_own_power(const subject *s, uint8_t *out)
{
    BN_CTX *context = BN_CTX_new();
    BIGNUM *p = NULL, *q = NULL, *x = BN_new();
    need(EVP_PKEY_get_bn_param(s->key->pkey, OSSL_PKEY_PARAM_RSA_FACTOR1, &p) == 1 &&
         EVP_PKEY_get_bn_param(s->key->pkey, OSSL_PKEY_PARAM_RSA_FACTOR2, &q) == 1);
    need(BN_mod_inverse(x, p, q, context) != NULL);  // 1 - 2 p (1/p mod q)
    need(BN_mul(x, x, p, context) == 1 && BN_lshift1(x, x) == 1);
    BN_set_negative(x, 1);
    need(BN_add_word(x, 1) == 1 && BN_mul(q, p, q, context) == 1 &&
         BN_nnmod(x, x, q, context) == 1 && BN_bn2binpad(x, out, (int)s->size) == (int)s->size);
    BN_free(p), BN_free(q), BN_free(x);
    BN_CTX_free(context);
}

// 0, 1 and n - 1 are their own powers: nothing is computed. A fourth such number, which only the
// key's owner can make, is left to EVP. The blinding pair stays, since a new one costs as much as
// an operation.
static void check_own_powers(const subject *s, const operation *fast)
{
    uint8_t text[MAX_BYTES], cek[CEK];
    for (int number = 0; number < 4; number++) {
        need(operation_is_right(fast, s) && operation_is_right(fast, s));
        memset(text, 0, sizeof text);
        text[s->size - 1] = number == 1;
        if (number == 2) {
            memcpy(text, s->key->numbers, s->size);
            text[s->size - 1] ^= 1;
        }
        if (number == 3) make_own_power(s, text);
        const unsigned computed = number == 3, before = evp_calls, left = uses_left(fast);
        need(operation_unwrap(fast, cek, text, s->size) && evp_calls == before + computed);
        need(left > 0 && uses_left(fast) == left - computed);
        need(operation_is_right(fast, s) && evp_calls == before + computed);
    }
}

void check_inputs(void)
{
    unsigned cases = 0;
    for (uint32_t bits = 2048; bits <= 4096; bits += 1024) {
        subject s = subject_make(bits);
        operation fast = operation_make(&s, OAEP, accelerated);
        operation plain = operation_make(&s, OAEP, 0);
        if (bits == 2048) operation_warm(&fast, &s);
        for (int i = 0; i < 20; i++) need(operation_is_right(&fast, &s));
        if (operation_state(&fast) == JOSE_PRIVATE_IN_USE) check_own_powers(&s, &fast);
        uint8_t text[MAX_BYTES + 1];
        const uint8_t *n = s.key->numbers;
        compare(&fast, &plain, s.encrypted_key, s.size, true);
        for (int number = 0; number < 2; number++) {  // 0 and 1, n - 1, n and n + 1
            memset(text, 0, sizeof text);
            text[s.size - 1] = (uint8_t)number;
            compare(&fast, &plain, text, s.size, false);
            memcpy(text, n, s.size);
            text[s.size - 1] = (uint8_t)(n[s.size - 1] + (number ? 0 : -1));
            compare(&fast, &plain, text, s.size, false);
            if (n[s.size - 1] != 0xff) text[s.size - 1] = (uint8_t)(n[s.size - 1] + 1);
            compare(&fast, &plain, text, s.size, false);
        }
        memset(text, 0xff, sizeof text);
        compare(&fast, &plain, text, s.size, false);
        for (size_t len = 0; len <= s.size + 1; len += len < 4 ? 1 : (s.size - 7) / 2)
            if (len != s.size) compare(&fast, &plain, s.encrypted_key, len, false);
        for (size_t i = 0; i < s.size; i += 11) {
            memcpy(text, s.encrypted_key, s.size);
            text[i] ^= (uint8_t)(1 << i % 8);
            compare(&fast, &plain, text, s.size, false);
            cases++;
        }
        operation_free(&fast), operation_free(&plain);

        // Options that exclude kernels win.
        static const jose_options excluded[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
        for (int kind = 0; kind < OPERATIONS; kind++)
            for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++) {
                operation o = operation_make(&s, kind, i == 0 ? 0 : accelerated | excluded[i]);
                const unsigned before = evp_calls;
                for (int times = 0; times < 20; times++) need(operation_is_right(&o, &s));
                need(operation_state(&o) == JOSE_PRIVATE_NOT_REQUESTED &&
                     evp_calls - before == 20);
                operation_free(&o);
            }
        jose_key_release(s.key);
    }
    // Sizes that no kernel takes stay with EVP.
    static const uint32_t others[] = {2056, 2560};
    for (int i = 0; i < 2; i++) {
        subject s = subject_make(others[i]);
        for (int kind = 0; kind < OPERATIONS; kind++) {
            operation o = operation_make(&s, kind, accelerated);
            const unsigned before = evp_calls;
            for (int times = 0; times < 20; times++) need(operation_is_right(&o, &s));
            need(operation_state(&o) != JOSE_PRIVATE_IN_USE && evp_calls - before == 20);
            operation_free(&o);
        }
        jose_key_release(s.key);
    }
    printf("private  inputs: as by EVP (%u changed ciphertexts)\n", cases);
}

// MARK: memory that cannot be locked

static bool is_mlock_broken, is_mlock_free;  // free: succeeds and locks nothing
static unsigned failed_locks;

void break_mlock(bool is_broken)
{
    is_mlock_broken = is_broken;
}

int __real_mlock(const void *memory, size_t size);

// A process that may lock one key: the first thread that locks waits until the other is done.
static atomic_int lockers = -1, is_other_done;  // lockers below 0: no limit

static int lock_one(const void *memory, size_t size)
{
    if (atomic_fetch_add(&lockers, 1) > 0) return -1;
    while (atomic_load(&is_other_done) == 0) sched_yield();
    atomic_store(&lockers, -1);
    return __real_mlock(memory, size);
}

WRAPS(int, mlock, (const void *memory, size_t size))
{
    if (is_mlock_broken) return failed_locks++, -1;
    if (is_mlock_free) return 0;
    return atomic_load(&lockers) < 0 ? __real_mlock(memory, size) : lock_one(memory, size);
}

static unsigned reports, reported_bits;

static void count_report(uint32_t bits)
{
    reports++;
    reported_bits = bits;
}

// Two threads prepare one key, and only one can lock it. The key is used.
typedef struct {
    const operation *o;
    const subject *s;
} use;

static void *use_once(void *argument)
{
    const use *first = argument;
    need(operation_is_right(first->o, first->s));
    return NULL;
}

static void check_crowd(const subject *s)
{
    for (int kind = 0; kind < OPERATIONS; kind++) {
        operation o = operation_make(s, kind, accelerated);
        use first = {&o, s};
        pthread_t thread;
        reports = 0;
        jose_unlocked_keys_watch(count_report);
        atomic_store(&is_other_done, 0), atomic_store(&lockers, 0);
        need(pthread_create(&thread, NULL, use_once, &first) == 0);
        while (atomic_load(&lockers) == 0) sched_yield();
        need(operation_is_right(&o, s) && operation_state(&o) == JOSE_PRIVATE_WAITING);
        atomic_store(&is_other_done, 1);
        need(pthread_join(thread, NULL) == 0);
        need(operation_is_right(&o, s) && operation_state(&o) == JOSE_PRIVATE_IN_USE);
        need(reports == 0);
        jose_unlocked_keys_watch(NULL);
        operation_free(&o);
    }
}

// If another thread prepares a key all the time, the 16th try that finds no memory decides.
static void check_long_crowd(const subject *s)
{
    for (int kind = 0; kind < OPERATIONS; kind++) {
        operation long_one = operation_make(s, kind, accelerated);
        operation o = operation_make(s, kind, accelerated);
        use first = {&long_one, s};
        pthread_t thread;
        reports = 0;
        jose_unlocked_keys_watch(count_report);
        atomic_store(&is_other_done, 0), atomic_store(&lockers, 0);
        need(pthread_create(&thread, NULL, use_once, &first) == 0);
        while (atomic_load(&lockers) == 0) sched_yield();
        for (int i = 0; i < 15; i++)
            need(operation_is_right(&o, s) && operation_state(&o) == JOSE_PRIVATE_WAITING);
        need(operation_is_right(&o, s) && operation_state(&o) == JOSE_PRIVATE_NOT_LOCKED);
        need(reports == 1);
        atomic_store(&is_other_done, 1);
        need(pthread_join(thread, NULL) == 0 && operation_state(&long_one) == JOSE_PRIVATE_IN_USE);
        jose_unlocked_keys_watch(NULL);
        operation_free(&o), operation_free(&long_one);
    }
}

// Keys in excess of the maximum are as if memory could not be locked.
static void check_maximum(const subject *s)
{
    static void *all[JOSE_MAX_SECRET_PAGES];
    int count = 0;
    operation o = operation_make(s, PKCS1, accelerated);
    is_mlock_free = true;
    reports = 0;
    jose_unlocked_keys_watch(count_report);
    while (count < JOSE_MAX_SECRET_PAGES) {
        all[count] = jose_secret_pages_new(1);
        need(all[count++] != NULL);
    }
    need(jose_secret_pages_new(1) == NULL);
    for (int i = 0; i < 40; i++) need(operation_is_right(&o, s));
    need(operation_state(&o) == JOSE_PRIVATE_NOT_LOCKED && reports == 1);
    while (count > 0) jose_secret_pages_free(all[--count], 1);
    operation_free(&o);
    o = operation_make(s, PKCS1, accelerated);
    operation_warm(&o, s);
    jose_unlocked_keys_watch(NULL);
    is_mlock_free = false;
    operation_free(&o);
}

// Once memory can be locked, the key is used: the 256th use after the shortage tries in vain, the
// 512th with success. The first uses of the process may come before.
static void check_passing_shortage(const subject *s)
{
    enum { EARLY = 20,
           FIRST = 256,
           SECOND = 512 };
    for (int kind = 0; kind < OPERATIONS; kind++) {
        operation o = operation_make(s, kind, accelerated);
        reports = failed_locks = 0;
        jose_unlocked_keys_watch(count_report);
        is_mlock_broken = true;
        int uses = 0;
        for (; uses < FIRST; uses++) need(operation_is_right(&o, s));
        need(failed_locks == 1 && operation_state(&o) == JOSE_PRIVATE_NOT_LOCKED);
        for (; uses < FIRST + EARLY; uses++) need(operation_is_right(&o, s));
        need(failed_locks == 2 && operation_state(&o) == JOSE_PRIVATE_NOT_LOCKED);
        is_mlock_broken = false;
        for (; uses < SECOND; uses++) need(operation_is_right(&o, s));
        need(operation_state(&o) == JOSE_PRIVATE_NOT_LOCKED);
        for (; uses < SECOND + EARLY; uses++) need(operation_is_right(&o, s));
        const unsigned before = evp_calls;
        need(operation_is_right(&o, s) && evp_calls == before);
        need(operation_state(&o) == JOSE_PRIVATE_IN_USE && reports == 1);
        jose_unlocked_keys_watch(NULL);
        operation_free(&o);
    }
}

void check_locks(void)
{
    subject s = subject_make(2048);
    for (int kind = 0; kind < OPERATIONS; kind++) {
        operation o = operation_make(&s, kind, accelerated);
        is_mlock_broken = true;
        reports = reported_bits = 0;
        jose_unlocked_keys_watch(count_report);
        const unsigned before = evp_calls;
        for (int i = 0; i < 40; i++) need(operation_is_right(&o, &s));
        need(operation_state(&o) == JOSE_PRIVATE_NOT_LOCKED && evp_calls - before == 40);
        need(reports == 1 && reported_bits == 2048);
        jose_unlocked_keys_watch(NULL);
        is_mlock_broken = false;
        operation_free(&o);
        o = operation_make(&s, kind, accelerated);
        operation_warm(&o, &s);
        operation_free(&o);
    }
    check_crowd(&s);
    check_long_crowd(&s);
    check_passing_shortage(&s);
    check_maximum(&s);
    jose_key_release(s.key);
    puts("private  locks: without locked memory EVP computes until it can be locked; one report");
}

// MARK: memory that cannot be mapped

static bool is_mmap_broken;

void *__real_mmap(void *at, size_t size, int access, int flags, int file, off_t offset);
WRAPS(void *, mmap, (void *at, size_t size, int access, int flags, int file, off_t offset))
{
    if (!is_mmap_broken) return __real_mmap(at, size, access, flags, file, offset);
    return errno = ENOMEM, MAP_FAILED;
}

// Without memory for the page that announces forks, which is the first use of a process, and for a
// key: one report each. Both are used once there is memory.
void check_maps(void)
{
    enum { RETRY = 512 };
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        subject s = subject_make(2048);
        jose_unlocked_keys_watch(count_report);
        for (int made = 1; made <= 2; made++) {
            operation o = operation_make(&s, PKCS1, accelerated);
            is_mmap_broken = true;
            const unsigned before = evp_calls;
            for (int i = 0; i < 20; i++) need(operation_is_right(&o, &s));
            need(operation_state(&o) == JOSE_PRIVATE_NOT_LOCKED && evp_calls - before == 20);
            is_mmap_broken = false;
            break_mlock(true);  // the same shortage for the user: no second report
            for (int i = 0; i < 20; i++) need(operation_is_right(&o, &s));
            break_mlock(false);
            for (int i = 0; i < RETRY + 20; i++) need(operation_is_right(&o, &s));
            need(operation_state(&o) == JOSE_PRIVATE_IN_USE && reports == (unsigned)made);
            operation_free(&o);
        }
        jose_key_release(s.key);
        _exit(0);
    }
    int status = 1;
    need(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    puts("private  maps: without a map EVP computes until there is one; one report");
}

// MARK: memory that runs out in a test of a kernel

static unsigned untestable;  // kernels whose tests find no memory

bool __real_jose_kernel_usable_at(unsigned kernel, size_t size);
WRAPS(bool, jose_kernel_usable_at, (unsigned kernel, size_t size))
{
    return (kernel & untestable) == 0 && __real_jose_kernel_usable_at(kernel, size);
}

bool __real_jose_kernel_is_untested(unsigned kernel, size_t size);
WRAPS(bool, jose_kernel_is_untested, (unsigned kernel, size_t size))
{
    if ((kernel & untestable) == 0) return __real_jose_kernel_is_untested(kernel, size);
    return __real_jose_kernel_usable_at(kernel, size);
}

// A kernel that could not be tested is tested at the next use.
static void check_untested(const subject *s, jose_options options)
{
    for (int kind = 0; kind < OPERATIONS; kind++) {
        operation other = operation_make(s, kind, options), o = operation_make(s, kind, options);
        for (int i = 0; i < 20; i++) need(operation_is_right(&other, s));
        if (operation_state(&other) == JOSE_PRIVATE_IN_USE) {
            for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++)
                untestable |= jose_rsa_private_kernels[kernel].one;
            const unsigned before = evp_calls;
            need(operation_is_right(&o, s) && evp_calls == before + 1);
            need(operation_state(&o) == JOSE_PRIVATE_WAITING);
            untestable = 0;
            need(operation_is_right(&o, s) && evp_calls == before + 1);
            need(operation_state(&o) == JOSE_PRIVATE_IN_USE);
        }
        operation_free(&other), operation_free(&o);
    }
}

// MARK: memory runs out

// The number that libcrypto is asked for when memory runs out; 0: none.
static int failing_number;

// What libcrypto does then: it returns another number and leaves an error entry.
WRAPS(int, EVP_PKEY_get_bn_param, (const EVP_PKEY *key, const char *name, BIGNUM **number))
{
    const bool fails = failing_number > 0 && --failing_number == 0;
    if (fails) ERR_raise(ERR_LIB_CRYPTO, ERR_R_MALLOC_FAILURE);
    return __real_EVP_PKEY_get_bn_param(key, fails ? OSSL_PKEY_PARAM_RSA_FACTOR2 : name, number);
}

// No key is prepared of other numbers: the next use tries again.
void check_memory(void)
{
    subject s = subject_make(2048);
    for (int kind = 0; kind < OPERATIONS; kind++)
        for (int number = 1; number <= 5; number++) {
            operation o = operation_make(&s, kind, accelerated);
            for (int i = 0; i < 20 && number == 1 && kind == 0; i++) {  // early uses of the process
                operation early = operation_make(&s, kind, accelerated);
                need(operation_is_right(&early, &s));
                operation_free(&early);
            }
            failing_number = number;
            const unsigned before = evp_calls;
            need(operation_is_right(&o, &s) && evp_calls == before + 1 && failing_number == 0);
            need(operation_state(&o) == JOSE_PRIVATE_WAITING);
            need(operation_is_right(&o, &s) && evp_calls == before + 1);
            need(operation_state(&o) == JOSE_PRIVATE_IN_USE);
            operation_free(&o);
        }
    check_untested(&s, JOSE_ACCELERATE_PRIVATE);
    check_untested(&s, accelerated);
    jose_key_release(s.key);
    puts("private  memory: no key of other numbers is prepared when it runs out");
}

// MARK: levels

// A key of 4096 bits alone runs as one of four, so it stops when the lanes are switched off.
static void check_lanes_off(void)
{
    const pid_t child = fork();
    if (child == 0) {
        subject s = subject_make(4096);
        operation o = operation_make(&s, PKCS1, accelerated);
        operation_warm(&o, &s);
        jose_kernel_switch_off(JOSE_KERNEL_RSA_PRIVATE_X4);
        const unsigned before = evp_calls;
        for (int i = 0; i < 3; i++) need(operation_is_right(&o, &s));
        need(evp_calls - before == 3);
        operation_free(&o);
        jose_key_release(s.key);
        _exit(0);
    }
    int status = 1;
    need(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

// A kernel that does not take the size is not waited for: doubles are for 2048 bits only.
void check_other_size(void)
{
    if (!jose_rsa_private_kernels[1].is_present()) return;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        jose_kernel_switch_off(JOSE_KERNEL_RSA_PRIVATE | JOSE_KERNEL_RSA_PRIVATE_X4);
        subject s = subject_make(3072);
        operation o = operation_make(&s, PKCS1, accelerated);
        for (int i = 0; i < 20; i++) need(operation_is_right(&o, &s));
        need(operation_state(&o) != JOSE_PRIVATE_WAITING);
        operation_free(&o);
        jose_key_release(s.key);
        _exit(0);
    }
    int status = 1;
    need(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    puts("private  sizes: no kernel is waited for that does not take the size");
}

// Without the IFMA kernel for public operations the results of a key that allows integers only
// would be checked by doubles: EVP computes.
void check_levels(void)
{
    static const jose_options integers = JOSE_ACCELERATE_PRIVATE;
    if (!jose_rsa_private_kernels[0].is_present()) return;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        jose_kernel_switch_off(JOSE_KERNEL_RSA);
        subject s = subject_make(2048);
        for (int kind = 0; kind < OPERATIONS; kind++)
            for (int is_floating = 0; is_floating < 2; is_floating++) {
                operation o = operation_make(&s, kind, is_floating ? accelerated : integers);
                for (int i = 0; i < 20; i++) need(operation_is_right(&o, &s));
                const unsigned before = evp_calls;
                for (int i = 0; i < 20; i++) need(operation_is_right(&o, &s));
                need(evp_calls - before == (is_floating ? 0 : 20));
                operation_free(&o);
            }
        jose_key_release(s.key);
        _exit(0);
    }
    int status = 1;
    need(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    check_lanes_off();
    puts("private  levels: doubles see a result only if the key allows them");
}

// MARK: the host's floating-point settings

void check_hosts(void)
{
    subject s = subject_make(2048);
    unsigned cases = 0;
    for (int kind = 0; kind < OPERATIONS; kind++) {
        operation o = operation_make(&s, kind, accelerated);
        operation_warm(&o, &s);
        const unsigned before = evp_calls;
        // All roundings, flush to zero, denormals as zero, exceptions unmasked.
        for (uint32_t settings = 0; settings < 1 << 16; settings += 0x40 * 37) {
            uint32_t usual, after;
            const uint32_t wanted = settings & ~UINT32_C(0x3f);  // none raised: that would trap
            __asm__ volatile("stmxcsr %0\n\tldmxcsr %1"
                             : "=m"(usual)
                             : "m"(wanted));
            bool right = true;
            uint8_t cek[CEK] = {0}, signature[MAX_BYTES];
            if (kind == OAEP)
                right = operation_unwrap(&o, cek, s.encrypted_key, s.size) &&
                        memcmp(cek, s.cek, CEK) == 0;
            else
                right = jose_signature_sign(o.signer, signature, s.size, cek, CEK) == JOSE_OK;
            __asm__ volatile("stmxcsr %0\n\tldmxcsr %1"
                             : "=m"(after)
                             : "m"(usual));
            need(right && after == wanted);
            cases++;
        }
        need(evp_calls == before);
        operation_free(&o);
    }
    jose_key_release(s.key);
    printf("private  hosts: %u operations under a host's settings, which stay\n", cases);
}
