// cjosekernels.h is the whole contract of the C target CJOSEKernels: RSA public operations by
// vector instructions, their known answers, and what clears registers and stack after secrets
// (docs/kernels.md).
//
// Every kernel here is an answer that may be declined: whoever calls one has OpenSSL as the
// reference, the fallback and the judge. Nothing here allocates per operation or keeps a message.
// Without the trait Kernels there is no vector code.
#ifndef CJOSEKERNELS_H
#define CJOSEKERNELS_H

#include <openssl/bn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef JOSE_SECRETS_VALGRIND
#include <valgrind/memcheck.h>
#endif

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define JOSE_SECRETS_CHECK 1
#endif
#endif

// Whether vector kernels are compiled.
#if defined(JOSE_KERNELS) && defined(__x86_64__)
#define JOSE_KERNELS_X86 1
#else
#define JOSE_KERNELS_X86 0
#endif

// MARK: secrets

// jose_declassify makes a yes or no public that was computed from secrets: the one thing about them
// that may be branched on. The secrets check (MemorySanitizer) knows it by this call.
static inline bool jose_declassify(bool value)
{
#ifdef JOSE_SECRETS_CHECK
    __msan_unpoison(&value, sizeof value);
#endif
#ifdef JOSE_SECRETS_VALGRIND
    VALGRIND_MAKE_MEM_DEFINED(&value, sizeof value);
#endif
    return value;
}

// jose_declassify_size does the same for a length that may be known once everything was found right.
static inline size_t jose_declassify_size(size_t size)
{
#ifdef JOSE_SECRETS_CHECK
    __msan_unpoison(&size, sizeof size);
#endif
#ifdef JOSE_SECRETS_VALGRIND
    VALGRIND_MAKE_MEM_DEFINED(&size, sizeof size);
#endif
    return size;
}

// How far below their caller the secret operations reach, spilled registers included: at least what
// Tests/CCore/kernels/residue.py finds in the built objects.
enum {
    JOSE_RESIDUE_RSA = 8192,
    JOSE_RESIDUE_DOUBLES = 16384,
    // libcrypto's and libsodium's frames are theirs: an agreement reaches 4,000 bytes deep on
    // P-521, the deepest curve, and 4,300 where the dynamic linker saves registers in it.
    // `tools/run memory-search` looks for it.
    JOSE_RESIDUE_AGREEMENT = 8192,
};

// jose_residue_clear zeroes `below` bytes under the caller's frame, where the functions lay that it
// called before; where kernels are compiled also the vector and mask registers that this processor
// has and the registers that a function need not keep. An operation on secrets is a function that
// has another one do all its work, and calls this last.
void jose_residue_clear(size_t below);

// MARK: known answers

// The same bits as jose_kernel_set of the public header.
enum {
    JOSE_KERNEL_RSA = 1,
    JOSE_KERNEL_RSA_X8 = 2,
    JOSE_KERNEL_RSA_FMA = 4,
    JOSE_KERNEL_RSA_FMA_X4 = 8,
    JOSE_KERNEL_LAST = JOSE_KERNEL_RSA_FMA_X4,
};

// The kernels whose known answers were wrong; read it by jose_kernel_is_off.
extern atomic_uint jose_kernels_disabled;

// The known answers of a kernel are asked for each size of modulus by itself: 256, 384 or 512
// bytes. A wrong one at any size switches the kernel off.
enum { JOSE_SELFTEST_SIZES = 3 };

// jose_kernel_usable_at says whether the processor has this kernel and it gave the known
// answers for moduli of `size` bytes. The first call asks them, some hundred microseconds; later
// ones cost a load. Where there was no memory to ask, it is not usable now and asked by the next
// call. In builds without optimisation none is usable.
bool jose_kernel_usable_at(unsigned kernel, size_t size);

// jose_kernel_usable says the same for every size.
bool jose_kernel_usable(unsigned kernel);

// jose_kernel_is_untested says whether jose_kernel_usable_at would ask now.
bool jose_kernel_is_untested(unsigned kernel, size_t size);

// jose_kernel_failed says whether the processor has this kernel but it gave a wrong answer.
bool jose_kernel_failed(unsigned kernel);

// jose_kernel_retest asks the known answers of these kernels again, because one gave another result
// than OpenSSL for somebody's key: wrong ones switch a kernel off. Each is asked again at most once
// a minute, so that what comes in cannot make us do nothing else.
void jose_kernel_retest(unsigned kernels);

// jose_kernel_is_off says whether the kernel was switched off so far; it asks nothing.
static inline bool jose_kernel_is_off(unsigned kernel)
{
    return (atomic_load_explicit(&jose_kernels_disabled, memory_order_relaxed) & kernel) != 0;
}

// jose_kernel_switch_off ends the use of a kernel for the life of the process and tells the watcher
// once. Nothing that comes from outside may lead here: only wrong known answers, or the program
// itself.
void jose_kernel_switch_off(unsigned kernel);

// jose_kernel_watch sets who is told, once for each kernel, on the thread that found the fault. The
// kernels that are off already are told at once. NULL is nobody.
typedef void (*jose_kernel_watcher)(unsigned kernel);
void jose_kernel_watch(jose_kernel_watcher watcher);

// MARK: RSA public operations

enum { JOSE_RSA_KERNEL_MAX_BYTES = 512,
       JOSE_RSA_KERNEL_LANES = 8 };

// How a public operation ended. A result stands in `out` only where it is done.
typedef enum jose_rsa_outcome {
    JOSE_RSA_DECLINED,  // the input explains it, and nothing is said of it: ask OpenSSL
    JOSE_RSA_DONE,
    JOSE_RSA_CORRUPTED  // nothing that comes in can do this: the key or the work memory is not whole
} jose_rsa_outcome;

// The outcomes of several operations, a bit for each lane; a lane in neither is declined.
typedef struct jose_rsa_lanes {
    unsigned done, corrupted;
} jose_rsa_lanes;

// A vector kernel for RSA as the library uses it, with keys of its own kind.
typedef struct jose_rsa_kernel {
    const char *name;
    unsigned one, together;  // the bits above of one operation of it, and of several at once
    int lanes;               // how many at once
    int worthwhile;          // from how many on that is faster than one after the other
    bool (*is_present)(void);
    bool (*takes)(const BIGNUM *n, const BIGNUM *e);
    void *(*key_new)(const BIGNUM *n, const BIGNUM *e);
    void (*key_free)(void *key);
    jose_rsa_outcome (*run)(const void *key, uint8_t *out, const uint8_t *in);
    jose_rsa_outcome (*encrypt)(const void *key, uint8_t *out, const uint8_t *in);
    jose_rsa_lanes (*run_together)(const void *const *keys, uint8_t *const *out, const uint8_t *const *in);
} jose_rsa_kernel;

// The kernels in the order in which they are tried. None where kernels are not compiled.
#if JOSE_KERNELS_X86
enum { JOSE_RSA_KERNELS = 2 };
#else
enum { JOSE_RSA_KERNELS = 0 };
#endif
extern const jose_rsa_kernel jose_rsa_kernels[];

#endif
