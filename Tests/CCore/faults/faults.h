// faults.h: makes the nth allocation, random draw or outside call fail, and checks the result.
#ifndef FAULTS_H
#define FAULTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#else
// The coverage build has no leak check.
#define __lsan_do_recoverable_leak_check() 0
#define __lsan_ignore_object(memory) ((void)(memory))
#endif

#include "algorithms.h"
#include "cjosecrypto.h"
#include "cjosekernels.h"

#include <openssl/types.h>

// The places of libcrypto's error queue, which holds one entry less. Headers from 4.0 on do not
// declare it.
enum { FAULTS_QUEUE = 16 };

// All bits of a jose_kernel_set, also of kernels that this processor lacks.
enum { FAULTS_EVERY_KERNEL = 2 * JOSE_KERNEL_LAST - 1 };

typedef enum { FAULTS_MEMORY,
               FAULTS_RANDOM,
               FAULTS_CALLS,
               FAULTS_KINDS } faults_kind;

// faults_arm makes the nth one from now on fail; 0 only counts.
void faults_arm(faults_kind kind, unsigned n);

// faults_disarm stops that. Returns whether something failed.
bool faults_disarm(void);

// faults_pause and faults_resume exclude what the test itself does.
void faults_pause(void);
void faults_resume(void);

// faults_call_is_missing returns whether stripped.c removed what the call requests, with an error
// entry.
bool faults_call_is_missing(const char *call, const char *second, int third);

// faults_silently makes calls fail without an error entry, as some of libcrypto do without memory.
void faults_silently(bool silent);

// faults_seen returns how many of the kind were counted since arming.
unsigned faults_seen(void);

// faults_failed returns the name of what failed, faults_within the last call before it.
// faults_was_data returns whether the injected value is also a result about data.
const char *faults_failed(void);
const char *faults_within(void);
bool faults_was_data(void);

// faults_count_calls counts the calls of this name from now on; NULL counts none.
void faults_count_calls(const char *name);
unsigned faults_counted(void);

// faults_install replaces libcrypto's allocator. Call it before anything else.
void faults_install(void);

// faults_left reports all memory that libcrypto allocated since arming and did not free.
void faults_left(void (*report)(void *memory, const char *file, int line));

// faults_each_location reports where these bytes are in memory that libcrypto or the library
// allocated since arming.
void faults_each_location(const uint8_t *pattern, size_t len, void (*report)(uint8_t *location));

// faults_allocated returns how many pieces of memory libcrypto and the library have now.
size_t faults_allocated(void);

// faults_watch counts the pieces that are freed with these bytes in them; length 0 stops it.
void faults_watch(const uint8_t *pattern, size_t len);
unsigned faults_watched(void);

// faults_draw_from_us replaces the library's random generator. It repeats its numbers after each
// faults_arm.
void faults_draw_from_us(void);
bool faults_generator_fails(void);
void faults_generator_restart(void);

// faults_forget drops what the library caches for the next operation.
void faults_forget(void);

// One use of the library, from construction to release. It returns the first status that is not
// JOSE_OK.
typedef struct operation {
    const char *name;
    jose_status (*run)(const struct operation *operation);
    const void *what;  // the table entry
    jose_options options;
} operation;

// need ends the program if a property does not hold.
#define need(condition, ...)                                           \
    do {                                                               \
        if (!(condition)) faults_die(__FILE__, __LINE__, __VA_ARGS__); \
    } while (0)
