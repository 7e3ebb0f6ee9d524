// cpu.c: which kernels this processor can run.

#include "cpu.h"

#include "kernels.h"

#if JOSE_KERNELS_X86
#include <cpuid.h>
#include <stdatomic.h>

// The compiler's runtime reads CPUID and XCR0 once, in a constructor; these are loads and masks.
bool jose_kernel_has_ifma(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("bmi2");
}

// The runtime has no name for SHA-NI, so CPUID leaf 7 is asked (EBX bit 29): once, for on a virtual
// machine the instruction costs microseconds. Racing threads find the same answer.
bool jose_kernel_has_content(void)
{
    enum { UNKNOWN, ABSENT, PRESENT };
    static _Atomic int known = UNKNOWN;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == UNKNOWN) {
        unsigned a, b, c, d;
        __builtin_cpu_init();
        answer = __builtin_cpu_supports("aes") && __builtin_cpu_supports("ssse3") &&
                         __builtin_cpu_supports("sse4.1") &&
                         __get_cpuid_count(7, 0, &a, &b, &c, &d) == 1 && (b >> 29 & 1) != 0
                     ? PRESENT
                     : ABSENT;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == PRESENT;
}

#else

bool jose_kernel_has_ifma(void)
{
    return false;
}

bool jose_kernel_has_content(void)
{
    return false;
}

#endif
