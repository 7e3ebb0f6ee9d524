// base64url.c chooses the base64url kernel.
#include "kernels.h"

bool josebytes_kernel_available(josebytes_kernel kernel)
{
    return kernel == JOSEBYTES_SCALAR;
}

josebytes_kernel josebytes_best_kernel(void)
{
    return JOSEBYTES_SCALAR;
}

void josebytes_base64url_encode(uint8_t *out, const uint8_t *in, size_t count,
                                josebytes_kernel kernel)
{
    (void)kernel;
    base64url_encode_scalar(out, in, count);
}

bool josebytes_base64url_decode(uint8_t *out, const uint8_t *text, size_t count,
                                josebytes_kernel kernel)
{
    (void)kernel;
    return base64url_decode_scalar(out, text, count);
}
