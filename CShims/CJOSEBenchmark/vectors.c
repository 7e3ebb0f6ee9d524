// How much of its vector units a thread gets. A neighbour on the same core takes its share of them, while chains of integers
// take as long as before: code that fills these units is slower then, and a floor of integers is not.

#include "include/benchmark_probe.h"

#if defined(__x86_64__)

enum { TURNS = 12000,
       PRODUCTS = 12,
       SUMS = 8 };

// In cycles, as a sum that waits for the one before takes one: two units take two products in a cycle.
static double share(void)
{
    const uint64_t start = probe_wall_ns();
    for (int i = 0; i < TURNS; i++) {
        __asm__ volatile(
            "vfmadd231pd %%ymm15, %%ymm15, %%ymm0\n\tvfmadd231pd %%ymm15, %%ymm15, %%ymm1\n\t"
            "vfmadd231pd %%ymm15, %%ymm15, %%ymm2\n\tvfmadd231pd %%ymm15, %%ymm15, %%ymm3\n\t"
            "vfmadd231pd %%ymm15, %%ymm15, %%ymm4\n\tvfmadd231pd %%ymm15, %%ymm15, %%ymm5\n\t"
            "vfmadd231pd %%ymm15, %%ymm15, %%ymm6\n\tvfmadd231pd %%ymm15, %%ymm15, %%ymm7\n\t"
            "vfmadd231pd %%ymm15, %%ymm15, %%ymm8\n\tvfmadd231pd %%ymm15, %%ymm15, %%ymm9\n\t"
            "vfmadd231pd %%ymm15, %%ymm15, %%ymm10\n\tvfmadd231pd %%ymm15, %%ymm15, %%ymm11"
            :
            :
            : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm15");
    }
    const uint64_t between = probe_wall_ns();
    uint64_t sum = 0;
    for (int i = 0; i < TURNS; i++) {
        __asm__ volatile("add $3, %0\n\tadd $3, %0\n\tadd $3, %0\n\tadd $3, %0\n\t"
                         "add $3, %0\n\tadd $3, %0\n\tadd $3, %0\n\tadd $3, %0"
                         : "+r"(sum));
    }
    const uint64_t end = probe_wall_ns();
    const double product = (double)(between - start) / PRODUCTS, cycle = (double)(end - between) / SUMS;
    return product > 0 ? cycle / product / 2 : 1;
}

double probe_vector_share(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
    __asm__ volatile("vzeroall" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                           "xmm12", "xmm13", "xmm14", "xmm15");
    const double found = share();
    __asm__ volatile("vzeroupper" ::
                         : "memory");
    return found < 1 ? found : 1;
}

#else

double probe_vector_share(void)
{
    return 1;
}

#endif
