// exit.c: a process exits while its threads run. libcrypto's cleanup at exit must not free what
// they use.

#include "faults.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 60,
       THREADS = 4 };

static void *works(void *name)
{
    uint8_t out[512];
    for (;;) {
        jose_key *key = NULL;
        jose_signature *signature = NULL;
        const key_name which = *(const key_name *)name;
        const bool is_made =
            faults_import(&key, which, true) == JOSE_OK &&
            jose_signature_make(&signature, key, which == EC_256 ? JOSE_ECDSA : JOSE_RSA_PKCS1,
                                JOSE_SHA256, true, 0) == JOSE_OK &&
            jose_signature_sign(signature, out, which == EC_256 ? 64 : 256, out, 16) == JOSE_OK;
        need(is_made, "a key in use while the process exits");
        jose_signature_free(signature);
        jose_key_release(key);
    }
    return NULL;
}

static void end_at_work(unsigned microseconds)
{
    static const key_name names[THREADS] = {EC_256, RSA_2048, EC_256, RSA_2048};
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        need(pthread_create(&thread, NULL, works, (void *)(uintptr_t)&names[i]) == 0, "thread");
    }
    usleep(microseconds);
    exit(0);
}

int faults_exit(void)
{
    faults_make_keys();
    for (unsigned round = 0; round < ROUNDS; round++) {
        const pid_t child = fork();
        need(child >= 0, "fork");
        if (child == 0) end_at_work(3000 + 997 * round);
        int status = 0;
        need(waitpid(child, &status, 0) == child && status == 0, "round %u ended with %d", round,
             status);
    }
    printf("exit         %d processes exited while %d threads were running\n", ROUNDS, THREADS);
    return 0;
}
