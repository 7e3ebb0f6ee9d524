// algorithms.h: the keys and algorithms of all programs of Tests/CCore. A new algorithm is one
// entry here, which each program then tests.
#ifndef CCORE_ALGORITHMS_H
#define CCORE_ALGORITHMS_H

#include "cjosecrypto.h"

typedef enum { RSA_2048,
               EC_256,
               EC_384,
               EC_521,
               EC_K1,
               ED_25519,
               ED_448,
               X_25519,
               X_448,
               OCT_16,
               OCT_24,
               OCT_32,
               OCT_48,
               OCT_64,
               OCT_200,
               ML_DSA_44,
               ML_DSA_65,
               ML_DSA_87,
               KEYS } key_name;

typedef struct {
    const char *name;
    jose_key_type type;
    jose_curve curve;
    size_t size;  // bits of RSA, bytes of a symmetric key
} key_kind;

extern const key_kind key_kinds[KEYS];

// key_generate makes a key of the kind.
jose_status key_generate(jose_key **key, const key_kind *kind);

typedef struct {
    const char *name;
    key_name key;
    jose_signature_family family;
    jose_hash hash;
} signature_algorithm;

enum { SIGNATURES = 19,
       MAX_SIGNATURE = 4627 };
extern const signature_algorithm signature_algorithms[SIGNATURES];

// keys_here and signatures_here return how many entries the running libcrypto can have; newer ones
// are last in both tables. The first call prints what cannot be tested.
int keys_here(void);
int signatures_here(void);

typedef struct {
    const char *name;
    key_name key;
    jose_keymgmt_rule rule;
    jose_content content;
} encryption_algorithm;

enum { ENCRYPTIONS = 25 };
extern const encryption_algorithm encryption_algorithms[ENCRYPTIONS];

// encryption_named returns the entry of that name, or ends the program.
const encryption_algorithm *encryption_named(const char *name);

#endif
