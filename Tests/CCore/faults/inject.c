// inject.c: counts and fails allocations, draws and calls.

#define _GNU_SOURCE
#include "faults.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "runtime/library.h"

static struct {
    faults_kind kind;
    unsigned at, seen;
    bool armed, paused, failed, was_data, silent;
    const char *name;
    const char *call, *within;  // the call that was made last, and that in which the failure was
} state;

static uint64_t arm_count;  // how often a failure was armed

void faults_arm(faults_kind kind, unsigned n)
{
    faults_generator_restart();
    state.kind = kind;
    state.at = n;
    state.seen = 0;
    state.failed = state.was_data = state.paused = false;
    state.name = "nothing";
    state.call = state.within = "nothing";
    arm_count++;
    state.armed = true;
}

bool faults_disarm(void)
{
    state.armed = false;
    return state.failed;
}

void faults_silently(bool silent)
{
    state.silent = silent;
}

void faults_pause(void)
{
    state.paused = true;
}

void faults_resume(void)
{
    state.paused = false;
}

unsigned faults_seen(void)
{
    return state.seen;
}

const char *faults_failed(void)
{
    return state.name;
}

static struct {
    const char *name;
    unsigned count;
} counted;

void faults_count_calls(const char *name)
{
    counted.name = name;
    counted.count = 0;
}

unsigned faults_counted(void)
{
    return counted.count;
}

const char *faults_within(void)
{
    return state.within;
}

bool faults_was_data(void)
{
    return state.was_data;
}

// Counts one of the kind. Returns whether it fails.
static bool fails(faults_kind kind, const char *name)
{
    if (!state.armed || state.paused || state.kind != kind || ++state.seen != state.at)
        return false;
    state.failed = true;
    state.name = name;
    state.within = state.call;
    return true;
}

// MARK: memory

// The header of each piece of memory. All live pieces are in a ring, the youngest first. The links
// are complemented, so that the leak check does not follow them.
typedef struct {
    uintptr_t older, younger;
    const char *file;
    int line;
    size_t size;
    uint64_t armed;  // arm_count when it was allocated
} block;

enum { HEAD = (sizeof(block) + 15) & ~15 };

// Bytes after each piece that must not be written; the address sanitizer has its own.
#if __has_feature(address_sanitizer)
enum { TAIL = 0 };
#else
enum { TAIL = 32 };
#endif

static block ring;
// For threads that are joined before a fork. No mutex: its call would be one of those that fail.
static atomic_flag ring_lock = ATOMIC_FLAG_INIT;

static void lock_ring(void)
{
    while (atomic_flag_test_and_set_explicit(&ring_lock, memory_order_acquire)) sched_yield();
}

static void unlock_ring(void)
{
    atomic_flag_clear_explicit(&ring_lock, memory_order_release);
}

static block *at(uintptr_t link)
{
    return link == 0 ? &ring : (block *)~link;
}

static uintptr_t link_to(block *b)
{
    return b == &ring ? 0 : ~(uintptr_t)b;
}

static void link_in(block *b)
{
    lock_ring();
    b->younger = 0;
    b->older = ring.older;
    at(ring.older)->younger = link_to(b);
    ring.older = link_to(b);
    unlock_ring();
}

static void link_out(block *b)
{
    lock_ring();
    at(b->older)->younger = b->younger;
    at(b->younger)->older = b->older;
    unlock_ring();
}

static block *block_of(void *memory)
{
    return (block *)((char *)memory - HEAD);
}

static struct {
    const uint8_t *bytes;
    size_t len;
    unsigned seen;
} watched;

// Checks that freed memory is intact, and searches it for the watched bytes.
static void look(const block *b)
{
    const uint8_t *start = (const uint8_t *)b + HEAD, *tail = start + b->size;
    for (int i = 0; i < TAIL; i++)
        need(tail[i] == FAULTS_BLANK, "byte %d after %zu of %s:%d is written", i, b->size,
             b->file == NULL ? "" : b->file, b->line);
    if (watched.len > 0 && memmem(start, b->size, watched.bytes, watched.len) != NULL)
        watched.seen++;
}

