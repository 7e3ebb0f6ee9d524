// external.h: messages that are decrypted with an external key's results, and these results.
#ifndef CCORE_EXTERNAL_H
#define CCORE_EXTERNAL_H

#include "algorithms.h"
#include "message.h"

enum { EXTERNAL_TEXT = 21,
       EXTERNAL_CAPACITY = MESSAGE_PART };

extern const uint8_t external_text[EXTERNAL_TEXT], external_aad[7];

// An encryption to a key that may be external.
typedef struct {
    const char *name;
    key_name key;
    jose_keymgmt_rule rule;
    jose_content content;
    jose_options options;
} external_case;

enum { EXTERNAL_CASES = 8 };
extern const external_case external_cases[EXTERNAL_CASES];

typedef struct {
    message_parts sealed;
    uint8_t cek[64], secret[EXTERNAL_CAPACITY];  // a block, or a shared secret
    size_t cek_len, secret_len;
} external_message;

// external_make makes a message to a key with its wrapping operation, and the results for it.
// cek_len bytes of cek are given.
bool external_make(external_message *message, const external_case *level, const jose_keymgmt *maker,
                   jose_key *key);

// external_open decrypts a copy of the message with a result; text gets the plaintext, or what is
// left.
jose_status external_open(const jose_keymgmt *opener, const external_case *level,
                          const external_message *message, jose_external_result_kind kind,
                          const uint8_t *bytes, size_t len, uint8_t text[EXTERNAL_CAPACITY],
                          size_t *text_len);

// external_public makes the public part of a key.
jose_status external_public(jose_key **public, const jose_key *key, const external_case *level);

#endif
