// The rule for the certificates of the keys of a set.

/// How the certificates of a key set, `x5c`, are checked.
///
/// Except with `ignore`, a key whose chain fails is skipped with a reason and the other keys stay.
/// Each use of a key checks the validity of its chain again. A chain proves who issued a
/// certificate, not whose it is. If an anchor certifies others too, require an identity, as with
/// `.require(store, of: try .dnsName("idp.example"))`.
public enum CertificateRule: Sendable {
    /// Does not validate chains, and ignores malformed members and chains longer than the limit. A
    /// readable first certificate must still be for the key, and a thumbprint must match it.
    case ignore
    /// Validates the chains that are present; keys without a chain are accepted.
    case requireWhenPresent(TrustStore)
    /// Requires a chain to the store's anchors for every key.
    case require(TrustStore)
}

extension CertificateRule {
    /// Requires a chain to the store's anchors for every key, with a leaf of this identity.
    ///
    /// - Parameters:
    ///   - store: The trust anchors and revocation lists.
    ///   - identity: The subject, alternative name or policy that a leaf must have.
    ///
    /// Keep the rule instead of creating one for each set: it caches validated chains.
    public static func require(
        _ store: TrustStore, of identity: CertificateIdentity
    ) -> CertificateRule {
        .require(store.restricted(to: identity))
    }

    /// Validates the chains that are present and requires a leaf of this identity. Keys without a
    /// chain are accepted, so nothing proves whose they are.
    ///
    /// - Parameters:
    ///   - store: The trust anchors and revocation lists.
    ///   - identity: The subject, alternative name or policy that a leaf must have.
    public static func requireWhenPresent(
        _ store: TrustStore, of identity: CertificateIdentity
    ) -> CertificateRule {
        .requireWhenPresent(store.restricted(to: identity))
    }
}
