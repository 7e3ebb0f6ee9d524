// cjosepkcs11.h is the whole contract of the C target CJOSEPKCS11: the calls of a PKCS#11 module that is loaded at run
// time, over fixed shapes. Every number and length that a module says is checked; what it writes to stays ours.
#ifndef CJOSEPKCS11_H
#define CJOSEPKCS11_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a call can end in.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_OK = 0,
    JOSE_P11_SESSION = 1,   // the session is gone: a new one may do
    JOSE_P11_LOGIN = 2,     // nobody is logged in
    JOSE_P11_OBJECT = 3,    // the handle names no object any more; nothing was done
    JOSE_P11_GONE = 4,      // the token or the device is not there, or could not begin
    JOSE_P11_PIN = 5,       // the PIN is wrong
    JOSE_P11_LOCKED = 6,    // the PIN is locked, expired or was never set
    JOSE_P11_ABSENT = 7,    // there is no such attribute, mechanism or parameter
    JOSE_P11_TOO_LONG = 8,  // more than there is room for
    JOSE_P11_FAILED = 9,    // any other rejection, or an answer that cannot be
    JOSE_P11_FORKED = 10,   // the module was loaded by another process
    JOSE_P11_NO_MODULE = 11,
    JOSE_P11_BUSY = 12,   // the session still has an operation open: it is to be closed
    JOSE_P11_UNSURE = 13  // the login failed, and nothing says whether the PIN was looked at: it may count as a try
} jose_p11_status;

// A loaded module, as one process has it. Any thread may use it; a session belongs to one thread at a time.
typedef struct jose_p11 jose_p11;

// jose_p11_load loads the module at a path and initialises it, unless somebody did. Modules stay loaded and initialised
// until the process ends, since others may use them too; a child of fork loads its own. Returns JOSE_P11_NO_MODULE for
// a file that is none, JOSE_P11_GONE or JOSE_P11_FAILED where it cannot start. To be freed once.
jose_p11_status jose_p11_load(jose_p11 **module, const char *path);

// jose_p11_free frees what jose_p11_load gave. Does nothing with NULL.
void jose_p11_free(jose_p11 *module);

// jose_p11_is_here tells whether this is the process that loaded the module.
bool jose_p11_is_here(const jose_p11 *module);

// The texts of a module, a slot and its token as they stand there: padded with spaces, not ended.
typedef struct {
    uint8_t label[32], manufacturer[32], model[16], serial[16];
    uint8_t slot_description[64], slot_manufacturer[32];
    uint8_t library_description[32], library_manufacturer[32];
    uint8_t library_major, library_minor;
    bool is_initialised, needs_login, has_keypad, is_count_low, is_final_try, is_locked;
} jose_p11_token;

#define JOSE_P11_MAX_SLOTS 256

// jose_p11_slots writes the numbers of the slots with a token. Returns JOSE_P11_TOO_LONG for more than capacity.
jose_p11_status jose_p11_slots(const jose_p11 *module, uint64_t *slots, size_t capacity, size_t *count);

// jose_p11_describe writes what a slot, its token and the module say of themselves.
jose_p11_status jose_p11_describe(const jose_p11 *module, jose_p11_token *token, uint64_t slot);

// jose_p11_open opens a session; one that writes may make objects. To be closed, unless a call said JOSE_P11_SESSION.
jose_p11_status jose_p11_open(const jose_p11 *module, uint64_t *session, uint64_t slot, bool writes);

// jose_p11_close closes a session, and says nothing of one that is gone.
void jose_p11_close(const jose_p11 *module, uint64_t session);

// jose_p11_is_logged_in tells whether the user is logged in, by what the session says.
jose_p11_status jose_p11_is_logged_in(const jose_p11 *module, bool *is, uint64_t session);

// jose_p11_login logs the user in, in all sessions with the token; NULL where the device asks for the PIN itself. Returns
// JOSE_P11_PIN or JOSE_P11_LOCKED for a PIN that was rejected, JOSE_P11_SESSION or JOSE_P11_GONE where it was not looked at
// (a session that was no more when the call began, a token that was not there),
// JOSE_P11_UNSURE for all else.
jose_p11_status jose_p11_login(const jose_p11 *module, uint64_t session, const uint8_t *pin, size_t pin_len);

typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_CERTIFICATE = 1,
    JOSE_P11_PUBLIC_KEY = 2,
    JOSE_P11_PRIVATE_KEY = 3
} jose_p11_kind;

// jose_p11_find writes the handles of the objects of a kind, with this id and this label where they are not NULL.
// Returns JOSE_P11_TOO_LONG for more than capacity.
jose_p11_status jose_p11_find(const jose_p11 *module, uint64_t session, uint64_t *objects, size_t capacity,
                              size_t *count, jose_p11_kind kind, const uint8_t *id, size_t id_len,
                              const uint8_t *label, size_t label_len);

// The attributes that are read. Of yes and no one byte is written, of the key type a jose_p11_key_type.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_ID = 1,
    JOSE_P11_LABEL = 2,
    JOSE_P11_KEY_TYPE = 3,
    JOSE_P11_SIGNS = 4,
    JOSE_P11_DECRYPTS = 5,
    JOSE_P11_DERIVES = 6,
    JOSE_P11_ALWAYS_ASKS = 7,
    JOSE_P11_MODULUS = 8,
    JOSE_P11_EXPONENT = 9,
    JOSE_P11_EC_PARAMS = 10,
    JOSE_P11_EC_POINT = 11,
    JOSE_P11_VALUE = 12
} jose_p11_attribute;

typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_OTHER_KEY = 0,
    JOSE_P11_RSA = 1,
    JOSE_P11_EC = 2,
    JOSE_P11_EDWARDS = 3,
    JOSE_P11_MONTGOMERY = 4
} jose_p11_key_type;

// jose_p11_read writes an attribute of an object. Returns JOSE_P11_ABSENT if it has none or hides it,
// JOSE_P11_TOO_LONG if it does not fit, JOSE_P11_FAILED for a length that cannot be.
jose_p11_status jose_p11_read(const jose_p11 *module, uint64_t session, uint8_t *out, size_t capacity, size_t *len,
                              uint64_t object, jose_p11_attribute attribute);

// What a private key does.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_SIGN_PKCS1 = 1,    // over a DigestInfo
    JOSE_P11_SIGN_PSS = 2,      // over a digest, with a salt as long
    JOSE_P11_SIGN_ECDSA = 3,    // over a digest: r and s
    JOSE_P11_SIGN_ED25519 = 4,  // over a message
    JOSE_P11_DECRYPT_OAEP = 5,  // with the hash for MGF1 too, and no label
    JOSE_P11_DECRYPT_RAW = 6,
    JOSE_P11_AGREE = 7,
    JOSE_P11_SIGN_ED448 = 8  // over a message, with the parameters that say that it is Ed448
} jose_p11_mechanism;

typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_SHA1 = 0,
    JOSE_P11_SHA256 = 1,
    JOSE_P11_SHA384 = 2,
    JOSE_P11_SHA512 = 3
} jose_p11_hash;

// jose_p11_offers tells whether a slot's token says that it can work in this way.
bool jose_p11_offers(const jose_p11 *module, uint64_t slot, jose_p11_mechanism mechanism);

// One use of a private key. With asks, the PIN is given for this one use, NULL where the device asks for it itself.
typedef struct {
    uint64_t session, object;
    jose_p11_mechanism mechanism;
    jose_p11_hash hash;
    bool asks;
    const uint8_t *pin;
    size_t pin_len;
} jose_p11_use;

// jose_p11_can_begin tells whether a key takes the parameters of a use that decrypts. An operation is left open: the
// session is to be closed.
jose_p11_status jose_p11_can_begin(const jose_p11 *module, const jose_p11_use *use);

// jose_p11_sign signs. Allocates nothing.
jose_p11_status jose_p11_sign(const jose_p11 *module, const jose_p11_use *use, uint8_t *out, size_t capacity,
                              size_t *len, const uint8_t *in, size_t in_len);

// jose_p11_decrypt decrypts. Once the device has the bytes, every status says JOSE_P11_FAILED but those of a session,
// a login, a token or a device that is gone. Allocates nothing.
jose_p11_status jose_p11_decrypt(const jose_p11 *module, const jose_p11_use *use, uint8_t *out, size_t capacity,
                                 size_t *len, const uint8_t *in, size_t in_len);

// jose_p11_agree writes the secret that is shared with a point: exactly out_len bytes. The object that holds it in the
// token meanwhile is of the session, and destroyed.
jose_p11_status jose_p11_agree(const jose_p11 *module, const jose_p11_use *use, uint8_t *out, size_t out_len,
                               const uint8_t *point, size_t point_len);

// A pair that is made in the token: the private key is sensitive and never leaves it.
typedef struct {
    jose_p11_key_type type;
    size_t rsa_bits;
    const uint8_t *params;  // DER, of other types
    size_t params_len;
    bool signs;  // or else decrypts or agrees
    const uint8_t *id;
    size_t id_len;
    const uint8_t *label;
    size_t label_len;
} jose_p11_pair;

// jose_p11_make_pair makes a pair of token objects; the session writes. Returns their handles in made: the public key,
// the private key.
jose_p11_status jose_p11_make_pair(const jose_p11 *module, uint64_t session, uint64_t made[2],
                                   const jose_p11_pair *pair);

// jose_p11_put_certificate makes a token object of an X.509 certificate; the session writes.
jose_p11_status jose_p11_put_certificate(const jose_p11 *module, uint64_t session, const uint8_t *der, size_t der_len,
                                         const uint8_t *subject, size_t subject_len, const uint8_t *id, size_t id_len,
                                         const uint8_t *label, size_t label_len);

// jose_p11_destroy removes an object from the token for good; the session writes.
jose_p11_status jose_p11_destroy(const jose_p11 *module, uint64_t session, uint64_t object);

// jose_p11_read_line reads a file of one line without its end, as a PIN stands in. Returns JOSE_P11_ABSENT where it
// cannot be read, JOSE_P11_TOO_LONG for more than fits.
jose_p11_status jose_p11_read_line(uint8_t *out, size_t capacity, size_t *len, const char *path);

// A bell on which one thread waits: a ring lets one wait end, now or later.
typedef struct jose_wake_event jose_wake_event;

// jose_wake_event_make returns a bell, to be freed once when nobody rings or waits; NULL if memory fails.
jose_wake_event *jose_wake_event_make(void);

// jose_wake_event_free frees a bell. Does nothing with NULL.
void jose_wake_event_free(jose_wake_event *event);

// jose_wake_event_signal lets one wait end; two rings before it are one.
void jose_wake_event_signal(jose_wake_event *event);

// jose_wake_event_wait blocks until the bell is rung, or was.
void jose_wake_event_wait(jose_wake_event *event);

#endif
