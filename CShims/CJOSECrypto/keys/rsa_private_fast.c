// rsa_private_fast.c: RSA private operations by a vector kernel, for keys that opted in.
//
// A result is used only if result^e mod n is the input, computed with another copy of n and e.
// Otherwise EVP computes. Errors are attributed as in rsa_fast.c.

#include "rsa_private_fast.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include "runtime/host.h"
#include "runtime/random.h"

static _Atomic(jose_unlocked_watcher) watcher;

void jose_unlocked_keys_watch(jose_unlocked_watcher listener)
{
    atomic_store(&watcher, listener);
}

#if JOSE_KERNELS_X86

// A prepared key. It lives as long as its jose_rsa_private_fast, even after it is replaced, since
// threads may still use it.
typedef struct prepared {
    int kernel;  // its number, or -1 if no kernel may compute
    jose_rsa_private_key *key;
    uint64_t epoch;             // when it was made; a child of fork has zeros in place of the key
    bool lacks_lock;            // memory for the key could not be locked
    atomic_uint unlocked_uses;  // uses since that shortage
    struct prepared *older;
} prepared;

struct jose_rsa_private_fast {
    const jose_library *library;
    const jose_key *key;
    jose_rsa_fast *check;
    bool floating;
    _Atomic(prepared *) made;     // NULL before the first use and after a drop
    _Atomic(prepared *) dropped;  // a list
    atomic_uint shortages;        // tries that could lock no memory while other threads prepared
    atomic_uint differences[JOSE_RSA_KERNELS], corruptions[JOSE_RSA_KERNELS];
    _Atomic jose_private_acceleration state;
    _Atomic uint64_t reported;  // epoch + 1 of the last report that memory is not locked, or 0
};

// MARK: the prepared key

static void prepared_free(prepared *item)
{
    if (item == NULL) return;
    jose_rsa_private_key_free(item->key);
    OPENSSL_free(item);
}

// The bits of the kernels that one operation of this size uses.
static unsigned bits_of(const jose_rsa_private_kernel *entry, size_t size)
{
    return size > JOSE_RSA_MAX_ALONE ? entry->one | entry->together : entry->one;
}

static bool may_use(const jose_rsa_private_fast *fast, int kernel, size_t size)
{
    const jose_rsa_private_kernel *entry = &jose_rsa_private_kernels[kernel];
    return entry->is_present() && (fast->floating || !entry->is_floating) &&
           size <= entry->max_one &&
           atomic_load_explicit(&fast->differences[kernel], memory_order_relaxed) <
               JOSE_RSA_MAX_DIFFERENCES &&
           atomic_load_explicit(&fast->corruptions[kernel], memory_order_relaxed) <
               JOSE_RSA_MAX_CORRUPTIONS &&
           jose_kernel_usable_at(entry->one, size) &&
           !jose_kernel_is_off(bits_of(entry, size));
}

// Returns the kernel's number, or -1. *is_untested is set if there was no memory to test one.
static int choose(const jose_rsa_private_fast *fast, size_t size, bool *is_untested)
{
    *is_untested = false;
    for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++) {
        const jose_rsa_private_kernel *entry = &jose_rsa_private_kernels[kernel];
        // Read before the test: another thread may finish one meanwhile.
        const bool was_untested = entry->is_present() && (fast->floating || !entry->is_floating) &&
                                  size <= entry->max_one &&
                                  jose_kernel_is_untested(entry->one, size);
        if (may_use(fast, kernel, size)) return kernel;
        *is_untested |= was_untested && !jose_kernel_is_off(bits_of(entry, size));
    }
    return -1;
}

enum { PARTS = 5 };

