// batches.c: operations that run together, of keys that opted in and of others. Each result is
// right, whatever is wrong with its neighbours.

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cjosekernels.h"
#include "keymgmt/keymgmt.h"
#include "keys/key.h"
#include "private.h"

enum { MAX_ITEMS = 16 };

static const uint8_t text[] = "a header.a payload";

// An item of a batch: an operation with its subject, and a message of its own.
typedef struct {
    const operation *o;
    const subject *s;
    uint8_t message[sizeof text];
    ptrdiff_t index;
} item;

static void item_add(item *it, const operation *o, const subject *s, unsigned number,
                     jose_private_batch *batch)
{
    *it = (item){.o = o, .s = s, .index = -1};
    memcpy(it->message, text, sizeof text);
    it->message[0] = (uint8_t)number;
    it->index =
        o->kind == OAEP
            ? jose_private_batch_add_key(batch, o->opener, s->encrypted_key, s->size)
            : jose_private_batch_add_message(batch, o->signer, it->message, sizeof it->message);
    need(it->index >= 0);
}

static bool is_signature(const item *it, const uint8_t *signature)
{
    jose_signature *verifier = NULL;
    need(jose_signature_make(&verifier, it->s->key,
                             it->o->kind == PSS ? JOSE_RSA_PSS : JOSE_RSA_PKCS1, JOSE_SHA256, false,
                             JOSE_PROVIDER_ONLY) == JOSE_OK);
    const jose_status status = jose_signature_verify(verifier, it->message, sizeof it->message,
                                                     signature, it->s->size);
    jose_signature_free(verifier);
    return status == JOSE_OK;
}

// Opens with the block of another item: it must not be used.
static bool opens(const item *it, jose_private_batch *batch, ptrdiff_t index)
{
    uint8_t cek[CEK];
    memset(cek, 0x5a, CEK);
    const jose_recipient none = {0};
    const jose_unwrap call = {.recipient = &none,
                              .encrypted_key = it->s->encrypted_key,
                              .encrypted_key_len = it->s->size,
                              .computed = jose_private_batch_item(batch, (size_t)index)};
    jose_keymgmt_slot *slot = jose_keymgmt_take(it->o->opener);
    need(slot != NULL);
    const bool done = it->o->opener->entry->unwrap(it->o->opener, slot, &call, cek, CEK);
    jose_keymgmt_put(it->o->opener, slot);
    return done && memcmp(cek, it->s->cek, CEK) == 0;
}

static bool is_right(const item *it, jose_private_batch *batch)
{
    uint8_t out[MAX_BYTES];
    if (it->o->kind == OAEP) return opens(it, batch, it->index);
    need(jose_private_batch_result(batch, (size_t)it->index, out, it->s->size - 1) ==
         JOSE_INTERNAL);
    return jose_private_batch_result(batch, (size_t)it->index, out, it->s->size) == JOSE_OK &&
           is_signature(it, out);
}

// Runs a batch of `count` items, item i with operation i % kinds.
static bool runs_right(const operation *operations, const subject *const *subjects, int kinds,
                       int count)
{
    item items[MAX_ITEMS];
    jose_private_batch *batch = jose_private_batch_make((size_t)count);
    need(batch != NULL);
    for (int i = 0; i < count; i++)
        item_add(&items[i], &operations[i % kinds], subjects[i % kinds], (unsigned)i, batch);
    need(jose_private_batch_add_message(batch, operations[0].signer, text, sizeof text) == -1);
    jose_private_batch_run(batch);
    bool right = true;
    for (int i = 0; i < count; i++) right = right && is_right(&items[i], batch);
    jose_private_batch_free(batch);
    return right;
}

// MARK: what is not added

