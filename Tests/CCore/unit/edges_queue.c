// edges_queue.c: the host's entries in the error queue have no effect and stay unchanged, and no
// call keeps memory.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "edges_keys.h"
#include "faults.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include "runtime/host.h"

enum { ROOM = 300,
       WARM = 2,
       ROUNDS = 4,
       ENTRIES = 3 };

// MARK: rounds

void faults_rounds(const char *name, void (*run)(const void *what), const void *what)
{
    size_t before = 0;
    for (int i = 0; i < WARM + ROUNDS; i++) {
        if (i == WARM) before = faults_allocated();
        run(what);
    }
    need(faults_allocated() < before + ROUNDS, "%s keeps %zu pieces in %d rounds", name,
         faults_allocated() - before, ROUNDS);
}

// MARK: the queue

// The host ran out of memory and of files: entries that would be failures if they were of the core.
static void raise_entries(void)
{
    ERR_clear_error();
    for (int i = 0; i < ENTRIES - 1; i++)
        ERR_raise_data(ERR_LIB_USER, ERR_R_MALLOC_FAILURE, "of the host's, %d", i);
    ERR_raise_data(ERR_LIB_SYS, 24, "of the host's, file");
}

static void check_entries(const char *name)
{
    for (int i = 0; i < ENTRIES; i++) {
        const char *data = NULL;
        int flags = 0;
        char right[40];
        const unsigned long code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
        if (i < ENTRIES - 1)
            need(code == ERR_PACK(ERR_LIB_USER, 0, ERR_R_MALLOC_FAILURE), "%s: entry %d", name, i);
        else
            need(ERR_SYSTEM_ERROR(code) && ERR_GET_REASON(code) == 24, "%s: entry %d", name, i);
        if (i < ENTRIES - 1)
            snprintf(right, sizeof right, "of the host's, %d", i);
        else
            snprintf(right, sizeof right, "of the host's, file");
        need((flags & ERR_TXT_STRING) && strcmp(data, right) == 0, "%s: the text of entry %d", name,
             i);
    }
    need(ERR_get_error() == 0, "%s: one entry more", name);
}

// The entries of a call, up to more than the capacity of the queue, are removed with their strings;
// read or not.
static void run_call(const void *what)
{
    const int entries = *(const int *)what;
    jose_host host;
    for (int level = 0; level < 4; level++) {
        if (level < 2) raise_entries();
        jose_host_enter(&host);
        need(ERR_peek_error() == 0, "a call begins with an empty queue");
        for (int i = 0; i < entries; i++)
            ERR_raise_data(ERR_LIB_USER, ERR_R_MALLOC_FAILURE, "of the core, %d", i);
        if (level % 2)
            need(jose_take_system_failure() == (entries > 0) && ERR_peek_error() == 0, "a failure");
        jose_host_leave(&host);
        if (level < 2) check_entries("a call");
        need(ERR_peek_error() == 0, "a call leaves an entry");
    }
    ERR_clear_error();
}

// MARK: marks and strings

// Five entries of the host: with a formatted string, with a constant, of the system, without a
// string, and without a position in a file. Bit i of marked sets a mark at entry i, bit i + 5 a
// second one.
enum { KINDS = 5,
       LINE = 4711 };
static char constant[] = "a constant";

static void raise_kinds(unsigned marked)
{
    ERR_clear_error();
    for (int i = 0; i < KINDS; i++) {
        ERR_new();
        if (i < KINDS - 1) ERR_set_debug("host.c", LINE + i, "raise_kinds");
        if (i == 0)
            ERR_set_error(ERR_LIB_USER, ERR_R_MALLOC_FAILURE, "number %d", 0);
        else if (i == 2)
            ERR_set_error(ERR_LIB_SYS, 24, NULL);
        else
            ERR_set_error(ERR_LIB_EVP, 100 + i, NULL);
        if (i == 1) ERR_set_error_data(constant, ERR_TXT_STRING);
        if (marked >> i & 1) ERR_set_mark();
        if (marked >> (i + KINDS) & 1) ERR_set_mark();
    }
}

static void check_kind(int i, bool short_of_memory)
{
    const char *file, *function, *data;
    int line, flags;
    const unsigned long code = ERR_peek_last_error_all(&file, &line, &function, &data, &flags);
    const int library = i == 0 ? ERR_LIB_USER : i == 2 ? ERR_LIB_SYS
                                                       : ERR_LIB_EVP;
    const int reason = i == 0 ? ERR_R_MALLOC_FAILURE : i == 2 ? 24
                                                              : 100 + i;
    need(ERR_GET_LIB(code) == library && ERR_GET_REASON(code) == reason, "kind %d: code", i);
    if (i == 1) need(data == constant && flags == ERR_TXT_STRING, "kind %d: constant", i);
    if (i < KINDS - 1) need(line == LINE + i, "kind %d: line", i);
    if (short_of_memory) return;
    need(strcmp(file, i < KINDS - 1 ? "host.c" : "") == 0, "kind %d: file", i);
    need(strcmp(function, i < KINDS - 1 ? "raise_kinds" : "") == 0, "kind %d: function", i);
    if (i != 1) need(strcmp(data, i == 0 ? "number 0" : "") == 0, "kind %d: string", i);
    if (i == 0) need(flags == (ERR_TXT_STRING | ERR_TXT_MALLOCED), "kind %d: flags", i);
}

