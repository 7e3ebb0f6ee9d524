// signature_batch.c: verifies many signatures, several RSA operations at once if the processor can.
// A batch only accepts; jose_signature_verify verifies what it does not accept.

#include "signature_batch.h"

#include <openssl/crypto.h>

#include "runtime/host.h"
#include "cjosekernels.h"
#include "pkcs1.h"

struct jose_batch {
    size_t capacity, count;
    jose_batch_item items[];
};

jose_batch *jose_batch_make(size_t capacity)
{
    if (capacity > JOSE_BATCH_MAX) capacity = JOSE_BATCH_MAX;
    JOSE_HOST_SCOPE;  // since OpenSSL 3.2 an allocation that fails leaves an error entry
    jose_batch *batch = OPENSSL_zalloc(sizeof *batch + capacity * sizeof(jose_batch_item));
    if (batch != NULL) batch->capacity = capacity;
    return batch;
}

void jose_batch_free(jose_batch *batch)
{
    OPENSSL_free(batch);
}

ptrdiff_t jose_batch_add(jose_batch *batch, const jose_signature *operation, const uint8_t *message,
                         size_t message_len, const uint8_t *signature, size_t signature_len)
{
    if (batch->count == batch->capacity || operation->signing ||
        signature_len != operation->bytes || operation->entry->add_to_batch == NULL)
        return -1;
    jose_batch_item *item = &batch->items[batch->count];
    if (!operation->entry->add_to_batch(operation, item, message, message_len, signature))
        return -1;
    item->accepted = item->differs = false;
    return (ptrdiff_t)batch->count++;
}

bool jose_batch_accepted(const jose_batch *batch, size_t index)
{
    return index < batch->count && batch->items[index].accepted;
}

void jose_batch_report_mismatch(const jose_batch *batch, size_t index)
{
    if (index >= batch->count || !batch->items[index].differs) return;
    JOSE_HOST_SCOPE;
    jose_rsa_fast_report_mismatch(batch->items[index].fast, batch->items[index].precomp);
}

enum { LANES = JOSE_RSA_KERNEL_LANES };

// Compares the whole block. A corrupted size could be too short, so two copies of it must be equal.
static void compare(jose_batch_item *item, const uint8_t *opened)
{
    item->accepted = item->size != 0 && item->size == item->precomp->size &&
                     jose_pkcs1_equal(opened, item->block, item->size);
    item->differs = !item->accepted;
}

static void verify_one(jose_batch_item *item)
{
    uint8_t opened[JOSE_RSA_KERNEL_MAX_BYTES];
    if (jose_rsa_fast_open(item->fast, item->precomp, NULL, opened, item->signature) ==
        JOSE_RSA_DONE)
        compare(item, opened);
}

static void verify_lanes(const jose_rsa_kernel *kernel, jose_batch_item *const *items, int count)
{
    uint8_t opened[LANES][JOSE_RSA_KERNEL_MAX_BYTES];
    const void *keys[LANES] = {0};
    uint8_t *out[LANES] = {0};
    const uint8_t *in[LANES] = {0};
    for (int l = 0; l < count; l++) {
        keys[l] = items[l]->precomp->vector;
        out[l] = opened[l];
        in[l] = items[l]->signature;
    }
    const jose_rsa_lanes lanes = kernel->run_together(keys, out, in);
    for (int l = 0; l < count; l++) {
        if (lanes.done >> l & 1) compare(items[l], opened[l]);
        if (lanes.corrupted >> l & 1)
            jose_rsa_fast_report_corruption(items[l]->fast, items[l]->precomp);
    }
}

static void verify_items(const jose_rsa_kernel *kernel, jose_batch_item *const *items, int count)
{
    if (count >= kernel->worthwhile) {
        verify_lanes(kernel, items, count);
    } else {
        for (int l = 0; l < count; l++) verify_one(items[l]);
    }
}

static bool can_run_together(const jose_batch *batch, const jose_rsa_kernel *kernel, uint32_t size)
{
    int count = 0;
    for (size_t i = 0; i < batch->count && count < kernel->worthwhile; i++)
        count += batch->items[i].precomp->kernel == kernel && batch->items[i].precomp->size == size;
    if (count < kernel->worthwhile) return false;
    JOSE_HOST_SCOPE;  // the known-answer test calls libcrypto, which may leave error entries
    return jose_kernel_usable_at(kernel->together, size);
}

static void run_size(jose_batch *batch, const jose_rsa_kernel *kernel, uint32_t size)
{
    const bool together = can_run_together(batch, kernel, size);
    jose_batch_item *lanes[LANES];
    int count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        jose_batch_item *item = &batch->items[i];
        const jose_rsa_precomp *precomp = item->precomp;
        if (precomp->kernel != kernel || precomp->size != size) continue;
        if (!together || precomp->e != 65537) {
            verify_one(item);
            continue;
        }
        lanes[count++] = item;
        if (count < kernel->lanes) continue;
        verify_items(kernel, lanes, count);
        count = 0;
    }
    verify_items(kernel, lanes, count);
}

void jose_batch_run(jose_batch *batch)
{
    jose_stack_touch(JOSE_STACK_LANES);
    for (int k = 0; k < JOSE_RSA_KERNELS; k++) {
        const jose_rsa_kernel *kernel = &jose_rsa_kernels[k];
        for (uint32_t size = 256; size <= JOSE_RSA_KERNEL_MAX_BYTES; size += 128)
            run_size(batch, kernel, size);
    }
}
