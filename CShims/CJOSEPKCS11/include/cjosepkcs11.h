// cjosepkcs11.h: calls of a PKCS#11 module that is loaded at run time. This header is the whole
// contract of the C target CJOSEPKCS11. It checks every number and length that a module returns. A
// module writes to the caller's output buffers itself, and gets their capacities.
//
// In a child of the process that loaded the module, functions that get a module and return a status
// return JOSE_P11_FORKED; jose_p11_offers returns false, and jose_p11_close does nothing.
// jose_p11_load loads the module for the child.
//
// Outputs are valid only with JOSE_P11_OK; lengths and counts are 0 otherwise. Nothing here wipes
// an output: after a failure a buffer for a secret may hold a part of the secret. The caller wipes
// it.
#ifndef CJOSEPKCS11_H
#define CJOSEPKCS11_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_OK = 0,
    JOSE_P11_SESSION = 1,   // the session is gone; a new one may work
    JOSE_P11_LOGIN = 2,     // the user is not logged in
    JOSE_P11_OBJECT = 3,    // the object is gone; nothing was done
    JOSE_P11_GONE = 4,      // the token or device is missing or failed to start
    JOSE_P11_PIN = 5,       // the PIN is wrong
    JOSE_P11_LOCKED = 6,    // the PIN is locked, expired or was never set
    JOSE_P11_ABSENT = 7,    // no such attribute, mechanism, parameter or file
    JOSE_P11_TOO_LONG = 8,  // more than the capacity
    JOSE_P11_FAILED = 9,    // any other error, or an impossible result
    JOSE_P11_FORKED = 10,   // another process loaded the module
    JOSE_P11_NO_MODULE = 11,
    JOSE_P11_BUSY = 12,   // the session has an open operation; close the session
    JOSE_P11_UNSURE = 13  // the login failed, and the token may have counted a wrong PIN
} jose_p11_status;

// A loaded module of one process. Any thread may use it; a session belongs to one thread at a time.
typedef struct jose_p11 jose_p11;

// jose_p11_load loads the module at a path, which ends with NUL. It initialises the module, unless
// this process already did, and may wait for another thread that starts a module. Modules stay
// loaded and initialised until the process ends, since other code may use them too. Returns
// JOSE_P11_NO_MODULE if the file is no module or lacks a function that this target calls. Returns
// JOSE_P11_GONE, JOSE_P11_FAILED or another error if the module cannot start or memory runs out.
// *module is NULL unless the result is JOSE_P11_OK. Free it with jose_p11_free.
jose_p11_status jose_p11_load(jose_p11 **module, const char *path);

// jose_p11_free frees the handle, once no thread uses it. The module stays loaded, and its sessions
// stay open. NULL is allowed.
void jose_p11_free(jose_p11 *module);

// jose_p11_is_same_process returns whether this process, not its parent, loaded the module.
bool jose_p11_is_same_process(const jose_p11 *module);

// What a module, a slot and its token report. The strings are padded with spaces and have no NUL.
typedef struct {
    uint8_t label[32], manufacturer[32], model[16], serial[16];
    uint8_t slot_description[64], slot_manufacturer[32];
    uint8_t library_description[32], library_manufacturer[32];
    uint8_t library_major, library_minor;
    bool is_initialised, needs_login, has_keypad, is_count_low, is_final_try, is_locked;
} jose_p11_token;

#define JOSE_P11_MAX_SLOTS 256

// jose_p11_slots writes the IDs of the slots that have a token, at most JOSE_P11_MAX_SLOTS. Returns
// JOSE_P11_TOO_LONG if there are more than that or than `capacity`. If other code of the process
// finalised the module, this function initialises it again.
jose_p11_status jose_p11_slots(const jose_p11 *module, uint64_t *slots, size_t capacity,
                               size_t *count);

// jose_p11_describe reads the description of a slot, its token and the module. After a failure
// *token is all zeros.
jose_p11_status jose_p11_describe(const jose_p11 *module, jose_p11_token *token, uint64_t slot);

