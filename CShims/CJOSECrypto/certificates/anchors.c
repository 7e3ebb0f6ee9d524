// anchors.c: selects the anchors that may end a chain. OpenSSL tries only one of several anchors
// with the same name. So each validation gets one anchor, and all of them are tried.

#include <openssl/x509v3.h>

#include "certificate.h"

// MARK: order

static int64_t not_after_of(const X509 *anchor)
{
    int64_t end = 0;
    return jose_time_read(&end, X509_get0_notAfter(anchor)) ? end : INT64_MIN;
}

// The anchor with the latest notAfter comes first: after a renewal most chains lead to it.
static int compare(const X509 *const *one, const X509 *const *other)
{
    int64_t first = not_after_of(*one), second = not_after_of(*other);
    if (first != second) return first > second ? -1 : 1;
    return X509_cmp(*one, *other);
}

void jose_anchors_arrange(STACK_OF(X509) *anchors)
{
    (void)sk_X509_set_cmp_func(anchors, compare);
    sk_X509_sort(anchors);
    for (int i = sk_X509_num(anchors) - 1; i > 0; i--)
        if (X509_cmp(sk_X509_value(anchors, i), sk_X509_value(anchors, i - 1)) == 0)
            X509_free(sk_X509_delete(anchors, i));
}

// MARK: choice

// Selects the last certificate alone if it is an anchor and not the only certificate. Otherwise
// selects the anchors that issued it, by name and key identifier; validation checks the signature.
// A self-signed last certificate can count only as an anchor.
bool jose_anchors_of(jose_anchors *ends, STACK_OF(X509) *anchors, const jose_chain *chain)
{
    X509 *last = chain->certificates[chain->count - 1];
    bool is_self_signed = (X509_get_extension_flags(last) & EXFLAG_SS) != 0;
    ends->count = 0;
    for (int i = 0; i < sk_X509_num(anchors); i++) {
        X509 *anchor = sk_X509_value(anchors, i);
        if (chain->count > 1 && X509_cmp(anchor, last) == 0) {
            *ends = (jose_anchors){.count = 1, .all = {anchor}};
            break;
        }
        if (!is_self_signed && ends->count < JOSE_MAX_ENDS &&
            X509_check_issued(anchor, last) == X509_V_OK)
            ends->all[ends->count++] = anchor;
    }
    return ends->count > 0;
}

// MARK: rejections

// The distance of a rejection from the leaf. If the anchor's key did not sign the last certificate,
// this rejection is the least specific.
static size_t distance(const jose_chain_report *report, size_t count)
{
    bool is_other_key = report->failure == JOSE_CHAIN_SIGNATURE && report->index + 1 == count;
    return is_other_key ? SIZE_MAX : report->index;
}

bool jose_report_is_more_specific(const jose_chain_report *report, const jose_chain_report *other,
                                  size_t count)
{
    return distance(report, count) < distance(other, count);
}
