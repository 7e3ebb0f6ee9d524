// A chain that leads to the caller's anchors, with its validity period.

import JOSECrypto

/// A chain that a trust store has validated; only a trust store creates it.
public struct ValidatedChain: Sendable, Hashable {
    /// The first time at which every certificate and revocation list of the path is valid.
    public let notBefore: NumericDate
    /// The last time at which every certificate and revocation list of the path is valid.
    public let notAfter: NumericDate
    /// The purpose that the leaf was validated for.
    public let purpose: CertificatePurpose

    init(_ validity: ChainValidity, _ purpose: CertificatePurpose) {
        self.purpose = purpose
        notBefore = NumericDate(exactly: max(validity.notBefore, 0)) ?? .latest
        notAfter = NumericDate(exactly: max(validity.notAfter, 0)) ?? .latest
    }

    /// Whether the chain is valid at a time, in whole seconds.
    public func contains(_ time: NumericDate) -> Bool {
        time >= notBefore && time.seconds <= notAfter.seconds
    }

    func check(for purpose: CertificatePurpose, at time: NumericDate) throws(JOSEError) {
        guard purpose == self.purpose else { throw .untrustedForPurpose }
        try check(at: time)
    }

    func check(at time: NumericDate) throws(JOSEError) {
        guard contains(time) else {
            throw JOSEError(
                .untrustedKey, .certificate, "the key's certificates are not valid at this time")
        }
    }
}
