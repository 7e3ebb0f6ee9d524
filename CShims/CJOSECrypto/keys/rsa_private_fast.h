// rsa_private_fast.h: RSA private operations by a vector kernel, for keys that opted in: blinding,
// the check of each result, and the handling of wrong ones (docs/kernels.md).
#ifndef JOSE_RSA_PRIVATE_FAST_H
#define JOSE_RSA_PRIVATE_FAST_H

#include "key.h"
#include "rsa_fast.h"

// A private key, prepared at its first use for the first kernel that the key and the processor
// allow. Threads may share it.
typedef struct jose_rsa_private_fast jose_rsa_private_fast;

// The blinding of one key in a slot (runtime/slots.h). One thread at a time borrows it. It starts
// zeroed.
typedef struct {
    jose_rsa_blinding *pair;
    const jose_rsa_private_key *key;  // the key that the pair belongs to
    uint64_t epoch;                   // in which the pair was made: a fork ends an epoch
    unsigned uses_left;
} jose_rsa_blinding_slot;

// A new pair is for 256 to 511 uses. The number is random, so that threads that begin together do
// not renew together. Lanes renew a pair that has fewer uses left than they need.
enum { JOSE_RSA_BLINDING_MIN_USES = 256 };

// jose_rsa_private_fast_new borrows the key and `check`, which must outlive it. `check` has the
// public numbers that results are checked with. `floating` allows kernels that compute with
// doubles. Returns NULL if memory runs out or no kernel is compiled.
jose_rsa_private_fast *jose_rsa_private_fast_new(const jose_library *library, const jose_key *key,
                                                 jose_rsa_fast *check, bool floating);
void jose_rsa_private_fast_free(jose_rsa_private_fast *fast);

// jose_rsa_private_fast_run computes out = in^d mod n, both as long as the modulus, and checks it.
// Returns true only if out^e is `in`. Else out is zeroed or was not written, and EVP must compute.
// `in` is public and does not overlap out. fast may be NULL. No branch and no address depends on
// the result or the key. Call it inside JOSE_HOST_SCOPE; only a lack of memory or random numbers
// leaves error entries.
bool jose_rsa_private_fast_run(jose_rsa_private_fast *fast, jose_rsa_blinding_slot *blinding,
                               uint8_t *out, const uint8_t *in);

typedef struct {
    jose_rsa_private_fast *fast;
    jose_rsa_blinding_slot *blinding;  // operations with one `fast` may share it
    uint8_t *out;
    const uint8_t *in;
} jose_rsa_private_job;

// jose_rsa_private_worthwhile returns the smallest number of operations, with moduli of `size`
// bytes, that is faster together than one after the other.
int jose_rsa_private_worthwhile(size_t size);

// jose_rsa_private_fast_has_lanes returns whether jose_rsa_private_fast_run_together would compute
// with this key now. The result is false until other calls tested the kernel and prepared the key.
bool jose_rsa_private_fast_has_lanes(const jose_rsa_private_fast *fast);

// jose_rsa_private_fast_lacks_lanes returns whether jose_rsa_private_fast_run_together certainly
// does not compute with this key. It is true for NULL and false before the first use.
bool jose_rsa_private_fast_lacks_lanes(const jose_rsa_private_fast *fast);

// jose_rsa_private_fast_run_together does what jose_rsa_private_fast_run does, for up to
// JOSE_RSA_PRIVATE_LANES operations of one modulus size at once. Bit i of the result is set if
// operation i is done. All others need jose_rsa_private_fast_run.
unsigned jose_rsa_private_fast_run_together(const jose_rsa_private_job *jobs, int count);

jose_private_acceleration jose_rsa_private_fast_state(const jose_rsa_private_fast *fast);

// jose_rsa_blinding_slot_clear wipes and frees what the slot has.
void jose_rsa_blinding_slot_clear(jose_rsa_blinding_slot *slot);

#endif
