// base64url.c: the scalar and the branch-free base64url code, for all texts up to LENGTH. Their
// results are compared with the definition by tools/run prove-bytes.

#include "proofs.h"

#include "base64url_kernels.h"

static size_t decoded_bytes(size_t count)
{
    return count / 4 * 3 + (count % 4 == 0 ? 0 : count % 4 - 1);
}

static size_t encoded_bytes(size_t count)
{
    return count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1);
}

void prove_decode_scalar(void)
{
    const size_t count = any_size_to(LENGTH);
    uint8_t *text = any_bytes(count), *out = any_bytes(decoded_bytes(count));
    (void)base64url_decode_scalar(out, text, count);
}

void prove_decode_secret(void)
{
    const size_t count = any_size_to(LENGTH);
    uint8_t *text = any_bytes(count), *out = any_bytes(decoded_bytes(count));
    (void)josebytes_base64url_decode_secret(out, text, count);
}

void prove_encode_scalar(void)
{
    const size_t count = any_size_to(LENGTH);
    uint8_t *in = any_bytes(count), *out = any_bytes(encoded_bytes(count));
    base64url_encode_scalar(out, in, count);
}

void prove_encode_secret(void)
{
    const size_t count = any_size_to(LENGTH);
    uint8_t *in = any_bytes(count), *out = any_bytes(encoded_bytes(count));
    josebytes_base64url_encode_secret(out, in, count);
}
