// kernels.h is what the files of this target tell each other.
#ifndef KERNELS_H
#define KERNELS_H

#include "cjosebytes.h"

void base64url_encode_scalar(uint8_t *out, const uint8_t *in, size_t count);
bool base64url_decode_scalar(uint8_t *out, const uint8_t *text, size_t count);

#endif
