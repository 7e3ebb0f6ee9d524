// stacks.c: private operations by kernels on threads with small stacks, in processes of their own,
// where the kernels have not been tested yet.

#define _GNU_SOURCE  // pthread_setattr_default_np
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cjosethread.h"
#include "private.h"

enum { LANES = 4,
       KIB = 1024 };

// The least stacks that docs/kernels.md names, and that of the library's own threads.
enum { FIRST = 128 * KIB,
       LATER = 96 * KIB,
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

static void run(uint32_t bits, bool is_own)
{
    subject s = subject_make(bits);
    operation o = operation_make(&s, PSS, accelerated);
    work w = {.s = &s, .o = &o};
    if (is_own) {
        sign_on_thread_of_library(&w);
    } else {
        sign_on(FIRST, &w);
        sign_on(LATER, &w);
    }
    operation_free(&o);
    jose_key_release(s.key);
}

void check_stacks(void)
{
    for (uint32_t bits = 2048; bits <= 4096; bits += 1024)
        for (int is_own = 0; is_own < 2; is_own++) {
            fflush(stdout);
            const pid_t child = fork();
            need(child >= 0);
            if (child == 0) {
                run(bits, is_own != 0);
                _exit(0);
            }
            int status = 1;
            need(waitpid(child, &status, 0) == child && status == 0);
        }
    puts("private  stacks: 128 KiB for first uses, 96 KiB later, 512 KiB of the library's threads");
}
