// cores.h: one process (the subject) runs an operation and stops, the other (the searcher) searches
// its memory for what must be gone.
#ifndef CORES_H
#define CORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// What the subject reports about some bytes.
typedef enum {
    CORES_SECRET,    // may be nowhere from here on
    CORES_LIVING,    // an existing object needs it, until CORES_RELEASED
    CORES_MAC_KEY,   // a secret; so are its padded forms and the states that HMAC begins with
    CORES_AES_KEY,   // a secret; so is the hash key of GCM that it gives
    CORES_SHARED,    // a secret; so are its limbs, as the libraries compute with them
    CORES_PUBLIC,    // anybody may see it
    CORES_RELEASED,  // all that lived is a secret now
    CORES_LOOK,      // search now; `name` is what was done
} cores_kind;

enum { CORES_NAME = 64,
       CORES_MOST = 4096 };

typedef struct {
    cores_kind kind;
    char name[CORES_NAME];
    size_t len;
} cores_word;

// The subject's functions. Bytes go through the pipe and are stored nowhere on the way.
void cores_tell(cores_kind kind, const char *name, const uint8_t *bytes, size_t len);
void cores_look(const char *after);
void cores_speak_to(int out, int in);

// cores_run runs a case. Returns false if there is none of that number.
bool cores_run(unsigned number, const char *folder);

// cores_is_here returns whether the running libcrypto can have what the case needs; standard output
// names what it cannot.
bool cores_is_here(unsigned number);

// cores_number returns the number of the first case of an algorithm, by its name in algorithms.c.
unsigned cores_number(const char *name);

// The searcher's functions: what was reported, and how much of it is in a process's memory.
void cores_hear(cores_kind kind, const char *name, const uint8_t *bytes, size_t len);
unsigned cores_search(int process, const char *of, const char *after);
void cores_forget(void);

#define need(condition)                                                                      \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            fprintf(stderr, "FAILED  memory: %s (%s:%d)\n", #condition, __FILE__, __LINE__); \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

#endif
