// The reasons why a chain is rejected, as messages.

package import JOSECrypto

extension JOSEError {
    /// Creates `keyUnusable` for wrong usages or a weak key of the leaf, or for a CA as the leaf;
    /// else `untrustedKey`.
    init(_ failure: ChainError, index: Int) {
        let code: JOSEError.Code =
            switch failure {
            case .keyUsage, .extendedKeyUsage, .leafIsCA: .keyUnusable
            case .weakKey where index == 0: .keyUnusable
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
        case .pathLength: "the chain is longer than an issuer's path length constraint allows"
        case .signature: "a certificate's signature does not verify"
        case .order: "a certificate is not followed by its issuer"
        case .duplicate: "a certificate occurs twice"
        case .unusedCertificate: "a certificate is not part of the path; remove it"
        case .unknownRoot: "the chain does not lead to a trust anchor"
        case .selfSigned: "the certificate is self-signed"
        case .criticalExtension: "a certificate has an unknown critical extension"
        case .nameConstraints: "a name violates the name constraints of an issuer"
        case .weakSignature: "a certificate is signed with a weak algorithm"
        case .weakKey: "a certificate's key is too weak"
        case .oldVersion: "a certificate is not of X.509 version 3"
        case .revoked: "a certificate has been revoked"
        case .revocationUnknown: "there is no current revocation list for a certificate"
        case .keyUsage: "the certificate's keyUsage does not allow this use"
        case .extendedKeyUsage: "the certificate's extendedKeyUsage does not allow this use"
        case .leafIsCA: "the key's certificate is a CA certificate"
        case .policies: "the certificates have too many policies and policy mappings"
        case .other: "the chain violates RFC 5280"
        }
    }
}

extension TrustStore {
    /// The result of validating one chain, for people; see `TrustStore.report`.
    public struct Report: Sendable {
        /// The subjects, leaf first, in the form of RFC 2253, with unsafe characters escaped.
        public let subjects: [String]
        /// Why the chain is rejected; nil if it is valid.
        public let error: JOSEError?
        /// The index of the rejected certificate: 0 for the leaf, `subjects.count` for the anchor;
        /// nil for a valid chain.
        public let certificateIndex: Int?
        /// The first time at which a valid chain is valid; nil for a rejected one.
        public let notBefore: NumericDate?
        /// The last time at which a valid chain is valid; nil for a rejected one.
        public let notAfter: NumericDate?

        var required: CertificateIdentity?

        /// Whether other anchors might have accepted the chain.
        package var hasUnknownRoot: Bool {
            error?.reason.description == ChainError.unknownRoot.reason.description
        }

        /// One sentence that names the rejected certificate.
        public var message: String {
            guard let error else { return "the chain is valid" }
            guard let index = certificateIndex else { return error.message }
            guard subjects.indices.contains(index) else {
                return "the trust anchor: \(error.message)"
            }
            let end = required.map { "; required: \($0)" } ?? ""
            return "certificate \(index + 1) (\(subjects[index])): \(error.message)\(end)"
        }
    }
}
