// random.c: random bytes, drawn ahead into a buffer of each thread.
//
// A draw from the generator costs 650 ns, for a few bytes as well as for hundreds. So a thread
// draws 2,048 bytes at once, returns each byte once and wipes it. A child of fork must not return
// bytes that the parent returns too. So a page has the number of the current epoch. A child finds 0
// there and starts a new epoch, and a buffer of another epoch is dropped. The kernel wipes the page
// in every child, also in one made without fork (MADV_WIPEONFORK). A child of fork also wipes the
// page itself: at least one emulator ignores MADV_WIPEONFORK. If the kernel has no such page,
// nothing is buffered.

#include "random.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"

enum { BUFFER = 2048,
       MAX_BUFFERED = 256,
       BLOCK = 16 };

static struct {
    _Atomic(_Atomic uint64_t *) epoch;  // on the page that fork wipes; NULL: no buffering
    _Atomic uint64_t last;              // the last epoch used; survives fork
    atomic_bool is_unsupported;         // the kernel has no such page
} forks;

static _Thread_local struct {
    uint64_t epoch;  // when the buffer was filled; 0: never
    size_t left;     // unused bytes, at the end of the buffer
    uint8_t bytes[BUFFER];
} ahead;

#ifdef MADV_WIPEONFORK
static void wipe_epoch(void)
{
    _Atomic uint64_t *epoch = atomic_load(&forks.epoch);
    if (epoch != NULL) atomic_store(epoch, 0);
}
#endif

// Returns the page, or NULL. After a lack of memory the next call tries again.
static _Atomic uint64_t *epoch_page(void)
{
    _Atomic uint64_t *made = atomic_load_explicit(&forks.epoch, memory_order_acquire);
    if (made != NULL || atomic_load_explicit(&forks.is_unsupported, memory_order_relaxed))
        return made;
#ifdef MADV_WIPEONFORK
    const long size = sysconf(_SC_PAGESIZE);
    void *page = size <= 0 ? MAP_FAILED
                           : mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return NULL;
    const bool is_wiped = madvise(page, (size_t)size, MADV_WIPEONFORK) == 0;
    if (!is_wiped && errno == EINVAL) atomic_store(&forks.is_unsupported, true);
    // Of threads that arrive together, the first one's page is kept.
    if (is_wiped && pthread_atfork(NULL, NULL, wipe_epoch) == 0 &&
        atomic_compare_exchange_strong(&forks.epoch, &made, page))
        return page;
    munmap(page, (size_t)size);
#endif
    return made;
}

uint64_t jose_random_epoch(void)
{
    _Atomic uint64_t *page = epoch_page();
    if (page == NULL) return 0;
    uint64_t epoch = atomic_load_explicit(page, memory_order_acquire);
    if (epoch != 0) return epoch;
    uint64_t fresh = atomic_fetch_add(&forks.last, 1) + 1;
    return atomic_compare_exchange_strong(page, &epoch, fresh) ? fresh : epoch;
}

// The thread's generator itself: RAND_bytes would use a method or engine of the host.
static bool generate(const jose_library *library, uint8_t *out, size_t out_len)
{
    EVP_RAND_CTX *generator = RAND_get0_private(library->context);
    return generator != NULL && EVP_RAND_generate(generator, out, out_len, 0, 0, NULL, 0) == 1;
}

bool jose_random_forget(const jose_library *library, size_t drawn)
{
    uint8_t dummy[1];
    return drawn % BLOCK == 0 || generate(library, dummy, sizeof dummy);
}

bool jose_random_draw(const jose_library *library, uint8_t *out, size_t out_len)
{
    if (out_len == 0) return true;
    // Random numbers of a FIPS provider are not kept outside of it.
    uint64_t epoch = out_len <= MAX_BUFFERED && !library->is_fips ? jose_random_epoch() : 0;
    if (epoch == 0) {
        if (generate(library, out, out_len) && jose_random_forget(library, out_len)) return true;
        OPENSSL_cleanse(out, out_len);
        return false;
    }
    if (ahead.epoch != epoch || ahead.left < out_len) {
        ahead.left = 0;
        if (!generate(library, ahead.bytes, BUFFER)) {
            OPENSSL_cleanse(ahead.bytes, BUFFER);
            OPENSSL_cleanse(out, out_len);
            return false;
        }
        ahead.epoch = epoch;
        ahead.left = BUFFER;
    }
    uint8_t *next = ahead.bytes + BUFFER - ahead.left;
    ahead.left -= out_len;
    memcpy(out, next, out_len);
    OPENSSL_cleanse(next, out_len);
    return true;
}

jose_status jose_random(uint8_t *out, size_t out_len)
{
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    bool done = library != NULL && jose_random_draw(library, out, out_len);
    return done ? JOSE_OK : JOSE_INTERNAL;
}
