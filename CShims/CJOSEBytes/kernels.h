// kernels.h is what the files of this target tell each other.
#ifndef KERNELS_H
#define KERNELS_H

#include "cjosebytes.h"

// WRAPS marks a function whose unsigned arithmetic is meant to wrap around.
#if defined(__clang__)
#define WRAPS __attribute__((no_sanitize("integer")))
#else
#define WRAPS
#endif

// Each pair does what josebytes_base64url_encode and _decode promise.
void base64url_encode_scalar(uint8_t *out, const uint8_t *in, size_t count);
bool base64url_decode_scalar(uint8_t *out, const uint8_t *text, size_t count);

#if defined(__x86_64__)
void base64url_encode_avx2(uint8_t *out, const uint8_t *in, size_t count);
bool base64url_decode_avx2(uint8_t *out, const uint8_t *text, size_t count);
void base64url_encode_avx512(uint8_t *out, const uint8_t *in, size_t count);
bool base64url_decode_avx512(uint8_t *out, const uint8_t *text, size_t count);
#endif

#endif
