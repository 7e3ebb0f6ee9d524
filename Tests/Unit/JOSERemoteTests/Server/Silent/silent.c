// silent.c: host names whose lookup never returns, with concurrent requests. It is a separate
// program, since its getaddrinfo replaces the C library's for libcurl. It prints the result of each
// request, in order of completion.
#include <cjoseremote.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Every request ends within this time. The lookup hangs for much longer.
enum { PATIENCE_SECONDS = 20,
       SILENCE_SECONDS = 600 };

static sem_t asked;  // a lookup of the silent name has begun
static sem_t ended;  // a request ended
static sem_t never;

static void wait_for(sem_t *what, int seconds)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += seconds;
    if (sem_timedwait(what, &end) == 0 || seconds == SILENCE_SECONDS) return;
    printf("held\n");
    fflush(stdout);
    _exit(1);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    (void)service, (void)hints, (void)found;
    if (name == NULL || strcmp(name, "silent.example") != 0) return EAI_NONAME;
    sem_post(&asked);
    wait_for(&never, SILENCE_SECONDS);
    return EAI_AGAIN;
}

static void done(void *context, const jose_fetch_response *answer)
{
    printf("%s %d\n", (const char *)context, (int)answer->status);
    fflush(stdout);
    sem_post(&ended);
}

static void fetch(jose_client *client, char *who, const char *url, long time_limit_ms)
{
    jose_fetch_request request = {.url = url,
                                  .time_limit_ms = time_limit_ms,
                                  .body_limit = 1000,
                                  .header_limit = 1000};
    if (jose_client_fetch(client, &request, done, who) != JOSE_FETCH_OK) _exit(2);
}

int main(void)
{
    static const char silent[] = "https://silent.example/", other[] = "https://127.0.0.1:1/";
    sem_init(&asked, 0, 0);
    sem_init(&ended, 0, 0);
    sem_init(&never, 0, 0);
    jose_client *client = jose_client_open(NULL);
    if (client == NULL) return 2;
    fetch(client, "silent", silent, 1500);
    wait_for(&asked, PATIENCE_SECONDS);
    fetch(client, "beside", other, 60000);
    wait_for(&ended, PATIENCE_SECONDS);
    wait_for(&ended, PATIENCE_SECONDS);
    // The thread shared by all requests is free, although the lookup still hangs.
    fetch(client, "behind", other, 60000);
    wait_for(&ended, PATIENCE_SECONDS);
    fetch(client, "closed", silent, 60000);
    wait_for(&asked, PATIENCE_SECONDS);
    jose_client_close(client);
    wait_for(&ended, PATIENCE_SECONDS);
    _exit(0);
}
