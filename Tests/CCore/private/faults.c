// faults.c: errors in each step of a private operation, damaged memory, and forks within each step.
// Whatever is wrong, the result is EVP's: no wrong one leaves.

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fma_power.h"
#include "fma_private.h"
#include "ifma_power.h"
#include "keymgmt/keymgmt.h"
#include "keys/key.h"
#include "keys/rsa_private_batch.h"
#include "private.h"
#include "private_key.h"
#include "signatures/signature.h"
#include "wraps.h"

// The steps, each the output of one function.
typedef enum { NOTHING,
               BLINDING,  // the message, blinded or unblinded
               SQUARING,  // the blinding's square
               KEY,       // a bit of the prepared key, after its checksum was compared
               MEMORY,    // any bit of the prepared key, before
               MODULUS,   // any bit of the numbers that it blinds with
               PAIR,      // any bit of the blinding pair
               CHECKING,  // any bit of the numbers that check the result
               ROUNDING,  // another rounding mode in the arithmetic of doubles
               POWER,     // the recombined result
               GUARD,     // a word behind it
               HALVES,    // the results modulo the primes, by doubles
               PRODUCT,   // the last product, by doubles
               UPPER,     // the multiple of a prime, by integers
               DIFFERENCE,
               RECOMBINATION,
               REDUCTION,
               FROM_BYTES,
               TO_BYTES,
               CHECK,  // the public operation that checks
               STEPS } step;

enum { MAX_CALLS = 9,  // of a step in an operation
       // Words behind a result, where a kernel's work area has its guards. They are aligned, so
       // the first ones may be free.
       GUARDED = 14 };

static step faulty;
static int calls_left;  // until the error
static bool is_reached;
static void (*in_the_middle)(void);
static uint64_t last_factor;
static unsigned lane_calls, single_calls;

void fault_arm(int step_number, int call)
{
    faulty = (step)step_number, calls_left = call, is_reached = false;
}

bool fault_disarm(void)
{
    faulty = NOTHING;
    return is_reached;
}

int fault_steps(void)
{
    return STEPS;
}

unsigned fault_lane_calls(void)
{
    return lane_calls;
}

unsigned fault_single_calls(void)
{
    return single_calls;
}

static uint64_t noise(void)
{
    static uint64_t state = 12345;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 24;
}

// Whether this is the call of this step that must fail. What runs in the middle of a step runs
// here, instead of an error.
static bool is_now(step here)
{
    if (faulty != here || --calls_left != 0) return false;
    is_reached = true;
    if (in_the_middle == NULL) return true;
    in_the_middle();
    return false;
}

static void flip_word(step here, uint64_t *words, int count)
{
    if (is_now(here)) words[noise() % (unsigned)count] ^= UINT64_C(1) << noise() % 52;
}

static void flip_byte(step here, uint8_t *bytes, size_t count)
{
    if (is_now(here)) bytes[noise() % count] ^= (uint8_t)(1 << noise() % 8);
}

// Flips a bit of memory that is read-only here: a prepared key's own pages too.
static void damage(step here, const void *memory, size_t size)
{
    if (!is_now(here)) return;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    void *pages = (void *)((uintptr_t)memory & ~page);
    const size_t length = ((uintptr_t)memory + size - (uintptr_t)pages + page) & ~page;
    need(here != MEMORY || mprotect(pages, length, PROT_READ | PROT_WRITE) == 0);
    ((uint8_t *)(uintptr_t)memory)[noise() % size] ^= (uint8_t)(1 << noise() % 8);
    need(here != MEMORY || mprotect(pages, length, PROT_READ) == 0);
}

static void change_rounding(void)
{
    uint32_t settings;
    if (!is_now(ROUNDING)) return;
    __asm__ volatile("stmxcsr %0"
                     : "=m"(settings));
    static const uint32_t modes[] = {0x0000, 0x4000, 0x6000};  // nearest, up, to zero
    settings = (settings & ~UINT32_C(0x6000)) | modes[noise() % 3];
    __asm__ volatile("ldmxcsr %0"
                     :
                     : "m"(settings)
                     : "memory");
}

WRAPS(void, jose_ifma_scale,
      (const jose_rsa_ifma_key *key, size_t size, uint8_t *out, const uint8_t *in,
       const uint64_t *factor))
{
    last_factor = factor[0] ^ factor[9];
    __real_jose_ifma_scale(key, size, out, in, factor);
    flip_byte(BLINDING, out, size);
}

