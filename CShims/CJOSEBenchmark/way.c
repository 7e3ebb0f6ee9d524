// Which way of computing is measured: the processor's best, or a lesser one that it stands in for.

#include "include/benchmark_probe.h"

#include <stdlib.h>
#include <string.h>

#include "../CJOSEBytes/kernels.h"
#include "../CJOSEKernels/cpu.h"

const char *probe_way(void)
{
    static const char *const names[] = {
        [JOSE_CPU_PORTABLE] = "portable", [JOSE_CPU_FMA] = "fma", [JOSE_CPU_IFMA] = "ifma"};
    const char *wanted = getenv("JOSE_TEST_CPU");
    if (wanted == NULL || wanted[0] == 0) wanted = names[jose_cpu_best()];
    for (int way = JOSE_CPU_PORTABLE; way <= JOSE_CPU_IFMA; way++) {
        if (strcmp(wanted, names[way]) != 0) continue;
        if (way < JOSE_CPU_IFMA) josebytes_hide_avx512();
        // What is counted are the instructions that most users' texts take: valgrind knows AVX2.
        if (way < JOSE_CPU_FMA && !probe_under_valgrind()) josebytes_hide_avx2();
        return jose_cpu_limit((jose_cpu_level)way) ? names[way] : NULL;
    }
    return NULL;
}