// jose_p11_open opens a session; `writes` allows it to make and destroy objects. Close it with
// jose_p11_close, unless a call returned JOSE_P11_SESSION.
jose_p11_status jose_p11_open(const jose_p11 *module, uint64_t *session, uint64_t slot,
                              bool writes);

// jose_p11_close closes a session; one that is gone is ignored.
void jose_p11_close(const jose_p11 *module, uint64_t session);

// jose_p11_is_logged_in returns in *is whether the user is logged in.
jose_p11_status jose_p11_is_logged_in(const jose_p11 *module, bool *is, uint64_t session);

// jose_p11_login logs the user in, in all sessions with the token. A NULL pin means that the device
// asks for the PIN itself. Returns JOSE_P11_PIN or JOSE_P11_LOCKED if the PIN was rejected. Returns
// JOSE_P11_SESSION or JOSE_P11_GONE if the PIN was certainly not tried: there was no such session,
// token or initialised module when the call began. Returns JOSE_P11_UNSURE for every other failure.
jose_p11_status jose_p11_login(const jose_p11 *module, uint64_t session, const uint8_t *pin,
                               size_t pin_len);

typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_CERTIFICATE = 1,
    JOSE_P11_PUBLIC_KEY = 2,
    JOSE_P11_PRIVATE_KEY = 3
} jose_p11_kind;

// jose_p11_find writes the handles of the objects of a kind with this id and this label; each of
// the two may be NULL, which means any. `capacity` is at most 255, else JOSE_P11_FAILED. Returns
// JOSE_P11_TOO_LONG, without handles, if there are more than `capacity`.
jose_p11_status jose_p11_find(const jose_p11 *module, uint64_t session, uint64_t *objects,
                              size_t capacity, size_t *count, jose_p11_kind kind, const uint8_t *id,
                              size_t id_len, const uint8_t *label, size_t label_len);

// The attributes to read. A Boolean is written as one byte, the key type as a jose_p11_key_type.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_ID = 1,
    JOSE_P11_LABEL = 2,
    JOSE_P11_KEY_TYPE = 3,
    JOSE_P11_SIGNS = 4,
    JOSE_P11_DECRYPTS = 5,
    JOSE_P11_DERIVES = 6,
    JOSE_P11_ALWAYS_AUTHENTICATE = 7,
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

// jose_p11_read reads an attribute of an object. Returns JOSE_P11_ABSENT if the object does not
// have or reveal the attribute, JOSE_P11_TOO_LONG if it does not fit, JOSE_P11_FAILED for an
// impossible length.
jose_p11_status jose_p11_read(const jose_p11 *module, uint64_t session, uint8_t *out,
                              size_t capacity, size_t *len, uint64_t object,
                              jose_p11_attribute attribute);

typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_SIGN_PKCS1 = 1,    // over a DigestInfo
    JOSE_P11_SIGN_PSS = 2,      // over a digest, with a salt of its length
    JOSE_P11_SIGN_ECDSA = 3,    // over a digest: r and s
    JOSE_P11_SIGN_ED25519 = 4,  // over a message
    JOSE_P11_DECRYPT_OAEP = 5,  // MGF1 with the same hash, no label
    JOSE_P11_DECRYPT_RAW = 6,
    JOSE_P11_AGREE = 7,
    JOSE_P11_SIGN_ED448 = 8  // over a message, with the parameters for Ed448
} jose_p11_mechanism;

typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_P11_SHA1 = 0,
    JOSE_P11_SHA256 = 1,
    JOSE_P11_SHA384 = 2,
    JOSE_P11_SHA512 = 3
} jose_p11_hash;

// jose_p11_offers returns whether a slot's token supports this mechanism.
bool jose_p11_offers(const jose_p11 *module, uint64_t slot, jose_p11_mechanism mechanism);

