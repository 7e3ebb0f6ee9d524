// operations.c: operations that sign, verify, encrypt and decrypt with each algorithm.

#include "faults.h"
#include "message.h"

enum { ALL_OPTIONS = 9,
       BATCH = 8 };

static const uint8_t message[200] = "the message that is signed and encrypted";
static const uint8_t aad[] = "eyJhbGciOiJub3QgbG9va2VkIGF0In0";

// The sets of options that each algorithm runs with.
static const jose_options options[ALL_OPTIONS] = {
    0,
    JOSE_PORTABLE,
    JOSE_PROVIDER_ONLY,
    JOSE_CHECK_SIGNATURES,
    JOSE_CHECK_SIGNATURES | JOSE_PORTABLE,
    JOSE_CHECK_SIGNATURES | JOSE_PROVIDER_ONLY,
    JOSE_ACCELERATE_ENCRYPTION,
    JOSE_PORTABLE | JOSE_ACCELERATE_ENCRYPTION,
    JOSE_ACCELERATE_PRIVATE | JOSE_ACCELERATE_PRIVATE_FLOATING,
};

// MARK: signatures

typedef struct {
    signature_algorithm by;
    uint8_t right[MAX_SIGNATURE];  // a signature of the message
    size_t len;
} signature_row;

static signature_row signatures[SIGNATURES];

static jose_status prepare(jose_signature **operation, const signature_row *entry, bool signing,
                           jose_options how)
{
    jose_key *key = NULL;
    jose_status status =
        faults_import(&key, entry->by.key, signing || entry->by.family == JOSE_HMAC);
    *operation = NULL;
    if (status == JOSE_OK)
        status =
            jose_signature_make(operation, key, entry->by.family, entry->by.hash, signing, how);
    need((*operation != NULL) == (status == JOSE_OK), "an operation and a failure");
    jose_key_release(key);
    return status;
}

static bool is_right(const signature_row *entry, const uint8_t *signature, size_t len)
{
    jose_signature *verifier = NULL;
    faults_pause();
    need(prepare(&verifier, entry, false, JOSE_PROVIDER_ONLY) == JOSE_OK, "verifier");
    const bool right =
        jose_signature_verify(verifier, message, sizeof message, signature, len) == JOSE_OK;
    jose_signature_free(verifier);
    faults_resume();
    return right;
}

// Twice, since the second time a context exists.
static jose_status run_sign(const operation *operation)
{
    const signature_row *entry = operation->what;
    jose_signature *signer = NULL;
    uint8_t signature[MAX_SIGNATURE];
    jose_status status = prepare(&signer, entry, true, operation->options);
    for (int i = 0; i < 2 && status == JOSE_OK; i++) {
        memset(signature, FAULTS_BLANK, sizeof signature);
        const size_t len = jose_signature_bytes(signer);
        status = jose_signature_sign(signer, signature, len, message, sizeof message);
        need(status == JOSE_OK ? is_right(entry, signature, len)
                               : faults_is_blank(signature, sizeof signature),
             "%s returned a signature", entry->by.name);
    }
    jose_signature_free(signer);
    return status;
}

// Several signatures in one batch: each is right, or has its own failure.
static jose_status run_sign_together(const operation *operation)
{
    enum { COUNT = 5 };
    const signature_row *entry = operation->what;
    jose_signature *signer = NULL;
    jose_status status = prepare(&signer, entry, true, operation->options);
    jose_private_batch *batch = status == JOSE_OK ? jose_private_batch_make(COUNT) : NULL;
    if (status == JOSE_OK && batch == NULL) status = JOSE_INTERNAL;
    ptrdiff_t added = 0;
    while (status == JOSE_OK && added < COUNT &&
           jose_private_batch_add_message(batch, signer, message, sizeof message) == added)
        added++;
    if (status == JOSE_OK && added < COUNT) status = JOSE_INTERNAL;
    if (added > 0) jose_private_batch_run(batch);
    for (size_t i = 0; i < (size_t)added; i++) {
        uint8_t signature[MAX_SIGNATURE];
        const size_t len = jose_signature_bytes(signer);
        memset(signature, FAULTS_BLANK, sizeof signature);
        const jose_status one = jose_private_batch_result(batch, i, signature, len);
        need(one == JOSE_OK ? is_right(entry, signature, len)
                            : faults_is_blank(signature, sizeof signature),
             "%s returned a signature of a batch", entry->by.name);
        if (one != JOSE_OK) status = one;
    }
    jose_private_batch_free(batch);
    jose_signature_free(signer);
    return status;
}

