// edges_content.c: content encryption against AES and HMAC of libcrypto combined as RFC 7518
// sections 5.2.2 and 5.3 define, by every implementation and with a prepared key; and every wrong
// size of a caller.

#define OPENSSL_SUPPRESS_DEPRECATED  // HMAC
#include "faults.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "content/content.h"
#include "encoded.h"

enum { KEY = 64,
       IV = 16,
       TAG = 32,
       TEXT = 4096,
       ROOM = TEXT + 64,
       LONG_AAD = 70000 };

static const struct {
    jose_content content;
    const char *cipher, *hash;  // no hash: GCM
    size_t key, tag;
} entries[] = {
    {JOSE_A128CBC_HS256, "AES-128-CBC", "SHA256", 32, 16},
    {JOSE_A192CBC_HS384, "AES-192-CBC", "SHA384", 48, 24},
    {JOSE_A256CBC_HS512, "AES-256-CBC", "SHA512", 64, 32},
    {JOSE_A128GCM, "AES-128-GCM", NULL, 16, 16},
    {JOSE_A192GCM, "AES-192-GCM", NULL, 24, 16},
    {JOSE_A256GCM, "AES-256-GCM", NULL, 32, 16},
};
enum { ROWS = sizeof entries / sizeof entries[0] };

static uint8_t key[KEY], iv[IV], text[TEXT], aad[LONG_AAD];

typedef struct {
    uint8_t ciphertext[ROOM], tag[TAG];
    size_t len;
} sealed;

static void fill(uint8_t *bytes, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1103515245u + 12345u;
        bytes[i] = (uint8_t)(seed >> 16);
    }
}

// Fills the stack below with a pattern, to detect the use of uninitialised variables.
__attribute__((noinline)) static void soil(void)
{
    volatile uint8_t below[8192];
    for (size_t i = 0; i < sizeof below; i++) below[i] = 0x6b;
}

// MARK: the definition

// The first half of the HMAC of AAD, IV, ciphertext and the number of bits of the AAD.
static void tag_by_definition(uint8_t *tag, int r, const uint8_t *ciphertext, size_t len,
                              size_t aad_len)
{
    uint8_t *all = malloc(aad_len + IV + len + 8), *end = all, code[64];
    need(all != NULL, "memory");
    memcpy(end, aad, aad_len), end += aad_len;
    memcpy(end, iv, IV), end += IV;
    memcpy(end, ciphertext, len), end += len;
    for (int i = 7; i >= 0; i--) *end++ = (uint8_t)((uint64_t)aad_len * 8 >> 8 * i);
    need(HMAC(EVP_get_digestbyname(entries[r].hash), key, (int)entries[r].tag, all,
              (size_t)(end - all), code, NULL) != NULL,
         "reference");
    memcpy(tag, code, entries[r].tag);
    free(all);
}

static void seal_by_definition(sealed *out, int r, size_t text_len, size_t aad_len)
{
    const bool is_gcm = entries[r].hash == NULL;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int size = 0, rest = 0, ignored = 0;
    memset(out, 0x77, sizeof *out);
    need(context != NULL && EVP_EncryptInit_ex(context, EVP_get_cipherbyname(entries[r].cipher),
                                               NULL, is_gcm ? key : key + entries[r].tag, iv) == 1,
         "reference");
    if (is_gcm && aad_len > 0)
        need(EVP_EncryptUpdate(context, NULL, &ignored, aad, (int)aad_len) == 1, "reference");
    if (text_len > 0)
        need(EVP_EncryptUpdate(context, out->ciphertext, &size, text, (int)text_len) == 1,
             "reference");
    need(EVP_EncryptFinal_ex(context, out->ciphertext + size, &rest) == 1, "reference");
    out->len = (size_t)(size + rest);
    if (is_gcm)
        need(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, out->tag) == 1, "reference");
    else
        tag_by_definition(out->tag, r, out->ciphertext, out->len, aad_len);
    EVP_CIPHER_CTX_free(context);
}

// MARK: every way

static const jose_options levels[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY,
                                      JOSE_ACCELERATE_ENCRYPTION};

static bool same(const sealed *made, const sealed *want)
{
    return memcmp(made->ciphertext, want->ciphertext, ROOM) == 0 &&
           memcmp(made->tag, want->tag, TAG) == 0;
}

