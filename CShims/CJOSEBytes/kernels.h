// kernels.h: functions shared by the files of this target.
#ifndef KERNELS_H
#define KERNELS_H

#include "cjosebytes.h"

#define WRAPS JOSEBYTES_WRAPS

// OPAQUE hides a value from the compiler. PUBLISH also marks a value computed from secrets as
// public; the secrets check (MemorySanitizer) treats it as defined from there.
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

// josebytes_hide_avx512 hides AVX-512, and josebytes_hide_avx2 AVX2 too, as on a processor without
// them. For tests and benchmarks, once and before anything else of this target; the library never
// calls them.
void josebytes_hide_avx512(void);
void josebytes_hide_avx2(void);

// Each pair does what josebytes_base64url_encode and _decode promise.
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