// Reads p, q, dp, dq and qi, each padded to `half` bytes. A larger number gives JOSE_RSA_NOT_TAKEN.
static jose_rsa_preparation read_parts(const jose_rsa_private_fast *fast,
                                       uint8_t parts[PARTS][256], int half)
{
    static const char *const names[PARTS] = {
        OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    jose_rsa_preparation result = JOSE_RSA_PREPARED;
    for (int i = 0; result == JOSE_RSA_PREPARED && i < PARTS; i++) {
        BIGNUM *number = NULL;
        const bool is_read = EVP_PKEY_get_bn_param(fast->key->pkey, names[i], &number) == 1;
        // As in rsa_private.c: without memory libcrypto returns another number and an error entry.
        if (jose_take_system_failure())
            result = JOSE_RSA_NO_MEMORY;
        else if (!is_read || BN_bn2binpad(number, parts[i], half) != half)
            result = JOSE_RSA_NOT_TAKEN;
        BN_clear_free(number);
    }
    return result;
}

// If item->key stays NULL, EVP computes. JOSE_PRIVATE_WAITING: the next use tries again.
static jose_private_acceleration prepare(const jose_rsa_private_fast *fast, prepared *item)
{
    const jose_number n = jose_key_number(fast->key, 0), e = jose_key_number(fast->key, 1);
    bool is_untested;
    item->kernel = choose(fast, n.len, &is_untested);
    if (item->kernel < 0) return is_untested ? JOSE_PRIVATE_WAITING : JOSE_PRIVATE_UNAVAILABLE;
    uint8_t parts[PARTS][256];
    jose_rsa_preparation result = JOSE_RSA_NO_MEMORY;
    BIGNUM *modulus = BN_bin2bn(n.bytes, (int)n.len, NULL);
    BIGNUM *exponent = BN_bin2bn(e.bytes, (int)e.len, NULL);
    if (modulus != NULL && exponent != NULL) result = read_parts(fast, parts, (int)n.len / 2);
    if (result == JOSE_RSA_PREPARED) {
        const jose_rsa_crt crt = {modulus, exponent, parts[0], parts[1],
                                  parts[2], parts[3], parts[4]};
        result = jose_rsa_private_key_new(&item->key, item->kernel, &crt);
    }
    OPENSSL_cleanse(parts, sizeof parts);
    BN_free(modulus);
    BN_free(exponent);
    if (result != JOSE_RSA_PREPARED) item->kernel = -1;
    switch (result) {
    case JOSE_RSA_PREPARED: return JOSE_PRIVATE_IN_USE;
    case JOSE_RSA_NOT_LOCKED: return JOSE_PRIVATE_NOT_LOCKED;
    case JOSE_RSA_NO_MEMORY: return JOSE_PRIVATE_WAITING;
    default: return JOSE_PRIVATE_UNAVAILABLE;
    }
}

// `next` may be NULL. The old key stays until jose_rsa_private_fast_free. Of several threads that
// replace the same key, one gets true.
static bool replace(jose_rsa_private_fast *fast, prepared *old, prepared *next)
{
    prepared *expected = old;
    if (!atomic_compare_exchange_strong_explicit(&fast->made, &expected, next,
                                                 memory_order_acq_rel, memory_order_relaxed))
        return false;
    if (old == NULL) return true;
    old->older = atomic_load_explicit(&fast->dropped, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&fast->dropped, &old->older, old,
                                                  memory_order_release, memory_order_relaxed)) {}
    return true;
}

static bool is_current(const prepared *item, uint64_t epoch)
{
    return item != NULL && item->epoch == epoch &&
           (item->kernel < 0 ||
            !jose_kernel_is_off(bits_of(&jose_rsa_private_kernels[item->kernel],
                                        jose_rsa_private_key_bytes(item->key))));
}

// Reports once for an operation in a process. The epoch is 0 while forks cannot be detected.
static void report_unlocked(jose_rsa_private_fast *fast, uint64_t epoch)
{
    const uint64_t before = atomic_exchange(&fast->reported, epoch + 1);
    if (before == epoch + 1 || before == 1 || (before != 0 && epoch == 0)) return;
    const jose_unlocked_watcher listener = atomic_load(&watcher);
    if (listener != NULL) listener(fast->key->bits);
}

// The shortage may pass, so the 256th use after it, the 512th, the 1,024th and so on try again.
static bool is_retry_due(prepared *item)
{
    enum { FIRST_RETRY = 256 };
    if (!item->lacks_lock) return false;
    const unsigned uses =
        atomic_fetch_add_explicit(&item->unlocked_uses, 1, memory_order_relaxed) + 1;
    return uses >= FIRST_RETRY && (uses & (uses - 1)) == 0;
}

// The threads that prepare a key in an epoch: how many began, and how many are still running.
typedef struct {
    uint32_t epoch;
    uint16_t begun, running;
} preparers;

