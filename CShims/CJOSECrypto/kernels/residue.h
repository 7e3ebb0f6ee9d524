// residue.h: what an operation on secrets would leave behind once it returned: registers, and what its
// inner functions kept on the stack, which the compiler decides and no source shows.
#ifndef JOSE_RESIDUE_H
#define JOSE_RESIDUE_H

#include <stddef.h>

// How far below their caller the secret operations reach, spilled registers included: at least what
// Tests/CCore/kernels/residue.py finds in the built objects.
enum {
    JOSE_RESIDUE_CONTENT = 2048,
    JOSE_RESIDUE_RSA = 8192,
    JOSE_RESIDUE_DOUBLES = 16384,
    // libcrypto's and libsodium's frames are theirs: an agreement reaches 4,000 bytes deep on P-521, the deepest
    // curve, and 4,300 where the dynamic linker saves registers in it. `tools/run memory-search` looks for it.
    JOSE_RESIDUE_AGREEMENT = 8192,
};

// jose_residue_clear zeroes `below` bytes under the caller's frame, where the functions lay that it called before; where
// kernels are compiled also the vector and mask registers that this processor has and the registers that a function need
// not keep.
// An operation on secrets is a function that has another one do all its work, and calls this last.
void jose_residue_clear(size_t below);

#endif
