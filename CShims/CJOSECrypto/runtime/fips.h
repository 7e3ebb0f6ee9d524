// fips.h: makes the library of the FIPS provider.
#ifndef JOSE_FIPS_H
#define JOSE_FIPS_H

#include "library.h"

// jose_fips_accepts_path returns whether jose_fips_load accepts a path: absolute, with only the
// characters that a configuration can hold.
bool jose_fips_accepts_path(const char *text);

// jose_fips_configuration writes a configuration with only the module and its settings. Returns
// NULL if memory runs out or an argument is invalid (jose_fips_load). Free it with OPENSSL_free.
char *jose_fips_configuration(const char *module, const jose_fips_setting *settings, size_t count);

// jose_fips_make starts and tests the provider, and makes its library, or sets *library to NULL.
jose_fips_failure jose_fips_make(jose_library **library, const char *module,
                                 const char *configuration);

// jose_fips_is_running returns whether no self-test of the provider failed.
bool jose_fips_is_running(const OSSL_PROVIDER *provider);

// jose_fips_read_description reads what the provider reports about itself.
bool jose_fips_read_description(jose_fips_description *out, const OSSL_PROVIDER *provider);

#endif
