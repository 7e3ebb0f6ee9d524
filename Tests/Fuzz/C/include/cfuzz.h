// cfuzz.h is what the fuzz targets need of C: memory counts and OpenSSL's own readers.
#ifndef CFUZZ_H
#define CFUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// cfuzz_count_install starts counting memory. Only under a sanitizer; elsewhere it does nothing.
void cfuzz_count_install(void);

// cfuzz_count_begin forgets what was counted.
void cfuzz_count_begin(void);

// cfuzz_count_end returns the most bytes that were held at once since cfuzz_count_begin,
// beyond those held then; 0 where nothing is counted.
long cfuzz_count_end(void);

// cfuzz_openssl_same reads two DER keys with OpenSSL's own decoders and says whether their public
// parts are the same: a private key of PKCS#1 or PKCS#8, a public key of SPKI or PKCS#1. False if
// OpenSSL rejects one of them.
bool cfuzz_openssl_same(const uint8_t *a, size_t a_count, const uint8_t *b, size_t b_count);

// cfuzz_repair_mac writes a PKCS#12 file with the right MAC for the password "password", one
// iteration of SHA-256. Returns its size, 0 where in is no such file, has no MAC, or out is too
// small.
size_t cfuzz_repair_mac(uint8_t *out, size_t capacity, const uint8_t *in, size_t count);

// cfuzz_mutate lets libFuzzer change bytes in place and returns their new count; without it nothing
// is changed.
size_t cfuzz_mutate(uint8_t *bytes, size_t count, size_t capacity);

// cfuzz_errors_pending says whether OpenSSL's error queue holds anything.
bool cfuzz_errors_pending(void);

#endif
