// selftest.h: which kernels may be used in this process.
#ifndef JOSE_KERNEL_SELFTEST_H
#define JOSE_KERNEL_SELFTEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// The same bits as jose_kernel_set of the public header.
enum {
    JOSE_KERNEL_RSA = 1,
    JOSE_KERNEL_RSA_X8 = 2,
    JOSE_KERNEL_CONTENT = 4,
    JOSE_KERNEL_RSA_FMA = 8,
    JOSE_KERNEL_RSA_FMA_X4 = 16,
    JOSE_KERNEL_LAST = JOSE_KERNEL_RSA_FMA_X4,
};

// The kernels whose known answers were wrong; read it by jose_kernel_is_off.
extern atomic_uint jose_kernels_mistrusted;

// The known answers of an RSA kernel are asked for each size of modulus by itself: 256, 384 or 512 bytes. A
// wrong one at any size switches the kernel off. The content kernel has one question.
enum { JOSE_SELFTEST_SIZES = 3 };

// jose_kernel_usable_at says whether the processor has this RSA kernel and it gave the known answers for
// moduli of `size` bytes. The first call asks them, some hundred microseconds; later ones cost a load.
// Where there was no memory to ask, it is not usable now and asked by the next call. In builds without
// optimisation none is usable.
bool jose_kernel_usable_at(unsigned kernel, size_t size);

// jose_kernel_usable says the same for every size.
bool jose_kernel_usable(unsigned kernel);

// jose_kernel_is_unasked says whether jose_kernel_usable_at would ask now.
bool jose_kernel_is_unasked(unsigned kernel, size_t size);

// jose_kernel_failed says whether the processor has this kernel but it gave a wrong answer.
bool jose_kernel_failed(unsigned kernel);

// jose_kernel_doubt asks the known answers of these kernels again, because one gave another result than
// OpenSSL for somebody's key: wrong ones switch a kernel off. Each is asked again at most once a minute,
// so that what comes in cannot make us do nothing else.
void jose_kernel_doubt(unsigned kernels);

// jose_kernel_is_off says whether the kernel was switched off so far; it asks nothing.
static inline bool jose_kernel_is_off(unsigned kernel)
{
    return (atomic_load_explicit(&jose_kernels_mistrusted, memory_order_relaxed) & kernel) != 0;
}

// jose_kernel_switch_off ends the use of a kernel for the life of the process and tells the watcher
// once. Nothing that comes from outside may lead here: only wrong known answers, or the program itself.
void jose_kernel_switch_off(unsigned kernel);

// jose_kernel_watch sets who is told, once for each kernel, on the thread that found the fault. The
// kernels that are off already are told at once. NULL is nobody.
typedef void (*jose_kernel_watcher)(unsigned kernel);
void jose_kernel_watch(jose_kernel_watcher watcher);

#endif
