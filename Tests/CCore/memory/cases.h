// cases.h: what the operations share.
#ifndef CORES_CASES_H
#define CORES_CASES_H

#include "cjosecrypto.h"
#include "cores.h"

enum { TEXT = 200, ROOM = 1024, LONGEST_OCT = 200 };

typedef struct {
    const char *name;
    jose_key_type type;
    jose_curve curve;
    size_t size;  // bits of RSA, bytes of a symmetric key
} key_row;

enum { RSA_KEY, P256, P384, P521, K1, ED25519, ED448, X25519, X448, OCT16, OCT24, OCT32, OCT48, OCT64, OCT200, KEYS };
extern const key_row cases_keys[KEYS];

void cases_name(const char *what, const char *row, jose_options options);
void cases_draw(uint8_t *bytes, size_t len);
jose_key *cases_make(const key_row *row);
void cases_tell_members(const jose_key *key, cores_kind kind);

// Messages by each row of key management, and files.
unsigned cases_messages(void);
void cases_message(unsigned row, jose_options options);
bool cases_file(unsigned number, const char *folder);

// From here on what is drawn, agreed upon and derived is told as a secret; wraps.c.
extern bool cases_watching;

#endif
