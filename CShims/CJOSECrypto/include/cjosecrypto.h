// cjosecrypto.h is the whole contract of the C target CJOSECrypto.
#ifndef CJOSECRYPTO_H
#define CJOSECRYPTO_H

#include <stddef.h>
#include <stdint.h>

#endif
