// token.h: the in-memory PKCS #11 token of the tests: its shared state, and the controls for its
// misbehaviour.
#ifndef TOKEN_H
#define TOKEN_H

#include <openssl/evp.h>
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define MOST_SESSIONS 512
#define MOST_OBJECTS 128

// How the token misbehaves.
enum {
    MISBEHAVIOUR_NONE = 0,
    MISBEHAVIOUR_SIGNATURE_WRONG = 1,
    MISBEHAVIOUR_SIGNATURE_SHORT = 2,
    MISBEHAVIOUR_SIGNATURE_LONG = 3,  // reports more than the buffer holds
    MISBEHAVIOUR_SIGNATURE_HUGE = 4,  // reports 2^63
    MISBEHAVIOUR_SIGNATURE_DER = 5,   // invalid DER
    MISBEHAVIOUR_OTHER_KEY = 6,       // uses another private key
    MISBEHAVIOUR_OTHER_PUBLIC = 7,    // public numbers of another key
    MISBEHAVIOUR_OTHER_PUBLIC_OBJECT = 8,
    MISBEHAVIOUR_ATTRIBUTE_HUGE = 9,
    MISBEHAVIOUR_ATTRIBUTE_LONG = 10,
    MISBEHAVIOUR_ATTRIBUTE_ABSENT = 11,  // no length, and no error
    MISBEHAVIOUR_ATTRIBUTE_WIDE = 12,    // booleans of eight bytes
    MISBEHAVIOUR_FIND_ENDLESS = 13,
    MISBEHAVIOUR_FIND_MORE = 14,  // more handles than the buffer holds
    MISBEHAVIOUR_SLOTS = 15,
    MISBEHAVIOUR_POINT = 16,
    MISBEHAVIOUR_PLAINTEXT_LONG = 17,
    MISBEHAVIOUR_PLAINTEXT_SHORT = 18,
    MISBEHAVIOUR_SECRET_SHORT = 19,
    MISBEHAVIOUR_SECRET_LONG = 20,
    MISBEHAVIOUR_SESSION_BUSY = 21,  // leaves an operation open after an error
    MISBEHAVIOUR_LOGIN_COUNTS = 22,  // a login with another error counts as wrong
    MISBEHAVIOUR_NO_LOGIN = 23,      // requires no login, and hides no object
    MISBEHAVIOUR_KEYPAD = 24,        // has a PIN pad, with the right PIN
    MISBEHAVIOUR_NO_CURVE = 25,      // keys without CKA_EC_PARAMS
};

typedef struct {
    CK_OBJECT_CLASS class;
    CK_KEY_TYPE type;
    bool is_used, is_token, signs, decrypts, derives, asks;
    CK_BYTE id[256], label[256], params[32], value[8192];
    CK_ULONG id_len, label_len, params_len, value_len;
    EVP_PKEY *key;
} object;

typedef struct {
    CK_SESSION_HANDLE handle;  // 0: not in use
    CK_SLOT_ID slot;
    bool writes;
    char operation;  // 0, 's', 'd'
    bool wants_pin;
    CK_MECHANISM_TYPE mechanism;
    CK_RSA_PKCS_PSS_PARAMS pss;
    CK_RSA_PKCS_OAEP_PARAMS oaep;
    CK_OBJECT_HANDLE key;
    CK_OBJECT_HANDLE found[MOST_OBJECTS];
    CK_ULONG found_count;
    bool is_finding;
} session;

// The whole state, protected by the lock.
extern struct token {
    pthread_mutex_t lock;
    object objects[MOST_OBJECTS];
    session sessions[MOST_SESSIONS];
    CK_SESSION_HANDLE last_session;
    CK_ULONG epoch;  // object handles are valid for one epoch
    bool is_initialised, is_logged_in, is_removed, has_twin, is_other, is_moved, is_copied,
        asks_next;
    int twin_next;  // with the next pair another program creates a private key: 1 with its label,
                    // 2 with its id
    CK_ULONG tries_left;
    CK_ULONG logins, operations;  // number of calls
    CK_ULONG swap_at;             // after this operation another token is in the slot
    int misbehaviour;
    CK_RV begin_response, end_response;  // return values to use, and their counts
    CK_ULONG begin_count, end_count;
    CK_RV login_response;
    CK_ULONG login_count;
    unsigned delay_us;
} token;

// put_in puts another token into the slot, or the first one again. It has the same keys, so that a
// test detects their use.
void put_in(bool other);
// is_open returns whether private keys are visible and usable.
bool is_open(void);
// session_of returns the session of a handle, or NULL with the error in answer.
session *session_of(CK_SESSION_HANDLE handle, CK_RV *answer);
// object_of returns the visible object of a handle of this epoch, or NULL.
object *object_of(CK_OBJECT_HANDLE handle);
// object_handle returns the handle of an object, from its index.
CK_OBJECT_HANDLE object_handle(const object *one);
// new_object returns a free object slot, or NULL.
object *new_object(void);
// apply sets an object's attributes, and returns the requested size of an RSA key in bits.
void apply(object *one, const CK_ATTRIBUTE *attributes, CK_ULONG count, CK_ULONG *bits);
// other_key returns a key of the same kind that belongs to no object.
EVP_PKEY *other_key(EVP_PKEY *key);

// load_token and store_token read and write the token's file, if any. Call them with the lock held.
void load_token(void);
void store_token(void);

#endif