WRAPS(void, jose_fma_blinding_scale,
      (const jose_rsa_fma_key *key, size_t size, uint8_t *out, const uint8_t *in,
       const uint64_t *factor))
{
    last_factor = factor[0] ^ factor[9];
    __real_jose_fma_blinding_scale(key, size, out, in, factor);
    flip_byte(BLINDING, out, size);
}

WRAPS(void, jose_ifma_square_factor, (const jose_rsa_ifma_key *key, uint64_t *factor))
{
    __real_jose_ifma_square_factor(key, factor);
    flip_word(SQUARING, factor, 40);
}

WRAPS(void, jose_fma_blinding_square, (const jose_rsa_fma_key *key, uint64_t *factor))
{
    __real_jose_fma_blinding_square(key, factor);
    flip_word(SQUARING, factor, 40);
}

// A copy of the key, with a bit changed in a number that this size uses.
static const jose_private_numbers *changed(jose_private_numbers *copy,
                                           const jose_private_numbers *key)
{
    if (!is_now(KEY)) return key;
    *copy = *key;
    const int limbs = jose_half_limbs(key->size);
    jose_half *half = noise() % 2 ? &copy->p : &copy->q;
    uint64_t *const numbers[] = {half->prime, half->one, half->r3, half->exponents[0],
                                 copy->coefficient};
    const unsigned which = (unsigned)(noise() % 5);
    numbers[which][noise() % (unsigned)(which == 3 ? limbs * 52 / 64 : limbs)] ^=
        UINT64_C(1) << noise() % 52;
    return copy;
}

WRAPS(void, jose_ifma_private_power,
      (const jose_private_numbers *key, jose_half_exponent exponent, uint64_t *m,
       const uint64_t *c))
{
    jose_private_numbers copy;
    __real_jose_ifma_private_power(changed(&copy, key), exponent, m, c);
    flip_word(GUARD, m + JOSE_PRIVATE_LIMBS, GUARDED);
    flip_word(POWER, m, 2 * jose_half_limbs(key->size) - 1);
}

WRAPS(void, jose_fma_private_power,
      (const jose_private_numbers *key, jose_half_exponent exponent, uint64_t *m,
       const uint64_t *c))
{
    jose_private_numbers copy;
    __real_jose_fma_private_power(changed(&copy, key), exponent, m, c);
    flip_word(GUARD, m + JOSE_PRIVATE_LIMBS, GUARDED);
    flip_word(POWER, m, 2 * jose_half_limbs(key->size) - 1);
}

WRAPS(void, jose_ifma_private_power_x4,
      (const jose_private_numbers *const keys[JOSE_RSA_PRIVATE_LANES], jose_half_exponent exponent,
       uint64_t m[JOSE_RSA_PRIVATE_LANES][JOSE_PRIVATE_LIMBS],
       const uint64_t c[JOSE_RSA_PRIVATE_LANES][JOSE_PRIVATE_LIMBS]))
{
    jose_private_numbers copy;
    const jose_private_numbers *changed_keys[JOSE_RSA_PRIVATE_LANES];
    memcpy(changed_keys, keys, sizeof changed_keys);
    if (exponent == JOSE_EXPONENT_D) lane_calls++;
    changed_keys[0] = changed(&copy, keys[0]);
    __real_jose_ifma_private_power_x4(changed_keys, exponent, m, c);
    flip_word(GUARD, m[JOSE_RSA_PRIVATE_LANES], GUARDED);
    flip_word(POWER, m[0], 2 * jose_half_limbs(keys[0]->size) - 1);
}

static int changed_byte = -1;                // of the message, before an operation reads it
static uint8_t *digest;                      // of the message that is signed
static bool changes_digest;                  // while the kernel computes
static uint32_t *damaged_size, size_change;  // the check's, once an operation began
static uint32_t *modulus_size;               // of the numbers that blind, in the last operation

static void change_modulus_size(void)
{
    *modulus_size ^= 256 ^ 384;
}

WRAPS(bool, jose_signature_hash,
      (const jose_signature *operation, jose_signature_slot *slot, uint8_t *out,
       const uint8_t *message, size_t message_len))
{
    digest = out;
    return __real_jose_signature_hash(operation, slot, out, message, message_len);
}