static _Atomic preparers preparing;

static preparers begin_preparing(uint64_t epoch)
{
    preparers now = atomic_load(&preparing), next;
    do {
        next = now.epoch == (uint32_t)epoch ? now : (preparers){(uint32_t)epoch, 0, 0};
        next.begun++, next.running++;
    } while (!atomic_compare_exchange_weak(&preparing, &now, next));
    return next;
}

static bool was_alone(preparers mine)
{
    return mine.running == 1 && atomic_load(&preparing).begun == mine.begun;
}

static bool is_shortage_final(jose_rsa_private_fast *fast, preparers mine)
{
    enum { MAX_SHORTAGES = 16 };
    return was_alone(mine) || atomic_fetch_add(&fast->shortages, 1) + 1 >= MAX_SHORTAGES;
}

static void end_preparing(void)
{
    preparers now = atomic_load(&preparing), next;
    do {
        next = now;
        next.running--;
    } while (!atomic_compare_exchange_weak(&preparing, &now, next));
}

// Returns the prepared key of this epoch, or NULL if EVP must compute this time. If threads arrive
// together, the first result is kept. While several threads prepare keys, they use more locked
// memory than the result needs. So a thread concludes that memory cannot be locked only if it alone
// prepares, or in the last of MAX_SHORTAGES tries. A retry that fails changes nothing.
static prepared *current(jose_rsa_private_fast *fast, uint64_t epoch)
{
    prepared *found = atomic_load_explicit(&fast->made, memory_order_acquire);
    const bool is_retry = is_current(found, epoch);
    if (is_retry && !is_retry_due(found)) return found;
    prepared *next = OPENSSL_zalloc(sizeof *next);
    if (next == NULL) return NULL;
    const preparers mine = begin_preparing(epoch);
    const jose_private_acceleration state = prepare(fast, next);
    next->epoch = epoch;
    next->lacks_lock = state == JOSE_PRIVATE_NOT_LOCKED;
    (void)jose_take_system_failure();  // empties the error queue
    const bool is_final = is_retry ? state == JOSE_PRIVATE_IN_USE
                                   : state != JOSE_PRIVATE_WAITING &&
                                         (state != JOSE_PRIVATE_NOT_LOCKED ||
                                          is_shortage_final(fast, mine));
    const bool is_kept = is_final && replace(fast, found, next);
    if (!is_kept) prepared_free(next);
    end_preparing();
    if (is_kept) {
        atomic_store_explicit(&fast->state, state, memory_order_relaxed);
        if (state == JOSE_PRIVATE_NOT_LOCKED) report_unlocked(fast, epoch);
        return next;
    }
    if (!is_final) return NULL;
    found = atomic_load_explicit(&fast->made, memory_order_acquire);
    return is_current(found, epoch) ? found : NULL;
}

// MARK: blinding

static bool is_fresh(const jose_rsa_blinding_slot *slot, const jose_rsa_private_key *key,
                     uint64_t epoch, unsigned uses)
{
    return slot->key == key && slot->epoch == epoch && slot->uses_left >= uses;
}

// MARK: operation

// What `begin` finds for one operation.
typedef struct {
    const jose_rsa_precomp *check;
    prepared *item;
    size_t size;  // of the modulus: the key, the check and the prepared key agree
} ready;

// Drops the prepared key and the blinding after a wrong result. No message can cause one, but the
// maker of a key can choose a composite p or q. After the second report the key stops using the
// kernel, and the kernel is retested.
static void report_difference(jose_rsa_private_fast *fast, prepared *item,
                              jose_rsa_blinding_slot *blinding)
{
    blinding->key = NULL;  // the pair may be the cause
    const jose_rsa_private_kernel *entry = &jose_rsa_private_kernels[item->kernel];
    if (replace(fast, item, NULL) &&
        atomic_fetch_add(&fast->differences[item->kernel], 1) + 1 == JOSE_RSA_MAX_DIFFERENCES)
        jose_kernel_retest(entry->one | entry->together);
}

static void report_corruption(jose_rsa_private_fast *fast, prepared *item,
                              jose_rsa_blinding_slot *blinding)
{
    blinding->key = NULL;
    if (replace(fast, item, NULL)) atomic_fetch_add(&fast->corruptions[item->kernel], 1);
}