static void check_rejections(const operation *operations, const subject *s)
{
    jose_private_batch *batch = jose_private_batch_make(1000);
    uint8_t n[MAX_BYTES], out[MAX_BYTES];
    const jose_keymgmt *opener = operations[OAEP].opener;
    memcpy(n, s->key->numbers, s->size);
    need(jose_private_batch_add_key(batch, opener, n, s->size) == -1);
    n[s->size - 1] ^= 1;  // n - 1
    need(jose_private_batch_add_key(batch, opener, n, s->size) == -1);
    memset(n, 0, s->size);
    for (n[s->size - 1] = 0; n[s->size - 1] < 2; n[s->size - 1]++)
        need(jose_private_batch_add_key(batch, opener, n, s->size) == -1);
    need(jose_private_batch_add_key(batch, opener, s->encrypted_key, s->size - 1) == -1);
    need(jose_private_batch_add_key(batch, opener, s->encrypted_key, 0) == -1);
    need(jose_private_batch_add_digest(batch, operations[PSS].signer, text, 31) == -1);
    jose_signature *verifier = NULL;
    need(jose_signature_make(&verifier, s->key, JOSE_RSA_PSS, JOSE_SHA256, false, 0) == JOSE_OK);
    need(jose_private_batch_add_message(batch, verifier, text, sizeof text) == -1);
    jose_signature_free(verifier);
    operation alone = operation_make(s, PKCS1, accelerated | JOSE_PROVIDER_ONLY);
    need(jose_private_batch_add_message(batch, alone.signer, text, sizeof text) == -1);
    operation_free(&alone);
    alone = operation_make(s, OAEP, accelerated | JOSE_PROVIDER_ONLY);
    need(jose_private_batch_add_key(batch, alone.opener, s->encrypted_key, s->size) == -1);
    operation_free(&alone);
    for (int i = 0; i < JOSE_PRIVATE_BATCH_MAX; i++)
        need(jose_private_batch_add_message(batch, operations[PKCS1].signer, text, sizeof text) ==
             i);
    need(jose_private_batch_add_key(batch, opener, s->encrypted_key, s->size) == -1);
    need(jose_private_batch_result(batch, 0, out, s->size) == JOSE_INTERNAL);  // it did not run
    jose_private_batch_run(batch);
    need(jose_private_batch_result(batch, 0, out, s->size) == JOSE_OK);
    need(jose_private_batch_result(batch, JOSE_PRIVATE_BATCH_MAX, out, s->size) == JOSE_INTERNAL);
    jose_private_batch_free(batch);
    jose_private_batch_free(NULL);
}

// MARK: lanes

// The keys of one batch: all kinds of two subjects, and one that did not opt in.
enum { KINDS = 2 * OPERATIONS + 1 };

static void check_size(uint32_t bits, unsigned *injected)
{
    subject s = subject_make(bits), other = subject_make(bits == 4096 ? 4096 : bits + 1024);
    operation operations[KINDS];
    const subject *subjects[KINDS];
    for (int kind = 0; kind < OPERATIONS; kind++) {
        operations[kind] = operation_make(&s, kind, accelerated);
        operations[OPERATIONS + kind] = operation_make(&other, kind, accelerated);
        subjects[kind] = &s, subjects[OPERATIONS + kind] = &other;
    }
    operations[KINDS - 1] = operation_make(&s, PKCS1, 0);
    subjects[KINDS - 1] = &s;
    for (int i = 0; i < 20; i++) need(runs_right(operations, subjects, KINDS, KINDS));
    check_rejections(operations, &s);

    const bool has_lanes = (jose_private_kernels() & JOSE_USES_RSA_PRIVATE_X4) != 0;
    for (int count = 1; count <= MAX_ITEMS; count++) {
        const unsigned evp = evp_calls, lanes = fault_lane_calls();
        need(runs_right(operations, subjects, OPERATIONS, count));
        // Without lanes, operations of this size may have no kernel at all.
        if (has_lanes) need(evp_calls == evp);
        const unsigned rest = (unsigned)count % 4, full = (unsigned)count / 4;
        // Of 4096 bits the rest runs in lanes too, even one alone.
        const unsigned wanted = full + (bits > 3072 && rest > 0 ? 1 : 0);
        if (has_lanes) need(fault_lane_calls() - lanes == wanted);
    }
    for (int count = 1; count <= MAX_ITEMS; count++)
        need(runs_right(operations, subjects, KINDS, count));

    for (int step = 1; step < fault_steps(); step++)
        for (int call = 1; call <= 9; call++) {
            operation fresh[OPERATIONS];
            for (int kind = 0; kind < OPERATIONS; kind++)
                fresh[kind] = operation_make(&s, kind, accelerated);
            need(runs_right(fresh, subjects, OPERATIONS, 8));
            fault_arm(step, call);
            need(runs_right(fresh, subjects, OPERATIONS, 8));
            need(runs_right(fresh, subjects, OPERATIONS, 8));
            const bool was_reached = fault_disarm();
            need(runs_right(fresh, subjects, OPERATIONS, 8));
            for (int kind = 0; kind < OPERATIONS; kind++) operation_free(&fresh[kind]);
            if (!was_reached) break;
            ++*injected;
        }
    for (int i = 0; i < KINDS; i++) operation_free(&operations[i]);
    jose_key_release(s.key), jose_key_release(other.key);
}

static bool uses_lanes(const operation *o)
{
    return o->kind == OAEP ? jose_keymgmt_uses_lanes(o->opener)
                           : jose_signature_uses_lanes(o->signer);
}