// One use of a private key. With `always_authenticate` (CKA_ALWAYS_AUTHENTICATE), the user logs in
// with the PIN for this use alone. A NULL pin means that the device asks for the PIN itself.
// Agreements ignore `always_authenticate`: C_DeriveKey has no step for this login.
typedef struct {
    uint64_t session, object;
    jose_p11_mechanism mechanism;
    jose_p11_hash hash;
    bool always_authenticate;
    const uint8_t *pin;
    size_t pin_len;
} jose_p11_use;

// jose_p11_begin_decryption returns whether a key accepts the parameters of a decryption
// (JOSE_P11_DECRYPT_OAEP or _RAW). It leaves an operation open: close the session afterwards.
jose_p11_status jose_p11_begin_decryption(const jose_p11 *module, const jose_p11_use *use);

// jose_p11_sign signs `in`: a digest, a DigestInfo or a message, depending on the mechanism.
// Returns JOSE_P11_FAILED if the signature does not fit in `capacity`. After a failure the session
// may have an open operation: close the session. This function does not allocate.
jose_p11_status jose_p11_sign(const jose_p11 *module, const jose_p11_use *use, uint8_t *out,
                              size_t capacity, size_t *len, const uint8_t *in, size_t in_len);

// jose_p11_decrypt decrypts `in`. Once the device has the input, every failure is JOSE_P11_FAILED:
// a distinction might reveal padding. The exception is a session, login, token or device that is
// gone. After a failure the caller wipes `out`, which may hold plaintext, and closes the session,
// which may have an open operation. This function does not allocate.
jose_p11_status jose_p11_decrypt(const jose_p11 *module, const jose_p11_use *use, uint8_t *out,
                                 size_t capacity, size_t *len, const uint8_t *in, size_t in_len);

// jose_p11_agree writes the shared secret with a point, exactly out_len bytes. The token makes the
// secret as a session object, which this function reads and destroys. After a failure, for example
// if the secret has another length, `out` may hold the secret: the caller wipes `out`.
jose_p11_status jose_p11_agree(const jose_p11 *module, const jose_p11_use *use, uint8_t *out,
                               size_t out_len, const uint8_t *point, size_t point_len);

// A key pair to generate in the token. The private key is sensitive and never leaves the token.
typedef struct {
    jose_p11_key_type type;
    size_t rsa_bits;
    const uint8_t *params;  // DER, for types other than RSA
    size_t params_len;
    bool signs;  // true: the private key signs; false: it decrypts or agrees
    const uint8_t *id;
    size_t id_len;
    const uint8_t *label;
    size_t label_len;
} jose_p11_pair;

// jose_p11_make_pair generates a pair of token objects, in a session that writes. made[0] is the
// handle of the public key, made[1] of the private key.
jose_p11_status jose_p11_make_pair(const jose_p11 *module, uint64_t session, uint64_t made[2],
                                   const jose_p11_pair *pair);

// jose_p11_put_certificate stores an X.509 certificate in the token, in a session that writes.
jose_p11_status jose_p11_put_certificate(const jose_p11 *module, uint64_t session,
                                         const uint8_t *der, size_t der_len, const uint8_t *subject,
                                         size_t subject_len, const uint8_t *id, size_t id_len,
                                         const uint8_t *label, size_t label_len);

// jose_p11_destroy deletes an object from the token permanently, in a session that writes. Returns
// JOSE_P11_OK too if the object is gone.
jose_p11_status jose_p11_destroy(const jose_p11 *module, uint64_t session, uint64_t object);

// jose_p11_read_line reads a file of one line, such as a PIN, and removes the line end. Returns
// JOSE_P11_ABSENT if the file cannot be read, JOSE_P11_TOO_LONG if it does not fit with its line
// end. The caller wipes all of `out` after any result: after a failure `out` may hold a part of the
// file.
jose_p11_status jose_p11_read_line(uint8_t *out, size_t capacity, size_t *len, const char *path);

#endif
