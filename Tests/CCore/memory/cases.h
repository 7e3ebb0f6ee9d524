// cases.h: what the operations share.
#ifndef CORES_CASES_H
#define CORES_CASES_H

#include "algorithms.h"
#include "cjosecrypto.h"
#include "cores.h"

enum { TEXT = 200,
       ROOM = 1024,
       LONGEST_OCT = 200 };

void cases_name(const char *what, const char *entry, jose_options options);
void cases_draw(uint8_t *bytes, size_t len);
jose_key *cases_make(const key_kind *kind);
void cases_tell_members(const jose_key *key, cores_kind kind);

// Messages of an algorithm, and files.
void cases_message(const encryption_algorithm *entry, jose_options options);
void cases_answer(unsigned number);
bool cases_file(unsigned number, const char *folder);

// From here on wraps.c reports what is drawn, agreed and derived as secret.
extern bool cases_watching;

#endif
