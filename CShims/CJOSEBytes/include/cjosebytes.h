// cjosebytes.h is the whole contract of the C target CJOSEBytes.
#ifndef CJOSEBYTES_H
#define CJOSEBYTES_H

#include <stddef.h>
#include <stdint.h>

#endif