void faults_die(const char *file, int line, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

// faults_number_of writes a number of libcrypto's key, big-endian, and returns its size.
size_t faults_number_of(const EVP_PKEY *pair, const char *name, uint8_t *bytes);

// Outputs are filled with this. After a failure each byte is this or zero.
enum { FAULTS_BLANK = 0xa5 };
bool faults_is_blank(const uint8_t *bytes, size_t len);

// The lists of operations; each ends with a NULL name. Made once, before anything is armed.
const operation *faults_signatures(void), *faults_encryptions(void), *faults_keys(void),
    *faults_files(const char *folder), *faults_chains(void);

// The keys of the tests, one of each kind, with their numbers; and their import.
typedef struct {
    const char *name;
    jose_key_type type;
    jose_curve curve;
    size_t size;  // as in key_kind
    jose_number numbers[2], secret, parts[JOSE_RSA_PARTS];
} key_entry;

extern key_entry faults_entries[KEYS];
void faults_make_keys(void);
jose_status faults_import(jose_key **key, key_name name, bool is_private);

// A small authority of the tests, made once: certificates and CRLs.
enum {
    FAULTS_START = 1700000000,  // of the root; intermediate: ten seconds later, leaf: twenty
    FAULTS_NOW = 1800000000,
    FAULTS_END = 1900000000,
};

typedef enum {
    CHAIN_NONE,
    CHAIN_ROOT,
    CHAIN_MIDDLE,
    CHAIN_LEAF,         // the leaf by the middle, for signatures
    CHAIN_STRANGER,     // another root
    CHAIN_ROOT_LIST,    // from 50 seconds before now to 100 after
    CHAIN_MIDDLE_LIST,  // from 40 seconds before now to 90 after
    CHAIN_REVOKES_MIDDLE,
    CHAIN_REVOKES_LEAF,      // of the same spans
    CHAIN_LATER_LIST,        // the middle's, from 30 seconds after now to 500
    CHAIN_ENDED_LIST,        // the middle's, ended 30 seconds before now; it revokes the leaf
    CHAIN_NEWER_LIST,        // the middle's, from 20 seconds before now to 60; it revokes nothing
    CHAIN_NEWER_USER_LIST,   // the same, for certificates that are no authority's
    CHAIN_NEWER_CA_LIST,     // the root's, the same for those of authorities
    CHAIN_NEWER_POINT_LIST,  // the middle's, of a distribution point
    CHAIN_FORGED_LIST,
    CHAIN_FORGED_REVOKES,  // the middle's by name, signed by the stranger
    CHAIN_REJECTED_LISTS,  // CRLs that are rejected, see faults_rejected_lists
    CHAIN_REJECTED_END = CHAIN_REJECTED_LISTS + 12,
    CHAIN_POINTED_LEAF,                             // a leaf that points to that distribution point
    CHAIN_POLICY_LEAVES,                            // leaves with one policy extension each
    CHAIN_POLICY_MIDDLE = CHAIN_POLICY_LEAVES + 3,  // the middle with one
    CHAIN_POLICY_ROOT,                              // the root with one
    CHAIN_NARROW_ROOT,                              // key and name of the root; path length 0
    CHAIN_FILES
} chain_name;

typedef struct {
    uint8_t bytes[1024];
    size_t len;
} faults_file;

extern faults_file faults_chain_files[CHAIN_FILES];

// Why each of the lists from CHAIN_REJECTED_LISTS on is rejected.
extern const jose_list_failure faults_rejected_lists[CHAIN_REJECTED_END - CHAIN_REJECTED_LISTS];
void faults_make_chains(void);

// faults_leaf_of makes a certificate for a key, issued by the root.
struct evp_pkey_st;
void faults_leaf_of(faults_file *out, struct evp_pkey_st *key);

// faults_policy_chain makes a leaf and three authorities above it, below the root. Each has
// `policies` policies, maps each of them to `fan` others, and may have anyPolicy.
enum { FAULTS_POLICY_CHAIN = 4 };
void faults_policy_chain(faults_file out[FAULTS_POLICY_CHAIN], unsigned policies, unsigned fan,
                         bool has_any);

// faults_read_chain and faults_read_trust fill the outputs with junk first.
jose_status faults_read_chain(jose_chain **chain, size_t *failed, const faults_file *const *files,
                              size_t count);
jose_status faults_read_trust(jose_trust **trust, jose_trust_failure *failure,
                              const faults_file *const *anchors, size_t anchor_count,
                              const faults_file *const *lists, size_t list_count);

// faults_read_trust_for does the same for a libcrypto with that number.
jose_status faults_read_trust_for(unsigned long number, jose_trust **trust,
                                  jose_trust_failure *failure, const faults_file *const *anchors,
                                  size_t anchor_count, const faults_file *const *lists,
                                  size_t list_count);

// The tests of the edges, without failures.
void faults_edges(void), faults_edges_rsa(void), faults_edges_forged(void),
    faults_edges_sizes(void), faults_edges_chains(void), faults_edges_policies(void),
    faults_edges_primes(void), faults_edges_content(void), faults_edges_host(void),
    faults_edges_rejections(void), faults_edges_random(void), faults_edges_verify(void),
    faults_edges_uses(void), faults_edges_signatures(void), faults_edges_floats(void),
    faults_edges_payloads(void);

// faults_flip_modulus flips bits of an RSA key's modulus before it signs. Make the keys first.
void faults_flip_modulus(unsigned stride);

// faults_each_kind_works uses a key of each kind.
bool faults_each_kind_works(void);

int faults_flip(unsigned stride), faults_fork(void), faults_exit(void),
    faults_cold(unsigned stride), faults_first(unsigned stride), faults_outside(void),
    faults_stripped(void);

#endif
