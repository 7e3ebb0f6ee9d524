// Why a chain is rejected, in words: which certificate, and what is wrong with it.

package import JOSECrypto

extension JOSEError {
    /// A fault of the leaf's own uses makes the key unusable; every other fault makes it untrusted.
    init(_ failure: ChainError, place: Int) {
        let code: JOSEError.Code =
            switch failure {
            case .keyUsage, .extendedKeyUsage, .leafIsCA: .keyUnusable
            case .weakKey where place == 0: .keyUnusable
            default: .untrustedKey
            }
        self.init(code, .certificate, JOSEError.Reason(failure.reason))
    }
}

extension ChainError {
    package var reason: StaticString {
        switch self {
        case .expired: "a certificate has expired"
        case .notYetValid: "a certificate is not valid yet"
        case .notACA: "an issuing certificate is not allowed to issue certificates"
        case .pathLength:
            "more certificates follow an issuing certificate than its path length allows"
        case .signature: "a certificate's signature does not verify"
        case .order: "a certificate is not followed by the one that issued it"
        case .duplicate: "a certificate occurs twice"
        case .surplus: "a certificate does not belong to the path"
        case .unknownRoot: "the chain does not lead to a trust anchor"
        case .selfSigned: "the certificate is self-signed"
        case .criticalExtension: "a certificate has a critical extension that is not understood"
        case .nameConstraints: "a name is outside the constraints of an issuer"
        case .weakSignature: "a certificate is signed with a weak algorithm"
        case .weakKey: "a certificate's key is too weak"
        case .oldVersion: "a certificate is not of X.509 version 3"
        case .revoked: "a certificate has been revoked"
        case .revocationUnknown: "there is no current revocation list for a certificate"
        case .keyUsage: "the certificate's keyUsage does not allow this"
        case .extendedKeyUsage: "the certificate's extendedKeyUsage does not allow this"
        case .leafIsCA: "the key's certificate is a CA certificate"
        case .policies: "the certificates have too many policies and policy mappings"
        case .other: "the chain breaks a rule of RFC 5280"
        }
    }
}

/// What a trust store says of one chain, for people.
public struct ChainReport: Sendable {
    /// The subjects, leaf first, in the form of RFC 2253; what must not be shown stands in its escapes.
    public let subjects: [String]
    /// Why the chain is rejected; nil if it is valid.
    public let error: JOSEError?
    /// The certificate that is at fault, 0 the leaf; the count of `subjects` means the trust anchor.
    public let place: Int?
    /// The time from which the chain is valid, where it is.
    public let notBefore: NumericDate?
    /// The time until which it is valid, inclusive, where it is.
    public let notAfter: NumericDate?

    /// The identity that the leaf does not have, where that is why.
    private let demanded: CertificateIdentity?

    init(
        subjects: [String], error: JOSEError?, place: Int?, notBefore: NumericDate?,
        notAfter: NumericDate?, demanded: CertificateIdentity? = nil
    ) {
        self.subjects = subjects
        self.error = error
        self.place = place
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.demanded = demanded
    }

    /// Whether other anchors might have accepted the chain.
    package var hasUnknownRoot: Bool {
        error?.reason.description == ChainError.unknownRoot.reason.description
    }

    /// One sentence that names the certificate.
    public var message: String {
        guard let error else { return "the chain is valid" }
        guard let place else { return error.message }
        guard subjects.indices.contains(place) else { return "the trust anchor: \(error.message)" }
        let end = demanded.map { "; demanded: \($0)" } ?? ""
        return "certificate \(place + 1) (\(subjects[place])): \(error.message)\(end)"
    }
}
