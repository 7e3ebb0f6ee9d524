// prove_blocks.c: blocks that lenient verifiers may accept: each byte cut, doubled, moved and
// changed; lengths in other BER forms; extra and missing parameters, digests and padding.

#include "prove_blocks.h"

#include <stdbool.h>
#include <string.h>

#include "signatures/pkcs1.h"

enum { DIGEST = 32,
       LARGEST = 512,
       INFO = 256,
       SEEN = 1 << 14 };

typedef struct {
    size_t size;
    uint8_t right[LARGEST];
    const uint8_t *digest;
    void (*take)(void *context, const uint8_t *block, const char *kind);
    void *context;
    unsigned count;
    uint64_t *seen;  // SEEN hashes of blocks that were given, zero where there is none
} family;

// Whether this block is new: doubling one padding byte gives the same as doubling another.
static bool is_new(family *f, const uint8_t *block)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < f->size; i++) hash = (hash ^ block[i]) * UINT64_C(0x100000001b3);
    hash |= 1;
    size_t index = (hash >> 20) % SEEN;
    for (; f->seen[index] != 0; index = (index + 1) % SEEN)
        if (f->seen[index] == hash) return false;
    f->seen[index] = hash;
    return true;
}

static void give(family *f, const uint8_t *block, const char *kind)
{
    if (memcmp(block, f->right, f->size) == 0 || !is_new(f, block)) return;
    f->take(f->context, block, kind);
    f->count++;
}

// MARK: bytes of the right block

// Each byte of the right block changed.
static void changed(family *f, size_t i)
{
    static const uint8_t values[] = {0x00, 0x01, 0x80, 0xff};
    uint8_t block[LARGEST];
    memcpy(block, f->right, f->size);
    for (size_t k = 0; k < sizeof values; k++) {
        block[i] = values[k];
        give(f, block, "a byte set");
    }
    for (unsigned bit = 0; bit < 8; bit += i < f->size - 60 ? 8 : 1) {
        block[i] = f->right[i] ^ (uint8_t)(1 << bit);
        give(f, block, "a bit flipped");
    }
}

// Without byte i; filled at the end, or by padding.
static void cut(family *f, size_t i)
{
    uint8_t block[LARGEST];
    memcpy(block, f->right, i);
    memcpy(block + i, f->right + i + 1, f->size - i - 1);
    block[f->size - 1] = 0;
    give(f, block, "cut, zero behind");
    block[f->size - 1] = f->right[f->size - 1];
    give(f, block, "cut, the last twice");
    if (i < 2) return;
    memcpy(block, f->right, f->size);
    memmove(block + 3, f->right + 2, i - 2);
    block[2] = 0xff;
    give(f, block, "cut, longer padding");
}

static void doubled(family *f, size_t i)
{
    uint8_t block[LARGEST];
    memcpy(block, f->right, f->size);
    memmove(block + i + 1, f->right + i, f->size - i - 1);
    give(f, block, "doubled, the last lost");
    if (i < 3) return;
    memcpy(block, f->right, f->size);
    memmove(block + 2, f->right + 3, i - 2);
    give(f, block, "doubled, shorter padding");
}

static void moved(family *f, size_t i)
{
    uint8_t block[LARGEST];
    for (size_t by = 1; by <= 2 && i + by < f->size; by++) {
        memcpy(block, f->right, f->size);
        block[i] = f->right[i + by];
        block[i + by] = f->right[i];
        give(f, block, "two bytes swapped");
    }
    memcpy(block, f->right, i);
    memcpy(block + i, f->right + i + 1, f->size - i - 1);
    block[f->size - 1] = f->right[i];
    give(f, block, "moved to the end");
}

// MARK: other contents

// Writes 00, type, padding up to `info_len + behind` from the end, 00, info, then `behind` bytes of
// `fill`.
static void framed(family *f, uint8_t type, const uint8_t *info, size_t info_len, size_t behind,
                   uint8_t fill, const char *kind)
{
    uint8_t block[LARGEST];
    if (3 + info_len + behind > f->size) return;
    const size_t padding = f->size - 3 - info_len - behind;
    block[0] = 0;
    block[1] = type;
    memset(block + 2, type == 0 ? 0 : 0xff, padding);
    block[2 + padding] = 0;
    if (info_len > 0) memcpy(block + 3 + padding, info, info_len);
    memset(block + 3 + padding + info_len, fill, behind);
    give(f, block, kind);
}

