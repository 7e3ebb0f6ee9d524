// edges_keys.h: the edges of keys and of what wraps keys; edges_sizes.c asks for them.
#ifndef EDGES_KEYS_H
#define EDGES_KEYS_H

#include "cjosecrypto.h"

// faults_edges_keys: what a key tells, how long it lives, what a rejection leaves.
void faults_edges_keys(void);

// faults_edges_groups: public keys that are made of a kept group.
void faults_edges_groups(void);

// faults_edges_wraps: which keys wrap in which way, what lies behind an output.
void faults_edges_wraps(void);

// faults_edges_external: messages opened by the answers of whoever has the private key.
void faults_edges_external(void);

// faults_edges_bounds: salts, parties, numbers next to the modulus.
void faults_edges_bounds(void);

// faults_edges_calls: each outside call fails once; afterwards the same operation does its work.
void faults_edges_calls(void);

// faults_edges_queue: the host's entries in the error queue.
void faults_edges_queue(void);

// faults_edges_replaced: the host's engines and methods.
void faults_edges_replaced(void);

// faults_open_point opens a message that nobody sealed, with this ephemeral point; nothing may come of it.
jose_status faults_open_point(const jose_keymgmt *opener, const uint8_t *point);

// faults_rounds runs often enough that a piece of memory kept by each round shows.
void faults_rounds(const char *name, void (*run)(const void *what), const void *what);

#endif
