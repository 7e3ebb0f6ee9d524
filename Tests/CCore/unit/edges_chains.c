// edges_chains.c: the bounds of chains, anchors and revocation lists: the index of a malformed one,
// the failure of a path without a list or outside a time, the validity of a result, the choice of
// issuers; and no memory is kept.

#include "faults.h"

#include "certificates/certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

enum { MOST = 4 };

static const faults_file *file(chain_name name)
{
    return &faults_chain_files[name];
}

// The files of an array that ends with CHAIN_NONE, or is full.
static size_t gather(const faults_file **out, const chain_name *names)
{
    size_t count = 0;
    while (count < MOST && names[count] != CHAIN_NONE) {
        out[count] = file(names[count]);
        count++;
    }
    return count;
}

static jose_trust *trust_for(unsigned long number, const chain_name *anchors,
                             const chain_name *lists)
{
    const faults_file *anchor[MOST], *list[MOST];
    const size_t anchor_count = gather(anchor, anchors), list_count = gather(list, lists);
    jose_trust *trust = NULL;
    jose_trust_failure failure;
    need(faults_read_trust_for(number, &trust, &failure, anchor, anchor_count, list, list_count) ==
                 JOSE_OK &&
             failure.index == 0 && failure.list == JOSE_LIST_OK,
         "store");
    return trust;
}

static jose_chain *chain_of(const chain_name *names)
{
    const faults_file *files[MOST];
    const size_t count = gather(files, names);
    jose_chain *chain = NULL;
    size_t failed = 0;
    need(faults_read_chain(&chain, &failed, files, count) == JOSE_OK && failed == 0, "chain");
    return chain;
}

// MARK: reading

// Empty, one byte less, one byte more, and a certificate for a list or a list for a certificate.
enum { WRONG = 4 };

static void corrupt(faults_file *out, const faults_file *from, const faults_file *other, int level)
{
    *out = level == 3 ? *other : *from;
    if (level == 0) out->len = 0;
    if (level == 1) out->len--;
    if (level == 2) out->bytes[out->len++] = 0;
}

static void chains(void)
{
    const faults_file *good[] = {file(CHAIN_LEAF), file(CHAIN_MIDDLE), file(CHAIN_ROOT)};
    const faults_file *many[JOSE_MAX_CHAIN + 1], *files[3];
    faults_file wrong;
    jose_chain *chain = NULL;
    size_t failed = 0;
    for (size_t index = 0; index < 3; index++)
        for (int level = 0; level < WRONG; level++) {
            corrupt(&wrong, good[index], file(CHAIN_ROOT_LIST), level);
            memcpy(files, good, sizeof files);
            files[index] = &wrong;
            need(faults_read_chain(&chain, &failed, files, 3) == JOSE_REJECTED && failed == index,
                 "certificate %zu, variant %d", index, level);
        }
    for (size_t count = 0; count <= JOSE_MAX_CHAIN + 1; count++) {
        for (size_t i = 0; i < count; i++) many[i] = file(CHAIN_LEAF);
        const bool fits = count >= 1 && count <= JOSE_MAX_CHAIN;
        need(faults_read_chain(&chain, &failed, many, count) == (fits ? JOSE_OK : JOSE_REJECTED) &&
                 failed == 0,
             "%zu certificates", count);
        if (!fits) continue;
        need(jose_chain_is_ordered(chain) == (count == 1), "the same one twice");
        jose_chain_free(chain);
    }
    chain = chain_of((chain_name[MOST]){CHAIN_LEAF, CHAIN_MIDDLE, CHAIN_ROOT});
    need(jose_chain_is_ordered(chain), "order");
    jose_chain_free(chain);
    chain = chain_of((chain_name[MOST]){CHAIN_LEAF, CHAIN_ROOT});
    need(!jose_chain_is_ordered(chain), "a middle is missing");
    jose_chain_free(chain);
}

// MARK: who issued whom

static jose_chain *one_of(const faults_file *from)
{
    jose_chain *chain = NULL;
    size_t failed = 0;
    need(faults_read_chain(&chain, &failed, &from, 1) == JOSE_OK, "chain");
    return chain;
}