static const uint8_t right_oid[] = {0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01};

// The encoding of a length: 0 as in DER, else that many bytes after 0x80 + count; -1 indefinite.
static size_t put(uint8_t *out, uint8_t tag, int precomp, const uint8_t *content, size_t len)
{
    size_t at = 0;
    out[at++] = tag;
    if (precomp == 0) out[at++] = (uint8_t)len;
    if (precomp > 0) {
        out[at++] = (uint8_t)(0x80 + precomp);
        for (int i = precomp - 1; i > 0; i--) out[at++] = 0;
        out[at++] = (uint8_t)len;
    }
    if (precomp < 0) out[at++] = 0x80;
    memcpy(out + at, content, len);
    at += len;
    if (precomp < 0) out[at++] = 0, out[at++] = 0;
    return at;
}

// A DigestInfo; the members give the differences from the right one.
typedef struct {
    int outer, inner, oid, octets, null;  // forms of the five lengths
    const uint8_t *parameters;            // or NULL: of length 0 and the tag below
    size_t parameters_len;
    uint8_t null_tag, octets_tag, outer_tag, inner_tag;  // 0: the right one
    bool no_parameters;
    uint8_t last_arc;   // of the hash's name; 0: the right one
    size_t digest_len;  // 0: all of it
    size_t inside;      // zeros at the end of the outer sequence
    bool lies;          // lengths as if the digest were whole and nothing inside
} info_parts;

static size_t make_info(const family *f, uint8_t *info, const info_parts *p)
{
    uint8_t algorithm[INFO], body[INFO], digest[INFO] = {0}, oid[sizeof right_oid];
    memcpy(oid, right_oid, sizeof oid);
    if (p->last_arc != 0) oid[sizeof oid - 1] = p->last_arc;
    size_t len = put(algorithm, 0x06, p->oid, oid, sizeof oid);
    if (p->parameters != NULL) {
        memcpy(algorithm + len, p->parameters, p->parameters_len);
        len += p->parameters_len;
    } else if (!p->no_parameters) {
        len += put(algorithm + len, p->null_tag ? p->null_tag : 0x05, p->null, oid, 0);
    }
    size_t body_len = put(body, p->inner_tag ? p->inner_tag : 0x30, p->inner, algorithm, len);
    const size_t digest_len = p->digest_len > 0 ? p->digest_len : DIGEST;
    memcpy(digest, f->digest, digest_len < DIGEST ? digest_len : DIGEST);
    const size_t octets = body_len;
    body_len +=
        put(body + body_len, p->octets_tag ? p->octets_tag : 0x04, p->octets, digest, digest_len);
    if (p->lies) body[octets + 1] = DIGEST;
    memset(body + body_len, 0, p->inside);
    body_len += p->inside;
    size_t all = put(info, p->outer_tag ? p->outer_tag : 0x30, p->outer, body, body_len);
    if (p->lies) info[1] = 0x31;
    return all;
}

static void with_parts(family *f, info_parts parts, const char *kind)
{
    uint8_t info[INFO];
    framed(f, 1, info, make_info(f, info, &parts), 0, 0, kind);
}

// Each length in longer forms, alone and two at a time.
static void lengths(family *f)
{
    for (int precomp = -1; precomp <= 5; precomp++) {
        with_parts(f, (info_parts){.outer = precomp}, "outer length");
        with_parts(f, (info_parts){.inner = precomp}, "algorithm length");
        with_parts(f, (info_parts){.oid = precomp}, "name length");
        with_parts(f, (info_parts){.null = precomp}, "NULL length");
        with_parts(f, (info_parts){.octets = precomp}, "digest length");
        with_parts(f, (info_parts){.outer = precomp, .octets = precomp}, "two lengths");
        with_parts(f, (info_parts){.outer = precomp, .inner = precomp}, "two lengths");
        with_parts(f,
                   (info_parts){.outer = precomp,
                                .inner = precomp,
                                .oid = precomp,
                                .null = precomp,
                                .octets = precomp},
                   "all lengths");
    }
}

