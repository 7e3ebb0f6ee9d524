// What a published set must bring along for its keys to be believed.

/// What is demanded of the certificates in a key set, `x5c`.
///
/// Under a demand, a key whose chain fails is skipped with a reason and the set stays; every chain is judged again by
/// the clock whenever its key is used.
///
/// A chain proves who issued a certificate, and not whose it is. Where an anchor certifies others
/// too, demand an identity: `.require(store, of: try .dnsName("idp.example"))`.
public enum CertificateRule: Sendable {
    /// Nothing: the first certificate must hold the key, and no trust is claimed. A thumbprint of no digest's length and
    /// a chain longer than the limit say nothing about the key.
    case ignore
    /// Chains that are there must lead to the store's anchors; keys without one are taken as they are.
    case requireWhenPresent(TrustStore)
    /// Every key needs a chain that leads to the store's anchors.
    case require(TrustStore)
}

extension CertificateRule {
    /// Every key needs a chain that leads to the store's anchors, from a certificate of this
    /// identity.
    ///
    /// A set is judged faster by a rule that is kept than by a new one for each: the rule remembers
    /// its own chains.
    ///
    /// - Parameters:
    ///   - store: The anchors, and the rules for chains.
    ///   - identity: Subject, alternative name or certificate policy that a leaf must have.
    public static func require(
        _ store: TrustStore, of identity: CertificateIdentity
    ) -> CertificateRule {
        .require(store.restricted(to: identity))
    }

    /// Chains that are there must lead to the store's anchors, from a certificate of this identity;
    /// keys without a chain are taken as they are, so that this proves nothing of them.
    ///
    /// - Parameters:
    ///   - store: The anchors, and the rules for chains.
    ///   - identity: Subject, alternative name or certificate policy that a leaf must have.
    public static func requireWhenPresent(
        _ store: TrustStore, of identity: CertificateIdentity
    ) -> CertificateRule {
        .requireWhenPresent(store.restricted(to: identity))
    }
}
