// What a published set must bring along for its keys to be believed.

/// What is demanded of the certificates in a key set, `x5c`.
///
/// Under a demand, a key whose chain fails is skipped with a reason and the set stays; every chain is judged again by
/// the clock whenever its key is used.
public enum CertificateRule: Sendable {
    /// Nothing: the first certificate must hold the key, and no trust is claimed. A thumbprint of no digest's length and
    /// a chain longer than the limit say nothing about the key.
    case ignore
    /// Chains that are there must lead to the store's anchors; keys without one are taken as they are.
    case requireWhenPresent(TrustStore)
    /// Every key needs a chain that leads to the store's anchors.
    case require(TrustStore)
}
