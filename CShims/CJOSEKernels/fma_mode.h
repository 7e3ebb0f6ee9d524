// fma_mode.h: how doubles are computed with while a kernel of doubles runs, and what the host had.
#ifndef JOSE_FMA_MODE_H
#define JOSE_FMA_MODE_H

#include "kernels.h"

#if JOSE_KERNELS_X86

// MXCSR: all exceptions masked and none seen, rounding down, no flush to zero, no denormals as zero.
enum { JOSE_FMA_MODE = 0x3f80 };

// jose_fma_mode_enter returns what the host had set, to give back to jose_fma_mode_leave: masks,
// rounding and the exceptions that were seen. Between the two calls nothing of ours but the kernel runs.
static inline uint32_t jose_fma_mode_enter(void)
{
    uint32_t had;
    const uint32_t mode = JOSE_FMA_MODE;
    __asm__ volatile("stmxcsr %0\n\tldmxcsr %1"
                     : "=m"(had)
                     : "m"(mode)
                     : "memory");
    return had;
}

static inline void jose_fma_mode_leave(uint32_t had)
{
    __asm__ volatile("ldmxcsr %0"
                     :
                     : "m"(had)
                     : "memory");
}

#endif
#endif
