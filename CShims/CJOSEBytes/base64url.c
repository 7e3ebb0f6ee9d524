// base64url.c: selects the base64url kernel for this processor.
#include "base64url_kernels.h"

static bool hides_avx512, hides_avx2;

void josebytes_hide_avx512(void)
{
    hides_avx512 = true;
}

void josebytes_hide_avx2(void)
{
    hides_avx512 = true;
    hides_avx2 = true;
}

bool josebytes_kernel_available(josebytes_kernel kernel)
{
    switch (kernel) {
    case JOSEBYTES_BEST:
    case JOSEBYTES_SCALAR:
        return true;
#if defined(__x86_64__)
    case JOSEBYTES_AVX2:
        return !hides_avx2 && __builtin_cpu_supports("avx2");
    case JOSEBYTES_AVX512:
        return !hides_avx512 && __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512f");
#elif defined(__aarch64__)
    case JOSEBYTES_NEON:
        return true;
#endif
    default:
        return false;
    }
}

static inline josebytes_kernel choose(josebytes_kernel kernel)
{
    if (kernel != JOSEBYTES_BEST) {
        return josebytes_kernel_available(kernel) ? kernel : JOSEBYTES_SCALAR;
    }
#if defined(__x86_64__)
    return josebytes_kernel_available(JOSEBYTES_AVX512) ? JOSEBYTES_AVX512
           : josebytes_kernel_available(JOSEBYTES_AVX2) ? JOSEBYTES_AVX2
                                                        : JOSEBYTES_SCALAR;
#elif defined(__aarch64__)
    return JOSEBYTES_NEON;
#else
    return JOSEBYTES_SCALAR;
#endif
}

void josebytes_base64url_encode(uint8_t *out, const uint8_t *in, size_t count,
                                josebytes_kernel kernel)
{
    switch (choose(kernel)) {
#if defined(__x86_64__)
    case JOSEBYTES_AVX512:
        base64url_encode_avx512(out, in, count);
        return;
    case JOSEBYTES_AVX2:
        base64url_encode_avx2(out, in, count);
        return;
#elif defined(__aarch64__)
    case JOSEBYTES_NEON:
        base64url_encode_neon(out, in, count);
        return;
#endif
    default:
        base64url_encode_scalar(out, in, count);
        return;
    }
}

bool josebytes_base64url_decode(uint8_t *out, const uint8_t *text, size_t count,
                                josebytes_kernel kernel)
{
    switch (choose(kernel)) {
#if defined(__x86_64__)
    case JOSEBYTES_AVX512:
        return base64url_decode_avx512(out, text, count);
    case JOSEBYTES_AVX2:
        return base64url_decode_avx2(out, text, count);
#elif defined(__aarch64__)
    case JOSEBYTES_NEON:
        return base64url_decode_neon(out, text, count);
#endif
    default:
        return base64url_decode_scalar(out, text, count);
    }
}

size_t josebytes_base64url_chunk(void)
{
    // A chunk is decoded by one call while a hash processes another chunk. During the last block of
    // the hash, the processor already executes about 200 instructions of the decoder. AVX2 decodes
    // 256 characters by 160 instructions, AVX-512 512 characters by 60. Scalar code gains the same
    // from both sizes. NEON was not measured (docs/decisions/0006).
    enum { FEW = 256,
           MANY = 512 };
    return choose(JOSEBYTES_BEST) == JOSEBYTES_AVX2 ? FEW : MANY;
}
