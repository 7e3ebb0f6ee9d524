// prove_blocks.h: blocks that are almost a right PKCS#1 block.
#ifndef PROVE_BLOCKS_H
#define PROVE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

// prove_blocks passes each block to `take`: `size` bytes, no two equal and none the right block of
// the SHA-256 digest, most below any modulus of that size. `kind` names the change. Returns how
// many there were.
unsigned prove_blocks(size_t size, const uint8_t digest[32],
                      void (*take)(void *context, const uint8_t *block, const char *kind),
                      void *context);

#endif