static jose_status issued(const faults_file *of, const faults_file *by)
{
    jose_chain *chain = one_of(of), *issuer = one_of(by);
    const jose_status status = jose_chain_issued(chain, issuer);
    // The order of names: equal, or reversed if they are exchanged.
    const int order = jose_chain_compare(chain, false, issuer),
              turned = jose_chain_compare(issuer, false, chain);
    need((order == 0) == (turned == 0) && (order < 0) == (turned > 0), "an order of names");
    need(status == JOSE_REJECTED || jose_chain_compare(chain, true, issuer) == 0, "another name");
    need(jose_chain_compare(chain, false, chain) == 0, "its own name");
    jose_chain_free(chain);
    jose_chain_free(issuer);
    return status;
}

static void issuers(void)
{
    static const chain_name names[] = {CHAIN_ROOT, CHAIN_MIDDLE, CHAIN_LEAF,
                                       CHAIN_STRANGER, CHAIN_NARROW_ROOT, CHAIN_POLICY_MIDDLE};
    enum { COUNT = sizeof names / sizeof names[0] };
    // Bit set of those that may have issued each.
    static const unsigned right[COUNT] = {1 | 16, 1 | 16, 2 | 32, 8, 1 | 16, 1 | 16};
    for (int of = 0; of < COUNT; of++)
        for (int by = 0; by < COUNT; by++)
            need(issued(file(names[of]), file(names[by])) ==
                     (right[of] >> by & 1 ? JOSE_OK : JOSE_REJECTED),
                 "%d by %d", of, by);
    // Each byte of a signature and of the signed data matters.
    for (size_t less = 1; less < 60; less++) {
        faults_file changed = *file(CHAIN_LEAF);
        changed.bytes[changed.len - less] ^= 1;
        jose_chain *chain = NULL;
        size_t failed = 0;
        const faults_file *files[] = {&changed};
        if (faults_read_chain(&chain, &failed, files, 1) != JOSE_OK) continue;
        jose_chain *issuer = one_of(file(CHAIN_MIDDLE));
        need(jose_chain_issued(chain, issuer) == JOSE_REJECTED, "byte %zu from the end", less);
        jose_chain_free(issuer);
        jose_chain_free(chain);
    }
}

// The same name with other keys: an unrelated key, one with explicit curve parameters, and an
// unknown algorithm.
static void namesakes(void)
{
    static const uint8_t ecdsa[] = {0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02};
    faults_file unknown = *file(CHAIN_LEAF);
    int changed = 0;
    for (size_t i = 0; i + sizeof ecdsa <= unknown.len; i++)
        if (memcmp(unknown.bytes + i, ecdsa, sizeof ecdsa) == 0)
            unknown.bytes[i + 9] = 0x63, changed++;
    need(changed == 2, "reference");
    need(issued(&unknown, file(CHAIN_MIDDLE)) == JOSE_UNSUPPORTED, "an unknown algorithm");
    need(issued(&unknown, file(CHAIN_ROOT)) == JOSE_REJECTED, "an unknown algorithm, another name");
    static faults_file self;
    const char *const kinds[] = {"EC", "ED25519", "X25519", "RSA"};
    for (int kind = 0; kind < 4; kind++) {
        EVP_PKEY *key = kind == 0   ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-384")
                        : kind == 3 ? EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048)
                                    : EVP_PKEY_Q_keygen(NULL, NULL, kinds[kind]);
        need(key != NULL, "reference");
        // Its issuer is the root by name and signature; no key of another certificate changes that.
        faults_leaf_of(&self, key);
        need(issued(&self, file(CHAIN_ROOT)) == JOSE_OK, "%s", kinds[kind]);
        need(issued(&self, file(CHAIN_NARROW_ROOT)) == JOSE_OK, "%s by the same key", kinds[kind]);
        need(issued(file(CHAIN_LEAF), &self) == JOSE_REJECTED, "%s as an issuer", kinds[kind]);
        EVP_PKEY_free(key);
    }
}

