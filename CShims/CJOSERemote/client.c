// client.c: the thread that runs libcurl's multi interface, and the queue in front of it.
#include "fetch.h"

#include <cjosethread.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct jose_client {
    pthread_mutex_t lock;  // guards queued and closing
    jose_fetch *queued;
    bool closing;
    jose_fetch *running;  // used by the thread only
    CURLM *multi;
    char *ca_file;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready = false;

static void start_libcurl(void)
{
    is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static void client_free(jose_client *client)
{
    if (client->multi != NULL) curl_multi_cleanup(client->multi);
    pthread_mutex_destroy(&client->lock);
    free(client->ca_file);
    free(client);
}

static void take_out(jose_client *client, jose_fetch *fetch)
{
    jose_fetch **link = &client->running;
    while (*link != NULL && *link != fetch) link = &(*link)->next;
    if (*link != NULL) *link = fetch->next;
    curl_multi_remove_handle(client->multi, fetch->easy);
}

// Moves queued requests to libcurl. Returns whether the client goes on.
static bool take_queued(jose_client *client)
{
    pthread_mutex_lock(&client->lock);
    jose_fetch *fetch = client->queued;
    client->queued = NULL;
    bool goes_on = !client->closing;
    pthread_mutex_unlock(&client->lock);
    while (fetch != NULL) {
        jose_fetch *next = fetch->next;
        if (goes_on && curl_multi_add_handle(client->multi, fetch->easy) == CURLM_OK) {
            fetch->next = client->running;
            client->running = fetch;
        } else {
            jose_fetch_finish(fetch, JOSE_FETCH_INTERNAL);
        }
        fetch = next;
    }
    return goes_on;
}

static void finish_done(jose_client *client)
{
    int left = 0;
    for (CURLMsg *note; (note = curl_multi_info_read(client->multi, &left)) != NULL;) {
        if (note->msg != CURLMSG_DONE) continue;
        CURLcode code = note->data.result;
        jose_fetch *fetch = NULL;
        if (curl_easy_getinfo(note->easy_handle, CURLINFO_PRIVATE, &fetch) != CURLE_OK) continue;
        take_out(client, fetch);  // note is gone from here on
        jose_fetch_finish(fetch, jose_fetch_status_of(fetch, code));
    }
}

static void *run(void *context)
{
    jose_client *client = context;
    while (take_queued(client)) {
        int running = 0;
        bool works = curl_multi_perform(client->multi, &running) == CURLM_OK;
        finish_done(client);
        works = works && curl_multi_poll(client->multi, NULL, 0, 60000, NULL) == CURLM_OK;
        while (!works && client->running != NULL) {
            jose_fetch *fetch = client->running;
            take_out(client, fetch);
            jose_fetch_finish(fetch, JOSE_FETCH_INTERNAL);
        }
    }
    while (client->running != NULL) {
        jose_fetch *fetch = client->running;
        take_out(client, fetch);
        jose_fetch_finish(fetch, JOSE_FETCH_INTERNAL);
    }
    client_free(client);
    return NULL;
}

jose_client *jose_client_open(const char *ca_file)
{
    if (pthread_once(&once, start_libcurl) != 0 || !is_ready) return NULL;
    jose_client *client = calloc(1, sizeof *client);
    if (client == NULL) return NULL;
    if (pthread_mutex_init(&client->lock, NULL) != 0) {
        free(client);
        return NULL;
    }
    client->multi = curl_multi_init();
    if (ca_file != NULL) client->ca_file = strdup(ca_file);
    bool is_whole = client->multi != NULL && (ca_file == NULL || client->ca_file != NULL);
    if (is_whole && jose_thread_start(run, client)) return client;
    client_free(client);
    return NULL;
}

void jose_client_close(jose_client *client)
{
    if (client == NULL) return;
    pthread_mutex_lock(&client->lock);
    client->closing = true;
    // Called under the lock: once the lock is free, the thread may free the client.
    curl_multi_wakeup(client->multi);
    pthread_mutex_unlock(&client->lock);
}

jose_fetch_status jose_client_fetch(jose_client *client, const jose_fetch_request *request,
                                    jose_fetch_done done, void *context)
{
    jose_fetch *fetch = jose_fetch_make(request, client->ca_file, done, context);
    if (fetch == NULL) return JOSE_FETCH_INTERNAL;
    pthread_mutex_lock(&client->lock);
    fetch->next = client->queued;
    client->queued = fetch;
    curl_multi_wakeup(client->multi);
    pthread_mutex_unlock(&client->lock);
    return JOSE_FETCH_OK;
}