// From the last entry on: ERR_pop_to_mark removes those above the next mark, and the mark.
static void check_kinds(unsigned marked, bool short_of_memory)
{
    int top = KINDS - 1;
    check_kind(top, short_of_memory);
    for (;;) {
        int found = top;
        while (found >= 0 && (marked >> found & 1) + (marked >> (found + KINDS) & 1) == 0) found--;
        need(ERR_pop_to_mark() == (found >= 0), "marks %#x: at %d", marked, found);
        if (found < 0) break;
        if (marked >> found & 1)
            marked &= ~(1U << found);
        else
            marked &= ~(1U << (found + KINDS));
        top = found;
        check_kind(top, short_of_memory);
    }
    need(ERR_peek_error() == 0, "marks: an entry more");
}

static void run_kinds(const void *what)
{
    const unsigned marked = *(const unsigned *)what;
    for (int entries = 0; entries < 40; entries = 3 * entries + 1) {
        jose_host host;
        raise_kinds(marked);
        jose_host_enter(&host);
        need(ERR_peek_error() == 0, "a call begins with an empty queue");
        for (int i = 0; i < entries; i++) {
            ERR_raise(ERR_LIB_USER, 1);
            ERR_set_mark();
        }
        jose_host_leave(&host);
        check_kinds(marked, false);
        ERR_clear_error();
    }
}

// Each allocation of saving and restoring fails once: codes, lines and marks stay.
static void kinds_without_memory(unsigned marked)
{
    for (unsigned n = 1;; n++) {
        jose_host host;
        raise_kinds(marked);
        faults_arm(FAULTS_MEMORY, n);
        jose_host_enter(&host);
        need(ERR_peek_error() == 0, "a call begins with an empty queue");
        jose_host_leave(&host);
        const bool failed = faults_disarm();
        check_kinds(marked, failed);
        if (!failed) break;
    }
    ERR_clear_error();
}

// Raises an entry that libcrypto takes back at once: the padding is right.
static void raise_taken_back(void)
{
    uint8_t block[64] = {0, 2}, out[64];
    memset(block + 2, 7, 20);
    need(RSA_padding_check_PKCS1_type_2(out, 64, block, 64, 64) > 0, "a padding");
}

// Marks stay at their entries if libcrypto took back an entry: bit 0 of `where` before the marked
// one, bit 1 between the two, bit 2 after them.
static void run_taken_back(const void *what)
{
    const unsigned where = *(const unsigned *)what;
    jose_host host;
    ERR_clear_error();
    if (where & 1) raise_taken_back();
    ERR_raise(ERR_LIB_USER, 1);
    ERR_set_mark();
    if (where & 2) {
        raise_taken_back();
        ERR_set_mark();
    }
    ERR_raise(ERR_LIB_USER, 2);
    if (where & 4) raise_taken_back();
    jose_host_enter(&host);
    ERR_raise(ERR_LIB_USER, 3);
    jose_host_leave(&host);
    for (unsigned i = 0; i < 1 + (where >> 1 & 1); i++)
        need(ERR_pop_to_mark() == 1 && ERR_GET_REASON(ERR_peek_last_error()) == 1,
             "taken back %u: mark %u", where, i);
    need(ERR_pop_to_mark() == 0, "taken back %u: a mark more", where);
    ERR_clear_error();
}

// Entries about the machine, alone and with others.
static void faults(void)
{
    static const struct {
        int libraries[2], reasons[2], first;
        bool failure;
    } entries[] = {
        {{0, 0}, {0, 0}, 0, false},
        {{ERR_LIB_EC, 0}, {EC_R_POINT_IS_NOT_ON_CURVE, 0}, ERR_LIB_EC, false},
        {{ERR_LIB_EC, ERR_LIB_USER}, {EC_R_POINT_IS_NOT_ON_CURVE, 1}, ERR_LIB_EC, false},
        {{ERR_LIB_USER, 0}, {ERR_R_MALLOC_FAILURE, 0}, ERR_LIB_USER, true},
        {{ERR_LIB_SYS, 0}, {12, 0}, ERR_LIB_SYS, true},
        {{ERR_LIB_EC, ERR_LIB_USER},
         {EC_R_POINT_IS_NOT_ON_CURVE, ERR_R_MALLOC_FAILURE},
         ERR_LIB_EC,
         true},
        {{ERR_LIB_EC, ERR_LIB_SYS}, {EC_R_POINT_IS_NOT_ON_CURVE, 12}, ERR_LIB_EC, true},
        {{ERR_LIB_USER, ERR_LIB_EC},
         {ERR_R_MALLOC_FAILURE, EC_R_POINT_IS_NOT_ON_CURVE},
         ERR_LIB_USER,
         true},
        {{ERR_LIB_SYS, ERR_LIB_EC}, {12, EC_R_POINT_IS_NOT_ON_CURVE}, ERR_LIB_SYS, true},
    };
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        ERR_clear_error();
        for (int k = 0; k < 2; k++)
            if (entries[i].libraries[k] != 0)
                ERR_raise(entries[i].libraries[k], entries[i].reasons[k]);
        need(jose_host_first_library() == entries[i].first, "case %zu: the first entry", i);
        need(jose_take_system_failure() == entries[i].failure && ERR_peek_error() == 0,
             "case %zu: a failure", i);
    }
    // If there was no memory to save the queue, new entries are removed.
    jose_host none = {0};
    raise_entries();
    jose_host_leave(&none);
    need(ERR_peek_error() == 0, "a queue that was not there");
}

