// How much of its core a thread gets for vectors. A neighbour on the same core takes its share of
// what a cycle can begin, while chains of integers take as long as before: code that fills the core
// is slower then, and a baseline of integers is not.

#include "bench_process.h"

#if defined(__x86_64__)

// Of products as many as one measured slice of work takes, for a neighbour comes and goes.
enum { TURNS = 40000,
       PRODUCTS = 10,
       CHAIN = 2500,
       CYCLES = 4 * 3 };

// What one product took, in cycles, where nobody else was on the core (Zen 3).
static const double alone = 1.55;

// Six instructions, of which two multiply and add: the mix of which the kernel of doubles consists.
#define PRODUCT(at, low, high)                           \
    "vmovapd " at "(%[limbs]), %%ymm13\n\t"              \
    "vfmadd213pd %%ymm0, %%ymm12, %%ymm13\n\t"           \
    "vpaddq %%ymm13, %%ymm" high ", %%ymm" high "\n\t"   \
    "vsubpd %%ymm13, %%ymm1, %%ymm14\n\t"                \
    "vfmadd231pd " at "(%[limbs]), %%ymm12, %%ymm14\n\t" \
    "vpaddq %%ymm14, %%ymm" low ", %%ymm" low "\n\t"

__attribute__((target("avx2,fma"))) static double share(void)
{
    static const _Alignas(32) double limbs[4 * PRODUCTS],
        constants[2] = {0x1.8p104, 0x1.8p104 + 0x1p52};
    const uint64_t start = bench_wall_ns();
    __asm__ volatile("vbroadcastsd (%[constants]), %%ymm0\n\tvbroadcastsd 8(%[constants]), "
                     "%%ymm1\n\tvxorpd %%ymm12, %%ymm12, %%ymm12\n\t"
                     "mov %[turns], %%ecx\n"
                     "1:\n\t" PRODUCT("0", "2", "3") PRODUCT("32", "3", "4") PRODUCT("64", "4", "5")
                         PRODUCT("96", "5", "6") PRODUCT("128", "6", "7") PRODUCT("160", "7", "8")
                             PRODUCT("192", "8", "9") PRODUCT("224", "9", "10")
                                 PRODUCT("256", "10", "11")
                                     PRODUCT("288", "11", "2") "dec %%ecx\n\tjnz 1b\n\tvzeroupper"
                     :
                     : [limbs] "r"(limbs), [constants] "r"(constants), [turns] "i"(TURNS)
                     : "rcx", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
                       "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14");
    const double product = (double)(bench_wall_ns() - start) / TURNS / PRODUCTS;
    // An interrupted one is long; the shortest tells the cycle.
    double cycle = 1e9;
    for (int round = 0; round < 4; round++) {
        const uint64_t before = bench_wall_ns();
        uint64_t product_so_far = 1;
        for (int i = 0; i < CHAIN; i++) {
            // Each takes three cycles on every processor of these years; sums of small constants
            // are done on the way by some.
            __asm__ volatile(
                "imul $3, %0, %0\n\timul $3, %0, %0\n\timul $3, %0, %0\n\timul $3, %0, %0"
                : "+r"(product_so_far));
        }
        const double one = (double)(bench_wall_ns() - before) / CHAIN / CYCLES;
        if (one < cycle) cycle = one;
    }
    return product > 0 ? alone * cycle / product : 1;
}

double bench_vector_share(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
    const double found = share();
    return found < 1 ? found : 1;
}

#else

double bench_vector_share(void)
{
    return 1;
}

#endif
