// way.c: before anything else, a test program takes the way of computing that JOSE_TEST_CPU names
// (tools/core/cpu_levels.sh): this processor then stands in for one that has no better way. Linked into
// tests alone.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../CShims/CJOSEKernels/cpu.h"

// Only where the byte kernels are linked in.
void josebytes_hide_avx512(void) __attribute__((weak));
void josebytes_hide_avx2(void) __attribute__((weak));

__attribute__((constructor)) static void take(void)
{
    static const char *const names[] = {
        [JOSE_CPU_PORTABLE] = "portable", [JOSE_CPU_FMA] = "fma", [JOSE_CPU_IFMA] = "ifma"};
    const char *wanted = getenv("JOSE_TEST_CPU");
    if (wanted == NULL || wanted[0] == 0) return;
    for (int way = JOSE_CPU_PORTABLE; way <= JOSE_CPU_IFMA; way++) {
        if (strcmp(wanted, names[way]) != 0) continue;
        if (!JOSE_KERNELS_X86) {
            if (way != JOSE_CPU_PORTABLE) fprintf(stderr, "way %s: no kernels are compiled in, portable runs\n", wanted);
            return;
        }
        if (way < JOSE_CPU_IFMA && josebytes_hide_avx512 != NULL) josebytes_hide_avx512();
        if (way < JOSE_CPU_FMA && josebytes_hide_avx2 != NULL) josebytes_hide_avx2();
        if (jose_cpu_limit((jose_cpu_level)way)) return;
        fprintf(stderr, "FAILED  way %s: this processor lacks it\n", wanted);
        _exit(2);
    }
    fprintf(stderr, "FAILED  JOSE_TEST_CPU=%s: no such way\n", wanted);
    _exit(2);
}