static void subjects(void)
{
    static const char *const names[] = {"CN=leaf", "CN=middle"};
    jose_chain *chain = chain_of((chain_name[MOST]){CHAIN_LEAF, CHAIN_MIDDLE});
    char out[16], blank[16];
    memset(blank, 0x5a, sizeof blank);
    for (size_t index = 0; index <= 3; index++)
        for (size_t capacity = 0; capacity <= sizeof out; capacity++) {
            memcpy(out, blank, sizeof out);
            const size_t len = index < 2 ? strlen(names[index]) : 0,
                         fits = len < capacity ? len : 0;
            need(jose_chain_subject(chain, index, out, capacity) == fits, "subject %zu in %zu",
                 index, capacity);
            size_t written = 0;
            if (index < 2 && capacity > 0) {
                need(memcmp(out, names[index], fits) == 0 && out[fits] == 0, "subject %zu in %zu",
                     index, capacity);
                written = fits + 1;
            }
            need(memcmp(out + written, blank, sizeof out - written) == 0, "after subject %zu",
                 index);
        }
    jose_chain_free(chain);
}

static void stores(void)
{
    static const chain_name names[4] = {CHAIN_ROOT, CHAIN_MIDDLE, CHAIN_ROOT_LIST,
                                        CHAIN_MIDDLE_LIST};
    faults_file wrong;
    jose_trust *trust = NULL;
    jose_trust_failure failure;
    for (size_t index = 0; index < 4; index++)
        for (int level = 0; level <= WRONG; level++) {
            if (level == WRONG && index >= 2) continue;
            const faults_file *files[4];
            for (size_t i = 0; i < 4; i++) files[i] = file(names[i]);
            corrupt(&wrong, files[index], file(index < 2 ? CHAIN_ROOT_LIST : CHAIN_ROOT), level);
            // A leaf certificate is rejected as an anchor.
            files[index] = level == WRONG ? file(CHAIN_LEAF) : &wrong;
            need(faults_read_trust(&trust, &failure, files, 2, files + 2, 2) == JOSE_REJECTED &&
                     failure.index == index &&
                     failure.list == (index < 2 ? JOSE_LIST_OK : JOSE_LIST_MALFORMED),
                 "file %zu, variant %d", index, level);
        }
    need(faults_read_trust(&trust, &failure, NULL, 0, NULL, 0) == JOSE_OK && failure.index == 0,
         "an empty store");
    jose_trust_free(trust);
    jose_trust_free(NULL);
    jose_chain_free(NULL);
}

// A list that is not complete and direct is rejected, alone or with good ones, at any index.
static void rejected_lists(void)
{
    for (int i = CHAIN_REJECTED_LISTS; i < CHAIN_REJECTED_END; i++)
        for (size_t index = 0; index < 3; index++)
            for (size_t count = index + 1; count <= 3; count++) {
                const faults_file *anchor = file(CHAIN_ROOT);
                const faults_file *lists[] = {file(CHAIN_ROOT_LIST), file(CHAIN_MIDDLE_LIST),
                                              file(CHAIN_REVOKES_LEAF)};
                jose_trust *trust = NULL;
                jose_trust_failure failure;
                lists[index] = file(i);
                need(faults_read_trust(&trust, &failure, &anchor, 1, lists, count) ==
                             JOSE_REJECTED &&
                         failure.index == 1 + index &&
                         failure.list == faults_rejected_lists[i - CHAIN_REJECTED_LISTS],
                     "list %d at index %zu: %u", i - CHAIN_REJECTED_LISTS, index, failure.list);
            }
}

// MARK: validation

typedef struct {
    const char *name;
    chain_name chain[MOST], anchors[MOST], lists[MOST];
    int64_t at;  // from now
    jose_chain_failure failure;
    size_t index;
    int64_t start, end;  // from now, the validity of a success
} validation;

// The validity of the leaf, and of the intermediate.
enum {
    FIRST = FAULTS_START + 20 - FAULTS_NOW,
    LAST = FAULTS_END - 20 - FAULTS_NOW,
    FIRST_OF_MIDDLE = FAULTS_START + 10 - FAULTS_NOW,
    LAST_OF_MIDDLE = FAULTS_END - 10 - FAULTS_NOW,
};

#define PATH                     \
    {                            \
        CHAIN_LEAF, CHAIN_MIDDLE \
    }
#define ROOT       \
    {              \
        CHAIN_ROOT \
    }
#define LISTS                              \
    {                                      \
        CHAIN_ROOT_LIST, CHAIN_MIDDLE_LIST \
    }

