// signature_batch.h: a signature in a batch.
#ifndef JOSE_SIGNATURE_BATCH_H
#define JOSE_SIGNATURE_BATCH_H

#include "signature.h"

// One signature, its key's constants (borrowed from the operation), and the block that it must open
// to.
struct jose_batch_item {
    jose_rsa_fast *fast;
    const jose_rsa_precomp *precomp;
    size_t size;  // of the block
    bool accepted;
    bool differs;  // opened to another block
    uint8_t block[JOSE_RSA_KERNEL_MAX_BYTES];
    uint8_t signature[JOSE_RSA_KERNEL_MAX_BYTES];
};

#endif