// The memory that a kernel computes with.
WRAPS(jose_rsa_outcome, jose_rsa_private_run,
      (const jose_rsa_private_key *key, jose_rsa_blinding *blinding, uint8_t *out,
       const uint8_t *in))
{
    const bool is_floating = jose_rsa_private_kernels[key->kernel].is_floating;
    void *modulus = (void *)(uintptr_t)key->modulus;
    modulus_size = is_floating ? &((jose_rsa_fma_key *)modulus)->size
                               : &((jose_rsa_ifma_key *)modulus)->size;
    damage(MEMORY, key->secret, sizeof *key->secret);
    damage(MODULUS, key->modulus,
           is_floating ? offsetof(jose_rsa_fma_key, checksum)
                       : offsetof(jose_rsa_ifma_key, checksum));
    damage(PAIR, noise() % 2 ? blinding->blind : blinding->unblind, 8 * 40);
    if (changed_byte >= 0) ((uint8_t *)(uintptr_t)in)[changed_byte] ^= 1;
    if (damaged_size != NULL) *damaged_size ^= size_change, damaged_size = NULL;
    if (changes_digest) digest[3] ^= 8;
    single_calls++;
    return __real_jose_rsa_private_run(key, blinding, out, in);
}

static int lane_byte = -1;         // of the message in the first lane that is used
static bool changes_lanes_digest;  // of that lane

void fault_lane_byte(int byte)
{
    lane_byte = byte;
}

void fault_lane_digest(bool changes)
{
    changes_lanes_digest = changes;
}

WRAPS(jose_rsa_lanes, jose_rsa_private_run_together,
      (const jose_rsa_private_key *const *keys, jose_rsa_blinding *const *blindings,
       uint8_t *const *out, const uint8_t *const *in))
{
    for (int i = 0; (lane_byte >= 0 || changes_lanes_digest) && i < JOSE_RSA_PRIVATE_LANES; i++) {
        if (keys[i] == NULL) continue;
        uint8_t *message = (uint8_t *)(uintptr_t)in[i];
        if (lane_byte >= 0) message[lane_byte] ^= 1;
        jose_private_item *item =
            (jose_private_item *)(void *)(message - offsetof(jose_private_item, in));
        if (changes_lanes_digest) item->digest[3] ^= 8;
        break;
    }
    const jose_rsa_lanes lanes = __real_jose_rsa_private_run_together(keys, blindings, out, in);
    // A changed word of the work memory, mostly a guard, makes no lane a declined one.
    for (int i = 0; faulty == GUARD && i < JOSE_RSA_PRIVATE_LANES; i++)
        need(keys[i] == NULL || ((lanes.done ^ lanes.corrupted) >> i & 1) == 1);
    return lanes;
}

WRAPS(void, jose_fma_private_powers, (jose_fma_private * w))
{
    change_rounding();
    __real_jose_fma_private_powers(w);
    flip_word(HALVES, w->out, JOSE_FMA_BOTH);
}

WRAPS(void, jose_fma_private_product, (jose_fma_private * w))
{
    change_rounding();
    __real_jose_fma_private_product(w);
    flip_word(PRODUCT, w->out, 2);
}

WRAPS(void, jose_ifma_upper,
      (uint64_t * upper, const uint64_t *n, uint64_t k0, uint64_t k1, int limbs))
{
    __real_jose_ifma_upper(upper, n, k0, k1, limbs);
    flip_word(UPPER, upper, limbs);
}

WRAPS(void, jose_crt_difference,
      (uint64_t * t, const jose_private_numbers *key, const uint64_t *xp, const uint64_t *xq,
       int limbs))
{
    __real_jose_crt_difference(t, key, xp, xq, limbs);
    flip_word(DIFFERENCE, t, limbs);
}

WRAPS(void, jose_crt_recombine,
      (uint64_t * m, const jose_private_numbers *key, const uint64_t *h, const uint64_t *xq,
       int limbs))
{
    __real_jose_crt_recombine(m, key, h, xq, limbs);
    flip_word(RECOMBINATION, m, 2 * limbs - 1);
}

WRAPS(void, jose_reduce_once, (uint64_t * x, const uint64_t *n, int limbs))
{
    __real_jose_reduce_once(x, n, limbs);
    flip_word(REDUCTION, x, limbs);
}

WRAPS(void, jose_limbs_from_bytes, (uint64_t * limbs, int count, const uint8_t *bytes, size_t size))
{
    __real_jose_limbs_from_bytes(limbs, count, bytes, size);
    flip_word(FROM_BYTES, limbs, count - 1);
}

