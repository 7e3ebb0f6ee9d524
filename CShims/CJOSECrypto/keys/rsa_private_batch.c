// rsa_private_batch.c: runs the private operations of a batch, four at once where the keys opted in
// to kernels, the others one by one. An item that fails in its lane is computed again alone.

#include "rsa_private_batch.h"

#include <openssl/crypto.h>
#include <string.h>

#include "runtime/host.h"

struct jose_private_batch {
    size_t capacity, count;
    jose_private_item items[];
};

size_t jose_private_batch_worthwhile(size_t modulus_len)
{
    return (size_t)jose_rsa_private_worthwhile(modulus_len);
}

static size_t bytes_of(size_t capacity)
{
    return sizeof(jose_private_batch) + capacity * sizeof(jose_private_item);
}

jose_private_batch *jose_private_batch_make(size_t capacity)
{
    if (capacity > JOSE_PRIVATE_BATCH_MAX) capacity = JOSE_PRIVATE_BATCH_MAX;
    JOSE_HOST_SCOPE;  // since OpenSSL 3.2, a failed allocation leaves an error entry
    jose_private_batch *batch = OPENSSL_zalloc(bytes_of(capacity));
    if (batch != NULL) batch->capacity = capacity;
    return batch;
}

void jose_private_batch_free(jose_private_batch *batch)
{
    if (batch != NULL) OPENSSL_clear_free(batch, bytes_of(batch->capacity));
}

jose_private_item *jose_private_batch_next(jose_private_batch *batch)
{
    return batch->count == batch->capacity ? NULL : &batch->items[batch->count];
}

ptrdiff_t jose_private_batch_take(jose_private_batch *batch)
{
    batch->items[batch->count].status = JOSE_INTERNAL;
    return (ptrdiff_t)batch->count++;
}

jose_private_item *jose_private_batch_item(jose_private_batch *batch, size_t index)
{
    return index < batch->count ? &batch->items[index] : NULL;
}

// MARK: slots

// Sets the slot of all items with this item's operation, so that they share one blinding.
static void share_slot(jose_private_batch *batch, const jose_private_item *item, void *slot)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->items[i].operation == item->operation) batch->items[i].slot = slot;
}

static void take_slot(jose_private_batch *batch, const jose_private_item *item)
{
    if (item->slot == NULL) share_slot(batch, item, item->family->take(item->operation));
}

static void put_slot(jose_private_batch *batch, const jose_private_item *item, bool failed)
{
    void *slot = item->slot;
    if (slot == NULL) return;
    share_slot(batch, item, NULL);
    item->family->put(item->operation, slot, failed);
}

// MARK: lanes

enum { LANES = JOSE_RSA_PRIVATE_LANES };
_Static_assert(JOSE_PRIVATE_BATCH_LANES == JOSE_RSA_PRIVATE_LANES, "the lanes of a batch");

// The result for a changed input passes the check of results, so the input is checked too.
static bool is_intact(const jose_private_item *item)
{
    return item->family->is_intact == NULL || item->family->is_intact(item->operation, item);
}

static void run_lanes(jose_private_item *const *items, size_t count)
{
    jose_rsa_private_job jobs[LANES];
    for (size_t i = 0; i < count; i++)
        jobs[i] = (jose_rsa_private_job){
            items[i]->family->fast(items[i]->operation),
            items[i]->family->blinding(items[i]->slot),
            items[i]->out,
            items[i]->in,
        };
    const unsigned done = jose_rsa_private_fast_run_together(jobs, (int)count);
    for (size_t i = 0; i < count; i++)
        if ((done >> i & 1) != 0 && is_intact(items[i])) items[i]->status = JOSE_OK;
}

static void run_size(jose_private_batch *batch, size_t size)
{
    jose_private_item *lanes[LANES];
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        jose_private_item *item = &batch->items[i];
        // An operation that cannot use lanes would occupy the lane of one that can.
        if (item->size != size || item->slot == NULL ||
            jose_rsa_private_fast_lacks_lanes(item->family->fast(item->operation)))
            continue;
        lanes[count++] = item;
        if (count < LANES) continue;
        run_lanes(lanes, count);
        count = 0;
    }
    run_lanes(lanes, count);
}

// Runs as a single call does, with its own error queue. After a failure the slot goes back.
static void run_alone(jose_private_batch *batch, jose_private_item *item)
{
    JOSE_HOST_SCOPE;
    take_slot(batch, item);
    if (item->slot == NULL) return;
    item->status = item->family->alone(item->operation, item->slot, item);
    if (item->status == JOSE_OK) return;
    OPENSSL_cleanse(item->out, item->size);
    put_slot(batch, item, true);
}

void jose_private_batch_run(jose_private_batch *batch)
{
    JOSE_HOST_SCOPE;
    for (size_t i = 0; i < batch->count; i++) take_slot(batch, &batch->items[i]);
    for (size_t size = 256; size <= JOSE_RSA_KERNEL_MAX_BYTES; size += 128) run_size(batch, size);
    for (size_t i = 0; i < batch->count; i++)
        if (batch->items[i].status != JOSE_OK) run_alone(batch, &batch->items[i]);
    for (size_t i = 0; i < batch->count; i++) put_slot(batch, &batch->items[i], false);
}

jose_status jose_private_batch_result(const jose_private_batch *batch, size_t index, uint8_t *out,
                                      size_t out_len)
{
    if (index >= batch->count || out_len != batch->items[index].size) return JOSE_INTERNAL;
    const jose_private_item *item = &batch->items[index];
    if (item->status == JOSE_OK) memcpy(out, item->out, out_len);
    return item->status;
}
