// The certificate members of a JWK: x5c, x5t and x5t#S256, checked in form and against the key.

import JOSEBytes
import JOSECrypto

/// The certificates that a JWK carries (RFC 7517, 4.7 to 4.9); nothing here is trusted.
struct CertificateMembers: Sendable, Hashable {
    /// DER certificates, leaf first; nil where there is no `x5c`.
    let chain: [[UInt8]]?
    let sha1Thumbprint: [UInt8]?
    let sha256Thumbprint: [UInt8]?
    /// Why no store believes these members, although they say nothing against the key; nil for
    /// nothing.
    let defect: Defect?

    enum Defect: UInt8, Sendable {
        case tooManyCertificates
        /// `x5c` is no array of strings with one at least.
        case chainForm
        /// `x5c` holds what is no certificate, such as base64 of PEM.
        case chainContent
        /// A thumbprint that is no base64url, such as hexadecimal digits with colons.
        case thumbprintForm
        /// A thumbprint of no digest's length, such as hexadecimal digits.
        case thumbprintLength

        /// Whether the text is none that a publisher could mean.
        var isMalformed: Bool {
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
            case .chainForm: .malformed(.certificate, "x5c is not a list of certificates")
            case .chainContent:
                .malformed(
                    .certificate,
                    "x5c has an entry that is not a DER certificate in base64")
            case .thumbprintForm:
                .malformed(
                    .certificate, "a certificate thumbprint (x5t, x5t#S256) is not base64url")
            case .thumbprintLength:
                .malformed(
                    .certificate, "a certificate thumbprint (x5t, x5t#S256) has a wrong length")
            }
        }
    }

    init(
        chain: [[UInt8]]?, sha1Thumbprint: [UInt8]? = nil, sha256Thumbprint: [UInt8]?,
        defect: Defect? = nil
    ) {
        self.chain = chain
        self.sha1Thumbprint = sha1Thumbprint
        self.sha256Thumbprint = sha256Thumbprint
        self.defect = defect
    }

    /// The first certificate must hold the key, and the thumbprints must be its own.
    ///
    /// Throws `malformed` if it is no certificate, `keyUnusable` for another key or thumbprint.
    /// Costs a walk over the certificate and a digest for each thumbprint.
    func checkLeaf(_ material: any KeyMaterial) throws(JOSEError) {
        guard let chain, let leaf = chain.first else { return }
        try CertificateMembers.checkKey(leaf, chain, material, defect)
        try checkThumbprint(sha1Thumbprint, .sha1, leaf)
        try checkThumbprint(sha256Thumbprint, .sha256, leaf)
    }

    /// Throws `malformed` where the first certificate is none, another error where it holds another
    /// key.
    static func checkKey(
        _ leaf: [UInt8], _ chain: [[UInt8]], _ material: any KeyMaterial, _ defect: Defect?
    ) throws(JOSEError) {
        let key = try CertificateOutline(leaf.span).publicKey
        guard material.isKey(inSPKI: leaf.span.extracting(key)) else {
            // A chain in the wrong order puts another certificate first: say that.
            if defect == nil, try isDisordered(chain) { throw JOSEError(.order, place: 0) }
            throw .keyUnusable("the first certificate of x5c holds another key")
        }
    }

    /// Whether all are certificates, in the wrong order. Throws where that cannot be told, because
    /// memory or the provider fails.
    private static func isDisordered(_ chain: [[UInt8]]) throws(JOSEError) -> Bool {
        do throws(JOSEError) {
            return try !parse(chain).isOrdered
        } catch {
            guard error.code != .internal else { throw error }
            return false
        }
    }

    /// What a thumbprint is a digest by, and how long that is.
    struct ThumbprintForm {
        let algorithm: HashAlgorithm
        let bytes: Int
        static let sha1 = ThumbprintForm(algorithm: .sha1, bytes: 20)
        static let sha256 = ThumbprintForm(algorithm: .sha256, bytes: 32)
    }

    /// Returns a chain as arrays, each of one DER value, within the limit of certificates.
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

    /// Parses certificates, unless they have more parts than any that are in use: libcrypto spends
    /// about 200 bytes and half a microsecond on each.
    static func parse(_ certificates: [[UInt8]]) throws(JOSEError) -> CertificateChain {
        for der in certificates where StrictDER.elementCount(der.span) > 256 + der.count / 32 {
            throw .limitExceeded(.certificate, "a certificate has too many parts")
        }
        do {
            return try CertificateChain(certificates)
        } catch {
            throw JOSEError(
                error,
                rejected: .malformed(.certificate, "x5c has an entry that is not a certificate"))
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
            throw JOSEError(error, rejected: .internalFailure)
        }
    }
}
