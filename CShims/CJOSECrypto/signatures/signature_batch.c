// signature_batch.c: many signatures at once, several RSA operations side by side where the processor
// can. It only accepts; whatever it does not accept is judged alone by jose_signature_verify.

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
    if (capacity > JOSE_BATCH_MOST) capacity = JOSE_BATCH_MOST;
    JOSE_HOST_SCOPE;  // from OpenSSL 3.2 on an allocation that fails leaves an entry
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
        signature_len != operation->bytes || operation->row->take == NULL)
        return -1;
    jose_batch_item *item = &batch->items[batch->count];
    if (!operation->row->take(operation, item, message, message_len, signature)) return -1;
    item->accepted = item->differs = false;
    return (ptrdiff_t)batch->count++;
}

bool jose_batch_accepted(const jose_batch *batch, size_t index)
{
    return index < batch->count && batch->items[index].accepted;
}

void jose_batch_overruled(const jose_batch *batch, size_t place)
{
    if (place >= batch->count || !batch->items[place].differs) return;
    JOSE_HOST_SCOPE;
    jose_rsa_fast_differs(batch->items[place].fast, batch->items[place].form);
}

enum { LANES = JOSE_RSA_KERNEL_LANES };

static void compare(jose_batch_item *item, const uint8_t *opened)
{
    item->accepted = jose_pkcs1_equal(opened, item->block, item->form->size);
    item->differs = !item->accepted;
}

static void judge_alone(jose_batch_item *item)
{
    uint8_t opened[JOSE_RSA_KERNEL_MAX_BYTES];
    if (jose_rsa_fast_opens(item->fast, item->form, NULL, opened, item->signature) == JOSE_RSA_DONE)
        compare(item, opened);
}

static void judge_together(const jose_rsa_kernel *kernel, jose_batch_item *const *items, int count)
{
    uint8_t opened[LANES][JOSE_RSA_KERNEL_MAX_BYTES];
    const void *keys[LANES] = {0};
    uint8_t *out[LANES] = {0};
    const uint8_t *in[LANES] = {0};
    for (int l = 0; l < count; l++) {
        keys[l] = items[l]->form->vector;
        out[l] = opened[l];
        in[l] = items[l]->signature;
    }
    const jose_rsa_lanes lanes = kernel->run_together(keys, out, in);
    for (int l = 0; l < count; l++) {
        if (lanes.done >> l & 1) compare(items[l], opened[l]);
        if (lanes.damaged >> l & 1) jose_rsa_fast_damaged(items[l]->fast, items[l]->form);
    }
}

static void judge(const jose_rsa_kernel *kernel, jose_batch_item *const *items, int count)
{
    if (count >= kernel->worthwhile) {
        judge_together(kernel, items, count);
    } else {
        for (int l = 0; l < count; l++) judge_alone(items[l]);
    }
}

// Whether items of one kernel and one size are worth its lanes, and these may be used.
static bool is_together(const jose_batch *batch, const jose_rsa_kernel *kernel, uint32_t size)
{
    int count = 0;
    for (size_t i = 0; i < batch->count && count < kernel->worthwhile; i++)
        count += batch->items[i].form->kernel == kernel && batch->items[i].form->size == size;
    if (count < kernel->worthwhile) return false;
    JOSE_HOST_SCOPE;  // the first question makes keys of its known answers
    return jose_kernel_usable_at(kernel->together, size);
}

// The items of one kernel and one size, as many at once as it has lanes.
static void run_size(jose_batch *batch, const jose_rsa_kernel *kernel, uint32_t size)
{
    const bool together = is_together(batch, kernel, size);
    jose_batch_item *lanes[LANES];
    int count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        jose_batch_item *item = &batch->items[i];
        const jose_rsa_form *form = item->form;
        if (form->kernel != kernel || form->size != size) continue;
        if (!together || form->e != 65537) {
            judge_alone(item);
            continue;
        }
        lanes[count++] = item;
        if (count < kernel->lanes) continue;
        judge(kernel, lanes, count);
        count = 0;
    }
    judge(kernel, lanes, count);
}

void jose_batch_run(jose_batch *batch)
{
    for (int k = 0; k < JOSE_RSA_KERNELS; k++) {
        const jose_rsa_kernel *kernel = &jose_rsa_kernels[k];
        for (uint32_t size = 256; size <= JOSE_RSA_KERNEL_MAX_BYTES; size += 128)
            run_size(batch, kernel, size);
    }
}