static jose_status run_verify(const operation *operation)
{
    const signature_row *entry = operation->what;
    jose_signature *verifier = NULL;
    jose_status status = prepare(&verifier, entry, false, operation->options);
    for (int i = 0; i < 2 && status == JOSE_OK; i++)
        status = jose_signature_verify(verifier, message, sizeof message, entry->right, entry->len);
    jose_signature_free(verifier);
    return status;
}

// A wrong signature is never accepted, whatever fails.
static jose_status run_reject_signature(const operation *operation)
{
    const signature_row *entry = operation->what;
    jose_signature *verifier = NULL;
    uint8_t wrong[MAX_SIGNATURE];
    memcpy(wrong, entry->right, entry->len);
    wrong[entry->len - 3] ^= 4;
    jose_status status = prepare(&verifier, entry, false, operation->options);
    if (status == JOSE_OK) {
        status = jose_signature_verify(verifier, message, sizeof message, wrong, entry->len);
        need(status != JOSE_OK, "%s accepts a wrong signature", entry->by.name);
        if (status == JOSE_REJECTED) status = JOSE_OK;
    }
    jose_signature_free(verifier);
    return status;
}

// Valid and invalid signatures together; what the batch does not accept is verified alone.
static jose_status run_batch(const operation *operation)
{
    const signature_row *entry = operation->what;
    jose_signature *verifier = NULL;
    jose_status status = prepare(&verifier, entry, false, operation->options);
    jose_batch *batch = status == JOSE_OK ? jose_batch_make(BATCH) : NULL;
    if (status == JOSE_OK && batch == NULL) status = JOSE_INTERNAL;
    for (int i = 0; i < BATCH && status == JOSE_OK; i++) {
        uint8_t signature[MAX_SIGNATURE];
        memcpy(signature, entry->right, entry->len);
        signature[entry->len / 2] ^= (uint8_t)(i % 2);
        const ptrdiff_t index = jose_batch_add(batch, verifier, message, sizeof message, signature,
                                               entry->len);
        need(index < 0 || index < BATCH, "index");
    }
    if (status == JOSE_OK) jose_batch_run(batch);
    // Indexes are assigned in order, without those that were not added.
    size_t accepted = 0;
    for (size_t i = 0; i < BATCH && status == JOSE_OK; i++)
        accepted += jose_batch_accepted(batch, i);
    need(accepted <= BATCH / 2, "%s: the batch accepts a wrong signature", entry->by.name);
    jose_batch_free(batch);
    jose_signature_free(verifier);
    return status;
}

static bool looks_at(jose_options how)
{
    return (how & JOSE_ACCELERATE_ENCRYPTION) == 0;
}