// Makes a new pair for a prepared key. The kernel checks the key first.
static bool renew(jose_rsa_private_fast *fast, jose_rsa_blinding_slot *slot, prepared *item,
                  size_t size, uint64_t epoch)
{
    enum { TRIES = 64 };  // each fails with a probability below one half
    uint8_t random[JOSE_RSA_KERNEL_MAX_BYTES], stagger;
    if (slot->pair == NULL) slot->pair = jose_rsa_blinding_new();
    if (slot->pair == NULL || !jose_random_draw(fast->library, &stagger, 1)) return false;
    jose_rsa_outcome outcome = JOSE_RSA_DECLINED;
    for (int i = 0; i < TRIES && outcome == JOSE_RSA_DECLINED; i++) {
        if (!jose_random_draw(fast->library, random, size)) break;
        outcome = jose_rsa_blinding_renew(item->key, slot->pair, random);
    }
    OPENSSL_cleanse(random, sizeof random);
    slot->key = outcome == JOSE_RSA_DONE ? item->key : NULL;
    slot->epoch = epoch;
    slot->uses_left = JOSE_RSA_BLINDING_MIN_USES + stagger;
    if (outcome == JOSE_RSA_CORRUPTED) report_corruption(fast, item, slot);
    return outcome == JOSE_RSA_DONE;
}

// No checksum covers check->size, so it is compared before its use.
static bool has_size(jose_rsa_private_fast *fast, const jose_rsa_precomp *check, size_t size)
{
    if (check->size == size) return size != 0;
    jose_rsa_fast_report_corruption(fast->check, check);
    return false;
}

// Whether result^e is `in`. The result may be secret, so the operation is computed as for
// encryption, which leaves no copies of its operand. If that operation fails, the result is not
// reported as wrong. The sizes must still agree: a wrong size would compare fewer bytes.
static bool is_right(jose_rsa_private_fast *fast, const ready *made,
                     jose_rsa_blinding_slot *blinding, const uint8_t *result, const uint8_t *in)
{
    uint8_t opened[JOSE_RSA_KERNEL_MAX_BYTES];
    const jose_rsa_precomp *check = made->check;
    const size_t size = made->size;
    if (fast->key->number_bytes[0] != size || !has_size(fast, check, size) ||
        jose_rsa_private_key_bytes(made->item->key) != size)
        return false;
    const jose_rsa_outcome outcome = check->kernel->encrypt(check->vector, opened, result);
    if (outcome == JOSE_RSA_CORRUPTED) jose_rsa_fast_report_corruption(fast->check, check);
    if (outcome != JOSE_RSA_DONE) return false;
    uint8_t seen = 0;
    for (size_t i = 0; i < size; i++) seen |= opened[i] ^ in[i];
    if (jose_declassify(seen == 0)) return true;
    OPENSSL_cleanse(opened, sizeof opened);  // a wrong result's power can reveal a prime
    report_difference(fast, made->item, blinding);
    return false;
}

// Whether these constants may check a secret result. Only a kernel may: OpenSSL's Montgomery
// functions would keep a copy of the result. Kernels that use doubles need their own opt-in.
static bool may_check(const jose_rsa_private_fast *fast, const jose_rsa_precomp *check)
{
    return check != NULL && check->kernel != NULL &&
           (fast->floating || !jose_rsa_private_kernels[check->impl].is_floating);
}

// Returns false if EVP must compute. The blinding will be used at most `uses` times.
static bool begin(ready *made, jose_rsa_private_fast *fast, jose_rsa_blinding_slot *blinding,
                  uint64_t epoch, unsigned uses)
{
    if (fast == NULL) return false;
    made->check = jose_rsa_fast_precomp(fast->check);
    made->size = fast->key->number_bytes[0];
    if (!may_check(fast, made->check) || !has_size(fast, made->check, made->size)) return false;
    if (epoch == 0) {  // forks cannot be detected: reported as memory that cannot be locked
        atomic_store_explicit(&fast->state, JOSE_PRIVATE_NOT_LOCKED, memory_order_relaxed);
        report_unlocked(fast, epoch);
        return false;
    }
    made->item = current(fast, epoch);
    if (made->item == NULL || made->item->kernel < 0) return false;
    if (jose_rsa_private_key_bytes(made->item->key) != made->size) {
        report_corruption(fast, made->item, blinding);
        return false;
    }
    return is_fresh(blinding, made->item->key, epoch, uses) ||
           renew(fast, blinding, made->item, made->size, epoch);
}

