// cjosekernels.h: RSA public and private operations by vector instructions, their known-answer
// tests, and the clearing of registers and stack after secrets (docs/kernels.md). CJOSECrypto uses
// no other header of the C target CJOSEKernels.
//
// A kernel may decline any operation. The caller then uses OpenSSL, which is also the reference for
// the kernels' results. Nothing here allocates per operation or keeps a message. Without the
// package trait Kernels there is no vector code.
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
// and that code may branch on. MemorySanitizer and valgrind then treat it as defined.
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

// jose_mask_of returns a mask, all ones or zero, and hides from the compiler where it comes from.
// Without that, clang turns a selection by the mask into a branch on a secret.
static inline uint64_t jose_mask_of(uint64_t mask)
{
#ifndef JOSE_SECRETS_CHECK  // MemorySanitizer takes what comes out of assembly for defined
    __asm__(""
            : "+r"(mask));
#endif
    return mask;
}

// jose_declassify_size does what jose_declassify does, for a length that is public once everything
// was checked.
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

// Bytes of stack that operations on secrets clear below their own frames. For kernels this is at
// least what Tests/CCore/kernels/residue.py finds in the built objects, spilled registers included,
// plus the frame in which the operating system saves the registers for a signal handler. That frame
// has 3,376 bytes with AVX-512; a thread that uses AMX has a larger one.
enum {
    JOSE_RESIDUE_RSA = 12288,
    JOSE_RESIDUE_DOUBLES = 20480,
    JOSE_RESIDUE_PRIVATE = 40960,
    JOSE_RESIDUE_PRIVATE_X4 = 81920,
    // In libcrypto and libsodium a key agreement uses up to 4,000 bytes (P-521), and 4,300 if the
    // dynamic linker saves registers meanwhile. `tools/run memory-search` checks this.
    JOSE_RESIDUE_AGREEMENT = 12288,
    // A private RSA operation of libcrypto. With AVX-512 IFMA, libcrypto 3.0 leaves R mod p and
    // R mod q of 2048 bits about 15,000 bytes deep; either of them and n give the primes.
    JOSE_RESIDUE_LIBCRYPTO_RSA = 32768,
};

// jose_residue_clear zeroes `below` bytes of the stack under the caller's frame, where the
// functions that the caller called had their frames. `below` is one of the sizes above. If kernels
// are compiled, it also clears the vector registers, the mask registers and the caller-saved
// general registers. A function on secrets does all its work in another function and calls this one
// last.
void jose_residue_clear(size_t below);

// Bytes of stack, enough for public operations in lanes, and for known-answer tests without the
// stack of the operations that they run.
enum { JOSE_STACK_LANES = 32768 };

// jose_stack_touch reads a byte of each page of the `below` bytes of stack under its caller, from
// the top down. If the thread's stack is too small, this reads the guard page, and the process
// ends. Without the call, a large frame may reach over the guard page into other memory.
void jose_stack_touch(size_t below);

// MARK: known answers

// The kernels, with the same bits as jose_kernel_set of cjosecrypto.h.
enum {
    JOSE_KERNEL_RSA = 1,
    JOSE_KERNEL_RSA_X8 = 2,
    JOSE_KERNEL_RSA_FMA = 4,
    JOSE_KERNEL_RSA_FMA_X4 = 8,
    JOSE_KERNEL_LAST_PUBLIC = JOSE_KERNEL_RSA_FMA_X4,
    JOSE_KERNEL_RSA_PRIVATE = 16,
    JOSE_KERNEL_RSA_PRIVATE_X4 = 32,
    JOSE_KERNEL_RSA_PRIVATE_FMA = 64,
    JOSE_KERNEL_LAST = JOSE_KERNEL_RSA_PRIVATE_FMA,
};

// The kernels that are off, because a known answer was wrong or jose_kernel_switch_off was called.
// Read it through jose_kernel_is_off.
extern atomic_uint jose_kernels_disabled;

// A kernel is tested separately for each modulus size: 256, 384 and 512 bytes. A wrong answer at
// any size switches it off.
enum { JOSE_SELFTEST_SIZES = 3 };

// jose_kernel_usable_at returns whether the processor can run this kernel, its known answers for
// moduli of `size` bytes were right, and it is not off. The first call tests the kernel: some
// hundred microseconds, or milliseconds (private). Later calls cost a load. If memory runs out, it
// returns false and the next call tests. False without optimisation. Any thread may call it.
bool jose_kernel_usable_at(unsigned kernel, size_t size);

// jose_kernel_usable returns whether jose_kernel_usable_at is true for every size.
bool jose_kernel_usable(unsigned kernel);

