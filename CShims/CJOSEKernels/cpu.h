// cpu.h: which kernels this processor can run, asked once.
#ifndef JOSE_KERNEL_CPU_H
#define JOSE_KERNEL_CPU_H

#include "cjosekernels.h"

// The ways of computing, each with all that the ones before it have (docs/kernels.md).
typedef enum {
    JOSE_CPU_PORTABLE,  // OpenSSL alone
    JOSE_CPU_FMA,       // the RSA kernels of doubles too
    JOSE_CPU_IFMA,      // the RSA kernels of 52-bit multipliers too
} jose_cpu_level;

// jose_kernel_has_ifma: AVX-512 F, VL, DQ, BW, IFMA and BMI2, and an operating system that saves
// the registers.
bool jose_kernel_has_ifma(void);

// jose_kernel_has_fma: AVX2 and FMA, an operating system that saves the registers, and a fused product
// that rounds as it is told: valgrind's does not.
bool jose_kernel_has_fma(void);

// jose_cpu_best returns the best way that this processor has, or that was left to it.
jose_cpu_level jose_cpu_best(void);

// jose_cpu_limit makes this processor stand in for one whose best way is `level`: the questions
// above answer no for what is beyond it. For tests and benchmarks, once and before anything else of
// this target; the library never calls it and reads no environment. Returns false where the
// processor itself has less.
bool jose_cpu_limit(jose_cpu_level level);

#endif
