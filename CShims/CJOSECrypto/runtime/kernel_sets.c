// kernel_sets.c: which kernels may be used, which are off, and the watcher of kernels.

#include "cjosecrypto.h"
#include "cjosekernels.h"
#include "host.h"

static jose_kernel_set kernels_that(bool (*holds)(unsigned kernel), unsigned first, unsigned last)
{
    unsigned set = 0;
    JOSE_HOST_SCOPE;  // a known-answer test may leave error entries
    for (unsigned kernel = first; kernel <= last; kernel *= 2)
        if (holds(kernel)) set |= kernel;
    return set;
}

jose_kernel_set jose_kernels(void)
{
    return kernels_that(jose_kernel_usable, 1, JOSE_KERNEL_LAST_PUBLIC);
}

jose_kernel_set jose_private_kernels(void)
{
    return kernels_that(jose_kernel_usable, 2 * JOSE_KERNEL_LAST_PUBLIC, JOSE_KERNEL_LAST);
}

jose_kernel_set jose_kernels_off(void)
{
    return kernels_that(jose_kernel_is_off_after_test, 1, JOSE_KERNEL_LAST_PUBLIC) |
           kernels_that(jose_kernel_is_off, 2 * JOSE_KERNEL_LAST_PUBLIC, JOSE_KERNEL_LAST);
}

void jose_kernels_switch_off(jose_kernel_set kernels)
{
    jose_kernel_switch_off(kernels);
}

static _Atomic(jose_kernels_watcher) watcher;

static void forward(unsigned kernel)
{
    const jose_kernels_watcher listener = atomic_load(&watcher);
    if (listener != NULL) listener((jose_kernel_set)kernel);
}

void jose_kernels_watch(jose_kernels_watcher listener)
{
    atomic_store(&watcher, listener);
    jose_kernel_watch(listener == NULL ? NULL : forward);
}
