// Checks the certificates of a local key set before it is published.

/// The format and completeness that are required of a key set's certificates before the set is
/// published. The readers of the set decide which roots they trust.
public enum PublishedCertificateRule: Sendable, Hashable {
    /// No requirement.
    case any
    /// Every key has its chain in `x5c`, from its own certificate to the root. A single self-signed
    /// certificate is rejected.
    case completeChain
    /// As `completeChain`, but a single self-signed certificate is allowed, for sandboxes.
    case completeChainOrSelfSigned
}

extension PublicJWKSet {
    /// Checks the certificates of a set that is about to be published.
    ///
    /// - Parameters:
    ///   - rule: The requirements on every key.
    ///   - now: The time of the validation; the default is the system's clock.
    /// - Throws: `untrustedKey`, `keyUnusable`, `malformed` or `limitExceeded` with the reason for
    ///   the first key that fails: no certificates or malformed ones, a chain that ends before its
    ///   root, a self-signed certificate, a wrong order, an expired, weak or wrong certificate.
    ///   `keyUnusable` if a key of the set cannot be used at all.
    ///
    /// Costs a validation of every chain, as if its own root were trusted. Of a single self-signed
    /// certificate that is allowed, only names and dates are checked.
    public func checkCertificates(
        _ rule: PublishedCertificateRule, at now: NumericDate? = nil
    ) throws(JOSEError) {
        guard rule != .any else { return }
        if let first = skipped.first {
            throw .keyUnusable("key {} of the set cannot be used", .number(first.index + 1))
        }
        let now = now ?? .now
        for key in keys() { try key.checkPublished(rule, at: now) }
    }
}

extension JWK {
    package func checkPublished(
        _ rule: PublishedCertificateRule, at now: NumericDate
    ) throws(JOSEError) {
        guard rule != .any else { return }
        if let certificateDefect { throw certificateDefect }
        guard let chain = certificateChain, let last = chain.last else {
            throw .untrustedKey("the key has no certificates (x5c)")
        }
        let outline = try CertificateOutline(last.span)
        guard outline.isSelfIssued(last.span) else {
            throw .untrustedKey("x5c ends before the root")
        }
        if chain.count == 1 {
            guard rule == .completeChainOrSelfSigned else {
                throw .untrustedKey("the certificate is self-signed")
            }
            guard now <= outline.notAfter else {
                throw .untrustedKey("a certificate has expired")
            }
            guard outline.notBefore <= now else {
                throw .untrustedKey("a certificate is not valid yet")
            }
            return
        }
        guard try outline.isAuthority(last.span) else {
            throw .untrustedKey("the last certificate is not that of a certification authority")
        }
        var limits = JOSELimits.standard
        limits.chainCount = chain.count
        let report = try TrustStore(anchors: [last]).report(
            chain, purpose: use == .encryption ? .encryption : .signature, at: now, limits: limits)
        if let error = report.error { throw error }
    }
}
