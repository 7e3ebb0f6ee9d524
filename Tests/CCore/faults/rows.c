// rows.c: operations that sign, verify, encrypt and decrypt by each row.

#include "faults.h"

enum { ALL_OPTIONS = 8,
       BATCH = 8 };

static const uint8_t message[200] = "the message that is signed and encrypted";
static const uint8_t aad[] = "eyJhbGciOiJub3QgbG9va2VkIGF0In0";

// How a row is run: by each of these.
static const jose_options options[ALL_OPTIONS] = {
    0,
    JOSE_PORTABLE,
    JOSE_PROVIDER_ONLY,
    JOSE_CHECK_SIGNATURES,
    JOSE_CHECK_SIGNATURES | JOSE_PORTABLE,
    JOSE_CHECK_SIGNATURES | JOSE_PROVIDER_ONLY,
    JOSE_ACCELERATE_ENCRYPTION,
    JOSE_PORTABLE | JOSE_ACCELERATE_ENCRYPTION,
};

// MARK: signatures

typedef struct {
    signature_algorithm by;
    uint8_t right[LARGEST_SIGNATURE];  // a signature of the message
    size_t len;
} signature_row;

static signature_row signatures[SIGNATURES];

static jose_status prepare(jose_signature **operation, const signature_row *row, bool signing,
                           jose_options how)
{
    jose_key *key = NULL;
    jose_status status = faults_import(&key, row->by.key, signing || row->by.family == JOSE_HMAC);
    *operation = NULL;
    if (status == JOSE_OK)
        status = jose_signature_make(operation, key, row->by.family, row->by.hash, signing, how);
    need((*operation != NULL) == (status == JOSE_OK), "an operation and a failure");
    jose_key_release(key);
    return status;
}

static bool is_right(const signature_row *row, const uint8_t *signature, size_t len)
{
    jose_signature *judge = NULL;
    faults_pause();
    need(prepare(&judge, row, false, JOSE_PROVIDER_ONLY) == JOSE_OK, "judge");
    const bool right = jose_signature_verify(judge, message, sizeof message, signature, len) == JOSE_OK;
    jose_signature_free(judge);
    faults_resume();
    return right;
}

// Twice, since the second time a context is there already.
static jose_status run_sign(const operation *operation)
{
    const signature_row *row = operation->what;
    jose_signature *signer = NULL;
    uint8_t signature[LARGEST_SIGNATURE];
    jose_status status = prepare(&signer, row, true, operation->options);
    for (int i = 0; i < 2 && status == JOSE_OK; i++) {
        memset(signature, FAULTS_BLANK, sizeof signature);
        const size_t len = jose_signature_bytes(signer);
        status = jose_signature_sign(signer, signature, len, message, sizeof message);
        need(status == JOSE_OK ? is_right(row, signature, len)
                               : faults_is_blank(signature, sizeof signature),
             "%s left a signature", row->by.name);
    }
    jose_signature_free(signer);
    return status;
}

static jose_status run_verify(const operation *operation)
{
    const signature_row *row = operation->what;
    jose_signature *verifier = NULL;
    jose_status status = prepare(&verifier, row, false, operation->options);
    for (int i = 0; i < 2 && status == JOSE_OK; i++)
        status = jose_signature_verify(verifier, message, sizeof message, row->right, row->len);
    jose_signature_free(verifier);
    return status;
}

// A wrong signature is never right, whatever fails.
static jose_status run_reject(const operation *operation)
{
    const signature_row *row = operation->what;
    jose_signature *verifier = NULL;
    uint8_t wrong[LARGEST_SIGNATURE];
    memcpy(wrong, row->right, row->len);
    wrong[row->len - 3] ^= 4;
    jose_status status = prepare(&verifier, row, false, operation->options);
    if (status == JOSE_OK) {
        status = jose_signature_verify(verifier, message, sizeof message, wrong, row->len);
        need(status != JOSE_OK, "%s accepts a wrong signature", row->by.name);
        if (status == JOSE_REJECTED) status = JOSE_OK;
    }
    jose_signature_free(verifier);
    return status;
}

