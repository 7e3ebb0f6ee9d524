// The certificate members of a JWK (x5c, x5t, x5t#S256), and their check against the key.

import JOSEBytes
import JOSECrypto

struct CertificateMembers: Sendable, Hashable {
    /// DER certificates, leaf first; nil without a readable `x5c`.
    let chain: [[UInt8]]?
    var sha1Thumbprint: [UInt8]?
    let sha256Thumbprint: [UInt8]?
    /// A defect that makes every trust store reject these members, although the key may be valid.
    var defect: Defect?

    enum Defect: UInt8, Sendable {
        case tooManyCertificates
        /// `x5c` is not an array, or is empty.
        case chainForm
        /// `x5c` has an entry that is not a certificate, such as base64 of PEM.
        case chainContent
        /// A thumbprint that is not base64url, such as hexadecimal digits with colons.
        case thumbprintForm
        /// A thumbprint that does not have the length of its digest, such as hexadecimal digits.
        case thumbprintLength

        /// Whether the defect also rejects a key in a token's header; see `JWK.checkStrict`.
        var isRejectedInTokenHeader: Bool {
            switch self {
            case .chainForm, .chainContent, .thumbprintForm: true
            case .tooManyCertificates, .thumbprintLength: false
            }
        }

        var error: JOSEError {
            switch self {
            case .tooManyCertificates:
                .limitExceeded(
                    .certificate, "x5c has too many certificates (JOSELimits.chainCount)")
            case .chainForm:
                .malformed(.certificate, "x5c is not an array of strings, or it is empty")
            case .chainContent:
                .malformed(
                    .certificate, "x5c has an entry that is not a DER certificate in base64")
            case .thumbprintForm:
                .malformed(.certificate, "x5t or x5t#S256 is not base64url")
            case .thumbprintLength:
                .malformed(
                    .certificate,
                    "x5t or x5t#S256 has the wrong length: 20 bytes for x5t, 32 for x5t#S256")
            }
        }
    }

    /// Throws `keyUnusable` if the first certificate has another key (`untrustedKey` if the chain
    /// is also out of order) or another thumbprint, `malformed` if it is not a certificate.
    func checkLeaf(_ material: any KeyMaterial) throws(JOSEError) {
        guard let chain, let leaf = chain.first else { return }
        try CertificateMembers.checkKey(leaf, chain, material, defect)
        try checkThumbprint(sha1Thumbprint, .sha1, leaf)
        try checkThumbprint(sha256Thumbprint, .sha256, leaf)
    }

    static func checkKey(
        _ leaf: [UInt8], _ chain: [[UInt8]], _ material: any KeyMaterial, _ defect: Defect?
    ) throws(JOSEError) {
        let key = try CertificateOutline(leaf.span).publicKey
        guard material.isKey(inSPKI: leaf.span.extracting(key)) else {
            // A chain in the wrong order begins with another certificate: report the order.
            if defect == nil, try isDisordered(chain) { throw JOSEError(.order, index: 0) }
            throw .keyUnusable("the first certificate of x5c has another public key than the JWK")
        }
    }

    /// Returns false if an entry is no certificate.
    private static func isDisordered(_ chain: [[UInt8]]) throws(JOSEError) -> Bool {
        do throws(JOSEError) {
            return try !parse(chain).isOrdered
        } catch {
            guard error.code != .internal else { throw error }
            return false
        }
    }

    struct ThumbprintForm {
        let algorithm: HashAlgorithm
        let bytes: Int
        static let sha1 = ThumbprintForm(algorithm: .sha1, bytes: 20)
        static let sha256 = ThumbprintForm(algorithm: .sha256, bytes: 32)
    }

    static func checked(
        _ certificates: [some Collection<UInt8>], _ limits: JOSELimits
    ) throws(JOSEError) -> [[UInt8]] {
        guard certificates.count <= limits.chainCount else {
            throw .limitExceeded(
                .certificate,
                "the chain has {} certificates; at most {} are allowed (JOSELimits.chainCount)",
                .number(certificates.count), .number(limits.chainCount))
        }
        let certificates = certificates.map { [UInt8]($0) }
        for (index, der) in certificates.enumerated() where !StrictDER.isOneValue(der.span) {
            throw .malformed(
                .certificate, "certificate {} of the chain is not one DER value",
                .number(index + 1))
        }
        return certificates
    }

    /// Parses certificates. Rejects those with unusually many DER values, since libcrypto spends
    /// about 200 bytes and half a microsecond on each value.
    static func parse(_ certificates: [[UInt8]]) throws(JOSEError) -> CertificateChain {
        for der in certificates {
            let (count, limit) = (StrictDER.elementCount(der.span), 256 + der.count / 32)
            guard count <= limit else {
                throw .limitExceeded(
                    .certificate,
                    "a certificate has {} DER values; at most {} are accepted for its size",
                    .number(count), .number(limit))
            }
        }
        do {
            return try CertificateChain(certificates)
        } catch {
            throw JOSEError(
                error,
                ifRejected: .malformed(.certificate, "x5c has an entry that is not a certificate"))
        }
    }

    private func checkThumbprint(
        _ thumbprint: [UInt8]?, _ hash: HashAlgorithm, _ leaf: [UInt8]
    ) throws(JOSEError) {
        guard let thumbprint else { return }
        guard try CertificateMembers.digest(hash, leaf) == thumbprint else {
            throw .keyUnusable("x5t or x5t#S256 is the thumbprint of another certificate")
        }
    }

    static func digest(_ hash: HashAlgorithm, _ der: [UInt8]) throws(JOSEError) -> [UInt8] {
        do {
            return try Hash.digest(hash, der.span)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }
}
