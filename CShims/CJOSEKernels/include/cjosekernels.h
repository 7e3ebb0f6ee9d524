// cjosekernels.h: RSA public operations by vector instructions, their known-answer tests, and the
// clearing of registers and stack after secrets (docs/kernels.md). This header is the whole
// contract of the C target CJOSEKernels.
//
// A kernel may decline any operation. The caller then uses OpenSSL, which is also the reference
// that kernels are checked against. Nothing here allocates per operation or keeps a message.
// Without the package trait Kernels there is no vector code.
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

// 1 if vector kernels are compiled.
#if defined(JOSE_KERNELS) && defined(__x86_64__)
#define JOSE_KERNELS_X86 1
#else
#define JOSE_KERNELS_X86 0
#endif

// MARK: secrets

// jose_declassify returns value and marks it as public: a yes or no that was computed from secrets
// and that code may branch on. MemorySanitizer and valgrind treat it as defined from here on.
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

// jose_declassify_size does the same for a length that is public once everything was checked.
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

// How many bytes below their caller the secret operations use, spilled registers included: at least
// what Tests/CCore/kernels/residue.py finds in the built objects.
enum {
    JOSE_RESIDUE_RSA = 8192,
    JOSE_RESIDUE_DOUBLES = 16384,
    // In libcrypto and libsodium an agreement reaches 4,000 bytes deep on P-521, the deepest curve,
    // and 4,300 if the dynamic linker saves registers meanwhile. `tools/run memory-search` checks
    // this.
    JOSE_RESIDUE_AGREEMENT = 8192,
};

// jose_residue_clear zeroes `below` bytes under the caller's frame, where the functions that it
// called had theirs. If kernels are compiled it also clears the vector and mask registers of this
// processor and the caller-saved registers. A function on secrets does all its work in another
// function and calls this last.
void jose_residue_clear(size_t below);

// MARK: known answers

// The same bits as jose_kernel_set of cjosecrypto.h.
enum {
    JOSE_KERNEL_RSA = 1,
    JOSE_KERNEL_RSA_X8 = 2,
    JOSE_KERNEL_RSA_FMA = 4,
    JOSE_KERNEL_RSA_FMA_X4 = 8,
    JOSE_KERNEL_LAST = JOSE_KERNEL_RSA_FMA_X4,
};

// The kernels that gave a wrong known answer. Read it through jose_kernel_is_off.
extern atomic_uint jose_kernels_disabled;

// A kernel is tested separately for each modulus size: 256, 384 and 512 bytes. A wrong answer at
// any size switches it off.
enum { JOSE_SELFTEST_SIZES = 3 };

// jose_kernel_usable_at returns whether the processor has this kernel and its known answers for
// moduli of `size` bytes were right. The first call tests it, which takes some hundred
// microseconds; later calls cost a load. If memory runs out, it returns false and the next call
// tests. Returns false in builds without optimisation. Any thread may call it.
bool jose_kernel_usable_at(unsigned kernel, size_t size);

// jose_kernel_usable does the same for all sizes.
bool jose_kernel_usable(unsigned kernel);

// jose_kernel_is_untested returns whether jose_kernel_usable_at would test now.
bool jose_kernel_is_untested(unsigned kernel, size_t size);

// jose_kernel_failed returns whether the kernel is off. It tests it first if needed.
bool jose_kernel_failed(unsigned kernel);

// jose_kernel_retest repeats the known-answer tests of these kernels after a result differed from
// OpenSSL's for a key. A wrong answer switches a kernel off. Each kernel is retested at most once a
// minute, so that inputs cannot keep the processor busy with tests.
void jose_kernel_retest(unsigned kernels);

// jose_kernel_is_off returns whether the kernel was switched off. It tests nothing.
static inline bool jose_kernel_is_off(unsigned kernel)
{
    return (atomic_load_explicit(&jose_kernels_disabled, memory_order_relaxed) & kernel) != 0;
}

// jose_kernel_switch_off switches a kernel off for the life of the process and calls the watcher
// once. Only wrong known answers and the program itself may call it; no input may lead here.
void jose_kernel_switch_off(unsigned kernel);

// jose_kernel_watch sets the function that is called once for each kernel that is switched off, on
// the thread that found the failure. Kernels that are off already are reported at once. NULL
// removes the function.
typedef void (*jose_kernel_watcher)(unsigned kernel);
void jose_kernel_watch(jose_kernel_watcher watcher);

// MARK: RSA public operations

enum { JOSE_RSA_KERNEL_MAX_BYTES = 512,
       JOSE_RSA_KERNEL_LANES = 8 };

// The result of a public operation. `out` is valid only with JOSE_RSA_DONE.
typedef enum jose_rsa_outcome {
    JOSE_RSA_DECLINED,  // because of the input; the caller uses OpenSSL
    JOSE_RSA_DONE,
    JOSE_RSA_CORRUPTED  // the key or the work memory changed; no input can cause this
} jose_rsa_outcome;

// The results of several operations, a bit for each lane. A lane in neither mask is declined.
typedef struct jose_rsa_lanes {
    unsigned done, corrupted;
} jose_rsa_lanes;

// A vector kernel for RSA, with its own type of key.
typedef struct jose_rsa_kernel {
    const char *name;
    unsigned one, together;  // the JOSE_KERNEL_ bits of one operation, and of several at once
    int lanes;               // how many at once
    int worthwhile;          // the fewest operations that are faster together
    bool (*is_present)(void);
    bool (*takes)(const BIGNUM *n, const BIGNUM *e);
    void *(*key_new)(const BIGNUM *n, const BIGNUM *e);
    void (*key_free)(void *key);
    jose_rsa_outcome (*run)(const void *key, uint8_t *out, const uint8_t *in);
    jose_rsa_outcome (*encrypt)(const void *key, uint8_t *out, const uint8_t *in);
    jose_rsa_lanes (*run_together)(const void *const *keys, uint8_t *const *out,
                                   const uint8_t *const *in);
} jose_rsa_kernel;

// The kernels in the order in which they are tried; none if kernels are not compiled.
#if JOSE_KERNELS_X86
enum { JOSE_RSA_KERNELS = 2 };
#else
enum { JOSE_RSA_KERNELS = 0 };
#endif
extern const jose_rsa_kernel jose_rsa_kernels[];

#endif
