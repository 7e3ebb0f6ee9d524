// message.h: the parts of an encrypted message, and the structures of the core that point to them.
#ifndef CCORE_MESSAGE_H
#define CCORE_MESSAGE_H

#include <string.h>

#include "cjosecrypto.h"

enum { MESSAGE_PART = 700 };

// Each length can be changed.
typedef struct {
    uint8_t encrypted_key[MESSAGE_PART], parameters[MESSAGE_PART], iv[MESSAGE_PART],
        ciphertext[MESSAGE_PART], tag[MESSAGE_PART];
    size_t encrypted_key_len, parameters_len, iv_len, ciphertext_len, tag_len;
} message_parts;

// message_measure fills every part with a byte, and sets the lengths for a text of text_len bytes.
static inline void message_measure(message_parts *m, uint8_t blank, const jose_keymgmt *maker,
                                   jose_content content, size_t text_len)
{
    memset(m, blank, sizeof *m);
    m->encrypted_key_len = jose_keymgmt_encrypted_key_bytes(maker, content);
    m->parameters_len = jose_keymgmt_parameter_bytes(maker);
    m->iv_len = jose_content_iv_bytes(content);
    m->ciphertext_len = jose_content_ciphertext_bytes(content, text_len);
    m->tag_len = jose_content_tag_bytes(content);
}

static inline jose_wrapped message_wrapped(message_parts *m)
{
    return (jose_wrapped){m->encrypted_key, m->encrypted_key_len, m->parameters, m->parameters_len};
}

static inline jose_seal_output message_sealed(message_parts *m)
{
    return (jose_seal_output){m->encrypted_key, m->encrypted_key_len, m->iv, m->iv_len,
                              m->ciphertext, m->ciphertext_len, m->tag, m->tag_len};
}

// message_opening copies the ciphertext to in_place, where it is decrypted.
static inline jose_open_input message_opening(const message_parts *m,
                                              uint8_t in_place[MESSAGE_PART], uint32_t iterations)
{
    memcpy(in_place, m->ciphertext, MESSAGE_PART);
    const jose_recipient recipient = {.parameters = m->parameters,
                                      .parameters_len = m->parameters_len,
                                      .iterations = iterations};
    return (jose_open_input){m->encrypted_key, m->encrypted_key_len, m->iv, m->iv_len, in_place,
                             m->ciphertext_len, m->tag, m->tag_len, recipient};
}

#endif
