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

// jose_kernel_usable says whether the processor has this kernel and it gave the known answers. The
// first call asks it, some hundred microseconds; later ones cost a load. A kernel that failed is off
// for the life of the process. In builds without optimisation none is usable.
bool jose_kernel_usable(unsigned kernel);

// jose_kernel_failed says whether the processor has this kernel but it gave a wrong answer.
bool jose_kernel_failed(unsigned kernel);

#endif
