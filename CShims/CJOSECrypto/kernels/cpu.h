// cpu.h: which kernels this processor can run, asked once.
#ifndef JOSE_KERNEL_CPU_H
#define JOSE_KERNEL_CPU_H

#include <stdbool.h>

// The ways of computing, each with all that the ones before it have (docs/kernels.md).
typedef enum {
    JOSE_WAY_PORTABLE,  // OpenSSL alone
    JOSE_WAY_SHA,       // the content kernel too
    JOSE_WAY_IFMA,      // the RSA kernels too
} jose_way;

// jose_kernel_has_ifma: AVX-512 F, VL, DQ, BW, IFMA and BMI2, and an operating system that saves
// the registers.
bool jose_kernel_has_ifma(void);

// jose_kernel_has_content: AES-NI, SHA-NI, SSSE3 and SSE4.1.
bool jose_kernel_has_content(void);

// jose_way_best returns the best way that this processor has, or that was left to it.
jose_way jose_way_best(void);

// jose_way_limit makes this processor stand in for one whose best way is `way`: the two questions
// above answer no for what is beyond it. For tests and benchmarks, once and before anything else of
// this target; the library never calls it and reads no environment. Returns false where the
// processor itself has less.
bool jose_way_limit(jose_way way);

#endif