WRAPS(void, jose_limbs_to_bytes, (uint8_t * bytes, size_t size, const uint64_t *limbs))
{
    __real_jose_limbs_to_bytes(bytes, size, limbs);
    flip_byte(TO_BYTES, bytes, size);
}

WRAPS(jose_rsa_outcome, jose_rsa_ifma_encrypt,
      (const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in))
{
    damage(CHECKING, key, offsetof(jose_rsa_ifma_key, checksum));
    const jose_rsa_outcome outcome = __real_jose_rsa_ifma_encrypt(key, out, in);
    flip_byte(CHECK, out, key->size);
    return outcome;
}

WRAPS(jose_rsa_outcome, jose_rsa_fma_encrypt,
      (const jose_rsa_fma_key *key, uint8_t *out, const uint8_t *in))
{
    damage(CHECKING, key, offsetof(jose_rsa_fma_key, checksum));
    const jose_rsa_outcome outcome = __real_jose_rsa_fma_encrypt(key, out, in);
    flip_byte(CHECK, out, key->size);
    return outcome;
}

// MARK: errors

// Runs a warm operation with an error in the given call of a step, then without. Returns whether
// that call was reached. Squares and blindings count in the next operation, so two run.
static bool inject(operation *o, const subject *s, step here, int call)
{
    faulty = here, calls_left = call, is_reached = false;
    need(operation_is_right(o, s));
    need(operation_is_right(o, s));
    faulty = NOTHING;
    const bool was_reached = is_reached;
    need(operation_is_right(o, s));
    return was_reached;
}

static const int size_bits[] = {8, 7, 4, 0, 9, 31};  // the first one makes the size 0

// A changed bit of the size of the check's numbers, before or within an operation with an error in
// the key: a check of fewer bytes would let the wrong result pass. The result is EVP's.
static void check_sizes(bool is_within)
{
    subject s = subject_make(2048);
    for (int kind = 0; kind < OPERATIONS; kind++)
        for (size_t i = 0; i < sizeof size_bits / sizeof *size_bits; i++) {
            operation o = operation_make(&s, kind, accelerated);
            operation_warm(&o, &s);
            jose_rsa_fast *check = kind == OAEP ? o.opener->fast : o.signer->fast;
            jose_rsa_precomp *precomp = (jose_rsa_precomp *)jose_rsa_fast_ready(check);
            need(precomp != NULL && precomp->size == s.size);
            size_change = UINT32_C(1) << size_bits[i];
            if (is_within)
                damaged_size = &precomp->size;
            else
                precomp->size ^= size_change;
            const unsigned evp = evp_calls;
            faulty = KEY, calls_left = 1, is_reached = false;
            need(operation_is_right(&o, &s) && is_reached == is_within && evp_calls == evp + 1);
            faulty = NOTHING;
            need(operation_is_right(&o, &s) && evp_calls == evp + 1);  // with numbers made again
            operation_free(&o);
        }
    jose_key_release(s.key);
    if (is_within) puts("private  faults: the check needs the right size of its own numbers");
}

