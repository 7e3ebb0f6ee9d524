// cpu_level.c: selects the CPU level to measure: the processor's best, or a lower level.

#include "include/benchmark_probe.h"

#include <stdlib.h>
#include <string.h>

#include "../CJOSEBytes/base64url_kernels.h"
#include "../CJOSEKernels/cpu.h"

const char *probe_cpu_level(void)
{
    static const char *const names[] = {
        [JOSE_CPU_PORTABLE] = "portable", [JOSE_CPU_FMA] = "fma", [JOSE_CPU_IFMA] = "ifma"};
    const char *wanted = getenv("JOSE_TEST_CPU");
    if (wanted == NULL || wanted[0] == 0) wanted = names[jose_cpu_best()];
    for (int level = JOSE_CPU_PORTABLE; level <= JOSE_CPU_IFMA; level++) {
        if (strcmp(wanted, names[level]) != 0) continue;
        if (level < JOSE_CPU_IFMA) josebytes_hide_avx512();
        // Not under valgrind, which supports AVX2: most users run that code.
        if (level < JOSE_CPU_FMA && !probe_under_valgrind()) josebytes_hide_avx2();
        return jose_cpu_limit((jose_cpu_level)level) ? names[level] : NULL;
    }
    return NULL;
}
