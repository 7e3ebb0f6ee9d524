// stacks.c: private operations by kernels on threads with small stacks, in processes of their own,
// where the kernels have not been tested yet.

#define _GNU_SOURCE  // pthread_setattr_default_np
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cjosethread.h"
#include "private.h"

enum { LANES = 4,
       KIB = 1024 };

// The least stacks that docs/kernels.md names, and that of the library's own threads.
enum { FIRST = 128 * KIB,
       LATER = 96 * KIB,
       VERIFYING = 48 * KIB,
       BY_EVP = 48 * KIB,
       OWN = 512 * KIB };

static const uint8_t text[] = "a header.a payload";

typedef struct {
    const subject *s;
    const operation *o;
    sem_t done;
    size_t stack;
} work;

// Signs so often that the kernel is tested, and computes afterwards.
static void *sign(void *argument)
{
    work *w = argument;
    uint8_t signature[MAX_BYTES];
    for (int round = 0; round < 12; round++) {
        jose_private_batch *batch = jose_private_batch_make(LANES);
        need(batch != NULL);
        for (int i = 0; i < LANES; i++)
            need(jose_private_batch_add_message(batch, w->o->signer, text, sizeof text) == i);
        jose_private_batch_run(batch);
        for (size_t i = 0; i < LANES; i++)
            need(jose_private_batch_result(batch, i, signature, w->s->size) == JOSE_OK);
        jose_private_batch_free(batch);
        need(operation_is_right(w->o, w->s));
    }
    return NULL;
}

static void sign_on(size_t stack, work *w)
{
    pthread_attr_t attributes;
    pthread_t thread;
    need(pthread_attr_init(&attributes) == 0 &&
         pthread_attr_setstacksize(&attributes, stack) == 0 &&
         pthread_create(&thread, &attributes, sign, w) == 0 && pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
}

static void *sign_on_own(void *argument)
{
    work *w = argument;
    pthread_attr_t attributes;
    need(pthread_getattr_np(pthread_self(), &attributes) == 0 &&
         pthread_attr_getstacksize(&attributes, &w->stack) == 0);
    pthread_attr_destroy(&attributes);
    sign(w);
    need(sem_post(&w->done) == 0);
    return NULL;
}

// The library's own threads have enough, even if a host's have little.
static void sign_on_thread_of_library(work *w)
{
    pthread_attr_t attributes;
    need(pthread_attr_init(&attributes) == 0 &&
         pthread_attr_setstacksize(&attributes, 64 * KIB) == 0 &&
         pthread_setattr_default_np(&attributes) == 0);
    pthread_attr_destroy(&attributes);
    need(sem_init(&w->done, 0, 0) == 0 && jose_thread_start(sign_on_own, w) &&
         sem_wait(&w->done) == 0 && w->stack >= OWN);
}

typedef enum { BY_KERNEL,
               ON_OWN_THREAD,
               WITHOUT_OPT_IN,
               WAYS } way;

static void run(uint32_t bits, way how)
{
    subject s = subject_make(bits);
    operation o = operation_make(&s, PSS, how == WITHOUT_OPT_IN ? 0 : accelerated);
    work w = {.s = &s, .o = &o};
    switch (how) {
    case ON_OWN_THREAD: sign_on_thread_of_library(&w); break;
    case WITHOUT_OPT_IN: sign_on(BY_EVP, &w); break;
    default:
        sign_on(FIRST, &w);
        sign_on(LATER, &w);
    }
    operation_free(&o);
    jose_key_release(s.key);
}

// MARK: stacks that are too small

enum { PAGE = 4096,
       BELOW = 128 * KIB,
       VERIFIED = 8 };

// What a thread with a small stack does: private operations whose kernel is tested before or
// there, or public operations in lanes.
typedef enum { SIGNS_LATER,
               SIGNS_FIRST,
               VERIFIES,
               JOBS } job;

typedef struct {
    work sign;
    job job;
    jose_signature *verifier;
    uint8_t signature[MAX_BYTES];
} small;

static void verify(const small *w)
{
    jose_batch *batch = jose_batch_make(VERIFIED);
    need(batch != NULL);
    for (int i = 0; i < VERIFIED; i++)
        need(jose_batch_add(batch, w->verifier, text, sizeof text, w->signature,
                            w->sign.s->size) == i);
    jose_batch_run(batch);
    for (size_t i = 0; i < VERIFIED; i++) need(jose_batch_accepted(batch, i));
    jose_batch_free(batch);
}

static void *run_small(void *argument)
{
    small *w = argument;
    if (w->job == VERIFIES)
        verify(w);
    else
        sign(&w->sign);
    return NULL;
}

// The child runs the job on a thread with this stack, and what comes before it on its own.
static void run_job(small *w, uint8_t *stack, size_t size)
{
    pthread_attr_t attributes;
    pthread_t thread;
    need(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) == 0);
    if (w->job == SIGNS_LATER) sign(&w->sign);
    if (w->job == VERIFIES) {
        need(jose_signature_sign(w->sign.o->signer, w->signature, w->sign.s->size, text,
                                 sizeof text) == JOSE_OK);
        for (int early = 0; early < 40; early++)
            need(jose_signature_verify(w->verifier, text, sizeof text, w->signature,
                                       w->sign.s->size) == JOSE_OK);
        verify(w);
    }
    need(pthread_attr_init(&attributes) == 0 &&
         pthread_attr_setstack(&attributes, stack, size) == 0 &&
         pthread_create(&thread, &attributes, run_small, w) == 0 &&
         pthread_join(thread, NULL) == 0);
    _exit(0);
}