// jose_kernel_is_untested is true if the kernel is not off and jose_kernel_usable_at would test it.
bool jose_kernel_is_untested(unsigned kernel, size_t size);

// jose_kernel_is_off_after_test tests a kernel for its untested sizes. Returns whether it is off.
bool jose_kernel_is_off_after_test(unsigned kernel);

// jose_kernel_retest repeats the known-answer tests that these kernels passed. Call it after wrong
// results for a key. A wrong answer switches a kernel off. Each kernel is retested at most once a
// minute, so that inputs cannot keep the processor busy with tests.
void jose_kernel_retest(unsigned kernels);

// jose_kernel_is_off returns whether the kernel is off. It tests nothing.
static inline bool jose_kernel_is_off(unsigned kernel)
{
    return (atomic_load_explicit(&jose_kernels_disabled, memory_order_relaxed) & kernel) != 0;
}

// jose_kernel_switch_off switches one or more kernels off for the life of the process, and calls
// the watcher for those that were not reported yet. Only a wrong known answer or the program itself
// may cause a call; no input may.
void jose_kernel_switch_off(unsigned kernels);

// jose_kernel_watch sets the function to call when a kernel is switched off. It replaces the
// previous function; NULL removes it. Each kernel is reported once in a process. Kernels that are
// off and were not reported yet are reported before jose_kernel_watch returns. Later reports come
// from the thread that switches the kernel off.
typedef void (*jose_kernel_watcher)(unsigned kernel);
void jose_kernel_watch(jose_kernel_watcher watcher);

// MARK: RSA public operations

enum { JOSE_RSA_KERNEL_MAX_BYTES = 512,
       JOSE_RSA_KERNEL_LANES = 8 };

// The result of an RSA operation. `out` is valid only with JOSE_RSA_DONE.
typedef enum jose_rsa_outcome {
    JOSE_RSA_DECLINED,  // no result, for example if `in` is not below n; the caller uses OpenSSL
    JOSE_RSA_DONE,
    JOSE_RSA_CORRUPTED  // the key's checksum or a guard word is wrong, or the result is not below
                        // n; no input can cause this
} jose_rsa_outcome;

// The results of several operations, one bit for each lane: bit l is lane l. A lane in neither mask
// is declined or was skipped.
typedef struct jose_rsa_lanes {
    unsigned done, corrupted;
} jose_rsa_lanes;

