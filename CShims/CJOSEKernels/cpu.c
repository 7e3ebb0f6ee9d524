// cpu.c: which kernels this processor can run.

#include "cpu.h"

#include "fma_power.h"
#include "kernels.h"

// Set by jose_cpu_limit, before anything else runs.
static jose_cpu_level limit = JOSE_CPU_IFMA;

#if JOSE_KERNELS_X86
#include <stdatomic.h>

// Costs loads and masks only: the compiler's runtime reads CPUID and XCR0 once, in a constructor.
bool jose_kernel_has_ifma(void)
{
    __builtin_cpu_init();
    return limit >= JOSE_CPU_IFMA && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512ifma") &&
           __builtin_cpu_supports("bmi2");
}

enum { UNKNOWN,
       ABSENT,
       PRESENT };

// Checks the processor and jose_fma_is_exact once. Threads that race store the same result.
bool jose_kernel_has_fma(void)
{
    static _Atomic int known = UNKNOWN;
    int state = atomic_load_explicit(&known, memory_order_relaxed);
    if (state == UNKNOWN) {
        __builtin_cpu_init();
        state =
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && jose_fma_is_exact()
                ? PRESENT
                : ABSENT;
        atomic_store_explicit(&known, state, memory_order_relaxed);
    }
    return limit >= JOSE_CPU_FMA && state == PRESENT;
}

#else

bool jose_kernel_has_ifma(void)
{
    return false;
}

bool jose_kernel_has_fma(void)
{
    return false;
}

#endif

jose_cpu_level jose_cpu_best(void)
{
    if (!jose_kernel_has_fma()) return JOSE_CPU_PORTABLE;
    return jose_kernel_has_ifma() ? JOSE_CPU_IFMA : JOSE_CPU_FMA;
}

bool jose_cpu_limit(jose_cpu_level level)
{
    limit = JOSE_CPU_IFMA;
    const bool has = jose_cpu_best() >= level;
    limit = level;
    return has;
}