// From base64url: the same; malformed text is rejected wherever it is malformed, and nothing is
// decrypted then.
static void agree_encoded(const jose_content_call *opening, const sealed *want, size_t text_len)
{
    const jose_content_entry *entry = opening->entry;
    static uint8_t encoded[ROOM * 2], out[ROOM];
    const size_t count = encoded_make(encoded, want->ciphertext, want->len);
    need(count == jose_encoded_bytes(want->len), "%zu characters", count);
    static size_t calls;  // every length with every chunk
    const jose_encoded from = {encoded, {encoded_read, JOSE_CHUNK * (1 + calls++ % 3)}};
    const bool takes = entry->decodes && !(opening->options & JOSE_PROVIDER_ONLY);
    for (int wrong = 0; wrong < (count > 0 ? 5 : 1); wrong++) {
        const size_t index = wrong < 2 ? 0 : wrong == 2 ? count / 2
                                         : wrong == 3   ? count - 1
                                         : count > 511  ? 511
                                                        : count - 1;
        const uint8_t was = encoded[index];
        if (wrong > 0) encoded[index] = '=';
        uint8_t tag[TAG];
        memcpy(tag, want->tag, sizeof tag);
        memset(out, 0x77, sizeof out);
        size_t len = 0;
        soil();
        const jose_status status = entry->decrypt(opening, &len, out, want->len, &from, tag);
        encoded[index] = was;
        need(status == (!takes ? JOSE_INTERNAL : wrong > 0 ? JOSE_REJECTED
                                                           : JOSE_OK),
             "%s: status %d, wrong %d", entry->name,
             (int)status, wrong);
        if (status == JOSE_OK)
            need(len == text_len && memcmp(out, text, len) == 0, "%s from text: %zu bytes and %zu",
                 entry->name, text_len, opening->aad_len);
        else
            need(len == 0 && (text_len < 8 || memcmp(out, text, 8) != 0),
                 "%s: something was decrypted", entry->name);
        for (size_t i = want->len; i < ROOM; i++)
            need(out[i] == 0x77, "%s: written after the output", entry->name);
        tag[0] ^= 1;
        if (wrong == 0 && takes)
            need(entry->decrypt(opening, &len, out, want->len, &from, tag) == JOSE_REJECTED &&
                     memcmp(out, want->ciphertext, want->len) == 0,
                 "%s: a wrong tag", entry->name);
    }
}

static void agree(int r, const jose_content_ready *sealing, const jose_content_ready *opening,
                  size_t text_len, size_t aad_len)
{
    const jose_library *library = jose_library_get();
    const jose_content_entry *entry = jose_content_entry_of(entries[r].content);
    static sealed want, made;
    seal_by_definition(&want, r, text_len, aad_len);
    for (size_t level = 0; level < sizeof levels / sizeof levels[0]; level++)
        for (int ready = 0; ready < 2; ready++) {
            jose_content_call call = {entry, library, levels[level], key, ready ? sealing : NULL,
                                      iv, aad, aad_len};
            memset(&made, 0x77, sizeof made);
            soil();
            need(entry->encrypt(&call, made.ciphertext, made.tag, text, text_len) == JOSE_OK &&
                     same(&made, &want),
                 "%s, implementation %zu: %zu bytes and %zu", entry->name, level, text_len,
                 aad_len);
            size_t len = 0;
            soil();
            call.ready = ready ? opening : NULL;
            need(entry->decrypt(&call, &len, made.ciphertext, want.len, &(jose_encoded){0},
                                made.tag) == JOSE_OK &&
                     len == text_len && memcmp(made.ciphertext, text, len) == 0,
                 "%s back, implementation %zu: %zu bytes and %zu", entry->name, level, text_len,
                 aad_len);
            agree_encoded(&call, &want, text_len);
        }
    memset(&made, 0x77, sizeof made);
    soil();
    need(jose_content_encrypt(entries[r].content, made.ciphertext, want.len, made.tag,
                              entries[r].tag, key, entries[r].key, iv, entry->iv_bytes, aad,
                              aad_len, text, text_len) == JOSE_OK &&
             same(&made, &want),
         "%s: %zu bytes and %zu", entry->name, text_len, aad_len);
    size_t len = 12345;
    need(jose_content_decrypt(entries[r].content, &len, made.ciphertext, want.len, key,
                              entries[r].key, iv, entry->iv_bytes, aad, aad_len, made.tag,
                              entries[r].tag) == JOSE_OK &&
             len == text_len && memcmp(made.ciphertext, text, len) == 0,
         "%s back: %zu bytes and %zu", entry->name, text_len, aad_len);
}

