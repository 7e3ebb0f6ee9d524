// cpu.h: which kernels this processor can run.
#ifndef JOSE_KERNEL_CPU_H
#define JOSE_KERNEL_CPU_H

#include "cjosekernels.h"

// CPU feature levels. Each includes those before it (docs/kernels.md).
typedef enum {
    JOSE_CPU_PORTABLE,  // OpenSSL alone
    JOSE_CPU_FMA,       // the RSA kernels of doubles too
    JOSE_CPU_IFMA,      // the RSA kernels of 52-bit multipliers too
} jose_cpu_level;

// jose_kernel_has_ifma returns whether the processor has AVX-512 F, VL, DQ, BW, IFMA and BMI2, and
// the operating system saves the registers.
bool jose_kernel_has_ifma(void);

// jose_kernel_has_fma returns whether the processor has AVX2 and FMA, the operating system saves
// the registers, and fused products follow the rounding mode (under valgrind they do not).
bool jose_kernel_has_fma(void);

// jose_cpu_best returns the best level of this processor, at most the limit of jose_cpu_limit.
jose_cpu_level jose_cpu_best(void);

// jose_cpu_limit limits the level, so that tests and benchmarks run as on a lesser processor. Call
// it before anything else of this target. The library never calls it and reads no environment
// variable. Returns false if the processor has less than `level`.
bool jose_cpu_limit(jose_cpu_level level);

#endif
