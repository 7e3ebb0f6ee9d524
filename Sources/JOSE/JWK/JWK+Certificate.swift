// Creates public keys from certificates.

import JOSEBytes
import JOSECrypto

extension JWK {
    /// Creates a public key from the first certificate, whose hash becomes `x5t#S256`. The whole
    /// chain becomes `x5c`.
    ///
    /// - Parameters:
    ///   - certificates: DER certificates as arrays or `Data`, leaf first, each followed by its
    ///     issuer.
    ///   - keyID: The `kid` of the new key.
    ///   - limits: Limits on the chain and the modulus.
    /// - Throws: `malformed` for an empty array or an entry that is no certificate in strict DER;
    ///   `limitExceeded` for too many; `keyUnusable` for an unsupported key type, curve or size.
    ///
    /// The certificates are not validated: see `validated(by:purpose:at:)`.
    public init(
        certificates: [some Collection<UInt8>], keyID: String? = nil,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let certificates = try CertificateMembers.checked(certificates, limits)
        guard let leaf = certificates.first else {
            throw .malformed(.certificate, "there is no certificate")
        }
        for der in certificates.dropFirst() { _ = try CertificateOutline(der.span) }
        let keyRange = try CertificateOutline(leaf.span).publicKey
        self.init(try KeyDER.read(publicKey: leaf.span.extracting(keyRange), limits))
        self.keyID = keyID
        self.certificates = CertificateMembers(
            chain: certificates,
            sha256Thumbprint: try CertificateMembers.digest(.sha256, leaf))
    }
}
