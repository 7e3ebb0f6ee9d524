// signature_batch.h: what a signature in a batch is inside this target.
#ifndef JOSE_SIGNATURE_BATCH_H
#define JOSE_SIGNATURE_BATCH_H

#include "signature.h"

// One signature of a batch: the block it must open to. The key's form, of the vector kernel, is lent by
// the operation.
struct jose_batch_item {
    jose_rsa_fast *fast;
    const jose_rsa_precomp *precomp;
    bool accepted;
    bool differs;  // opened to another block
    uint8_t block[JOSE_RSA_KERNEL_MAX_BYTES];
    uint8_t signature[JOSE_RSA_KERNEL_MAX_BYTES];
};

#endif