const operation *faults_signatures(void)
{
    static operation list[SIGNATURES * ALL_OPTIONS * 4 + SIGNATURES + 1];
    int count = 0;
    for (int i = 0; i < signatures_here(); i++) {
        signature_row *entry = &signatures[i];
        entry->by = signature_algorithms[i];
        jose_signature *signer = NULL;
        need(prepare(&signer, entry, true, 0) == JOSE_OK, "signer");
        entry->len = jose_signature_bytes(signer);
        need(jose_signature_sign(signer, entry->right, entry->len, message, sizeof message) ==
                 JOSE_OK,
             "sign");
        jose_signature_free(signer);
        for (int k = 0; k < ALL_OPTIONS; k++) {
            if (!looks_at(options[k])) continue;
            if ((options[k] & JOSE_ACCELERATE_PRIVATE) != 0 &&
                entry->by.family != JOSE_RSA_PKCS1 && entry->by.family != JOSE_RSA_PSS)
                continue;
            list[count++] = (operation){"sign", run_sign, entry, options[k]};
            if ((entry->by.family == JOSE_RSA_PKCS1 || entry->by.family == JOSE_RSA_PSS) &&
                (options[k] & JOSE_PROVIDER_ONLY) == 0)
                list[count++] = (operation){"sign together", run_sign_together, entry, options[k]};
            if (options[k] & (JOSE_CHECK_SIGNATURES | JOSE_ACCELERATE_PRIVATE)) continue;
            list[count++] = (operation){"verify", run_verify, entry, options[k]};
            list[count++] = (operation){"reject", run_reject_signature, entry, options[k]};
        }
        list[count++] = (operation){"batch", run_batch, entry, 0};
    }
    list[count] = (operation){0};
    return list;
}

// MARK: encryption

typedef struct {
    encryption_algorithm by;
    message_parts m;  // of this algorithm
} encryption_row;

static encryption_row encryptions[ENCRYPTIONS];

static jose_status prepare_key(jose_keymgmt **operation, const encryption_row *entry, bool wrapping,
                               jose_options how)
{
    jose_key *key = NULL;
    const bool is_symmetric = faults_entries[entry->by.key].type == JOSE_KEY_OCT;
    jose_status status = faults_import(&key, entry->by.key, !wrapping || is_symmetric);
    *operation = NULL;
    if (status == JOSE_OK)
        status = jose_keymgmt_make(operation, key, &entry->by.rule, wrapping, how);
    need((*operation != NULL) == (status == JOSE_OK), "an operation and a failure");
    jose_key_release(key);
    return status;
}

static const jose_recipient made_for = {.iterations = 2};

// Decrypts the message, with a block of a batch if there is one; text becomes the plaintext.
static jose_status open_by(jose_private_batch *batch, size_t index,
                           const jose_keymgmt *opener, const encryption_row *entry, uint8_t *text,
                           size_t *len)
{
    jose_open_input in = message_opening(&entry->m, text, made_for.iterations);
    in.batch = batch;
    in.index = index;
    return jose_keymgmt_open(opener, entry->by.content, len, &in, aad, sizeof aad);
}

static jose_status open(const jose_keymgmt *opener, const encryption_row *entry, uint8_t *text,
                        size_t *len)
{
    return open_by(NULL, 0, opener, entry, text, len);
}

static bool opens(const encryption_row *entry)
{
    jose_keymgmt *opener = NULL;
    uint8_t text[sizeof entry->m.ciphertext];
    size_t len = 0;
    faults_pause();
    need(prepare_key(&opener, entry, false, JOSE_PROVIDER_ONLY) == JOSE_OK, "opener");
    const bool right = open(opener, entry, text, &len) == JOSE_OK && len == sizeof message &&
                       memcmp(text, message, len) == 0;
    jose_keymgmt_free(opener);
    faults_resume();
    return right;
}

static bool is_blank(const encryption_row *made)
{
    return faults_is_blank(made->m.iv, sizeof made->m.iv) &&
           faults_is_blank(made->m.tag, sizeof made->m.tag) &&
           faults_is_blank(made->m.ciphertext, sizeof made->m.ciphertext);
}

static bool has_no_key(const encryption_row *made)
{
    return faults_is_blank(made->m.encrypted_key, sizeof made->m.encrypted_key) &&
           faults_is_blank(made->m.parameters, sizeof made->m.parameters);
}

static void measure(encryption_row *made, const jose_keymgmt *maker)
{
    message_measure(&made->m, FAULTS_BLANK, maker, made->by.content, sizeof message);
}