// A changed bit of the key's size: nothing is read or written by it, whether the blinding is fresh
// or not. The same if the size of the numbers that blind changes within an operation. Behind the
// buffers are pages that fault.
static void check_key_sizes(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *memory = mmap(NULL, 5 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    need(memory != MAP_FAILED);
    subject s = subject_make(2048);
    uint8_t *in = memory + 2 * page - s.size, *out = memory + 4 * page - s.size;
    need(mprotect(memory + page, page, PROT_READ | PROT_WRITE) == 0);
    need(mprotect(memory + 3 * page, page, PROT_READ | PROT_WRITE) == 0);
    memset(in, 0, s.size), in[s.size - 1] = 2;
    operation o = operation_make(&s, PKCS1, accelerated);
    for (size_t i = 0; i < 2 * sizeof size_bits / sizeof *size_bits; i++) {
        operation_warm(&o, &s);
        jose_signature_slot *slot = jose_slots_take(&o.signer->slots, o.signer);
        need(slot != NULL);
        if (i % 2 != 0) slot->blinding.key = NULL;
        s.key->number_bytes[0] ^= (size_t)1 << size_bits[i / 2];
        need(!jose_rsa_private_fast_run(o.signer->private_fast, &slot->blinding, out, in));
        s.key->number_bytes[0] = s.size;
        jose_slots_put(&o.signer->slots, slot);
        operation_free(&o);
        o = operation_make(&s, PKCS1, accelerated);
    }
    operation_warm(&o, &s);
    jose_signature_slot *slot = jose_slots_take(&o.signer->slots, o.signer);
    need(slot != NULL);
    in_the_middle = change_modulus_size;
    fault_arm(POWER, 1);
    (void)jose_rsa_private_fast_run(o.signer->private_fast, &slot->blinding, out, in);
    in_the_middle = NULL;
    need(fault_disarm());
    jose_slots_put(&o.signer->slots, slot);
    need(operation_is_right(&o, &s) && operation_is_right(&o, &s));
    operation_free(&o);
    jose_key_release(s.key);
    need(munmap(memory, 5 * page) == 0);
    puts("private  faults: a key's size is compared before it is used");
}

// A changed bit of a prepared key that is found while its blinding is renewed: the key is prepared
// again.
static void check_renewal(void)
{
    subject s = subject_make(2048);
    operation o = operation_make(&s, PKCS1, accelerated);
    operation_warm(&o, &s);
    uint8_t in[256] = {0}, out[256];
    in[255] = 2;
    jose_signature_slot *slot = jose_slots_take(&o.signer->slots, o.signer);
    need(slot != NULL && slot->blinding.key != NULL);
    jose_private_numbers *numbers = (jose_private_numbers *)slot->blinding.key->secret;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)((uintptr_t)numbers & ~(uintptr_t)(page - 1));
    need(mprotect(start, page, PROT_READ | PROT_WRITE) == 0);
    numbers->coefficient[0] ^= 1;
    need(mprotect(start, page, PROT_READ) == 0);
    slot->blinding.key = NULL;
    need(!jose_rsa_private_fast_run(o.signer->private_fast, &slot->blinding, out, in));
    need(jose_rsa_private_fast_run(o.signer->private_fast, &slot->blinding, out, in));
    jose_slots_put(&o.signer->slots, slot);
    operation_free(&o);
    jose_key_release(s.key);
    puts("private  faults: a key that is damaged before a renewal is prepared again");
}

// A changed bit of the structure that says where the secret numbers are: they are still freed.
static void check_freeing(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    subject s = subject_make(2048);
    for (size_t bit = 0; bit < 8 * sizeof(jose_rsa_private_key); bit += 5) {
        operation o = operation_make(&s, PKCS1, accelerated);
        operation_warm(&o, &s);
        jose_signature_slot *slot = jose_slots_take(&o.signer->slots, o.signer);
        need(slot != NULL && slot->blinding.key != NULL);
        jose_rsa_private_key *key = (jose_rsa_private_key *)slot->blinding.key;
        void *start = (void *)((uintptr_t)key->secret & ~(uintptr_t)(page - 1));
        jose_slots_put(&o.signer->slots, slot);
        need(msync(start, page, MS_ASYNC) == 0);
        ((uint8_t *)key)[bit / 8] ^= (uint8_t)(1 << bit % 8);
        operation_free(&o);
        need(msync(start, page, MS_ASYNC) != 0);  // not mapped
    }
    jose_key_release(s.key);
    puts("private  faults: secret numbers are freed although a bit of their address changed");
}

// A changed bit of the block that is signed, so that the check finds the same wrong block: EVP
// signs. After one of the digest nobody knows what to sign.
static void check_blocks(void)
{
    subject s = subject_make(2048);
    static const int bytes[] = {1, 100, 200, 210, 224, 255};
    for (int kind = PKCS1; kind <= PSS; kind++) {
        operation o = operation_make(&s, kind, accelerated);
        operation_warm(&o, &s);
        for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
            const unsigned evp = evp_calls;
            changed_byte = bytes[i];
            need(operation_is_right(&o, &s) && evp_calls == evp + 1);
            changed_byte = -1;
            need(operation_is_right(&o, &s) && evp_calls == evp + 1);
        }
        static const uint8_t text[] = "another digest";
        uint8_t signature[MAX_BYTES];
        const unsigned evp = evp_calls;
        changes_digest = true;
        need(jose_signature_sign(o.signer, signature, s.size, text, sizeof text) == JOSE_INTERNAL);
        changes_digest = false;
        need(operation_is_right(&o, &s) && evp_calls == evp);
        operation_free(&o);
    }
    jose_key_release(s.key);
    puts("private  faults: no signature of a block or a digest that changed");
}