static void agreements(int r)
{
    static const size_t texts[] = {0, 1, 15, 16, 17, 31, 32, 33, 100, 4095, TEXT},
                        aads[] = {1, 0, 2, 31, 32, 8191};
    const jose_library *library = jose_library_get();
    const jose_content_entry *entry = jose_content_entry_of(entries[r].content);
    const jose_content_entry *before = jose_content_entry_of(entries[(r + 1) % ROWS].content);
    static const jose_content_ready nothing;
    jose_content_ready sealing = {0}, opening = {0};
    // Over one that was prepared for another algorithm.
    need(jose_content_ready_make(&sealing, before, library, key, true) &&
             jose_content_ready_make(&sealing, entry, library, key, true) &&
             jose_content_ready_make(&opening, entry, library, key, false) &&
             sealing.entry == entry && opening.entry == entry,
         "ready");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t k = 0; k < sizeof aads / sizeof aads[0]; k++)
            agree(r, &sealing, &opening, texts[i], aads[k]);
    agree(r, &sealing, &opening, 40, LONG_AAD);
    // Chunks of 192, 384 and 576 bytes that are decoded, and the rest of the first chunk after the
    // header.
    for (size_t text_len = 352; text_len < 352 + 3 * 384; text_len += 31)
        for (size_t aad_len = 40; aad_len < 40 + 64; aad_len += 24)
            agree(r, &sealing, &opening, text_len, aad_len);
    // Boundaries of chunks of a block of the hash, and the rest of the first chunk after the
    // header.
    for (size_t text_len = 48; text_len < 48 + 3 * 64; text_len += 5)
        for (size_t aad_len = 40; aad_len < 40 + 64; aad_len += 3)
            agree(r, &sealing, &opening, text_len, aad_len);
    jose_content_ready_free(&sealing);
    jose_content_ready_free(&opening);
    need(memcmp(&sealing, &nothing, sizeof nothing) == 0 &&
             memcmp(&opening, &nothing, sizeof nothing) == 0,
         "the prepared key is kept");
}

// MARK: sizes

static void sizes(int r)
{
    const jose_content content = entries[r].content;
    static sealed right, made;
    seal_by_definition(&right, r, 40, 5);
    size_t lens[4] = {entries[r].key, jose_content_iv_bytes(content), entries[r].tag, right.len};
    need(jose_content_key_bytes(content) == entries[r].key &&
             jose_content_tag_bytes(content) == entries[r].tag &&
             jose_content_iv_bytes(content) == (entries[r].hash == NULL ? 12 : 16) &&
             jose_content_checks_tag_first(content) == (entries[r].hash != NULL),
         "entry %d", r);
    for (int i = 0; i < 4; i++)
        for (int by = -1; by <= 1; by += 2) {
            lens[i] += (size_t)by;
            memset(&made, FAULTS_BLANK, sizeof made);
            static const uint8_t blank = FAULTS_BLANK;
            need(jose_content_encrypt(content, made.ciphertext, lens[3], made.tag, lens[2], key,
                                      lens[0], iv, lens[1], aad, 5, text, 40) == JOSE_INTERNAL,
                 "entry %d, size %d", r, i);
            for (size_t k = 0; k < ROOM; k++)
                need(made.ciphertext[k] == blank, "entry %d, size %d", r, i);
            memcpy(&made, &right, sizeof made);
            size_t len = 12345;
            // GCM has no invalid size of a ciphertext: the tag is wrong, and the output is wiped.
            const bool is_tag = i == 3 && entries[r].hash == NULL;
            need(jose_content_decrypt(content, &len, made.ciphertext, lens[3], key, lens[0], iv,
                                      lens[1], aad, 5, made.tag, lens[2]) == JOSE_REJECTED &&
                     len == 0,
                 "entry %d back, size %d", r, i);
            if (is_tag) memset(right.ciphertext, 0, lens[3]);
            need(same(&made, &right), "entry %d back, size %d", r, i);
            if (is_tag) seal_by_definition(&right, r, 40, 5);
            lens[i] -= (size_t)by;
        }
}

// Padding before an empty text is rejected, although its tag is right.
static void nothing(int r)
{
    uint8_t room[2 * IV], before[2 * IV], tag[TAG];
    size_t len = 12345;
    memset(room, 1, sizeof room);
    memcpy(before, room, sizeof before);
    tag_by_definition(tag, r, room + IV, 0, 5);
    need(jose_content_decrypt(entries[r].content, &len, room + IV, 0, key, entries[r].key, iv, IV,
                              aad, 5, tag, entries[r].tag) == JOSE_REJECTED &&
             len == 0 && memcmp(room, before, sizeof room) == 0,
         "an empty text, entry %d", r);
    const jose_content_entry *entry = jose_content_entry_of(entries[r].content);
    for (size_t n = 0; n <= 100; n++)
        need(entry->ciphertext_possible(n) ==
                 (n == 16 || n == 32 || n == 48 || n == 64 || n == 80 || n == 96),
             "%zu bytes", n);
}