// Wipes a result that is not used.
static bool finish(const ready *made, jose_rsa_private_fast *fast, jose_rsa_blinding_slot *blinding,
                   jose_rsa_outcome outcome, uint8_t *out, const uint8_t *in)
{
    if (outcome == JOSE_RSA_DONE && is_right(fast, made, blinding, out, in))
        return true;
    if (outcome == JOSE_RSA_CORRUPTED) report_corruption(fast, made->item, blinding);
    OPENSSL_cleanse(out, made->size);
    return false;
}

bool jose_rsa_private_fast_run(jose_rsa_private_fast *fast, jose_rsa_blinding_slot *blinding,
                               uint8_t *out, const uint8_t *in)
{
    ready made;
    if (!begin(&made, fast, blinding, jose_random_epoch(), 1)) return false;
    blinding->uses_left--;
    const jose_rsa_outcome outcome =
        jose_rsa_private_run(made.item->key, blinding->pair, out, in);
    return finish(&made, fast, blinding, outcome, out, in);
}

// MARK: operations together

enum { LANES = JOSE_RSA_PRIVATE_LANES };

// Four lanes take as long as three operations alone; above JOSE_RSA_MAX_ALONE, as long as one.
int jose_rsa_private_worthwhile(size_t size)
{
    return size > JOSE_RSA_MAX_ALONE ? 2 : LANES;
}

static bool has_lanes(const prepared *item, size_t size)
{
    const jose_rsa_private_kernel *entry = &jose_rsa_private_kernels[item->kernel];
    return entry->together != 0 && size <= entry->max_together &&
           jose_kernel_usable_at(entry->together, size);
}

bool jose_rsa_private_fast_has_lanes(const jose_rsa_private_fast *fast)
{
    if (fast == NULL) return false;
    const prepared *item = atomic_load_explicit(&fast->made, memory_order_acquire);
    const size_t size = fast->key->number_bytes[0];
    return is_current(item, jose_random_epoch()) && item->kernel >= 0 &&
           !jose_kernel_is_untested(jose_rsa_private_kernels[item->kernel].together, size) &&
           has_lanes(item, size);
}

bool jose_rsa_private_fast_lacks_lanes(const jose_rsa_private_fast *fast)
{
    if (fast == NULL) return true;
    const prepared *item = atomic_load_explicit(&fast->made, memory_order_acquire);
    return is_current(item, jose_random_epoch()) &&
           (item->kernel < 0 || !has_lanes(item, fast->key->number_bytes[0]));
}

// Jobs with one blinding share its prepared key: threads that replace the key meanwhile must not
// change a blinding that an earlier job of this call uses.
static bool begin_lane(const jose_rsa_private_job *jobs, ready made[LANES], const bool *runs, int i,
                       uint64_t epoch)
{
    for (int j = 0; j < i; j++)
        if (runs[j] && jobs[j].blinding == jobs[i].blinding) {
            made[i] = made[j];
            return true;
        }
    if (!begin(&made[i], jobs[i].fast, jobs[i].blinding, epoch, LANES)) return false;
    return has_lanes(made[i].item, made[i].size);
}

unsigned jose_rsa_private_fast_run_together(const jose_rsa_private_job *jobs, int count)
{
    const uint64_t epoch = jose_random_epoch();
    if (count == 0 || count < jose_rsa_private_worthwhile(jobs[0].fast->key->number_bytes[0]))
        return 0;
    ready made[LANES];
    bool runs[LANES] = {false};
    const jose_rsa_private_key *keys[LANES] = {NULL};
    jose_rsa_blinding *blindings[LANES] = {NULL};
    uint8_t *out[LANES] = {NULL};
    const uint8_t *in[LANES] = {NULL};
    int running = 0;
    for (int i = 0; i < count; i++) {
        runs[i] = begin_lane(jobs, made, runs, i, epoch);
        if (!runs[i]) continue;
        keys[i] = made[i].item->key;
        blindings[i] = jobs[i].blinding->pair;
        out[i] = jobs[i].out;
        in[i] = jobs[i].in;
        running++;
    }
    if (running < jose_rsa_private_worthwhile(jobs[0].fast->key->number_bytes[0])) return 0;
    const jose_rsa_lanes lanes = jose_rsa_private_run_together(keys, blindings, out, in);
    unsigned done = 0;
    for (int i = 0; i < count; i++) {
        if (!runs[i]) continue;
        jobs[i].blinding->uses_left--;
        const jose_rsa_outcome outcome = (lanes.done >> i & 1) != 0        ? JOSE_RSA_DONE
                                         : (lanes.corrupted >> i & 1) != 0 ? JOSE_RSA_CORRUPTED
                                                                           : JOSE_RSA_DECLINED;
        if (finish(&made[i], jobs[i].fast, jobs[i].blinding, outcome, out[i], in[i]))
            done |= 1u << i;
    }
    return done;
}

