// ecdsa_der.c: reading the DER of ECDSA signatures, for every curve and all texts up to the longest
// right one and beyond.

#include "proofs.h"

#include "signatures/signature_ecdsa.c"

static size_t any_half(void)
{
    static const size_t halves[] = {32, 48, 66};
    return halves[any_size_to(2)];
}

void prove_raw_from_der(void)
{
    const size_t half = any_half(), len = any_size_to(MAX_DER + 8);
    uint8_t *der = any_bytes(len), *raw = any_bytes(2 * half);
    (void)raw_from_der(raw, half, der, len);
}
