// What the C programs share: the fixed inputs, and the loop that times on request (see worker.py).

#ifndef PEER_WORKER_H
#define PEER_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ISSUER "https://idp.example.com"
#define AUDIENCE "s6BhdRkqt3"
#define PICKED "sig-2048"

typedef struct {
    char *bytes;  // NUL-terminated
    size_t count;
} input;

static const char *input_folder;

static input input_read(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", input_folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    input read = {NULL, (size_t)ftell(file)};
    rewind(file);
    read.bytes = calloc(1, read.count + 1);
    if (read.bytes == NULL || fread(read.bytes, 1, read.count, file) != read.count) exit(1);
    fclose(file);
    return read;
}

typedef struct {
    const char *name;
    bool (*work)(void);
} operation;

// worker_serve runs each operation once, leaves out those that fail, and then answers requests.
static int worker_serve(const char *name, const char *version, const operation *operations)
{
    printf("ready %s %s", name, version);
    for (const operation *one = operations; one->name != NULL; one++) {
        if (one->work())
            printf(" %s", one->name);
        else
            fprintf(stderr, "%s %s: failed\n", name, one->name);
    }
    printf("\n");
    fflush(stdout);
    char wanted[64];
    long count;
    while (scanf("%63s %ld", wanted, &count) == 2) {
        const operation *one = operations;
        while (one->name != NULL && strcmp(one->name, wanted) != 0) one++;
        if (one->name == NULL) return 1;
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (long i = 0; i < count; i++) {
            if (!one->work()) return 1;
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec);
        fflush(stdout);
    }
    return 0;
}

#endif