// clang-format off
static const validation validations[] = {
    {"now", PATH, ROOT, {0}, 0, JOSE_CHAIN_OK, 0, FIRST, LAST},
    {"the first second", PATH, ROOT, {0}, FIRST, JOSE_CHAIN_OK, 0, FIRST, LAST},
    {"the last second", PATH, ROOT, {0}, LAST, JOSE_CHAIN_OK, 0, FIRST, LAST},
    {"a second before", PATH, ROOT, {0}, FIRST - 1, JOSE_CHAIN_NOT_YET_VALID, 0, 0, 0},
    {"a second after", PATH, ROOT, {0}, LAST + 1, JOSE_CHAIN_EXPIRED, 0, 0, 0},
    {"before the middle", PATH, ROOT, {0}, FIRST_OF_MIDDLE - 1, JOSE_CHAIN_NOT_YET_VALID, 1, 0, 0},
    {"after the middle", PATH, ROOT, {0}, LAST_OF_MIDDLE + 1, JOSE_CHAIN_EXPIRED, 1, 0, 0},
    {"the root is sent", {CHAIN_LEAF, CHAIN_MIDDLE, CHAIN_ROOT}, ROOT, {0}, 0, JOSE_CHAIN_OK, 0,
     FIRST, LAST},
    {"two anchors", PATH, {CHAIN_STRANGER, CHAIN_ROOT}, {0}, 0, JOSE_CHAIN_OK, 0, FIRST, LAST},
    {"two anchors, reversed", PATH, {CHAIN_ROOT, CHAIN_STRANGER}, {0}, 0, JOSE_CHAIN_OK, 0, FIRST,
     LAST},
    {"another anchor", PATH, {CHAIN_STRANGER}, {0}, 0, JOSE_CHAIN_UNKNOWN_ROOT, 1, 0, 0},
    {"no anchor", PATH, {0}, {0}, 0, JOSE_CHAIN_UNKNOWN_ROOT, 1, 0, 0},
    {"lists", PATH, ROOT, LISTS, 0, JOSE_CHAIN_OK, 0, -40, 90},
    {"lists, reversed", PATH, ROOT, {CHAIN_MIDDLE_LIST, CHAIN_ROOT_LIST}, 0, JOSE_CHAIN_OK, 0, -40,
     90},
    {"the last second of a list", PATH, ROOT, LISTS, 90, JOSE_CHAIN_OK, 0, -40, 90},
    {"the first second of a list", PATH, ROOT, LISTS, -40, JOSE_CHAIN_OK, 0, -40, 90},
    {"after a list", PATH, ROOT, LISTS, 91, JOSE_CHAIN_REVOCATION_UNKNOWN, 0, 0, 0},
    {"before a list", PATH, ROOT, LISTS, -41, JOSE_CHAIN_REVOCATION_UNKNOWN, 0, 0, 0},
    {"no list of the root", PATH, ROOT, {CHAIN_MIDDLE_LIST}, 0, JOSE_CHAIN_REVOCATION_UNKNOWN, 1, 0,
     0},
    {"no list of the middle", PATH, ROOT, {CHAIN_ROOT_LIST}, 0, JOSE_CHAIN_REVOCATION_UNKNOWN, 0, 0,
     0},
    {"a revoked leaf", PATH, ROOT, {CHAIN_ROOT_LIST, CHAIN_REVOKES_LEAF}, 0, JOSE_CHAIN_REVOKED, 0,
     0, 0},
    {"a revoked middle", PATH, ROOT, {CHAIN_REVOKES_MIDDLE, CHAIN_MIDDLE_LIST}, 0,
     JOSE_CHAIN_REVOKED, 1, 0, 0},
    // A list that names the certificate counts whatever other lists contain, in any order, unless a
    // newer one of the same scope replaced it.
    {"a list replaced it", PATH, ROOT, {CHAIN_ROOT_LIST, CHAIN_REVOKES_LEAF, CHAIN_NEWER_LIST}, 0,
     JOSE_CHAIN_OK, 0, -20, 60},
    {"before it expired", PATH, ROOT, {CHAIN_NEWER_LIST, CHAIN_ROOT_LIST, CHAIN_REVOKES_LEAF}, 60,
     JOSE_CHAIN_OK, 0, -20, 60},
    {"after it expired", PATH, ROOT, {CHAIN_NEWER_LIST, CHAIN_ROOT_LIST, CHAIN_REVOKES_LEAF}, 61,
     JOSE_CHAIN_REVOKED, 0, 0, 0},
    {"before it began", PATH, ROOT, {CHAIN_NEWER_LIST, CHAIN_ROOT_LIST, CHAIN_REVOKES_LEAF}, -21,
     JOSE_CHAIN_REVOKED, 0, 0, 0},
    {"a newer one for users", PATH, ROOT, {CHAIN_ROOT_LIST, CHAIN_REVOKES_LEAF,
     CHAIN_NEWER_USER_LIST}, 0, JOSE_CHAIN_REVOKED, 0, 0, 0},
    {"that one first", PATH, ROOT, {CHAIN_NEWER_USER_LIST, CHAIN_REVOKES_LEAF, CHAIN_ROOT_LIST}, 0,
     JOSE_CHAIN_REVOKED, 0, 0, 0},
    {"for users alone", PATH, ROOT, {CHAIN_NEWER_USER_LIST, CHAIN_ROOT_LIST}, 0, JOSE_CHAIN_OK, 0,
     -20, 60},
    {"for authorities alone", PATH, ROOT, {CHAIN_NEWER_CA_LIST, CHAIN_MIDDLE_LIST}, 0,
     JOSE_CHAIN_OK, 0, -20, 60},
    {"of another point", PATH, ROOT, {CHAIN_NEWER_POINT_LIST, CHAIN_ROOT_LIST}, 0,
     JOSE_CHAIN_REVOCATION_UNKNOWN, 0, 0, 0},
    {"of its point", {CHAIN_POINTED_LEAF, CHAIN_MIDDLE}, ROOT, {CHAIN_NEWER_POINT_LIST,
     CHAIN_ROOT_LIST}, 0, JOSE_CHAIN_OK, 0, -20, 60},
    {"of its point, but revoked", {CHAIN_POINTED_LEAF, CHAIN_MIDDLE}, ROOT, {CHAIN_NEWER_POINT_LIST,
     CHAIN_REVOKES_LEAF, CHAIN_ROOT_LIST}, 0, JOSE_CHAIN_REVOKED, 0, 0, 0},
    {"an unrelated list", PATH, ROOT, {CHAIN_FORGED_LIST, CHAIN_ROOT_LIST}, 0,
     JOSE_CHAIN_REVOCATION_UNKNOWN, 0, 0, 0},
    {"an unrelated list and a revocation", PATH, ROOT, {CHAIN_FORGED_LIST, CHAIN_REVOKES_LEAF,
     CHAIN_ROOT_LIST}, 0, JOSE_CHAIN_REVOKED, 0, 0, 0},
    {"an unrelated revocation", PATH, ROOT, {CHAIN_MIDDLE_LIST, CHAIN_FORGED_REVOKES,
     CHAIN_ROOT_LIST}, 0, JOSE_CHAIN_REVOCATION_UNKNOWN, 0, 0, 0},
    // An expired list still revokes, but no longer vouches for certificates.
    {"it expired", PATH, ROOT, {CHAIN_ROOT_LIST, CHAIN_ENDED_LIST}, 0, JOSE_CHAIN_REVOKED, 0, 0, 0},
    {"it expired, a newer one", PATH, ROOT, {CHAIN_ROOT_LIST, CHAIN_ENDED_LIST, CHAIN_NEWER_LIST},
     0, JOSE_CHAIN_OK, 0, -20, 60},
    {"it expired, one as old", PATH, ROOT, {CHAIN_MIDDLE_LIST, CHAIN_ROOT_LIST, CHAIN_ENDED_LIST},
     0, JOSE_CHAIN_REVOKED, 0, 0, 0},
    {"a later list", PATH, ROOT, {CHAIN_ROOT_LIST, CHAIN_LATER_LIST, CHAIN_MIDDLE_LIST}, 29,
     JOSE_CHAIN_OK, 0, -40, 29},
    {"a later list begins", PATH, ROOT, {CHAIN_ROOT_LIST, CHAIN_LATER_LIST, CHAIN_MIDDLE_LIST}, 30,
     JOSE_CHAIN_REVOKED, 0, 0, 0},
    // An anchor needs no list, whether or not it is its own issuer, and whatever the scope of a
    // list.
    {"the anchor is out of scope", {CHAIN_LEAF, CHAIN_MIDDLE, CHAIN_ROOT}, ROOT,
     {CHAIN_NEWER_CA_LIST, CHAIN_NEWER_USER_LIST}, 0, JOSE_CHAIN_OK, 0, -20, 60},
    {"the middle is the anchor", {CHAIN_LEAF}, {CHAIN_MIDDLE}, {CHAIN_MIDDLE_LIST}, 0,
     JOSE_CHAIN_OK, 0, -40, 90},
    {"the middle is sent too", PATH, {CHAIN_MIDDLE}, {CHAIN_MIDDLE_LIST}, 0, JOSE_CHAIN_OK, 0, -40,
     90},
    {"and its issuer's list is there", PATH, {CHAIN_MIDDLE}, LISTS, 0, JOSE_CHAIN_OK, 0, -40, 90},
    {"and so is its issuer", PATH, {CHAIN_ROOT, CHAIN_MIDDLE}, LISTS, 0, JOSE_CHAIN_OK, 0, -40, 90},
    {"below the middle, no list", {CHAIN_LEAF}, {CHAIN_MIDDLE}, {CHAIN_ROOT_LIST}, 0,
     JOSE_CHAIN_REVOCATION_UNKNOWN, 0, 0, 0},
    // Of two anchors with the same name and key the one that was sent is used, or any that gives a
    // path, in each order.
    {"a narrow root", PATH, {CHAIN_NARROW_ROOT}, {0}, 0, JOSE_CHAIN_PATH_LENGTH, 2, 0, 0},
    {"with a narrow root", PATH, {CHAIN_NARROW_ROOT, CHAIN_ROOT}, {0}, 0, JOSE_CHAIN_OK, 0, FIRST,
     LAST},
    {"with it, reversed", PATH, {CHAIN_ROOT, CHAIN_NARROW_ROOT}, LISTS, 0, JOSE_CHAIN_OK, 0, -40,
     90},
    {"the wide one is sent", {CHAIN_LEAF, CHAIN_MIDDLE, CHAIN_ROOT}, {CHAIN_NARROW_ROOT,
     CHAIN_ROOT}, {0}, 0, JOSE_CHAIN_OK, 0, FIRST, LAST},
    {"the narrow one is sent", {CHAIN_LEAF, CHAIN_MIDDLE, CHAIN_NARROW_ROOT}, {CHAIN_NARROW_ROOT,
     CHAIN_ROOT}, {0}, 0, JOSE_CHAIN_PATH_LENGTH, 2, 0, 0},
    {"one of the name is sent, no anchor", {CHAIN_LEAF, CHAIN_MIDDLE, CHAIN_NARROW_ROOT}, ROOT, {0},
     0, JOSE_CHAIN_UNUSED_CERTIFICATE, 2, 0, 0},
    {"with it, but revoked", PATH, {CHAIN_NARROW_ROOT, CHAIN_ROOT}, {CHAIN_REVOKES_MIDDLE,
     CHAIN_MIDDLE_LIST}, 0, JOSE_CHAIN_REVOKED, 1, 0, 0},
    {"with it, but expired", PATH, {CHAIN_NARROW_ROOT, CHAIN_ROOT}, {0}, LAST + 1,
     JOSE_CHAIN_EXPIRED, 0, 0, 0},
    {"the middle is an anchor, and so is the root that was sent", {CHAIN_LEAF, CHAIN_MIDDLE,
     CHAIN_ROOT}, {CHAIN_MIDDLE, CHAIN_ROOT}, {0}, 0, JOSE_CHAIN_OK, 0, FIRST, LAST},
    {"the middle alone is one", {CHAIN_LEAF, CHAIN_MIDDLE, CHAIN_ROOT}, {CHAIN_MIDDLE}, {0}, 0,
     JOSE_CHAIN_UNUSED_CERTIFICATE, 2, 0, 0},
    {"an anchor alone", ROOT, ROOT, {CHAIN_MIDDLE_LIST}, 0, JOSE_CHAIN_SELF_SIGNED, 1, 0, 0},
    {"the middle alone, an anchor", {CHAIN_MIDDLE}, {CHAIN_MIDDLE}, {0}, 0, JOSE_CHAIN_SELF_SIGNED,
     1, 0, 0},
};
// clang-format on

