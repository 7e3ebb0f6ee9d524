// private.h: what the parts of the test of accelerated private keys share.
#ifndef PRIVATE_H
#define PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cjosecrypto.h"

#define need(condition)                                                              \
    do {                                                                             \
        if (!(condition)) {                                                          \
            printf("FAILED  private: %s (%s:%d)\n", #condition, __FILE__, __LINE__); \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

enum { MAX_BYTES = 512,
       CEK = 32 };

// A key with a message to sign and a content key that was encrypted to it.
typedef struct {
    jose_key *key;
    size_t size;
    uint8_t encrypted_key[MAX_BYTES], cek[CEK];
} subject;

subject subject_make(uint32_t bits);

// A bare operation: PKCS#1 or PSS signature with SHA-256, or RSA-OAEP-256 decryption.
typedef enum { PKCS1,
               PSS,
               OAEP,
               OPERATIONS } kind;

typedef struct {
    kind kind;
    jose_signature *signer;
    jose_keymgmt *opener;
} operation;

operation operation_make(const subject *s, kind kind, jose_options options);
void operation_free(operation *o);
jose_private_acceleration operation_state(const operation *o);

// operation_is_right runs it once and returns whether the signature is valid, by EVP, or the
// content key is the one that was encrypted.
bool operation_is_right(const operation *o, const subject *s);

// operation_unwrap writes what decryption makes of an encrypted key to cek, which a wrong one
// leaves unchanged. Returns false if the machine failed.
bool operation_unwrap(const operation *o, uint8_t cek[CEK], const uint8_t *encrypted_key,
                      size_t encrypted_key_len);

// operation_warm runs it until the early uses are over and the kernel computes.
void operation_warm(const operation *o, const subject *s);

extern const jose_options accelerated;  // the options that opt in, for this CPU level

// How often EVP computed with the private key so far.
extern unsigned evp_calls;

// How EVP fails with the private key: not; always in the context that signs next; or decryption
// with an entry about RSA and signing without one.
typedef enum { EVP_WORKS,
               EVP_CONTEXT_FAILS,
               EVP_FAILS } evp_failure;
void evp_fail(evp_failure failure);

// fault_arm injects an error into the given call of a step, from 1 to fault_steps - 1; fault_disarm
// ends that and returns whether the call was reached. fault_lane_calls counts the operations in
// lanes, fault_single_calls those of one. fault_lane_byte changes a byte of the first block in each
// call with lanes, before it is read; -1 ends that.
void fault_arm(int step, int call);
bool fault_disarm(void);
int fault_steps(void);
unsigned fault_lane_calls(void);
unsigned fault_single_calls(void);
void fault_lane_byte(int byte);

// fault_lane_digest changes the digest of the first item in each call of lanes, while they compute.
void fault_lane_digest(bool changes);

// break_mlock makes mlock fail, or work again.
void break_mlock(bool is_broken);

// Errors to inject into a step, by the functions that compute it (private_faults.c).
void check_faults(void);
void check_forks(void);
void check_batches(void);
void check_inputs(void);
void check_hosts(void);
void check_levels(void);
void check_other_size(void);
void check_maps(void);
void check_locks(void);
void check_memory(void);
void check_stacks(void);
void check_primes(void);
void measure(int rounds);
void check_timing(int samples);

#endif