// Right and wrong ones together; what the batch does not accept is judged alone.
static jose_status run_batch(const operation *operation)
{
    const signature_row *row = operation->what;
    jose_signature *verifier = NULL;
    jose_status status = prepare(&verifier, row, false, operation->options);
    jose_batch *batch = status == JOSE_OK ? jose_batch_make(BATCH) : NULL;
    if (status == JOSE_OK && batch == NULL) status = JOSE_INTERNAL;
    for (int i = 0; i < BATCH && status == JOSE_OK; i++) {
        uint8_t signature[LARGEST_SIGNATURE];
        memcpy(signature, row->right, row->len);
        signature[row->len / 2] ^= (uint8_t)(i % 2);
        const ptrdiff_t place = jose_batch_add(batch, verifier, message, sizeof message, signature,
                                               row->len);
        need(place < 0 || place < BATCH, "place");
    }
    if (status == JOSE_OK) jose_batch_run(batch);
    // Places are given in order, but for those that were not taken.
    size_t accepted = 0;
    for (size_t i = 0; i < BATCH && status == JOSE_OK; i++)
        accepted += jose_batch_accepted(batch, i);
    need(accepted <= BATCH / 2, "%s: the batch accepts a wrong signature", row->by.name);
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
    static operation list[SIGNATURES * ALL_OPTIONS * 3 + SIGNATURES + 1];
    int count = 0;
    for (int i = 0; i < signatures_here(); i++) {
        signature_row *row = &signatures[i];
        row->by = signature_algorithms[i];
        jose_signature *signer = NULL;
        need(prepare(&signer, row, true, 0) == JOSE_OK, "signer");
        row->len = jose_signature_bytes(signer);
        need(jose_signature_sign(signer, row->right, row->len, message, sizeof message) == JOSE_OK,
             "sign");
        jose_signature_free(signer);
        for (int k = 0; k < ALL_OPTIONS; k++) {
            if (!looks_at(options[k])) continue;
            list[count++] = (operation){"sign", run_sign, row, options[k]};
            if (options[k] & JOSE_CHECK_SIGNATURES) continue;
            list[count++] = (operation){"verify", run_verify, row, options[k]};
            list[count++] = (operation){"reject", run_reject, row, options[k]};
        }
        list[count++] = (operation){"batch", run_batch, row, 0};
    }
    list[count] = (operation){0};
    return list;
}

// MARK: encryption

typedef struct {
    encryption_algorithm by;
    // a message of this row
    uint8_t encrypted_key[512], parameters[160], iv[16], tag[32], ciphertext[256];
    size_t encrypted_key_len, parameters_len, ciphertext_len;
} encryption_row;

static encryption_row encryptions[ENCRYPTIONS];

static jose_status prepare_key(jose_keymgmt **operation, const encryption_row *row, bool wrapping,
                               jose_options how)
{
    jose_key *key = NULL;
    const bool is_symmetric = faults_rows[row->by.key].type == JOSE_KEY_OCT;
    jose_status status = faults_import(&key, row->by.key, !wrapping || is_symmetric);
    *operation = NULL;
    if (status == JOSE_OK) status = jose_keymgmt_make(operation, key, &row->by.rule, wrapping, how);
    need((*operation != NULL) == (status == JOSE_OK), "an operation and a failure");
    jose_key_release(key);
    return status;
}

static const jose_recipient made_for = {.iterations = 2};

static jose_recipient read_by(const encryption_row *row)
{
    return (jose_recipient){.parameters = row->parameters, .parameters_len = row->parameters_len, .iterations = made_for.iterations};
}

// Opens the message of the row; text becomes what it said.
static jose_status open(const jose_keymgmt *opener, const encryption_row *row, uint8_t *text,
                        size_t *len)
{
    memcpy(text, row->ciphertext, row->ciphertext_len);
    const jose_opened in = {row->encrypted_key, row->encrypted_key_len, row->iv,
                            jose_content_iv_bytes(row->by.content), text, row->ciphertext_len,
                            row->tag, jose_content_tag_bytes(row->by.content), read_by(row)};
    return jose_keymgmt_open(opener, row->by.content, len, &in, aad, sizeof aad);
}