// Only a prepared key of a size that has lanes uses them. Asking prepares nothing.
static void check_lanes(void)
{
    const bool has_lanes = (jose_private_kernels() & JOSE_USES_RSA_PRIVATE_X4) != 0;
    static const uint32_t sizes[] = {2048, 2560, 3072, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        subject s = subject_make(sizes[i]);
        for (int kind = 0; kind < OPERATIONS; kind++)
            for (int is_opted_in = 0; is_opted_in < 2; is_opted_in++) {
                operation o = operation_make(&s, kind, is_opted_in ? accelerated : 0);
                need(!uses_lanes(&o) && !uses_lanes(&o));
                for (int time = 0; time < 20; time++) need(operation_is_right(&o, &s));
                need(uses_lanes(&o) == (has_lanes && is_opted_in && sizes[i] != 2560));
                atomic_fetch_or(&jose_kernels_disabled, JOSE_KERNEL_RSA_PRIVATE_X4);
                need(!uses_lanes(&o));
                atomic_fetch_and(&jose_kernels_disabled, ~JOSE_KERNEL_RSA_PRIVATE_X4);
                operation_free(&o);
            }
        jose_key_release(s.key);
    }
}

// Operations that opted in, but have no lanes, do not take the places of others.
static void check_places(void)
{
    subject subjects[2] = {subject_make(2048), subject_make(2048)};
    operation operations[2];
    for (int i = 0; i < 2; i++) {
        break_mlock(i == 0);
        operations[i] = operation_make(&subjects[i], PKCS1, accelerated);
        for (int time = 0; time < 20; time++)
            need(operation_is_right(&operations[i], &subjects[i]));
    }
    const subject *const both[2] = {&subjects[0], &subjects[1]};
    const unsigned before = fault_lane_calls();
    need(runs_right(operations, both, 2, MAX_ITEMS));
    if ((jose_private_kernels() & JOSE_USES_RSA_PRIVATE_X4) != 0)
        need(fault_lane_calls() - before == MAX_ITEMS / 2 / 4);
    for (int i = 0; i < 2; i++) operation_free(&operations[i]), jose_key_release(subjects[i].key);
}

// MARK: blocks of others, forks

static void check_binding(void)
{
    subject a = subject_make(2048), b = subject_make(2048);
    operation first = operation_make(&a, OAEP, accelerated);
    operation second = operation_make(&b, OAEP, accelerated);
    item items[2];
    jose_private_batch *batch = jose_private_batch_make(2);
    item_add(&items[0], &first, &a, 0, batch);
    item_add(&items[1], &second, &b, 1, batch);
    need(opens(&items[0], batch, 0));  // it did not run yet
    jose_private_batch_run(batch);
    need(opens(&items[0], batch, 1) && opens(&items[0], batch, 7) && opens(&items[1], batch, 0));
    for (size_t i = 0; i < 2; i++) {  // a block is used once, and wiped
        const jose_private_item *made = jose_private_batch_item(batch, i);
        static const uint8_t zeros[sizeof made->out];
        need(made->status == JOSE_OK && memcmp(made->out, zeros, a.size) != 0);
        need(opens(&items[i], batch, (ptrdiff_t)i));
        need(made->status == JOSE_INTERNAL && memcmp(made->out, zeros, sizeof made->out) == 0);
        need(opens(&items[i], batch, (ptrdiff_t)i));
    }
    jose_private_batch_free(batch);
    operation_free(&first), operation_free(&second);

    operation signer = operation_make(&a, PSS, accelerated);
    const subject *const subjects[] = {&a};
    for (int i = 0; i < 8; i++) need(runs_right(&signer, subjects, 1, 4));
    batch = jose_private_batch_make(8);
    for (unsigned i = 0; i < 2; i++) item_add(&items[i], &signer, &a, i, batch);
    item more[2];
    for (unsigned i = 0; i < 2; i++) item_add(&more[i], &signer, &a, 2 + i, batch);
    int status = 0;
    const pid_t child = fork();
    need(child >= 0);
    jose_private_batch_run(batch);
    bool right = true;
    for (int i = 0; i < 2; i++)
        right = right && is_right(&items[i], batch) && is_right(&more[i], batch);
    if (child == 0) _exit(!right);
    need(right && waitpid(child, &status, 0) == child && status == 0);
    jose_private_batch_free(batch);
    operation_free(&signer);
    jose_key_release(a.key), jose_key_release(b.key);
}