static jose_status validate_for(unsigned long number, const validation *v,
                                jose_chain_report *report)
{
    jose_trust *trust = trust_for(number, v->anchors, v->lists);
    jose_chain *chain = chain_of(v->chain);
    memset(report, 0x5a, sizeof *report);
    const jose_status status =
        jose_trust_validate(trust, chain, JOSE_PURPOSE_SIGNATURE, FAULTS_NOW + v->at, report);
    jose_chain_free(chain);
    jose_trust_free(trust);
    return status;
}

static jose_status verify(const validation *v, jose_chain_report *report)
{
    return validate_for(0, v, report);
}

// Policy constraints are processed by a fixed libcrypto, and rejected with an affected one.
static void policies(void)
{
    // clang-format off
    static const struct {
        chain_name chain[MOST], anchor;
        jose_chain_failure fixed, unfixed;
        size_t index;
    } entries[] = {
        {{CHAIN_LEAF, CHAIN_MIDDLE}, CHAIN_ROOT, JOSE_CHAIN_OK, JOSE_CHAIN_OK, 0},
        {{CHAIN_POLICY_LEAVES, CHAIN_MIDDLE}, CHAIN_ROOT, JOSE_CHAIN_OK,
         JOSE_CHAIN_CRITICAL_EXTENSION, 0},
        {{CHAIN_POLICY_LEAVES + 1, CHAIN_MIDDLE}, CHAIN_ROOT, JOSE_CHAIN_OK,
         JOSE_CHAIN_CRITICAL_EXTENSION, 0},
        {{CHAIN_POLICY_LEAVES + 2, CHAIN_MIDDLE}, CHAIN_ROOT, JOSE_CHAIN_OK,
         JOSE_CHAIN_CRITICAL_EXTENSION, 0},
        {{CHAIN_LEAF, CHAIN_POLICY_MIDDLE}, CHAIN_ROOT, JOSE_CHAIN_OTHER,
         JOSE_CHAIN_CRITICAL_EXTENSION, 1},
        // The policies of an anchor are not processed (RFC 5280 section 6.2).
        {{CHAIN_LEAF, CHAIN_MIDDLE}, CHAIN_POLICY_ROOT, JOSE_CHAIN_OK, JOSE_CHAIN_OK, 0},
        {{CHAIN_LEAF, CHAIN_MIDDLE, CHAIN_POLICY_ROOT}, CHAIN_POLICY_ROOT, JOSE_CHAIN_OK,
         JOSE_CHAIN_OK, 0},
        {{CHAIN_LEAF}, CHAIN_POLICY_MIDDLE, JOSE_CHAIN_OK, JOSE_CHAIN_OK, 0},
    };
    // clang-format on
    static const struct {
        unsigned long number;
        bool is_fixed;
    } numbers[] = {
        {0x30000020, false},
        {0x30000070, false},
        {0x30000080, false},
        {0x3000008f, false},
        {0x30000090, true},
        {0x300000a0, true},
        {0x30000130, true},
        {0x300000f0, true},
        {0x300fffff, true},
        {0x30100000, false},
        {0x3010000f, false},
        {0x30100010, true},
        {0x30100020, true},
        {0x30200000, true},
        {0x30500040, true},
        {0x3ff00ff0, true},
    };
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        need(jose_policies_have_cve_fixes(numbers[n].number) == numbers[n].is_fixed, "%lx",
             numbers[n].number);
        for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
            validation v = {.name = "policies", .anchors = {entries[i].anchor}};
            memcpy(v.chain, entries[i].chain, sizeof v.chain);
            const jose_chain_failure failure =
                numbers[n].is_fixed ? entries[i].fixed : entries[i].unfixed;
            jose_chain_report report;
            need(validate_for(numbers[n].number, &v, &report) ==
                         (failure == JOSE_CHAIN_OK ? JOSE_OK : JOSE_REJECTED) &&
                     report.failure == failure,
                 "policies %zu by %lx: %u", i, numbers[n].number, report.failure);
            need(failure != JOSE_CHAIN_CRITICAL_EXTENSION || report.index == entries[i].index,
                 "policies %zu: index", i);
        }
    }
}

