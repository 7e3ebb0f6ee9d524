// token.h: a PKCS#11 token of the tests, in memory: what it shares with itself, and by what a test
// spoils it.
#ifndef TOKEN_H
#define TOKEN_H

#include <openssl/evp.h>
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define MOST_SESSIONS 512
#define MOST_OBJECTS 128

// How it misbehaves.
enum {
    MISBEHAVIOUR_NONE = 0,
    MISBEHAVIOUR_SIGNATURE_WRONG = 1,
    MISBEHAVIOUR_SIGNATURE_SHORT = 2,
    MISBEHAVIOUR_SIGNATURE_LONG = 3,  // says more than it was given room for
    MISBEHAVIOUR_SIGNATURE_HUGE = 4,  // says 2^63
    MISBEHAVIOUR_SIGNATURE_DER = 5,   // nonsense in DER
    MISBEHAVIOUR_OTHER_KEY = 6,       // another private key does the work
    MISBEHAVIOUR_OTHER_PUBLIC = 7,    // public numbers of another key, everywhere
    MISBEHAVIOUR_OTHER_PUBLIC_OBJECT = 8,
    MISBEHAVIOUR_ATTRIBUTE_HUGE = 9,
    MISBEHAVIOUR_ATTRIBUTE_LONG = 10,
    MISBEHAVIOUR_ATTRIBUTE_ABSENT = 11,  // no length, and no error
    MISBEHAVIOUR_ATTRIBUTE_WIDE = 12,    // yes and no in eight bytes
    MISBEHAVIOUR_FIND_ENDLESS = 13,
    MISBEHAVIOUR_FIND_MORE = 14,  // more handles than there was room for
    MISBEHAVIOUR_SLOTS = 15,
    MISBEHAVIOUR_POINT = 16,
    MISBEHAVIOUR_PLAINTEXT_LONG = 17,
    MISBEHAVIOUR_PLAINTEXT_SHORT = 18,
    MISBEHAVIOUR_SECRET_SHORT = 19,
    MISBEHAVIOUR_SECRET_LONG = 20,
    MISBEHAVIOUR_SESSION_BUSY = 21,  // leaves an operation open after an error
    MISBEHAVIOUR_LOGIN_COUNTS = 22,  // a login that it answers otherwise is a wrong try
    MISBEHAVIOUR_NO_LOGIN = 23,      // wants none, and hides nothing
    MISBEHAVIOUR_KEYPAD = 24,        // has keys of its own for the PIN, which is right
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

// All of it; under the lock.
extern struct token {
    pthread_mutex_t lock;
    object objects[MOST_OBJECTS];
    session sessions[MOST_SESSIONS];
    CK_SESSION_HANDLE last_session;
    CK_ULONG epoch;  // handles of objects end with it
    bool is_initialised, is_logged_in, is_removed, has_twin, is_other, is_moved, is_copied,
        asks_next;
    int twin_next;  // with the next pair another program makes a private key: 1 with its label, 2
                    // with its id
    CK_ULONG tries_left;
    CK_ULONG logins, operations;  // how often it was asked
    CK_ULONG swap_at;             // the operation behind which another token is in the slot
    int misbehaviour;
    CK_RV begin_response, end_response;  // what it says instead, so often
    CK_ULONG begin_count, end_count;
    CK_RV login_response;
    CK_ULONG login_count;
    unsigned delay_us;
} token;

// put_in puts another token into the slot, or the first one again; it keeps the same keys, so that
// a test sees who uses them.
void put_in(bool other);
// is_open tells whether private keys may be seen and used.
bool is_open(void);
// session_of returns the session of a handle, or NULL with why in answer.
session *session_of(CK_SESSION_HANDLE handle, CK_RV *answer);
// object_of returns the object of a handle of this epoch that may be seen now, or NULL.
object *object_of(CK_OBJECT_HANDLE handle);
// object_handle names an object, by its place.
CK_OBJECT_HANDLE object_handle(const object *one);
// new_object returns a place for an object, or NULL.
object *new_object(void);
// apply takes what attributes say of an object, and how many bits an RSA key shall have.
void apply(object *one, const CK_ATTRIBUTE *attributes, CK_ULONG count, CK_ULONG *bits);
// other_key returns a key of the same kind that is no object's.
EVP_PKEY *other_key(EVP_PKEY *key);

// load_token and store_token read and write the token's file, where it has one; under the lock.
void load_token(void);
void store_token(void);

#endif