// A right tag over a last block without padding: rejected, and the decrypted text is wiped, from
// bytes and from base64url.
static void reject_padding(int r, const uint8_t *plain, size_t len, const char *what)
{
    static uint8_t encrypted[ROOM], encoded[2 * ROOM], out[ROOM];
    const jose_content_entry *entry = jose_content_entry_of(entries[r].content);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int size = 0;
    need(context != NULL &&
             EVP_EncryptInit_ex(context, EVP_get_cipherbyname(entries[r].cipher), NULL,
                                key + entries[r].tag, iv) == 1 &&
             EVP_CIPHER_CTX_set_padding(context, 0) == 1 &&
             EVP_EncryptUpdate(context, encrypted, &size, plain, (int)len) == 1 && size == (int)len,
         "reference");
    EVP_CIPHER_CTX_free(context);
    uint8_t tag[TAG];
    tag_by_definition(tag, r, encrypted, len, 5);
    encoded_make(encoded, encrypted, len);
    const jose_content_call opening = {entry, jose_library_get(), 0, key, NULL, iv, aad, 5};
    for (int from_text = 0; from_text <= (entry->decodes ? 1 : 0); from_text++) {
        const jose_encoded from = {from_text ? encoded : NULL, {encoded_read, JOSE_CHUNK}};
        size_t opened = 0;
        memcpy(out, encrypted, len);
        need(entry->decrypt(&opening, &opened, out, len, &from, tag) == JOSE_REJECTED &&
                 opened == 0,
             "entry %d, %zu bytes, %s", r, len, what);
        for (size_t i = 0; i < len; i++)
            need(out[i] == 0, "entry %d, %s: byte %zu is kept", r, what, i);
    }
}

static void wrong_padding(int r)
{
    static const size_t sizes[] = {IV, 2 * IV, 192, 192 + IV, 960};
    static uint8_t plain[ROOM];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t len = sizes[i];
        fill(plain, len, 5);
        memset(plain + len - IV, 0x5a, IV);
        for (unsigned last = 0; last < 256; last++) {
            plain[len - 1] = (uint8_t)last;
            if (last != 1) reject_padding(r, plain, len, "the last byte alone");
        }
        for (unsigned count = 2; count <= IV; count++)
            for (unsigned wrong = 2; wrong <= count; wrong++)
                for (unsigned bit = 0; bit < 8; bit++) {
                    memset(plain + len - IV, 0x5a, IV);
                    memset(plain + len - count, (int)count, count);
                    plain[len - wrong] ^= (uint8_t)(1u << bit);
                    reject_padding(r, plain, len, "a bit of one of its bytes");
                }
    }
}

// The longest texts: for CBC the maximum of size_t, for GCM 2^36 - 32 bytes (NIST SP 800-38D
// section 5.2.1.1).
static void longest(int r)
{
    const jose_content content = entries[r].content;
    const jose_content_entry *entry = jose_content_entry_of(content);
    const bool is_gcm = entries[r].hash == NULL;
    const size_t most = is_gcm ? ((size_t)1 << 36) - 32 : SIZE_MAX - 32;
    uint8_t out[16], tag[TAG];
    size_t len = 12345;
    need(jose_content_ciphertext_bytes(content, most) == (is_gcm ? most : SIZE_MAX - 31),
         "entry %d", r);
    for (size_t more = 1; more <= 32; more++)
        need(jose_content_ciphertext_bytes(content, most + more) == SIZE_MAX, "entry %d, %zu more",
             r, more);
    need(jose_content_ciphertext_bytes(content, SIZE_MAX) == SIZE_MAX, "entry %d", r);
    memset(out, FAULTS_BLANK, sizeof out);
    memset(tag, FAULTS_BLANK, sizeof tag);
    need(jose_content_encrypt(content, out, SIZE_MAX, tag, entries[r].tag, key, entries[r].key, iv,
                              entry->iv_bytes, aad, 5, text, most + 1) == JOSE_INTERNAL,
         "entry %d", r);
    if (is_gcm) {
        need(entry->ciphertext_possible(0) && entry->ciphertext_possible(most) &&
                 !entry->ciphertext_possible(most + 1),
             "entry %d", r);
        need(jose_content_decrypt(content, &len, out, most + 1, key, entries[r].key, iv,
                                  entry->iv_bytes, aad, 5, tag, entries[r].tag) == JOSE_REJECTED &&
                 len == 0,
             "entry %d", r);
    }
    for (size_t i = 0; i < sizeof out; i++) need(out[i] == FAULTS_BLANK, "entry %d", r);
}

