// keys.c: the keys of the tests, and operations that import, make and export keys.

#include "faults.h"

#include <openssl/crypto.h>

key_entry faults_entries[KEYS];

static jose_number copy(const uint8_t *bytes, size_t len)
{
    if (len == 0) return (jose_number){0};
    uint8_t *location = malloc(len);
    need(location != NULL, "memory");
    memcpy(location, bytes, len);
    return (jose_number){location, len};
}

static const jose_rsa_limits limits = {2048, 8192, false};

static jose_status import(jose_key **key, const key_entry *entry, bool is_private,
                          const jose_number parts[JOSE_RSA_PARTS])
{
    const jose_number a = entry->numbers[0], b = entry->numbers[1], d = entry->secret;
    switch (entry->type) {
    case JOSE_KEY_RSA:
        return is_private ? jose_rsa_private(key, &limits, a.bytes, a.len, b.bytes, b.len, parts)
                          : jose_rsa_public(key, &limits, a.bytes, a.len, b.bytes, b.len);
    case JOSE_KEY_EC:
        return is_private ? jose_ec_private(key, entry->curve, a.bytes, a.len, b.bytes, b.len,
                                            d.bytes, d.len)
                          : jose_ec_public(key, entry->curve, a.bytes, a.len, b.bytes, b.len);
    case JOSE_KEY_OKP:
        return is_private ? jose_okp_private(key, entry->curve, a.bytes, a.len, d.bytes, d.len)
                          : jose_okp_public(key, entry->curve, a.bytes, a.len);
    case JOSE_KEY_OCT: return jose_oct(key, d.bytes, d.len);
    case JOSE_KEY_AKP:
        return is_private
                   ? jose_akp_private(key, entry->curve, a.bytes, a.len, d.bytes, d.len, NULL, 0)
                   : jose_akp_public(key, entry->curve, a.bytes, a.len);
    }
    return JOSE_INTERNAL;
}

jose_status faults_import(jose_key **key, key_name name, bool is_private)
{
    return import(key, &faults_entries[name], is_private, faults_entries[name].parts);
}

void faults_make_keys(void)
{
    for (int i = 0; i < keys_here(); i++) {
        const key_kind *kind = &key_kinds[i];
        key_entry *entry = &faults_entries[i];
        jose_key *key = NULL;
        *entry = (key_entry){kind->name, kind->type, kind->curve, kind->size, .secret = {0}};
        need(key_generate(&key, kind) == JOSE_OK, "%s cannot be made", entry->name);
        for (unsigned index = 0; index < 2; index++) {
            size_t len = 0;
            const uint8_t *bytes = jose_key_public_number(key, index, &len);
            entry->numbers[index] = copy(bytes, len);
        }
        uint8_t bytes[1024];
        const size_t size = jose_key_secret_bytes(key);
        if (size > 0) need(jose_key_secret_write(key, bytes, size) == JOSE_OK, "secret");
        entry->secret = copy(bytes, size);
        for (int part = 0; part < JOSE_RSA_PARTS && entry->type == JOSE_KEY_RSA; part++) {
            const size_t len = jose_rsa_part_bytes(key, (jose_rsa_part)part);
            need(jose_rsa_part_write(key, (jose_rsa_part)part, bytes, len) == JOSE_OK, "part");
            entry->parts[part] = copy(bytes, len);
        }
        jose_key_release(key);
    }
}

// MARK: operations

static jose_status run_import(const operation *operation, bool is_private,
                              const jose_number parts[JOSE_RSA_PARTS])
{
    jose_key *key = NULL;
    const jose_status status = import(&key, operation->what, is_private, parts);
    need((key != NULL) == (status == JOSE_OK), "a key and a failure");
    jose_key_release(key);
    return status;
}

static jose_status run_public(const operation *operation)
{
    return run_import(operation, false, NULL);
}

static jose_status run_private(const operation *operation)
{
    return run_import(operation, true, ((const key_entry *)operation->what)->parts);
}

