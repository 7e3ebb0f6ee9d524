// rsa_private_batch.h: several RSA private operations that run together, of any keys and families.
#ifndef JOSE_RSA_PRIVATE_BATCH_H
#define JOSE_RSA_PRIVATE_BATCH_H

#include "rsa_private_fast.h"
#include "runtime/digest.h"

typedef struct jose_private_item jose_private_item;

// How a batch runs the operations of one family: RSA signatures or RSA-OAEP.
typedef struct {
    jose_rsa_private_fast *(*fast)(const void *operation);  // returns NULL if EVP computes
    // Borrows a slot, or returns NULL. `put` returns it, and may free one that failed.
    void *(*take)(const void *operation);
    void (*put)(const void *operation, void *slot, bool failed);
    jose_rsa_blinding_slot *(*blinding)(void *slot);
    // Whether item->in, which a lane read, is still the item's input. NULL for RSA-OAEP: a block of
    // another input only fails to decrypt, and jose_keymgmt_open compares item->in.
    bool (*is_intact)(const void *operation, const jose_private_item *item);
    // Computes item->out without lanes.
    jose_status (*alone)(const void *operation, void *slot, jose_private_item *item);
} jose_private_family;

struct jose_private_item {
    const jose_private_family *family;
    const void *operation;
    void *slot;  // while the batch runs; items of one operation share it
    size_t size;
    jose_status status;                        // JOSE_INTERNAL until it is computed
    uint8_t digest[JOSE_MAX_DIGEST];           // of the message to sign
    uint8_t in[JOSE_RSA_FAST_MAX_BYTES];       // public
    uint8_t out[JOSE_RSA_FAST_MAX_BYTES];      // secret unless it is a verified signature
    uint8_t original_digest[JOSE_MAX_DIGEST];  // the digest again, to detect that it changed
};

// jose_private_batch_next returns the next free item, or NULL if the batch is full.
// jose_private_batch_take adds that item to the batch and returns its index.
jose_private_item *jose_private_batch_next(jose_private_batch *batch);
ptrdiff_t jose_private_batch_take(jose_private_batch *batch);

// jose_private_batch_item returns the item at an index, or NULL.
jose_private_item *jose_private_batch_item(jose_private_batch *batch, size_t index);

#endif
