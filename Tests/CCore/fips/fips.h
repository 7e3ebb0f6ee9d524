// fips.h: what the files of this program share.
#ifndef CCORE_FIPS_H
#define CCORE_FIPS_H

#include <openssl/types.h>

#include "cjosecrypto.h"

// need prints a failure, counts it, and returns whether the condition holds.
bool need(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The number of calls since watch_begin that left the provider: functions of libcrypto that no
// provider serves, functions of libsodium, our own kernels, and fetches with other properties.
void watch_begin(void);
unsigned watch_escapes(void);

// watch_fetches returns how many fetches with the right properties there were since watch_begin.
unsigned watch_fetches(void);

// watch_public_checks returns how often the provider checked a public key since watch_begin.
unsigned watch_public_checks(void);

// watch_loads returns how often a FIPS provider was loaded by name since watch_begin.
unsigned watch_loads(void);

// check_stopped makes a self-test fail, after which the provider does nothing.
void check_stopped(void);

// check_stopped_within stops the provider within one operation: "sign", "verify" and "verify-rsa"
// after the hash, "tag" before the tag is checked.
void check_stopped_within(const char *operation);

// watch_within calls `act` once: after the next hash, and before the next check of a tag.
void watch_within(void (*act)(void));

// chain_make makes a chain of one certificate, signed with its own key by the default provider.
jose_chain *chain_make(EVP_PKEY *key);

// check_edges checks what the library rejects.
void check_edges(void);

// measure compares each operation with the raw calls of EVP. Returns the worst ratio.
double measure(void);

// settings_load loads the provider with the settings of a file that openssl-fipsinstall wrote.
jose_fips_failure settings_load(const char *module, const char *path);

#endif