// A changed bit of a digest while lanes sign its block: no signature of either.
static void check_digest(const operation *o, const subject *s)
{
    uint8_t out[MAX_BYTES];
    jose_private_batch *batch = jose_private_batch_make(4);
    for (int i = 0; i < 4; i++)
        need(jose_private_batch_add_message(batch, o->signer, text, sizeof text) == i);
    fault_lane_digest(true);
    jose_private_batch_run(batch);
    fault_lane_digest(false);
    for (size_t i = 0; i < 4; i++)
        need(jose_private_batch_result(batch, i, out, s->size) ==
             (i == 0 ? JOSE_INTERNAL : JOSE_OK));
    jose_private_batch_free(batch);
}

// A changed bit of a block that lanes sign: the check finds the same wrong block, so it is compared
// with its digest and computed again.
static void check_blocks(void)
{
    static const int bytes[] = {1, 100, 200, 210, 224, 255};
    subject s = subject_make(2048);
    const subject *const subjects[] = {&s};
    const bool has_lanes = (jose_private_kernels() & JOSE_USES_RSA_PRIVATE_X4) != 0;
    for (int kind = PKCS1; kind <= PSS; kind++) {
        operation o = operation_make(&s, kind, accelerated);
        operation_warm(&o, &s);
        for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
            const unsigned evp = evp_calls, lanes = fault_lane_calls();
            const unsigned singles = fault_single_calls();
            fault_lane_byte(bytes[i]);
            need(runs_right(&o, subjects, 1, 4) && evp_calls == evp);
            fault_lane_byte(-1);
            if (!has_lanes) continue;
            need(fault_lane_calls() == lanes + 1 && fault_single_calls() == singles + 1);
            need(runs_right(&o, subjects, 1, 4) && fault_single_calls() == singles + 1);
        }
        if (has_lanes) check_digest(&o, &s);
        operation_free(&o);
    }
    jose_key_release(s.key);
}

// MARK: items that fail

static jose_status result_of(const jose_private_batch *batch, const item *it)
{
    uint8_t out[MAX_BYTES];
    return jose_private_batch_result(batch, (size_t)it->index, out, it->s->size);
}

// A failed item has the status that it has alone, whatever entries the items before it left.
static void check_statuses(void)
{
    subject s = subject_make(2048);
    s.key->is_imported = true;  // an entry about RSA then means a bad key
    operation opener = operation_make(&s, OAEP, 0), signer = operation_make(&s, PKCS1, 0);
    item items[2];
    jose_private_batch *batch = jose_private_batch_make(2);
    item_add(&items[0], &opener, &s, 0, batch);
    item_add(&items[1], &signer, &s, 1, batch);
    evp_fail(EVP_FAILS);
    uint8_t out[MAX_BYTES];
    need(jose_signature_sign(signer.signer, out, s.size, text, sizeof text) == JOSE_INTERNAL);
    jose_private_batch_run(batch);
    evp_fail(EVP_WORKS);
    for (int i = 0; i < 2; i++) need(result_of(batch, &items[i]) == JOSE_INTERNAL);
    jose_private_batch_free(batch);
    operation_free(&opener), operation_free(&signer);
    jose_key_release(s.key);
}

// A context that fails is not used again: only its item fails, as in single calls.
static void check_contexts(void)
{
    subject s = subject_make(2048);
    const subject *const subjects[] = {&s};
    for (int kind = PKCS1; kind <= PSS; kind++) {
        operation o = operation_make(&s, kind, 0);
        item items[MAX_ITEMS];
        jose_private_batch *batch = jose_private_batch_make(MAX_ITEMS);
        for (int i = 0; i < MAX_ITEMS; i++) item_add(&items[i], &o, &s, (unsigned)i, batch);
        evp_fail(EVP_CONTEXT_FAILS);
        jose_private_batch_run(batch);
        need(result_of(batch, &items[0]) == JOSE_INTERNAL);
        for (int i = 1; i < MAX_ITEMS; i++) need(is_right(&items[i], batch));
        need(runs_right(&o, subjects, 1, MAX_ITEMS));
        evp_fail(EVP_WORKS);
        jose_private_batch_free(batch);
        operation_free(&o);
    }
    jose_key_release(s.key);
}

void check_batches(void)
{
    unsigned injected = 0;
    const jose_kernel_set before = jose_private_kernels();
    check_lanes();
    check_places();
    check_binding();
    check_blocks();
    check_statuses();
    check_contexts();
    for (uint32_t bits = 2048; bits <= 4096; bits += 1024) check_size(bits, &injected);
    need(injected > 0 && jose_private_kernels() == before);
    printf("private  batches: right, also with %u errors in a step\n", injected);
}
