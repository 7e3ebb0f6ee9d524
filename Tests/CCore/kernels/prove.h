// prove.h: what the parts of the kernel proof share. Plain C, built and run by Tests/CCore/run.
#ifndef PROVE_H
#define PROVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "keys/rsa_fast.h"
#include "signatures/pkcs1.h"

// A seeded generator (splitmix64); the seed repeats a run.
uint64_t prove_random(void);
uint64_t prove_below(uint64_t bound);
void prove_bytes(uint8_t *bytes, size_t count);
void prove_seed(uint64_t seed);

// prove_time_left returns whether the current part may continue.
bool prove_time_left(void);
void prove_allow(double seconds);

// prove_fail prints the difference and the seed, and ends the program with 1.
_Noreturn void prove_fail(const char *what, const char *detail);
#define PROVE(condition, what)                          \
    do {                                                \
        if (!(condition)) prove_fail(what, #condition); \
    } while (0)

// Floating-point settings of a host, by number: each rounding, flush to zero, denormals as zero,
// each exception unmasked or raised. And MXCSR itself, if the number is one of these.
enum { PROVE_HOSTS = 1024 };
uint32_t prove_host(uint32_t number);
uint32_t prove_settings(void);
void prove_set(uint32_t settings);

// The words of a prepared key: first the summed ones in order, one for each lane in rotation; then
// the others, with the checksum.
typedef struct prove_words {
    const void *key;
    bool (*is_intact)(const void *key);
    uint64_t *const *at;
    size_t summed, others, lanes;
} prove_words;

// prove_any_key prepares a key with a random modulus for the kernel of this name. Free it with that
// kernel's function.
void *prove_any_key(int bits, const char *kernel);

// prove_changes changes two or three bits of a key and proves that its checksum detects it. Returns
// how often.
uint64_t prove_changes(const prove_words *key);

// The parts; each prints its own counts.
void prove_rsa(double seconds);
void prove_rsa_guards(void);
void prove_fma(double seconds);
void prove_fma_guards(void);
void prove_fma_host(void);
void prove_selftest(void);
void prove_limbs(void);
void prove_precomps(void);
void prove_edges(void);
void prove_forged(void);
void prove_portable(void);
void prove_private(double seconds);

// prove_private_campaign compares `count` operations of each kernel for each of `keys` keys of `bits`
// bits. The seed decides the primes and messages. With a path the run notes there what it has
// reached, and goes on from what the file states.
void prove_private_campaign(int bits, int keys, uint64_t count, uint64_t seed, const char *path);

#endif
