// signature_batch.h: what a signature in a batch is inside this target.
#ifndef JOSE_SIGNATURE_BATCH_H
#define JOSE_SIGNATURE_BATCH_H

#include "signature.h"

// One signature of a batch: the block it must open to. The key is lent by the operation.
struct jose_batch_item {
    const jose_rsa_ifma_key *key;
    bool accepted;
    bool together;  // judged in a lane beside others
    uint8_t block[JOSE_RSA_KERNEL_MAX_BYTES];
    uint8_t signature[JOSE_RSA_KERNEL_MAX_BYTES];
};

#endif
