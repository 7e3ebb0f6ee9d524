// blocks.c: decrypted blocks, whose bytes an attacker chooses: the PKCS#7 padding of CBC.

#include "proofs.h"

#include "content/content_cbc_hmac.c"

void prove_padding(void)
{
    uint8_t *last = any_bytes(BLOCK);
    uint32_t padding = 0;
    const uint32_t padded = check_padding(last, &padding);
    const uint8_t count = last[BLOCK - 1];
    bool right = count > 0 && count <= BLOCK;
    for (size_t i = 0; i < BLOCK; i++)
        if (right && i >= BLOCK - count) right = last[i] == count;
    __CPROVER_assert(padded == (right ? 0xffffffff : 0), "accepts other padding, or rejects some");
    __CPROVER_assert(!right || padding == count, "another size");
}