// MARK: the rest

jose_rsa_private_fast *jose_rsa_private_fast_new(const jose_library *library, const jose_key *key,
                                                 jose_rsa_fast *check, bool floating)
{
    if (check == NULL) return NULL;
    jose_rsa_private_fast *fast = OPENSSL_zalloc(sizeof *fast);
    if (fast == NULL) return NULL;
    fast->library = library;
    fast->key = key;
    fast->check = check;
    fast->floating = floating;
    atomic_init(&fast->made, NULL);
    atomic_init(&fast->dropped, NULL);
    atomic_init(&fast->shortages, 0);
    for (int kernel = 0; kernel < JOSE_RSA_KERNELS; kernel++) {
        atomic_init(&fast->differences[kernel], 0);
        atomic_init(&fast->corruptions[kernel], 0);
    }
    atomic_init(&fast->state, JOSE_PRIVATE_WAITING);
    atomic_init(&fast->reported, 0);
    return fast;
}

void jose_rsa_private_fast_free(jose_rsa_private_fast *fast)
{
    if (fast == NULL) return;
    prepared_free(atomic_load_explicit(&fast->made, memory_order_acquire));
    prepared *next, *item = atomic_load_explicit(&fast->dropped, memory_order_acquire);
    for (; item != NULL; item = next) {
        next = item->older;
        prepared_free(item);
    }
    OPENSSL_free(fast);
}

jose_private_acceleration jose_rsa_private_fast_state(const jose_rsa_private_fast *fast)
{
    if (fast == NULL) return JOSE_PRIVATE_NOT_REQUESTED;
    return atomic_load_explicit(&fast->state, memory_order_relaxed);
}

void jose_rsa_blinding_slot_clear(jose_rsa_blinding_slot *slot)
{
    jose_rsa_blinding_free(slot->pair);
    slot->pair = NULL;
    slot->key = NULL;
}

#else

jose_rsa_private_fast *jose_rsa_private_fast_new(const jose_library *library, const jose_key *key,
                                                 jose_rsa_fast *check, bool floating)
{
    (void)library, (void)key, (void)check, (void)floating;
    return NULL;
}

void jose_rsa_private_fast_free(jose_rsa_private_fast *fast)
{
    (void)fast;
}

bool jose_rsa_private_fast_run(jose_rsa_private_fast *fast, jose_rsa_blinding_slot *blinding,
                               uint8_t *out, const uint8_t *in)
{
    (void)fast, (void)blinding, (void)out, (void)in;
    return false;
}

int jose_rsa_private_worthwhile(size_t size)
{
    return (void)size, JOSE_RSA_PRIVATE_LANES;
}

bool jose_rsa_private_fast_has_lanes(const jose_rsa_private_fast *fast)
{
    return (void)fast, false;
}

bool jose_rsa_private_fast_lacks_lanes(const jose_rsa_private_fast *fast)
{
    return (void)fast, true;
}

unsigned jose_rsa_private_fast_run_together(const jose_rsa_private_job *jobs, int count)
{
    return (void)jobs, (void)count, 0;
}

jose_private_acceleration jose_rsa_private_fast_state(const jose_rsa_private_fast *fast)
{
    return (void)fast, JOSE_PRIVATE_NOT_REQUESTED;
}

void jose_rsa_blinding_slot_clear(jose_rsa_blinding_slot *slot)
{
    (void)slot;
}

#endif
