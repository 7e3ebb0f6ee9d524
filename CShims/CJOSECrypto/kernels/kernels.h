// kernels.h: the contract of the arithmetic kernels. Internal to the C target.
//
// Every kernel here is an answer that may be declined: whoever calls one has OpenSSL as the
// reference, the fallback and the judge. Nothing here allocates per operation or keeps a message.
#ifndef JOSE_KERNELS_H
#define JOSE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(JOSE_KERNELS) && defined(__x86_64__)
#define JOSE_KERNELS_X86 1
#else
#define JOSE_KERNELS_X86 0
#endif

#include "content_kernel.h"
#include "cpu.h"
#include "pkcs1.h"
#include "rsa_kernel.h"

#endif