static void check_validations(void)
{
    for (size_t i = 0; i < sizeof validations / sizeof validations[0]; i++) {
        const validation *v = &validations[i];
        jose_chain_report report;
        const bool is_right = v->failure == JOSE_CHAIN_OK;
        need(verify(v, &report) == (is_right ? JOSE_OK : JOSE_REJECTED), "%s: the status", v->name);
        need(report.failure == v->failure, "%s: %u", v->name, report.failure);
        if (!is_right) {
            need(report.index == v->index, "%s: index %zu", v->name, report.index);
            continue;
        }
        need(report.not_before == FAULTS_NOW + v->start && report.not_after == FAULTS_NOW + v->end,
             "%s: the span", v->name);
    }
}

// MARK: keys

static void key(EVP_PKEY *key, const char *name, jose_chain_failure wanted)
{
    static faults_file leaf;
    const faults_file *files[] = {&leaf};
    jose_chain *chain = NULL;
    size_t failed = 0;
    need(key != NULL, "reference: %s", name);
    faults_leaf_of(&leaf, key);
    need(faults_read_chain(&chain, &failed, files, 1) == JOSE_OK, "%s", name);
    for (int purpose = JOSE_PURPOSE_SIGNATURE; purpose <= JOSE_PURPOSE_ENCRYPTION; purpose++)
        need(jose_chain_leaf_failure(chain, (jose_purpose)purpose) == wanted, "%s", name);
    jose_chain_free(chain);
    EVP_PKEY_free(key);
}