static void run_operation(const void *what)
{
    const operation *each = what;
    faults_generator_restart();
    raise_entries();
    need(each->run(each) == JOSE_OK, "%s %s", each->name, *(const char *const *)each->what);
    check_entries(each->name);
    ERR_clear_error();
}

static void operations(const operation *list)
{
    for (const operation *each = list; each->name != NULL; each++)
        // One hash is enough for RSA, whose keys take long to import.
        if ((each->options & ~(unsigned)JOSE_PROVIDER_ONLY) == 0 &&
            strncmp(*(const char *const *)each->what, "RSA-OAEP-", 9) != 0)
            faults_rounds(each->name, run_operation, each);
}

// MARK: rejections

// Points that libcrypto rejects: of no curve, and with a shared secret of zero.
static void run_rejection(const void *what)
{
    static const jose_keymgmt_rule rule = {JOSE_ECDH_ES, JOSE_SHA256, 0};
    static const uint8_t zeros[ROOM];
    const key_name name = *(const key_name *)what;
    uint8_t ones[ROOM];
    jose_key *key = NULL, *wrong = NULL;
    memset(ones, 0xff, sizeof ones);
    need(faults_import(&key, name, true) == JOSE_OK, "key");
    for (int provider = 0; provider < 2; provider++) {
        jose_keymgmt *opener = NULL;
        need(jose_keymgmt_make(&opener, key, &rule, false, provider ? JOSE_PROVIDER_ONLY : 0) ==
                 JOSE_OK,
             "opener");
        for (int i = 0; i < 2; i++) {
            raise_entries();
            need(faults_open_point(opener, i == 0 ? zeros : ones) == JOSE_REJECTED,
                 "%s: a hostile point", faults_entries[name].name);
            check_entries("a hostile point");
            // And without entries.
            need(faults_open_point(opener, i == 0 ? zeros : ones) == JOSE_REJECTED &&
                     ERR_peek_error() == 0,
                 "a hostile point");
            ERR_clear_error();
        }
        jose_keymgmt_free(opener);
    }
    if (faults_entries[name].type == JOSE_KEY_EC) {
        const jose_number x = faults_entries[name].numbers[0];
        raise_entries();
        need(jose_ec_public(&wrong, faults_entries[name].curve, x.bytes, x.len, zeros, x.len) ==
                     JOSE_BAD_KEY &&
                 wrong == NULL,
             "a point off the curve");
        check_entries("a point off the curve");
        // More than the capacity of the queue: the last ones stay.
        for (int i = 0; i < 40; i++)
            ERR_raise_data(ERR_LIB_USER, ERR_R_MALLOC_FAILURE, "number %d", i);
        need(jose_ec_public(&wrong, faults_entries[name].curve, x.bytes, x.len, zeros, x.len) ==
                 JOSE_BAD_KEY,
             "again");
        const char *data = NULL;
        int flags = 0, count = 0;
        for (; ERR_get_error_all(NULL, NULL, NULL, &data, &flags) != 0; count++) {
            char right[40];
            snprintf(right, sizeof right, "number %d", 40 - (FAULTS_QUEUE - 1) + count);
            need(strcmp(data, right) == 0, "of a full queue, entry %d", count);
        }
        need(count == FAULTS_QUEUE - 1, "a full queue has %d entries", count);
        ERR_clear_error();
    }
    jose_key_release(key);
}

void faults_edges_queue(void)
{
    static const int entries[] = {0, 1, 2, FAULTS_QUEUE - 1, FAULTS_QUEUE, 40};
    faults();
    for (int i = 0; i < 6; i++) faults_rounds("a call", run_call, &entries[i]);
    for (unsigned marked = 0; marked < 1U << 2 * KINDS; marked += 5)
        faults_rounds("marks", run_kinds, &marked);
    for (unsigned where = 0; where < 8; where++)
        faults_rounds("taken back", run_taken_back, &where);
    kinds_without_memory(0);
    kinds_without_memory(0x3ffU);
    static const key_name rejected[] = {EC_256, EC_384, EC_521, X_448};
    for (int i = 0; i < 4; i++) faults_rounds("a rejection", run_rejection, &rejected[i]);
    operations(faults_keys());
    operations(faults_encryptions());
}
