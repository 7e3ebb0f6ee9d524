// edges_payloads.c: a payload that is decoded while its message is hashed: every offset of its
// start in a block, every rest of a chunk. The result is that of the message alone, and the output
// of a rejected message or malformed text is wiped.

#include "faults.h"

#include "encoded.h"
#include "signatures/signature.h"

enum { MODULUS = 256,
       HEADER = 200,
       PAYLOAD = 2000,
       ROOM = HEADER + 2 * PAYLOAD };

static const jose_options levels[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
enum { IMPLEMENTATIONS = sizeof levels / sizeof levels[0] };

typedef struct {
    jose_signature *signer, *verifiers[IMPLEMENTATIONS];
} subject;

// A message: a header of any bytes, then the text of the payload.
static uint8_t message[ROOM], bytes[PAYLOAD], decoded[PAYLOAD + 1], signature[MODULUS];

static void expect_nothing(const jose_payload *payload, jose_payload_result result,
                           const char *what)
{
    need(payload->result == result, "%s: %d", what, (int)payload->result);
    for (size_t i = 0; i < payload->len; i++)
        need((result == JOSE_PAYLOAD_NOT_DECODED && decoded[i] == 0x77) || decoded[i] == 0,
             "%s: byte %zu is kept", what, i);
}

static bool is_read_by(const jose_signature *verifier)
{
    const jose_rsa_precomp *precomp =
        verifier->fast == NULL ? NULL : jose_rsa_fast_ready(verifier->fast);
    return precomp != NULL && precomp->kernel != NULL;
}

// Whether the result equals the separate one, and whether the payload is decoded.
static void ask(const jose_signature *verifier, size_t from, size_t payload_len, size_t len,
                bool is_malformed)
{
    const jose_status plain = jose_signature_verify(verifier, message, len, signature, MODULUS);
    jose_payload payload = {
        .from = from, .bytes = decoded, .len = payload_len, .result = JOSE_PAYLOAD_DECODED};
    payload.decoder = (jose_decoder){encoded_read, JOSE_CHUNK * (1 + len % 3)};
    memset(decoded, 0x77, sizeof decoded);
    const jose_status status =
        jose_signature_verify_decoding(verifier, message, len, &payload, signature, MODULUS);
    need(status == plain, "from %zu, %zu bytes: %d and not %d", from, payload_len, (int)status,
         (int)plain);
    need(decoded[payload_len] == 0x77, "from %zu, %zu bytes: written after it", from, payload_len);
    if (status != JOSE_OK || !is_read_by(verifier)) {
        expect_nothing(&payload, JOSE_PAYLOAD_NOT_DECODED, "rejected or not decoded");
        return;
    }
    if (is_malformed) {
        expect_nothing(&payload, JOSE_PAYLOAD_MALFORMED, "malformed");
        return;
    }
    need(payload.result == JOSE_PAYLOAD_DECODED && memcmp(decoded, bytes, payload_len) == 0,
         "from %zu, %zu bytes", from, payload_len);
}

// A chunk size that does not fit a hash: neither the decoder nor the key is called.
static bool never_read(uint8_t *out, const uint8_t *text, size_t count)
{
    (void)text;
    memset(out, 0x55, count / 2);
    return false;
}

static void wrong_turns(const subject *s, size_t len)
{
    static const size_t turns[] = {0, 1, JOSE_CHUNK / 2, JOSE_CHUNK + 4, SIZE_MAX};
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++)
        for (int w = 0; w < IMPLEMENTATIONS; w++) {
            jose_payload payload = {.from = 40,
                                    .bytes = decoded,
                                    .len = 100,
                                    .decoder = {never_read, turns[i]},
                                    .result = JOSE_PAYLOAD_DECODED};
            memset(decoded, 0x77, sizeof decoded);
            need(jose_signature_verify_decoding(s->verifiers[w], message, len, &payload, signature,
                                                MODULUS) == JOSE_INTERNAL,
                 "chunks of %zu", turns[i]);
            expect_nothing(&payload, JOSE_PAYLOAD_NOT_DECODED, "a wrong chunk");
        }
}

static void by_every_implementation(const subject *s, size_t from, size_t payload_len)
{
    const size_t len = from + encoded_make(message + from, bytes, payload_len);
    need(jose_signature_sign(s->signer, signature, MODULUS, message, len) == JOSE_OK, "signature");
    for (int w = 0; w < IMPLEMENTATIONS; w++) {
        ask(s->verifiers[w], from, payload_len, len, false);
        for (int wrong = 0; wrong < 2; wrong++) {
            uint8_t *const at = wrong == 0 ? &signature[payload_len % MODULUS] : &message[len / 2];
            *at ^= 2;
            ask(s->verifiers[w], from, payload_len, len, false);
            *at ^= 2;
        }
    }
}

// The signature is right, and the text is malformed.
static void malformed(const subject *s, size_t from, size_t payload_len)
{
    const size_t len = from + encoded_make(message + from, bytes, payload_len);
    const size_t places[] = {from, from + 511, from + 512, (from + len) / 2, len - 1};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const uint8_t was = message[places[i]];
        message[places[i]] = i % 2 == 0 ? '=' : '.';
        need(jose_signature_sign(s->signer, signature, MODULUS, message, len) == JOSE_OK,
             "signature");
        for (int w = 0; w < IMPLEMENTATIONS; w++)
            ask(s->verifiers[w], from, payload_len, len, true);
        message[places[i]] = was;
    }
}

static void family(jose_signature_family family, jose_hash hash)
{
    jose_key *private = NULL, *public = NULL;
    subject s = {0};
    need(faults_import(&private, RSA_2048, true) == JOSE_OK &&
             faults_import(&public, RSA_2048, false) == JOSE_OK &&
             jose_signature_make(&s.signer, private, family, hash, true, 0) == JOSE_OK,
         "signer");
    for (int w = 0; w < IMPLEMENTATIONS; w++)
        need(jose_signature_make(&s.verifiers[w], public, family, hash, false, levels[w]) ==
                 JOSE_OK,
             "verifier");
    // From the second use on the precomputed values exist if they will at all.
    for (int i = 0; i < 2; i++)
        for (int w = 0; w < IMPLEMENTATIONS; w++)
            jose_signature_verify(s.verifiers[w], message, 1, signature, MODULUS);
    need(is_read_by(s.verifiers[0]) ==
             ((jose_kernels() & (JOSE_USES_RSA | JOSE_USES_RSA_FMA)) != 0),
         "a payload is read");
    for (size_t from = 0; from < HEADER; from += from < 130 ? 1 : 17)
        by_every_implementation(&s, from, 1200 + from % 7);
    for (size_t len = 0; len < 200; len++) by_every_implementation(&s, 40, len);
    wrong_turns(&s, 300);
    for (size_t len = PAYLOAD - 500; len < PAYLOAD; len += 3) by_every_implementation(&s, 61, len);
    for (size_t len = 500; len < 900; len += 37) malformed(&s, 29 + len % 64, len);
    for (int w = 0; w < IMPLEMENTATIONS; w++) jose_signature_free(s.verifiers[w]);
    jose_signature_free(s.signer);
    jose_key_release(private);
    jose_key_release(public);
}

void faults_edges_payloads(void)
{
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i + 7 * i + 1);
    for (size_t i = 0; i < HEADER; i++) message[i] = (uint8_t)(i * 31 + 5);
    family(JOSE_RSA_PKCS1, JOSE_SHA256);
    family(JOSE_RSA_PSS, JOSE_SHA384);
}
