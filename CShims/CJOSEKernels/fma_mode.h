// fma_mode.h: the settings of MXCSR that the kernels compute with.
#ifndef JOSE_FMA_MODE_H
#define JOSE_FMA_MODE_H

#include "kernels.h"

#if JOSE_KERNELS_X86

// MXCSR: all exceptions masked and none raised, rounding down, no flush to zero, no denormals as
// zero.
enum { JOSE_FMA_MODE = 0x3f80 };

// jose_fma_mode_enter sets JOSE_FMA_MODE and returns the host's MXCSR (masks, rounding, raised
// exceptions), which jose_mode_leave restores. Only the kernel runs between the two calls.
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

// The setting that Intel asks for around instructions on secrets: all exceptions masked and all
// raised. Otherwise the time of vector multiplications, VPMADD52 included, may depend on data on
// processors without MCDT_NO (MXCSR Configuration Dependent Timing).
enum { JOSE_IFMA_MODE = 0x1fbf };

// jose_ifma_mode_enter sets JOSE_IFMA_MODE for the kernel of 52-bit multipliers, on every
// processor, and returns the host's MXCSR for jose_mode_leave. It takes some ten nanoseconds.
static inline uint32_t jose_ifma_mode_enter(void)
{
    uint32_t had;
    const uint32_t mode = JOSE_IFMA_MODE;
    __asm__ volatile("stmxcsr %0\n\tldmxcsr %1\n\tlfence"
                     : "=m"(had)
                     : "m"(mode)
                     : "memory");
    return had;
}

static inline void jose_mode_leave(uint32_t had)
{
    __asm__ volatile("ldmxcsr %0"
                     :
                     : "m"(had)
                     : "memory");
}

#endif
#endif