// The other members are computed from n, e and d.
static jose_status run_recovered(const operation *operation)
{
    jose_number parts[JOSE_RSA_PARTS] = {((const key_entry *)operation->what)->parts[JOSE_RSA_D]};
    return run_import(operation, true, parts);
}

// Wrong numbers, which must stay rejected whatever fails.
static jose_status run_wrong(const operation *operation)
{
    key_entry entry = *(const key_entry *)operation->what;
    jose_number parts[JOSE_RSA_PARTS];
    uint8_t bytes[1024];
    memcpy(parts, entry.parts, sizeof parts);
    const jose_number from = entry.type == JOSE_KEY_RSA ? parts[JOSE_RSA_D] : entry.secret;
    memcpy(bytes, from.bytes, from.len);
    bytes[from.len / 2] ^= 2;
    parts[JOSE_RSA_D] = entry.secret = (jose_number){bytes, from.len};
    jose_key *key = NULL;
    const jose_status status = import(&key, &entry, true, parts);
    need(key == NULL && status != JOSE_OK, "a key of wrong numbers");
    return status == JOSE_BAD_KEY ? JOSE_OK : status;
}

static jose_status run_generate(const operation *operation)
{
    jose_key *key = NULL;
    const jose_status status = key_generate(&key, operation->what);
    need((key != NULL) == (status == JOSE_OK), "a key and a failure");
    jose_key_release(key);
    return status;
}

// Writes the private members of a key.
static jose_status run_export(const operation *operation)
{
    const key_entry *entry = operation->what;
    jose_key *key = NULL;
    uint8_t bytes[1024];
    faults_pause();
    need(import(&key, entry, true, entry->parts) == JOSE_OK, "import");
    faults_resume();
    jose_status status = JOSE_OK;
    for (int part = 0; part < JOSE_RSA_PARTS && status == JOSE_OK; part++) {
        memset(bytes, FAULTS_BLANK, sizeof bytes);
        const size_t len = jose_rsa_part_bytes(key, (jose_rsa_part)part);
        status = jose_rsa_part_write(key, (jose_rsa_part)part, bytes, len);
        need(status == JOSE_OK ? memcmp(bytes, entry->parts[part].bytes, len) == 0
                               : faults_is_blank(bytes, sizeof bytes),
             "part %d", part);
    }
    jose_key_release(key);
    return status;
}

// Opens a number with a key: the same block each time, whatever failed before.
static jose_status run_open(const operation *operation)
{
    static uint8_t right[1024];
    const key_entry *entry = operation->what;
    const size_t size = entry->numbers[0].len;
    uint8_t signature[1024], block[1024];
    jose_key *key = NULL;
    faults_pause();
    need(import(&key, entry, false, entry->parts) == JOSE_OK, "import");
    memcpy(signature, entry->numbers[0].bytes, size);
    signature[0] = 0;
    if (right[size - 1] == 0)
        need(jose_rsa_open(key, right, size, signature, size) == JOSE_OK, "open");
    faults_resume();
    const jose_status status = jose_rsa_open(key, block, size, signature, size);
    need(status != JOSE_OK || memcmp(block, right, size) == 0, "another block");
    jose_key_release(key);
    return status;
}

const operation *faults_keys(void)
{
    static operation list[64];
    int count = 0;
    for (int i = 0; i < keys_here(); i++) {
        const key_entry *entry = &faults_entries[i];
        list[count++] = (operation){"make", run_generate, &key_kinds[i]};
        list[count++] = (operation){"import private", run_private, entry};
        if (entry->type == JOSE_KEY_OCT) continue;
        list[count++] = (operation){"import public", run_public, entry};
        list[count++] = (operation){"import wrong", run_wrong, entry};
    }
    list[count++] = (operation){"recover", run_recovered, &faults_entries[RSA_2048]};
    list[count++] = (operation){"export", run_export, &faults_entries[RSA_2048]};
    list[count++] = (operation){"open", run_open, &faults_entries[RSA_2048]};
    list[count] = (operation){0};
    return list;
}
