// A key from the certificates that carry it.

import JOSEBytes
import JOSECrypto

extension JWK {
    /// The public key of the first certificate, with the whole chain as `x5c` and its SHA-256 thumbprint.
    ///
    /// - Parameters:
    ///   - certificates: DER certificates as arrays or `Data`, leaf first, each followed by the one
    ///     that issued it.
    ///   - keyID: The `kid` to give it.
    ///   - limits: Bounds on the chain and the modulus.
    /// - Throws: `malformed` if one is no strict DER certificate, `limitExceeded` for too many of them, `keyUnusable`
    ///   for another key type, curve or size.
    ///
    /// Nothing is trusted by this: see `validated(by:purpose:at:)`.
    public init(
        certificates: [some Collection<UInt8>], keyID: String? = nil,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard certificates.count <= limits.chainCount else {
            throw .limitExceeded(
                .certificate, "the chain has too many certificates (JOSELimits.chainCount)")
        }
        let certificates = certificates.map { [UInt8]($0) }
        for der in certificates where !StrictDER.isOneValue(der.span) {
            throw .malformed(.certificate, "the chain has an entry that is not a certificate")
        }
        guard let leaf = certificates.first else {
            throw .malformed(.certificate, "there is no certificate")
        }
        for der in certificates.dropFirst() { _ = try CertificateOutline(der.span) }
        let key = try CertificateOutline(leaf.span).publicKey
        self.init(try KeyDER.read(publicKey: leaf.span.extracting(key), limits))
        self.keyID = keyID
        self.certificates = CertificateMembers(
            chain: certificates,
            sha256Thumbprint: try CertificateMembers.digest(.sha256, leaf))
    }
}