static bool opens(const encryption_row *row)
{
    jose_keymgmt *opener = NULL;
    uint8_t text[sizeof row->ciphertext];
    size_t len = 0;
    faults_pause();
    need(prepare_key(&opener, row, false, JOSE_PROVIDER_ONLY) == JOSE_OK, "opener");
    const bool right = open(opener, row, text, &len) == JOSE_OK && len == sizeof message &&
                       memcmp(text, message, len) == 0;
    jose_keymgmt_free(opener);
    faults_resume();
    return right;
}

static void blank(encryption_row *made)
{
    memset(made->encrypted_key, FAULTS_BLANK, sizeof made->encrypted_key);
    memset(made->parameters, FAULTS_BLANK, sizeof made->parameters);
    memset(made->iv, FAULTS_BLANK, sizeof made->iv);
    memset(made->tag, FAULTS_BLANK, sizeof made->tag);
    memset(made->ciphertext, FAULTS_BLANK, sizeof made->ciphertext);
}

static bool is_blank(const encryption_row *made)
{
    return faults_is_blank(made->iv, sizeof made->iv) && faults_is_blank(made->tag, sizeof made->tag) &&
           faults_is_blank(made->ciphertext, sizeof made->ciphertext);
}

static bool has_no_key(const encryption_row *made)
{
    return faults_is_blank(made->encrypted_key, sizeof made->encrypted_key) &&
           faults_is_blank(made->parameters, sizeof made->parameters);
}

static void measure(encryption_row *made, const jose_keymgmt *maker)
{
    made->encrypted_key_len = jose_keymgmt_encrypted_key_bytes(maker, made->by.content);
    made->parameters_len = jose_keymgmt_parameter_bytes(maker);
    made->ciphertext_len = jose_content_ciphertext_bytes(made->by.content, sizeof message);
}

static jose_sealed places(encryption_row *made)
{
    return (jose_sealed){made->encrypted_key, made->encrypted_key_len, made->iv,
                         jose_content_iv_bytes(made->by.content), made->ciphertext,
                         made->ciphertext_len, made->tag, jose_content_tag_bytes(made->by.content)};
}

// In one call; only where nothing of it goes to the header.
static jose_status run_seal(const operation *operation)
{
    encryption_row made = *(const encryption_row *)operation->what;
    jose_keymgmt *maker = NULL;
    jose_status status = prepare_key(&maker, &made, true, operation->options);
    for (int i = 0; i < 2 && status == JOSE_OK; i++) {
        measure(&made, maker);
        blank(&made);
        const jose_sealed out = places(&made);
        status = jose_keymgmt_seal(maker, made.by.content, &out, aad, sizeof aad, message, sizeof message);
        need(status == JOSE_OK ? opens(&made) : is_blank(&made) && has_no_key(&made),
             "%s left something", made.by.name);
    }
    jose_keymgmt_free(maker);
    return status;
}

// In steps: the key first, wrapped once more where that is possible, then the text.
static jose_status run_steps(const operation *operation)
{
    encryption_row made = *(const encryption_row *)operation->what, again;
    jose_keymgmt *maker = NULL;
    jose_cek *cek = NULL;
    jose_status status = prepare_key(&maker, &made, true, operation->options);
    if (status != JOSE_OK) return status;
    measure(&made, maker);
    blank(&made);
    again = made;
    jose_wrapped out = {made.encrypted_key, made.encrypted_key_len, made.parameters,
                        made.parameters_len};
    status = jose_cek_begin(&cek, maker, made.by.content, &out, &made_for);
    need((cek != NULL) == (status == JOSE_OK), "a key and a failure");
    if (status != JOSE_OK) need(has_no_key(&made), "%s left a wrapped key", made.by.name);
    if (status == JOSE_OK) {
        out.encrypted_key = again.encrypted_key;
        out.parameters = again.parameters;
        status = jose_cek_wrap_again(cek, maker, &out, &made_for);
        if (status != JOSE_OK) need(has_no_key(&again), "%s left a second wrapped key", made.by.name);
        if (status == JOSE_BAD_KEY) status = JOSE_OK;  // the row gives the key itself
    }
    if (status == JOSE_OK) {
        const jose_sealed sealed = places(&made);
        status = jose_cek_finish(cek, &sealed, aad, sizeof aad, message, sizeof message);
        need(status == JOSE_OK ? opens(&made) : is_blank(&made), "%s left a text", made.by.name);
    }
    jose_cek_free(cek);
    jose_keymgmt_free(maker);
    return status;
}

