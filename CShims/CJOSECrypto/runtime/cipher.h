// cipher.h: AES contexts without a key, shared by all files that encrypt.
#ifndef JOSE_CIPHER_H
#define JOSE_CIPHER_H

#include "library.h"

// jose_cipher_take returns a context for this cipher, ready for EVP_CipherInit_ex2 with a key, or
// NULL. It is not one of an engine of the host's.
EVP_CIPHER_CTX *jose_cipher_take(const jose_library *library, jose_cipher cipher);

// jose_cipher_forget follows a decryption of text_len bytes by a GCM context that keeps its key: where the last block was not
// whole, the context has it, as from 3.1 on the AVX-512 code leaves the text itself there, and other code what makes text of
// the ciphertext. A byte of nobody's takes its place. Returns false if that fails: the text is then not to be given out.
bool jose_cipher_forget(EVP_CIPHER_CTX *context, size_t text_len);

// jose_cipher_put wipes the key and takes the context back.
void jose_cipher_put(const jose_library *library, jose_cipher cipher, EVP_CIPHER_CTX *context);

#endif