void check_faults(void)
{
    enum { ROUNDS = 3 };
    unsigned injected = 0, by_evp = 0;
    const jose_kernel_set before = jose_private_kernels();
    for (uint32_t bits = 2048; bits <= 4096; bits += 1024) {
        subject s = subject_make(bits);
        for (int kind = 0; kind < OPERATIONS; kind++) {
            bool was_reached[STEPS] = {false};
            unsigned fell_back[STEPS] = {0};
            for (int round = 0; round < ROUNDS; round++)
                for (step here = BLINDING; here < STEPS; here++)
                    for (int call = 1; call <= MAX_CALLS; call++) {
                        operation o = operation_make(&s, kind, accelerated);
                        for (int i = 0; i < 20 && operation_state(&o) == JOSE_PRIVATE_WAITING; i++)
                            need(operation_is_right(&o, &s));
                        const unsigned evp = evp_calls;
                        const bool is_used = operation_state(&o) == JOSE_PRIVATE_IN_USE;
                        const bool reached = is_used && inject(&o, &s, here, call);
                        if (reached) {
                            injected++, was_reached[here] = true;
                            fell_back[here] += evp_calls - evp;
                            by_evp += evp_calls - evp;
                        }
                        operation_free(&o);
                        if (!reached) break;
                    }
            // An error that nothing detects proves nothing.
            for (step here = BLINDING; here < STEPS; here++)
                need(!was_reached[here] || fell_back[here] > 0);
            for (step here = KEY; bits == 2048 && here <= CHECKING; here++)
                need(was_reached[here]);
            if (bits == 2048) need(was_reached[CHECK]);
        }
        jose_key_release(s.key);
    }
    check_sizes(false);
    check_sizes(true);
    check_key_sizes();
    check_renewal();
    check_freeing();
    check_blocks();
    need(jose_private_kernels() == before);
    printf("private  faults: %u injected, EVP computed %u times, no wrong result\n", injected,
           by_evp);
}

// MARK: forks

static unsigned pairs_wiped;

WRAPS(void, OPENSSL_cleanse, (void *memory, size_t size))
{
    pairs_wiped += size == sizeof(jose_rsa_blinding);
    __real_OPENSSL_cleanse(memory, size);
}

static pid_t child = -1;

static void fork_here(void)
{
    in_the_middle = NULL;
    fflush(stdout);
    child = fork();
    need(child >= 0);
}

void check_forks(void)
{
    unsigned forked = 0;
    subject s = subject_make(2048);
    for (int kind = 0; kind < OPERATIONS; kind++) {
        operation o = operation_make(&s, kind, accelerated);
        operation_warm(&o, &s);

        // Parent and child blind by different numbers.
        int ends[2];
        uint64_t theirs;
        need(pipe(ends) == 0);
        fflush(stdout);
        const pid_t other = fork();
        const unsigned before = evp_calls;
        const bool right = operation_is_right(&o, &s) && evp_calls == before &&
                           operation_state(&o) == JOSE_PRIVATE_IN_USE;
        if (other == 0) _exit(!right || write(ends[1], &last_factor, 8) != 8);
        int status = 1;
        need(right && waitpid(other, &status, 0) == other && status == 0);
        need(read(ends[0], &theirs, 8) == 8 && theirs != last_factor);
        close(ends[0]), close(ends[1]);

        // Within each call of each step. In the middle the child loses the key, and EVP computes.
        for (step here = BLINDING; here < STEPS; here++)
            for (int call = 1; call <= MAX_CALLS; call++) {
                faulty = here, calls_left = call, is_reached = false, child = -1;
                in_the_middle = fork_here;
                const unsigned until = evp_calls;
                const bool is_right = operation_is_right(&o, &s);
                const bool by_evp = evp_calls != until;
                if (child == 0) _exit(!is_right || (here == DIFFERENCE && !by_evp));
                in_the_middle = NULL, faulty = NOTHING;
                need(is_right && !by_evp);
                if (!is_reached) break;
                need(waitpid(child, &status, 0) == child && status == 0);
                need(operation_is_right(&o, &s));
                forked++;
            }
        const unsigned wiped = pairs_wiped;
        operation_free(&o);
        need(pairs_wiped > wiped);
    }
    jose_key_release(s.key);
    printf("private  forks: children blind by numbers of their own, and %u that were made within "
           "an operation finish right\n",
           forked);
}