static jose_status run_open(const operation *operation)
{
    const encryption_row *row = operation->what;
    uint8_t text[sizeof row->ciphertext];
    size_t len = 0;
    jose_keymgmt *opener = NULL;
    jose_status status = prepare_key(&opener, row, false, operation->options);
    for (int i = 0; i < 2 && status == JOSE_OK; i++) {
        status = open(opener, row, text, &len);
        if (status == JOSE_OK) {
            need(len == sizeof message && memcmp(text, message, len) == 0, "%s: text", row->by.name);
            continue;
        }
        need(len == 0, "%s: a length", row->by.name);
        for (size_t k = 0; k < row->ciphertext_len; k++)
            need(text[k] == row->ciphertext[k] || text[k] == 0, "%s left plaintext", row->by.name);
    }
    jose_keymgmt_free(opener);
    return status;
}

// A wrong tag is never right, whatever fails.
static jose_status run_reject(const operation *operation)
{
    encryption_row row = *(const encryption_row *)operation->what;
    uint8_t text[sizeof row.ciphertext];
    size_t len = 0;
    row.tag[2] ^= 8;
    jose_keymgmt *opener = NULL;
    jose_status status = prepare_key(&opener, &row, false, operation->options);
    if (status == JOSE_OK) {
        status = open(opener, &row, text, &len);
        need(status != JOSE_OK && len == 0, "%s accepts a wrong tag", row.by.name);
        for (size_t k = 0; k < row.ciphertext_len; k++)
            need(text[k] == row.ciphertext[k] || text[k] == 0, "%s left plaintext", row.by.name);
        if (status == JOSE_REJECTED) status = JOSE_OK;
    }
    jose_keymgmt_free(opener);
    return status;
}

const operation *faults_encryptions(void)
{
    static operation list[ENCRYPTIONS * ALL_OPTIONS * 4 + 1];
    int count = 0;
    for (int i = 0; i < ENCRYPTIONS; i++) {
        encryption_row *row = &encryptions[i];
        row->by = encryption_algorithms[i];
        operation first = {"first", run_steps, row, 0};
        need(run_steps(&first) == JOSE_OK, "%s", row->by.name);
        // The message that is opened: run_steps works on a copy.
        jose_keymgmt *maker = NULL;
        jose_cek *cek = NULL;
        need(prepare_key(&maker, row, true, 0) == JOSE_OK, "maker");
        measure(row, maker);
        const jose_wrapped out = {row->encrypted_key, row->encrypted_key_len, row->parameters,
                                  row->parameters_len};
        const jose_sealed sealed = places(row);
        need(jose_cek_begin(&cek, maker, row->by.content, &out, &made_for) == JOSE_OK &&
                 jose_cek_finish(cek, &sealed, aad, sizeof aad, message, sizeof message) == JOSE_OK,
             "%s", row->by.name);
        jose_cek_free(cek);
        const bool in_one = jose_keymgmt_parameter_bytes(maker) == 0;
        jose_keymgmt_free(maker);
        for (int k = 0; k < ALL_OPTIONS; k++) {
            if (options[k] & JOSE_CHECK_SIGNATURES) continue;
            if (in_one) list[count++] = (operation){"seal", run_seal, row, options[k]};
            list[count++] = (operation){"seal in steps", run_steps, row, options[k]};
            if (options[k] & JOSE_ACCELERATE_ENCRYPTION) continue;
            list[count++] = (operation){"open", run_open, row, options[k]};
            list[count++] = (operation){"reject", run_reject, row, options[k]};
        }
    }
    list[count] = (operation){0};
    return list;
}
