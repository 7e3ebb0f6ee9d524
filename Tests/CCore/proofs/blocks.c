// blocks.c: decrypted blocks, whose bytes an attacker chooses: the PKCS#7 padding of CBC.

#include "proofs.h"

#include "content/content_cbc_hmac.c"

void prove_padding(void)
{
    uint8_t *last = any_bytes(BLOCK);
    uint32_t padding = 0;
    const uint32_t padded = check_padding(last, &padding);
    __CPROVER_assert(padded == 0 || padded == 0xffffffff, "neither");
    if (padded == 0) return;
    __CPROVER_assert(padding > 0 && padding <= BLOCK, "more than a block");
    for (size_t i = 0; i < BLOCK; i++)
        if (i >= BLOCK - padding) __CPROVER_assert(last[i] == padding, "other padding");
}
