// base64url_kernels.h: the base64url kernels, and macros that the files of CJOSEBytes share.
#ifndef BASE64URL_KERNELS_H
#define BASE64URL_KERNELS_H

#include "cjosebytes.h"

#define WRAPS JOSEBYTES_WRAPS

// OPAQUE hides a value from the compiler. PUBLISH also declares a value public that was computed
// from secrets: MemorySanitizer, which checks the use of secrets, then treats it as defined.
#if defined(__clang__)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define OPAQUE(value) (void)(value)
#define PUBLISH(value) __msan_unpoison(&(value), sizeof(value))
#endif
#endif
#ifndef PUBLISH
#define OPAQUE(value) __asm__ volatile("" \
                                       : "+r"(value))
#define PUBLISH(value) OPAQUE(value)
#endif

// josebytes_hide_avx512 makes this target behave as on a processor without AVX-512;
// josebytes_hide_avx2 does so for AVX-512 and AVX2. Only tests and benchmarks call them, before any
// other function of this target.
void josebytes_hide_avx512(void);
void josebytes_hide_avx2(void);

// Each pair has the contract of josebytes_base64url_encode and josebytes_base64url_decode.
void base64url_encode_scalar(uint8_t *out, const uint8_t *in, size_t count);
bool base64url_decode_scalar(uint8_t *out, const uint8_t *text, size_t count);

#if defined(__x86_64__)
void base64url_encode_avx2(uint8_t *out, const uint8_t *in, size_t count);
bool base64url_decode_avx2(uint8_t *out, const uint8_t *text, size_t count);
void base64url_encode_avx512(uint8_t *out, const uint8_t *in, size_t count);
bool base64url_decode_avx512(uint8_t *out, const uint8_t *text, size_t count);
#elif defined(__aarch64__)
void base64url_encode_neon(uint8_t *out, const uint8_t *in, size_t count);
bool base64url_decode_neon(uint8_t *out, const uint8_t *text, size_t count);
#endif

#endif