// The curves of RFC 7518 by name and those of RFC 8037 are accepted, and no others; nor a good one
// with explicit parameters (CVE-2020-0601).
static void keys(void)
{
    static const char *const good[] = {"P-256", "P-384", "P-521"}, *const weak[] = {"P-224",
                                                                                    "secp256k1"};
    static const char *const others[] = {"ED25519", "ED448", "X25519", "X448"};
    for (int i = 0; i < 3; i++)
        key(EVP_PKEY_Q_keygen(NULL, NULL, "EC", good[i]), good[i], JOSE_CHAIN_OK);
    for (int i = 0; i < 2; i++)
        key(EVP_PKEY_Q_keygen(NULL, NULL, "EC", weak[i]), weak[i], JOSE_CHAIN_WEAK_KEY);
    for (int i = 0; i < 4; i++)
        key(EVP_PKEY_Q_keygen(NULL, NULL, others[i]), others[i], JOSE_CHAIN_OK);
    EVP_PKEY *spelled = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    need(context != NULL && EVP_PKEY_keygen_init(context) == 1 &&
             EVP_PKEY_CTX_set_group_name(context, "P-256") == 1 &&
             EVP_PKEY_CTX_set_ec_param_enc(context, OPENSSL_EC_EXPLICIT_CURVE) == 1 &&
             EVP_PKEY_generate(context, &spelled) == 1,
         "reference");
    EVP_PKEY_CTX_free(context);
    key(spelled, "P-256, spelled out", JOSE_CHAIN_WEAK_KEY);
}

// MARK: memory

// Whether a call leaves the number of allocations unchanged, once libcrypto has allocated what it
// keeps. Data of entries of the error queue is replaced by each call, and cannot be distinguished
// from other memory in every version.
static void leaves_nothing(const validation *v)
{
    for (int round = 0; round < 6; round++) {
        const size_t before = faults_allocated();
        jose_chain_report report;
        (void)verify(v, &report);
        if (faults_allocated() == before) return;
    }
    faults_die(__FILE__, __LINE__, "%s: something is never freed", v->name);
}

void faults_edges_chains(void)
{
    chains();
    issuers();
    namesakes();
    subjects();
    stores();
    rejected_lists();
    check_validations();
    policies();
    keys();
    for (size_t i = 0; i < sizeof validations / sizeof validations[0]; i++)
        leaves_nothing(&validations[i]);
    ERR_clear_error();
}
