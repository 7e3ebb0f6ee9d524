// kernels.h: the contract of the arithmetic kernels. Internal to the C target.
//
// Every kernel here is an answer that may be declined: whoever calls one has OpenSSL as the
// reference, the fallback and the judge. Nothing here allocates per operation or keeps a message.
#ifndef JOSE_KERNELS_H
#define JOSE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// jose_verdict makes a yes or no public that was computed from secrets: the one thing about them that
// may be branched on. The secrets check (MemorySanitizer) knows it by this call.
static inline bool jose_verdict(bool verdict);

// jose_public_size does the same for a length that may be known once everything was found right.
static inline size_t jose_public_size(size_t size);

#include "content_kernel.h"
#include "cpu.h"
#include "pkcs1.h"
#include "rsa_kernel.h"
#include "selftest.h"

#ifdef JOSE_SECRETS_VALGRIND
#include <valgrind/memcheck.h>
#endif

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define JOSE_SECRETS_CHECK 1
#endif
#endif

static inline bool jose_verdict(bool verdict)
{
#ifdef JOSE_SECRETS_CHECK
    __msan_unpoison(&verdict, sizeof verdict);
#endif
#ifdef JOSE_SECRETS_VALGRIND
    VALGRIND_MAKE_MEM_DEFINED(&verdict, sizeof verdict);
#endif
    return verdict;
}

static inline size_t jose_public_size(size_t size)
{
#ifdef JOSE_SECRETS_CHECK
    __msan_unpoison(&size, sizeof size);
#endif
#ifdef JOSE_SECRETS_VALGRIND
    VALGRIND_MAKE_MEM_DEFINED(&size, sizeof size);
#endif
    return size;
}

#endif
