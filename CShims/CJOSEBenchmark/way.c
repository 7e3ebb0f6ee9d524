// Which way of computing is measured: the processor's best, or a lesser one that it stands in for.

#include "include/benchmark_probe.h"

#include <stdlib.h>
#include <string.h>

#include "../CJOSEBytes/kernels.h"
#include "../CJOSEKernels/cpu.h"

const char *probe_way(void)
{
    static const char *const names[] = {
        [JOSE_WAY_PORTABLE] = "portable", [JOSE_WAY_FMA] = "fma", [JOSE_WAY_IFMA] = "ifma"};
    const char *wanted = getenv("JOSE_TEST_WAY");
    if (wanted == NULL || wanted[0] == 0) wanted = names[jose_way_best()];
    for (int way = JOSE_WAY_PORTABLE; way <= JOSE_WAY_IFMA; way++) {
        if (strcmp(wanted, names[way]) != 0) continue;
        if (way < JOSE_WAY_IFMA) josebytes_hide_avx512();
        // What is counted are the instructions that most users' texts take: valgrind knows AVX2.
        if (way < JOSE_WAY_FMA && !probe_under_valgrind()) josebytes_hide_avx2();
        return jose_way_limit((jose_way)way) ? names[way] : NULL;
    }
    return NULL;
}
