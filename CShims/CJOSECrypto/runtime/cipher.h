// cipher.h: AES contexts without a key, shared by all files that encrypt.
#ifndef JOSE_CIPHER_H
#define JOSE_CIPHER_H

#include "library.h"

// jose_cipher_take returns a context for this cipher, ready for EVP_CipherInit_ex2 with a key, or
// NULL. It is not one of an engine of the host's.
EVP_CIPHER_CTX *jose_cipher_take(const jose_library *library, jose_cipher cipher);

// jose_cipher_put wipes the key and takes the context back.
void jose_cipher_put(const jose_library *library, jose_cipher cipher, EVP_CIPHER_CTX *context);

#endif
