// Stands in until the implementation lands: every call fails closed.
#include "cjosecrypto.h"
jose_status jose_start(void) { return JOSE_INTERNAL; }
void jose_wipe(void *bytes, size_t bytes_len) {  }
bool jose_equal(const uint8_t *left, const uint8_t *right, size_t len) { return false; }
uint8_t * jose_secret_make(size_t len) { return 0; }
void jose_secret_free(uint8_t *secret, size_t len) {  }
jose_status jose_random(uint8_t *out, size_t out_len) { return JOSE_INTERNAL; }
void jose_clock_now(int64_t *seconds, int32_t *nanoseconds) {  }
size_t jose_hash_bytes(jose_hash hash) { return 0; }
jose_status jose_hash_digest(jose_hash hash, uint8_t *out, size_t out_len, const uint8_t *message, size_t message_len) { return JOSE_INTERNAL; }
jose_status jose_hmac(jose_hash hash, uint8_t *out, size_t out_len, const uint8_t *key, size_t key_len, const uint8_t *message, size_t message_len) { return JOSE_INTERNAL; }
jose_status jose_rsa_public(jose_key **key, const jose_rsa_limits *limits, const uint8_t *modulus, size_t modulus_len, const uint8_t *exponent, size_t exponent_len) { return JOSE_INTERNAL; }
jose_status jose_rsa_private(jose_key **key, const jose_rsa_limits *limits, const uint8_t *modulus, size_t modulus_len, const uint8_t *exponent, size_t exponent_len, const jose_number parts[JOSE_RSA_PARTS]) { return JOSE_INTERNAL; }
jose_status jose_rsa_generate(jose_key **key, uint32_t bits) { return JOSE_INTERNAL; }
void jose_key_release(jose_key *key) {  }
uint32_t jose_key_bits(const jose_key *key) { return 0; }
bool jose_key_is_private(const jose_key *key) { return false; }
const uint8_t * jose_key_modulus(const jose_key *key, size_t *len) { return 0; }
const uint8_t * jose_key_exponent(const jose_key *key, size_t *len) { return 0; }
size_t jose_rsa_part_bytes(const jose_key *key, jose_rsa_part part) { return 0; }
jose_status jose_rsa_part_write(const jose_key *key, jose_rsa_part part, uint8_t *out, size_t out_len) { return JOSE_INTERNAL; }
jose_status jose_signature_make(jose_signature **operation, jose_key *key, jose_signature_family family, jose_hash hash, bool signing, jose_options options) { return JOSE_INTERNAL; }
void jose_signature_free(jose_signature *operation) {  }
size_t jose_signature_bytes(const jose_signature *operation) { return 0; }
jose_status jose_signature_sign(const jose_signature *operation, uint8_t *signature, size_t signature_len, const uint8_t *message, size_t message_len) { return JOSE_INTERNAL; }
jose_status jose_signature_verify(const jose_signature *operation, const uint8_t *message, size_t message_len, const uint8_t *signature, size_t signature_len) { return JOSE_INTERNAL; }
size_t jose_content_key_bytes(jose_content content) { return 0; }
size_t jose_content_iv_bytes(jose_content content) { return 0; }
size_t jose_content_tag_bytes(jose_content content) { return 0; }
size_t jose_content_ciphertext_bytes(jose_content content, size_t plaintext_len) { return 0; }
jose_status jose_content_encrypt(jose_content content, uint8_t *ciphertext, size_t ciphertext_len, uint8_t *tag, size_t tag_len, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len, const uint8_t *aad, size_t aad_len, const uint8_t *plaintext, size_t plaintext_len) { return JOSE_INTERNAL; }
jose_status jose_content_decrypt(jose_content content, size_t *plaintext_len, uint8_t *ciphertext, size_t ciphertext_len, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len, const uint8_t *aad, size_t aad_len, const uint8_t *tag, size_t tag_len) { return JOSE_INTERNAL; }
jose_status jose_keymgmt_make(jose_keymgmt **operation, jose_key *key, jose_keymgmt_family family, jose_hash hash, bool wrapping, jose_options options) { return JOSE_INTERNAL; }
void jose_keymgmt_free(jose_keymgmt *operation) {  }
size_t jose_keymgmt_encrypted_key_bytes(const jose_keymgmt *operation) { return 0; }
jose_status jose_keymgmt_seal(const jose_keymgmt *operation, jose_content content, const jose_sealed *out, const uint8_t *aad, size_t aad_len, const uint8_t *plaintext, size_t plaintext_len) { return JOSE_INTERNAL; }
jose_status jose_keymgmt_open(const jose_keymgmt *operation, jose_content content, size_t *plaintext_len, const jose_opened *in, const uint8_t *aad, size_t aad_len) { return JOSE_INTERNAL; }