// In one call, if the header has no parameters.
static jose_status run_seal(const operation *operation)
{
    encryption_row made = *(const encryption_row *)operation->what;
    jose_keymgmt *maker = NULL;
    jose_status status = prepare_key(&maker, &made, true, operation->options);
    for (int i = 0; i < 2 && status == JOSE_OK; i++) {
        measure(&made, maker);
        const jose_seal_output out = message_sealed(&made.m);
        status = jose_keymgmt_seal(maker, made.by.content, &out, aad, sizeof aad, message,
                                   sizeof message);
        need(status == JOSE_OK ? opens(&made) : is_blank(&made) && has_no_key(&made),
             "%s left output", made.by.name);
    }
    jose_keymgmt_free(maker);
    return status;
}

// In steps: the key first, wrapped once more if possible, then the text.
static jose_status run_steps(const operation *operation)
{
    encryption_row made = *(const encryption_row *)operation->what, again;
    jose_keymgmt *maker = NULL;
    jose_cek *cek = NULL;
    jose_status status = prepare_key(&maker, &made, true, operation->options);
    if (status != JOSE_OK) return status;
    measure(&made, maker);
    again = made;
    jose_wrapped out = message_wrapped(&made.m);
    status = jose_cek_begin(&cek, maker, made.by.content, &out, &made_for);
    need((cek != NULL) == (status == JOSE_OK), "a key and a failure");
    if (status != JOSE_OK) need(has_no_key(&made), "%s returned a wrapped key", made.by.name);
    if (status == JOSE_OK) {
        out.encrypted_key = again.m.encrypted_key;
        out.parameters = again.m.parameters;
        status = jose_cek_wrap_again(cek, maker, &out, &made_for);
        if (status != JOSE_OK)
            need(has_no_key(&again), "%s returned a second wrapped key", made.by.name);
        if (status == JOSE_BAD_KEY) status = JOSE_OK;  // the algorithm determines the key
    }
    if (status == JOSE_OK) {
        const jose_seal_output sealed = message_sealed(&made.m);
        status = jose_cek_finish(cek, &sealed, aad, sizeof aad, message, sizeof message);
        need(status == JOSE_OK ? opens(&made) : is_blank(&made), "%s returned a text",
             made.by.name);
    }
    jose_cek_free(cek);
    jose_keymgmt_free(maker);
    return status;
}

static jose_status run_open(const operation *operation)
{
    const encryption_row *entry = operation->what;
    uint8_t text[sizeof entry->m.ciphertext];
    size_t len = 0;
    jose_keymgmt *opener = NULL;
    jose_status status = prepare_key(&opener, entry, false, operation->options);
    for (int i = 0; i < 2 && status == JOSE_OK; i++) {
        status = open(opener, entry, text, &len);
        if (status == JOSE_OK) {
            need(len == sizeof message && memcmp(text, message, len) == 0, "%s: text",
                 entry->by.name);
            continue;
        }
        need(len == 0, "%s: a length", entry->by.name);
        for (size_t k = 0; k < entry->m.ciphertext_len; k++)
            need(text[k] == entry->m.ciphertext[k] || text[k] == 0, "%s left plaintext",
                 entry->by.name);
    }
    jose_keymgmt_free(opener);
    return status;
}

