// way.c: before anything else, a test program takes the way of computing that JOSE_TEST_WAY names
// (tools/core/ways.sh): this processor then stands in for one that has no better way. Linked into
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
        [JOSE_WAY_PORTABLE] = "portable", [JOSE_WAY_FMA] = "fma", [JOSE_WAY_IFMA] = "ifma"};
    const char *wanted = getenv("JOSE_TEST_WAY");
    if (wanted == NULL || wanted[0] == 0) return;
    for (int way = JOSE_WAY_PORTABLE; way <= JOSE_WAY_IFMA; way++) {
        if (strcmp(wanted, names[way]) != 0) continue;
        if (!JOSE_KERNELS_X86) {
            if (way != JOSE_WAY_PORTABLE) fprintf(stderr, "way %s: no kernels are compiled in, portable runs\n", wanted);
            return;
        }
        if (way < JOSE_WAY_IFMA && josebytes_hide_avx512 != NULL) josebytes_hide_avx512();
        if (way < JOSE_WAY_FMA && josebytes_hide_avx2 != NULL) josebytes_hide_avx2();
        if (jose_way_limit((jose_way)way)) return;
        fprintf(stderr, "FAILED  way %s: this processor lacks it\n", wanted);
        _exit(2);
    }
    fprintf(stderr, "FAILED  JOSE_TEST_WAY=%s: no such way\n", wanted);
    _exit(2);
}