static void contents(family *f)
{
    static const uint8_t stuffing[100] = {0x04, 98, 1, 2, 3};
    with_parts(f, (info_parts){.no_parameters = true}, "no parameters");
    with_parts(f, (info_parts){.octets_tag = 0x24, .octets = -1}, "constructed octets");
    for (size_t n = 1; n <= sizeof stuffing; n++)
        with_parts(f, (info_parts){.parameters = stuffing, .parameters_len = n},
                   "other parameters");
    for (unsigned tag = 1; tag < 256; tag += 3) {
        with_parts(f, (info_parts){.null_tag = (uint8_t)tag}, "tag of the parameters");
        with_parts(f, (info_parts){.octets_tag = (uint8_t)tag}, "tag of the digest");
        with_parts(f, (info_parts){.outer_tag = (uint8_t)tag}, "tag of the whole");
        with_parts(f, (info_parts){.inner_tag = (uint8_t)tag}, "tag of the algorithm");
    }
    for (unsigned arc = 2; arc <= 16; arc++)
        with_parts(f, (info_parts){.last_arc = (uint8_t)arc}, "another hash");
    for (size_t n = 1; n <= 64; n++) {
        with_parts(f, (info_parts){.digest_len = n}, "a digest of another size");
        if (n != DIGEST) with_parts(f, (info_parts){.digest_len = n, .lies = true}, "a digest cut");
        with_parts(f, (info_parts){.inside = n}, "more in the sequence");
        with_parts(f, (info_parts){.inside = n, .lies = true}, "more behind the digest");
    }
    for (unsigned arc = 2; arc <= 10; arc++)  // each name with digests of many sizes
        for (size_t len = 20; len <= 64; len += 4)
            with_parts(f, (info_parts){.last_arc = (uint8_t)arc, .digest_len = len},
                       "another digest");
}

// The right DigestInfo, a part of it or none, with all kinds of padding.
static void paddings(family *f)
{
    const size_t info_len = 19 + DIGEST;
    const uint8_t *info = f->right + f->size - info_len;
    static const uint8_t fills[] = {0x00, 0xff, 0x5a};
    for (size_t k = 0; k < sizeof fills; k++)
        for (size_t behind = 1; behind + info_len + 3 <= f->size; behind += behind < 24 ? 1 : 7)
            framed(f, 1, info, info_len, behind, fills[k], "garbage behind");
    for (size_t len = 0; len <= info_len; len++) {
        framed(f, 1, info, len, 0, 0, "the end cut");
        framed(f, 1, info + len, info_len - len, 0, 0, "the start cut");
    }
    for (unsigned type = 0; type < 256; type += type < 4 ? 1 : 9)
        framed(f, (uint8_t)type, info, info_len, 0, 0, "another type");
    uint8_t block[LARGEST];
    for (size_t zeros = 1; zeros <= f->size; zeros++) {  // padding and nothing, from each place on
        memset(block, 0xff, f->size);
        block[0] = 0, block[1] = 1;
        memset(block + f->size - zeros, 0, zeros);
        give(f, block, "padding and zeros");
    }
    memset(block, 0xff, f->size);
    block[0] = 0, block[1] = 1;
    give(f, block, "padding alone");
}

unsigned prove_blocks(size_t size, const uint8_t digest[32],
                      void (*take)(void *context, const uint8_t *block, const char *kind),
                      void *context)
{
    uint64_t seen[SEEN] = {0};
    family f = {.size = size, .digest = digest, .take = take, .context = context, .seen = seen};
    if (!jose_pkcs1_block(f.right, size, JOSE_PKCS1_SHA256, digest, DIGEST)) return 0;
    for (size_t i = 0; i < size; i++) {
        changed(&f, i);
        cut(&f, i);
        doubled(&f, i);
        moved(&f, i);
    }
    lengths(&f);
    contents(&f);
    paddings(&f);
    return f.count;
}
