// cpu.c: which kernels this processor can run.

#include "cpu.h"

#include "kernels.h"

#if JOSE_KERNELS_X86

// The compiler's runtime reads CPUID and XCR0 once, in a constructor; these are loads and masks.
bool jose_kernel_has_ifma(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("bmi2");
}

#else

bool jose_kernel_has_ifma(void) { return false; }

#endif
