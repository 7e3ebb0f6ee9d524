// answered.h: messages that are opened by the answers of somebody else who has the private key, with what he makes of
// them.
#ifndef CCORE_ANSWERED_H
#define CCORE_ANSWERED_H

#include "algorithms.h"

enum { ANSWERED_TEXT = 21,
       ANSWERED_ROOM = 700 };

extern const uint8_t answered_text[ANSWERED_TEXT], answered_aad[7];

// A way to encrypt to a key that may be elsewhere.
typedef struct {
    const char *name;
    key_name key;
    jose_keymgmt_rule rule;
    jose_content content;
    jose_options options;
} answered_way;

enum { ANSWERED_WAYS = 8 };
extern const answered_way answered_ways[ANSWERED_WAYS];

typedef struct {
    uint8_t encrypted_key[ANSWERED_ROOM], parameters[ANSWERED_ROOM], iv[16], ciphertext[ANSWERED_ROOM], tag[64];
    size_t encrypted_key_len, parameters_len, iv_len, ciphertext_len, tag_len;
    uint8_t cek[64], secret[ANSWERED_ROOM];  // a block, or what was agreed upon
    size_t cek_len, secret_len;
} answered_message;

// answered_make makes a message to a key by its operation that wraps, and the answers to it; cek_len bytes of cek are
// given.
bool answered_make(answered_message *message, const answered_way *way, const jose_keymgmt *maker, jose_key *key);

// answered_open opens a copy of the message by an answer; the plaintext, or what is left, is in text.
jose_status answered_open(const jose_keymgmt *opener, const answered_way *way, const answered_message *message,
                          jose_answer_kind kind, const uint8_t *bytes, size_t len, uint8_t text[ANSWERED_ROOM],
                          size_t *text_len);

// answered_public makes the public part of a key.
jose_status answered_public(jose_key **public, const jose_key *key, const answered_way *way);

#endif