// A vector kernel for RSA public operations, with its own type of key. Keys hold only public
// numbers and are immutable once made; any thread may use one. A message, `in` or `out`, has
// exactly the modulus size of its key and is big-endian. `in` and `out` must not overlap. If an
// operation is not done, its output is zeroed or was not written.
typedef struct jose_rsa_kernel {
    const char *name;
    unsigned one, together;  // the JOSE_KERNEL_ bits of one operation, and of several at once
    int lanes;               // how many operations at once, at most JOSE_RSA_KERNEL_LANES
    int worthwhile;          // the fewest operations that are faster together

    // Whether the processor has the instructions.
    bool (*is_present)(void);

    // Whether the processor has the instructions and the kernel accepts such a key: an odd modulus
    // of exactly 2048, 3072 or 4096 bits, and an odd exponent from 3 to 2^32 - 1.
    bool (*takes)(const BIGNUM *n, const BIGNUM *e);

    // Prepares a key, for key_free to free. Returns NULL if it is not accepted or memory runs out.
    void *(*key_new)(const BIGNUM *n, const BIGNUM *e);
    void (*key_free)(void *key);  // NULL is allowed

    // Computes in^e mod n for public data, such as a signature. It leaves residue of the message in
    // registers and on the stack.
    jose_rsa_outcome (*run)(const void *key, uint8_t *out, const uint8_t *in);

    // Does the same for a secret message, and clears registers and stack afterwards. No branch and
    // no address depends on `in`; only the returned outcome does. `out` is public.
    jose_rsa_outcome (*encrypt)(const void *key, uint8_t *out, const uint8_t *in);

    // Does what `run` does for `lanes` keys, messages and outputs at once, each array with `lanes`
    // elements. A lane whose key is NULL is skipped, and its message and output may be NULL. A key
    // with e other than 65537, or of another size than the first key used, is declined.
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

// MARK: RSA private operations
//
// These kernels compute in^d mod n by the Chinese remainder theorem, for keys that opted in. No
// branch and no address depends on the key, the message or a value in between, nor does the time of
// an instruction (with doubles: as far as is known). Registers and stack are cleared at the end.
//
// These functions do not check whether a result is right. One wrong half reveals a prime. So the
// caller must raise each result to e, with n and e from memory of its own, and compare with `in`
// before it uses or releases anything.

// How many operations run at once: with two halves each, four operations fill eight lanes.
enum { JOSE_RSA_PRIVATE_LANES = 4 };

// A private key prepared for one kernel. What was computed from its secret numbers is in memory
// that is locked, read-only, left out of core files, zero in a child of fork, and between two pages
// without access. Immutable once made; any thread may use it.
typedef struct jose_rsa_private_key jose_rsa_private_key;

// The pair u and u^-d: the first blinds a message, the second unblinds the result. Only one thread
// at a time may use a pair, always with the same key. Each use squares both numbers.
typedef struct jose_rsa_blinding jose_rsa_blinding;

// The numbers of a private key with two primes. The secret ones are big-endian, each padded with
// zeros to half the size of the modulus. They must be consistent: pq = n, dp and dq the remainders
// of d, qi the inverse of q modulo p.
typedef struct jose_rsa_crt {
    const BIGNUM *n, *e;
    const uint8_t *p, *q, *dp, *dq, *qi;
} jose_rsa_crt;

typedef enum jose_rsa_preparation {
    JOSE_RSA_PREPARED,
    JOSE_RSA_NOT_TAKEN,   // another size or exponent, primes of not exactly half the size, or a
                          // processor without the instructions
    JOSE_RSA_NOT_LOCKED,  // no memory could be mapped, locked and kept out of core files
    JOSE_RSA_NO_MEMORY
} jose_rsa_preparation;

// The largest modulus in bytes that has code for one operation. A larger one runs as one of four.
enum { JOSE_RSA_MAX_ALONE = 384 };

// A kernel for RSA private operations.
typedef struct jose_rsa_private_kernel {
    const char *name;
    unsigned one, together;  // the JOSE_KERNEL_ bits of one operation and of four; 0: it has none
    bool is_floating;        // computes with doubles
    bool (*is_present)(void);
    // The largest modulus in bytes for one operation, and for four. The smallest is 256 bytes.
    size_t max_one, max_together;
} jose_rsa_private_kernel;

// The kernels in the order in which they are tried, JOSE_RSA_KERNELS of them.
extern const jose_rsa_private_kernel jose_rsa_private_kernels[];

// jose_rsa_private_key_new prepares a key for the kernel with index `kernel`. *key is NULL unless
// the result is JOSE_RSA_PREPARED. Free it with jose_rsa_private_key_free, which wipes it. The
// caller wipes the secret numbers that it passed.
jose_rsa_preparation jose_rsa_private_key_new(jose_rsa_private_key **key, int kernel,
                                              const jose_rsa_crt *numbers);
void jose_rsa_private_key_free(jose_rsa_private_key *key);

// jose_rsa_private_key_bytes returns the modulus size that the key was prepared for.
size_t jose_rsa_private_key_bytes(const jose_rsa_private_key *key);

// jose_rsa_blinding_new returns a blinding that must be renewed before its first use, or NULL if
// memory runs out. Free it with jose_rsa_blinding_free, which wipes it.
jose_rsa_blinding *jose_rsa_blinding_new(void);
void jose_rsa_blinding_free(jose_rsa_blinding *blinding);

// jose_rsa_blinding_renew makes a new pair from `random`: as many random bytes as the modulus has,
// which the caller wipes. It takes as long as a private operation. JOSE_RSA_DECLINED if the random
// number is zero or not below n: draw again. This happens for less than half of all draws.
// JOSE_RSA_CORRUPTED if a checksum or a guard word is wrong.
jose_rsa_outcome jose_rsa_blinding_renew(const jose_rsa_private_key *key,
                                         jose_rsa_blinding *blinding, const uint8_t *random);

// jose_rsa_private_run computes out = in^d mod n. Both have the modulus size and are big-endian;
// `out` may be `in`. With JOSE_RSA_DONE the result may still be wrong. Otherwise `out` is zeroed
// or was not written. JOSE_RSA_DECLINED if `in` is not below n. JOSE_RSA_CORRUPTED if a
// checksum or guard word is wrong or the result is not below n.
jose_rsa_outcome jose_rsa_private_run(const jose_rsa_private_key *key, jose_rsa_blinding *blinding,
                                      uint8_t *out, const uint8_t *in);

// jose_rsa_private_run_together does the same for up to four operations at once; the four arrays
// have JOSE_RSA_PRIVATE_LANES elements. A lane whose key is NULL is skipped. A key of another size
// than the first key used is declined. If the kernel of any key has no code for four, all are
// declined. Lanes with the same key may share a blinding.
jose_rsa_lanes jose_rsa_private_run_together(const jose_rsa_private_key *const *keys,
                                             jose_rsa_blinding *const *blindings,
                                             uint8_t *const *out, const uint8_t *const *in);

#endif