// MARK: contexts

// Pooled contexts are returned, also after a rejection: a hundred calls create no context.
static void goes_back(int r)
{
    static sealed right, made;
    seal_by_definition(&right, r, 40, 5);
    const size_t iv_len = jose_content_iv_bytes(entries[r].content);
    size_t before = 0;
    for (int round = 0; round < 2; round++) {
        before = faults_allocated();
        for (int i = 0; i < 100; i++) {
            const bool rejected = i % 2 == 1;
            size_t len = 0;
            need(jose_content_encrypt(entries[r].content, made.ciphertext, right.len, made.tag,
                                      entries[r].tag, key, entries[r].key, iv, iv_len, aad, 5, text,
                                      40) == JOSE_OK,
                 "entry %d", r);
            made.tag[0] ^= rejected;
            need(jose_content_decrypt(entries[r].content, &len, made.ciphertext, right.len, key,
                                      entries[r].key, iv, iv_len, aad, 5, made.tag,
                                      entries[r].tag) == (rejected ? JOSE_REJECTED : JOSE_OK),
                 "entry %d", r);
        }
    }
    need(faults_allocated() == before, "entry %d: %zu allocations instead of %zu", r,
         faults_allocated(), before);
}

// MARK: several recipients

// Whether the MAC of a message to two recipients equals that of EVP.
static bool is_by_provider(jose_key *recipient, jose_options first, jose_options second)
{
    static const jose_recipient anybody = {0};
    const jose_keymgmt_rule rule = {JOSE_RSA_OAEP, JOSE_SHA256, 0};
    const jose_options options[2] = {first, second};
    uint8_t keys[2][256], made_iv[IV], ciphertext[IV], tag[16];
    jose_keymgmt *makers[2] = {NULL, NULL};
    jose_cek *cek = NULL;
    for (int i = 0; i < 2; i++) {
        const jose_wrapped out = {keys[i], sizeof keys[i], NULL, 0};
        need(jose_keymgmt_make(&makers[i], recipient, &rule, true, options[i]) == JOSE_OK, "maker");
        need((i == 0 ? jose_cek_begin(&cek, makers[i], JOSE_A128CBC_HS256, &out, &anybody)
                     : jose_cek_wrap_again(cek, makers[i], &out, &anybody)) == JOSE_OK,
             "wrapped");
    }
    const jose_seal_output out = {
        NULL, 0, made_iv, sizeof made_iv, ciphertext, sizeof ciphertext, tag, sizeof tag};
    faults_count_calls("EVP_MAC_init");
    need(jose_cek_finish(cek, &out, aad, 5, text, IV - 1) == JOSE_OK, "encrypted");
    const unsigned asked = faults_counted();
    faults_count_calls(NULL);
    jose_cek_free(cek);
    for (int i = 0; i < 2; i++) jose_keymgmt_free(makers[i]);
    return asked > 0;
}

// A JWE that the key of one recipient excludes is rejected, in any order of the recipients.
static void mixed_recipients(void)
{
    jose_key *recipient = NULL;
    need(faults_import(&recipient, RSA_2048, false) == JOSE_OK, "key");
    for (size_t a = 0; a < sizeof levels / sizeof levels[0]; a++)
        for (size_t b = 0; b < sizeof levels / sizeof levels[0]; b++)
            need(is_by_provider(recipient, levels[a], levels[b]) ==
                     (((levels[a] | levels[b]) & JOSE_PROVIDER_ONLY) != 0),
                 "options %u and %u", levels[a], levels[b]);
    jose_key_release(recipient);
}

void faults_edges_content(void)
{
    fill(key, sizeof key, 1);
    fill(iv, sizeof iv, 2);
    fill(text, sizeof text, 3);
    fill(aad, sizeof aad, 4);
    for (int r = 0; r < ROWS; r++) {
        agreements(r);
        sizes(r);
        if (entries[r].hash != NULL) nothing(r), wrong_padding(r);
        longest(r);
        goes_back(r);
    }
    mixed_recipients();
}
