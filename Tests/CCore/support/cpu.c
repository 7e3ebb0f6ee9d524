// cpu.c: before anything else a test program limits the CPU level to the one in JOSE_TEST_CPU
// (tools/core/cpu_levels.sh). Linked into tests only.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../CShims/CJOSEKernels/cpu.h"

// Only if the byte kernels are linked in.
void josebytes_hide_avx512(void) __attribute__((weak));
void josebytes_hide_avx2(void) __attribute__((weak));

__attribute__((constructor)) static void take(void)
{
    static const char *const names[] = {
        [JOSE_CPU_PORTABLE] = "portable", [JOSE_CPU_FMA] = "fma", [JOSE_CPU_IFMA] = "ifma"};
    const char *wanted = getenv("JOSE_TEST_CPU");
    if (wanted == NULL || wanted[0] == 0) return;
    for (int level = JOSE_CPU_PORTABLE; level <= JOSE_CPU_IFMA; level++) {
        if (strcmp(wanted, names[level]) != 0) continue;
        if (!JOSE_KERNELS_X86) {
            if (level != JOSE_CPU_PORTABLE)
                fprintf(stderr, "CPU level %s: no kernels are compiled in, portable runs\n",
                        wanted);
            return;
        }
        if (level < JOSE_CPU_IFMA && josebytes_hide_avx512 != NULL) josebytes_hide_avx512();
        if (level < JOSE_CPU_FMA && josebytes_hide_avx2 != NULL) josebytes_hide_avx2();
        if (jose_cpu_limit((jose_cpu_level)level)) return;
        fprintf(stderr, "FAILED  CPU level %s: this processor lacks it\n", wanted);
        _exit(2);
    }
    fprintf(stderr, "FAILED  JOSE_TEST_CPU=%s: no such CPU level\n", wanted);
    _exit(2);
}
