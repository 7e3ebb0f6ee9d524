// The proof that a chain leads to the caller's anchors, and for how long.

import JOSECrypto

/// A chain that a trust store validated; only a store makes one.
public struct ValidatedChain: Sendable, Hashable {
    /// The time from which every certificate of the path is valid.
    public let notBefore: NumericDate
    /// The time until which every certificate, and every revocation list, is valid; inclusive.
    public let notAfter: NumericDate
    /// What the leaf was validated for.
    public let purpose: CertificatePurpose

    init(_ validity: ChainValidity, _ purpose: CertificatePurpose) {
        self.purpose = purpose
        notBefore = NumericDate(exactly: max(validity.notBefore, 0)) ?? .latest
        notAfter = NumericDate(exactly: max(validity.notAfter, 0)) ?? .latest
    }

    /// Whether the chain holds at a time, in whole seconds.
    public func contains(_ time: NumericDate) -> Bool {
        time >= notBefore && time.seconds <= notAfter.seconds
    }

    /// Throws `untrustedKey` where the chain was validated for another purpose or does not hold at that time.
    func check(for purpose: CertificatePurpose, at time: NumericDate) throws(JOSEError) {
        guard purpose == self.purpose else { throw .untrustedForPurpose }
        try check(at: time)
    }

    /// Throws `untrustedKey` where the chain does not hold at that time.
    func check(at time: NumericDate) throws(JOSEError) {
        guard contains(time) else {
            throw JOSEError(
                .untrustedKey, .certificate, "the key's certificates are not valid at this time")
        }
    }
}
