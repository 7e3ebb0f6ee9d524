// What the certificates of keys that we publish must be: the other side's demand, checked before it is told.

/// What is demanded of the certificates of a key set before it is published.
///
/// It is about form and completeness: which roots are trusted is the reader's business.
public enum PublishedCertificateRule: Sendable, Hashable {
    /// Nothing.
    case any
    /// Every key has its chain in `x5c`, from its own certificate to the root, and none is self-signed.
    case completeChain
    /// As `completeChain`, or a self-signed certificate alone: for sandboxes.
    case completeChainOrSelfSigned
}

extension PublicJWKSet {
    /// Checks the certificates of a set that is about to be published.
    ///
    /// - Parameters:
    ///   - rule: What is demanded of every key.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: `untrustedKey` or `keyUnusable` with the reason for the first key that fails: no certificates, a chain that
    ///   ends before its root, a self-signed certificate, one in the wrong order, expired, too weak or for another use;
    ///   `keyUnusable` where a key of the set cannot be used at all.
    ///
    /// Costs the validation of every chain, as if its own root were trusted.
    public func checkCertificates(
        _ rule: PublishedCertificateRule, at now: NumericDate? = nil
    ) throws(JOSEError) {
        guard rule != .any else { return }
        guard skipped.isEmpty else { throw .keyUnusable("a published key cannot be used") }
        let now = now ?? .now
        for key in keys() { try key.checkPublished(rule, at: now) }
    }
}

extension JWK {
    /// Throws what readers of the published key would miss or reject.
    package func checkPublished(
        _ rule: PublishedCertificateRule, at now: NumericDate
    ) throws(JOSEError) {
        guard rule != .any else { return }
        if let certificateDefect { throw certificateDefect }
        guard let chain = certificateChain, let last = chain.last else {
            throw .untrustedKey("the key carries no certificates")
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
