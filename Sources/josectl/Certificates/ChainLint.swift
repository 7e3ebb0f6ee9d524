// Finds defects in the certificates of a key that do not depend on trust anchors.

import JOSE
import JOSECrypto

enum ChainLint {
    private static let soonSeconds: Int64 = 30 * 86_400

    /// Returns remarks on `x5c`. Reading the key has checked that the leaf certifies it.
    static func remarks(
        _ key: JWK, _ rule: PublishedCertificateRule, at now: NumericDate
    ) -> [(isRejection: Bool, reason: String)] {
        // Readers that need no certificates ignore a defect in `x5c`. Others reject the key.
        if let defect = key.certificateDefect { return [(rule != .any, defect.message)] }
        // A symmetric key is never published.
        let rule = key.keyType == .oct ? .any : rule
        do {
            guard let chain = key.certificateChain else {
                try key.checkPublished(rule, at: now)
                return []
            }
            if let reason = try rejection(key, chain, at: now) { return [(true, reason)] }
            try key.checkPublished(rule, at: now)
            let outlines = try chain.map { der in try CertificateOutline(der.span) }
            guard let end = outlines.map(\.notAfter).min() else { return [] }
            var found: [(Bool, String)] = []
            if end.seconds - now.seconds <= soonSeconds {
                found.append((false, "a certificate expires on \(Timestamp.write(end))"))
            }
            if chain.count == 1 {
                found.append((false, "x5c has no issuer: add the issuer certificates"))
            }
            return found
        } catch {
            return [(true, Rejection(any: error)?.message ?? "its certificates are unreadable")]
        }
    }

    /// Returns why every reader rejects the chain; nil if the result depends on the anchors.
    private static func rejection(
        _ key: JWK, _ chain: [[UInt8]], at now: NumericDate
    ) throws -> String? {
        let parsed: CertificateChain
        do {
            parsed = try CertificateChain(chain)
        } catch {
            return "x5c has an entry that is not a certificate"
        }
        let purpose = try CertificatePurpose.named(nil, for: key)
        guard chain.count > 1 else { return try loneLeaf(key, chain[0], parsed, purpose, at: now) }
        guard let last = chain.last, try CertificateOutline(last.span).isAuthority(last.span) else {
            let reason = try unanchored(chain, purpose, at: now)
            return reason ?? "the last certificate is not a CA certificate"
        }
        // Check as a reader that trusts the last certificate.
        let report = try TrustStore(anchors: [last]).report(chain, purpose: purpose, at: now)
        return report.error == nil ? nil : report.message
    }

    /// Returns a defect of the chain other than the missing anchor; nil if there is none.
    private static func unanchored(
        _ chain: [[UInt8]], _ purpose: CertificatePurpose, at now: NumericDate
    ) throws -> String? {
        let report = try TrustStore(anchors: []).report(chain, purpose: purpose, at: now)
        return report.hasUnknownRoot ? nil : report.message
    }

    private static func loneLeaf(
        _ key: JWK, _ leaf: [UInt8], _ parsed: CertificateChain, _ purpose: CertificatePurpose,
        at now: NumericDate
    ) throws -> String? {
        if let reason = try unanchored([leaf], purpose, at: now) { return reason }
        let outline = try CertificateOutline(leaf.span)
        if outline.notAfter.seconds < now.seconds { return "a certificate has expired" }
        if outline.notBefore > now { return "a certificate is not valid yet" }
        return parsed.leafFailure(purpose.native).map { $0.reason.description }
    }
}
