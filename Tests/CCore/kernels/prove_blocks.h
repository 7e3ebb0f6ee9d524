// prove_blocks.h: the family of blocks that are near a right PKCS#1 block and none.
#ifndef PROVE_BLOCKS_H
#define PROVE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

// prove_blocks gives each block to `take`: `size` bytes, no two the same and none the right block of
// the SHA-256 digest, most below any modulus of that size. `kind` says what was done. Returns how many there were.
unsigned prove_blocks(size_t size, const uint8_t digest[32],
                      void (*take)(void *context, const uint8_t *block, const char *kind),
                      void *context);

#endif