// The job ends, or the process ends at the guard page. Nothing below that is changed. Returns
// whether the job ended.
static bool is_enough(small *w, size_t size)
{
    uint8_t *below = mmap(NULL, BELOW + PAGE + size, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(below != MAP_FAILED && mprotect(below + BELOW, PAGE, PROT_NONE) == 0);
    memset(below, 0x5a, BELOW);
    fflush(stdout);
    const pid_t child = fork();
    need(child >= 0);
    if (child == 0) run_job(w, below + BELOW + PAGE, size);
    int status = 1;
    need(waitpid(child, &status, 0) == child);
    need(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
    for (size_t i = 0; i < BELOW; i++) need(below[i] == 0x5a);
    need(munmap(below, BELOW + PAGE + size) == 0);
    return status == 0;
}

static void check_small_stacks(uint32_t bits)
{
    enum { LEAST = 36 * KIB,
           STEP = 12 * KIB };
    subject s = subject_make(bits);
    operation o = operation_make(&s, PKCS1, accelerated);
    small w = {.sign = {.s = &s, .o = &o}};
    need(jose_signature_make(&w.verifier, s.key, JOSE_RSA_PKCS1, JOSE_SHA256, false, 0) == JOSE_OK);
    for (w.job = 0; w.job < JOBS; w.job++) {
        const size_t max = w.job == VERIFIES ? VERIFYING : FIRST;
        for (size_t size = LEAST; !is_enough(&w, size); size += STEP) need(size + STEP <= max);
    }
    jose_signature_free(w.verifier);
    operation_free(&o);
    jose_key_release(s.key);
}

void check_stacks(void)
{
    for (uint32_t bits = 2048; bits <= 4096; bits += 1024) check_small_stacks(bits);
    for (uint32_t bits = 2048; bits <= 4096; bits += 1024)
        for (way how = 0; how < WAYS; how++) {
            fflush(stdout);
            const pid_t child = fork();
            need(child >= 0);
            if (child == 0) {
                run(bits, how);
                _exit(0);
            }
            int status = 1;
            need(waitpid(child, &status, 0) == child && status == 0);
        }
    puts("private  stacks: 128 KiB for first uses, 96 KiB later, 48 KiB by EVP and in lanes, "
         "512 KiB of the library's threads; a smaller one ends the process at its guard page");
}
