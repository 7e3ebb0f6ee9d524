// selftest.h: which kernels may be used in this process.
#ifndef JOSE_KERNEL_SELFTEST_H
#define JOSE_KERNEL_SELFTEST_H

#include <stdbool.h>

// The same bits as jose_kernel_set of the public header.
enum {
    JOSE_KERNEL_RSA = 1,
    JOSE_KERNEL_RSA_X8 = 2,
    JOSE_KERNEL_CONTENT = 4,
};

// jose_kernels_usable says which kernels the processor has and which gave the known answers. The
// first call asks them, some hundred microseconds; later ones cost a load. A kernel that failed is
// off for the life of the process. In builds without optimisation none is usable.
unsigned jose_kernels_usable(void);

// jose_kernels_failed says which kernels the processor has but which gave a wrong answer.
unsigned jose_kernels_failed(void);

#endif