// Several messages with their private operations in one batch.
static jose_status run_open_together(const operation *operation)
{
    enum { COUNT = 4 };
    const encryption_row *entry = operation->what;
    uint8_t text[sizeof entry->m.ciphertext];
    size_t len = 0;
    jose_keymgmt *opener = NULL;
    jose_status status = prepare_key(&opener, entry, false, operation->options);
    jose_private_batch *batch = status == JOSE_OK ? jose_private_batch_make(COUNT) : NULL;
    if (status == JOSE_OK && batch == NULL) status = JOSE_INTERNAL;
    for (ptrdiff_t i = 0; status == JOSE_OK && i < COUNT; i++)
        need(jose_private_batch_add_key(batch, opener, entry->m.encrypted_key,
                                        entry->m.encrypted_key_len) == i,
             "%s: not added", entry->by.name);
    if (status == JOSE_OK) jose_private_batch_run(batch);
    for (size_t i = 0; status == JOSE_OK && i < COUNT; i++) {
        status = open_by(batch, i, opener, entry, text, &len);
        need(status == JOSE_OK ? len == sizeof message && memcmp(text, message, len) == 0
                               : len == 0,
             "%s: text of a batch", entry->by.name);
    }
    jose_private_batch_free(batch);
    jose_keymgmt_free(opener);
    return status;
}

// A wrong tag is never accepted, whatever fails.
static jose_status run_reject(const operation *operation)
{
    encryption_row entry = *(const encryption_row *)operation->what;
    uint8_t text[sizeof entry.m.ciphertext];
    size_t len = 0;
    entry.m.tag[2] ^= 8;
    jose_keymgmt *opener = NULL;
    jose_status status = prepare_key(&opener, &entry, false, operation->options);
    if (status == JOSE_OK) {
        status = open(opener, &entry, text, &len);
        need(status != JOSE_OK && len == 0, "%s accepts a wrong tag", entry.by.name);
        for (size_t k = 0; k < entry.m.ciphertext_len; k++)
            need(text[k] == entry.m.ciphertext[k] || text[k] == 0, "%s left plaintext",
                 entry.by.name);
        if (status == JOSE_REJECTED) status = JOSE_OK;
    }
    jose_keymgmt_free(opener);
    return status;
}

const operation *faults_encryptions(void)
{
    static operation list[ENCRYPTIONS * ALL_OPTIONS * 5 + 1];
    int count = 0;
    for (int i = 0; i < ENCRYPTIONS; i++) {
        encryption_row *entry = &encryptions[i];
        entry->by = encryption_algorithms[i];
        operation first = {"first", run_steps, entry, 0};
        need(run_steps(&first) == JOSE_OK, "%s", entry->by.name);
        // Makes the message to decrypt: run_steps works on a copy.
        jose_keymgmt *maker = NULL;
        jose_cek *cek = NULL;
        need(prepare_key(&maker, entry, true, 0) == JOSE_OK, "maker");
        measure(entry, maker);
        const jose_wrapped out = message_wrapped(&entry->m);
        const jose_seal_output sealed = message_sealed(&entry->m);
        need(jose_cek_begin(&cek, maker, entry->by.content, &out, &made_for) == JOSE_OK &&
                 jose_cek_finish(cek, &sealed, aad, sizeof aad, message, sizeof message) == JOSE_OK,
             "%s", entry->by.name);
        jose_cek_free(cek);
        const bool in_one = jose_keymgmt_parameter_bytes(maker) == 0;
        jose_keymgmt_free(maker);
        for (int k = 0; k < ALL_OPTIONS; k++) {
            if (options[k] & JOSE_CHECK_SIGNATURES) continue;
            const bool is_private = (options[k] & JOSE_ACCELERATE_PRIVATE) != 0;
            if (is_private && entry->by.rule.family != JOSE_RSA_OAEP) continue;
            if (in_one && !is_private)
                list[count++] = (operation){"encrypt", run_seal, entry, options[k]};
            if (!is_private)
                list[count++] = (operation){"encrypt in steps", run_steps, entry, options[k]};
            if (options[k] & JOSE_ACCELERATE_ENCRYPTION) continue;
            list[count++] = (operation){"open", run_open, entry, options[k]};
            if (entry->by.rule.family == JOSE_RSA_OAEP && (options[k] & JOSE_PROVIDER_ONLY) == 0)
                list[count++] = (operation){"open together", run_open_together, entry, options[k]};
            list[count++] = (operation){"reject", run_reject, entry, options[k]};
        }
    }
    list[count] = (operation){0};
    return list;
}
