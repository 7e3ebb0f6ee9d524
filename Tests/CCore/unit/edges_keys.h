// edges_keys.h: unit tests of keys and of key wrapping; called by edges_sizes.c.
#ifndef EDGES_KEYS_H
#define EDGES_KEYS_H

#include "cjosecrypto.h"

// faults_edges_keys: the parameters and the lifetime of a key, and rejections.
void faults_edges_keys(void);

// faults_edges_groups: public keys that are created from a kept group.
void faults_edges_groups(void);

// faults_edges_wraps: which keys wrap with which implementation, and the bytes after an output.
void faults_edges_wraps(void);

// faults_edges_external: messages opened with the results of an external private key.
void faults_edges_external(void);

// faults_edges_bounds: salts, party information, numbers next to the modulus, possible messages.
void faults_edges_bounds(void);

// faults_edges_calls: each outside call fails once; afterwards the same operation succeeds.
void faults_edges_calls(void);

// faults_edges_queue: the host's entries in the error queue.
void faults_edges_queue(void);

// faults_edges_replaced: the host's engines and methods.
void faults_edges_replaced(void);

// faults_open_point opens an invalid message with this ephemeral point; it must fail.
jose_status faults_open_point(const jose_keymgmt *opener, const uint8_t *point);

// faults_rounds is often enough that memory kept by each round is detected.
void faults_rounds(const char *name, void (*run)(const void *what), const void *what);

#endif
