// Empty: the C targets include <openssl/evp.h> themselves; this module only passes flags.
