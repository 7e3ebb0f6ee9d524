// selftest.h: which kernels may be used in this process.
#ifndef JOSE_KERNEL_SELFTEST_H
#define JOSE_KERNEL_SELFTEST_H

#include <stdbool.h>

enum {
    JOSE_KERNEL_RSA = 1,      // one public operation
    JOSE_KERNEL_RSA_X8 = 2,   // eight at once
    JOSE_KERNEL_CONTENT = 4,  // A128CBC-HS256
};

// jose_kernels_usable says which kernels the processor has and which gave the known answers. The
// first call asks them, some hundred microseconds; later ones cost a load. A kernel that failed is
// off for the life of the process.
unsigned jose_kernels_usable(void);

// jose_kernels_failed says which kernels the processor has but which gave a wrong answer.
unsigned jose_kernels_failed(void);

#endif