static void *take(size_t size, const char *file, int line)
{
    if (size == 0 || fails(FAULTS_MEMORY, file == NULL ? "" : file)) return NULL;
    block *b = malloc(HEAD + size + TAIL);
    if (b == NULL) return NULL;
    memset((char *)b + HEAD + size, FAULTS_BLANK, TAIL);
    *b = (block){.file = file, .line = line, .size = size, .armed = arm_count};
    link_in(b);
    return (char *)b + HEAD;
}

static void give(void *memory, const char *file, int line)
{
    (void)file, (void)line;
    if (memory == NULL) return;
    look(block_of(memory));
    link_out(block_of(memory));
    free(block_of(memory));
}

static void *take_again(void *memory, size_t size, const char *file, int line)
{
    if (memory == NULL) return take(size, file, line);
    if (size == 0) {
        give(memory, file, line);
        return NULL;
    }
    void *more = take(size, file, line);
    if (more == NULL) return NULL;
    const size_t old = block_of(memory)->size;
    memcpy(more, memory, old < size ? old : size);
    give(memory, file, line);
    return more;
}

void faults_left(void (*report)(void *memory, const char *file, int line))
{
    for (block *b = at(ring.older); b != &ring && b->armed == arm_count; b = at(b->older))
        report((char *)b + HEAD, b->file == NULL ? "" : b->file, b->line);
}

void faults_each_location(const uint8_t *pattern, size_t len, void (*report)(uint8_t *location))
{
    for (block *b = at(ring.older); b != &ring && b->armed == arm_count; b = at(b->older)) {
        uint8_t *location = (uint8_t *)b + HEAD, *end = location + b->size;
        while ((location = memmem(location, (size_t)(end - location), pattern, len)) != NULL)
            report(location++);
    }
}

size_t faults_allocated(void)
{
    size_t count = 0;
    for (block *b = at(ring.older); b != &ring; b = at(b->older)) count++;
    return count;
}

void faults_watch(const uint8_t *pattern, size_t len)
{
    watched.bytes = pattern;
    watched.len = len;
    watched.seen = 0;
}

unsigned faults_watched(void)
{
    return watched.seen;
}

void faults_install(void)
{
    need(CRYPTO_set_mem_functions(take, take_again, give) == 1, "libcrypto has allocated already");
}

// MARK: random numbers

bool faults_generator_fails(void)
{
    return fails(FAULTS_RANDOM, "a random draw");
}

// MARK: calls; the wrappers that `check` writes come here

bool faults_call_fails(const char *name, int level, const char *second, int third)
{
    enum { FAILS,
           QUIET,
           SAYS };
    state.call = name;
    counted.count += counted.name != NULL && strcmp(name, counted.name) == 0;
    if (faults_call_is_missing(name, second, third)) return true;
    if (!fails(FAULTS_CALLS, name)) return false;
    state.was_data = level == SAYS;
    if (level != FAILS || state.silent) return true;
    state.paused = true;
    ERR_raise(ERR_LIB_USER, ERR_R_MALLOC_FAILURE);
    state.paused = false;
    return true;
}

// MARK: judgement

void faults_die(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("FAILED  faults: ");
    vprintf(format, arguments);
    printf(" (%s:%d, after %s at %u)\n", file, line, state.name, state.at);
    va_end(arguments);
    fflush(stdout);
    abort();
}

bool faults_is_blank(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] != 0 && bytes[i] != FAULTS_BLANK) return false;
    return true;
}

static void drain(jose_pool *pool, void (*release)(void *))
{
    for (void *item; (item = jose_pool_take(pool)) != NULL;) release(item);
}

static void release_cipher(void *item)
{
    EVP_CIPHER_CTX_free(item);
}

static void release_importer(void *item)
{
    EVP_PKEY_CTX_free(item);
}

static void release_holder(void *item)
{
    OPENSSL_free(item);
}

void faults_forget(void)
{
    const jose_library *library = jose_library_get();
    for (int i = 0; i < JOSE_CIPHERS; i++) drain(library->cipher_contexts[i], release_cipher);
    for (int i = 0; i < JOSE_IMPORTERS; i++)
        if (library->importers[i] != NULL) drain(library->importers[i], release_importer);
    drain(library->cek_pool, release_holder);
}
