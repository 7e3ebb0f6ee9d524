// cpu.h: which kernels this processor can run, asked once.
#ifndef JOSE_KERNEL_CPU_H
#define JOSE_KERNEL_CPU_H

#include <stdbool.h>

// jose_kernel_has_ifma: AVX-512 F, VL, DQ, BW, IFMA and BMI2, and an operating system that saves
// the registers.
bool jose_kernel_has_ifma(void);

// jose_kernel_has_content: AES-NI, SHA-NI, SSSE3 and SSE4.1.
bool jose_kernel_has_content(void);

#endif
