// The requests to an external key, and its capabilities and results.

import JOSEBytes

/// The algorithms that an external key supports.
public struct ExternalKeyCapabilities: Sendable {
    /// The signature algorithms.
    public var signatures: [SignatureAlgorithm]
    /// The key management algorithms whose private operation the key supports: RSA-OAEP and
    /// ECDH-ES. For RSA-OAEP the key may decode the padding or return the bare RSA result.
    public var keyManagement: [KeyManagementAlgorithm]
    /// The maximum size in bytes of a message that the key signs whole (EdDSA, ML-DSA).
    public var maxMessageBytes: Int

    /// Creates capabilities; without arguments, no algorithms.
    ///
    /// - Parameters:
    ///   - signatures: The signature algorithms.
    ///   - keyManagement: The key management algorithms whose private operation the key supports.
    ///   - maxMessageBytes: The maximum size in bytes of a message that the key signs whole.
    public init(
        signatures: [SignatureAlgorithm] = [], keyManagement: [KeyManagementAlgorithm] = [],
        maxMessageBytes: Int = .max
    ) {
        self.signatures = signatures
        self.keyManagement = keyManagement
        self.maxMessageBytes = maxMessageBytes
    }
}

/// A request to an external key for one signature.
public struct ExternalSigningRequest: Sendable {
    /// The data to sign.
    public enum Input: Sendable {
        /// The digest of the message with the algorithm's hash, for RSA and ECDSA.
        case digest([UInt8])
        /// The whole message, for EdDSA and ML-DSA.
        case message([UInt8])
    }
    /// The algorithm, as in the `alg` of a token. It determines the padding and the hash.
    public let algorithm: SignatureAlgorithm
    /// The digest or the message.
    public let input: Input
    /// The time at which the caller stops waiting.
    public let deadline: ContinuousClock.Instant

    /// The operation's place among `maxConcurrent`, for a `DeadlineKeepingExternalKey`.
    package let permit: ExternalKeyPermit?

    package init(
        algorithm: SignatureAlgorithm, input: Input, deadline: ContinuousClock.Instant,
        permit: ExternalKeyPermit? = nil
    ) {
        self.algorithm = algorithm
        self.input = input
        self.deadline = deadline
        self.permit = permit
    }
}

/// The signature of an external key. The library parses it strictly and verifies it before use.
public enum ExternalSignature: Sendable {
    /// The format of a JWS: for ECDSA r, then s, each with the size of the curve's order.
    case plain([UInt8])
    /// ECDSA's r and s in DER (RFC 3279, 2.2.3).
    case der([UInt8])
}

/// A request to an external key to decrypt one encrypted key.
public struct ExternalUnwrappingRequest: Sendable {
    /// The algorithm. It determines the hash of OAEP and of its mask.
    public let algorithm: KeyManagementAlgorithm
    /// The encrypted key, of as many bytes as the modulus.
    public let encryptedKey: [UInt8]
    /// The time at which the caller stops waiting.
    public let deadline: ContinuousClock.Instant

    /// The operation's place among `maxConcurrent`, for a `DeadlineKeepingExternalKey`.
    package let permit: ExternalKeyPermit?

    package init(
        algorithm: KeyManagementAlgorithm, encryptedKey: [UInt8],
        deadline: ContinuousClock.Instant, permit: ExternalKeyPermit? = nil
    ) {
        self.algorithm = algorithm
        self.encryptedKey = encryptedKey
        self.deadline = deadline
        self.permit = permit
    }
}

/// A decrypted key, or the block that still has to be decoded.
public enum ExternalUnwrappedKey: Sendable {
    /// The content encryption key, if the external key decodes OAEP.
    case contentKey(ExternalKeySecret)
    /// The raw RSA result, as long as the modulus. The library decodes OAEP in constant time.
    case block(ExternalKeySecret)
}

/// A request to an external key for one ECDH shared secret.
public struct ExternalAgreementRequest: Sendable {
    /// The curve of both keys.
    public let curve: JWKCurve
    /// The other party's public key: the coordinates x and y concatenated, or x alone (RFC 8037).
    public let publicKey: [UInt8]
    /// The time at which the caller stops waiting.
    public let deadline: ContinuousClock.Instant

    /// The operation's place among `maxConcurrent`, for a `DeadlineKeepingExternalKey`.
    package let permit: ExternalKeyPermit?

    package init(
        curve: JWKCurve, publicKey: [UInt8], deadline: ContinuousClock.Instant,
        permit: ExternalKeyPermit? = nil
    ) {
        self.curve = curve
        self.publicKey = publicKey
        self.deadline = deadline
        self.permit = permit
    }
}

// The requests contain parts of tokens, which must not get into logs.

extension ExternalSigningRequest: RedactedDescription {
    package var shownAs: String { "ExternalSigningRequest, \(algorithm.name)" }
}

extension ExternalUnwrappingRequest: RedactedDescription {
    package var shownAs: String { "ExternalUnwrappingRequest, \(algorithm.name)" }
}

extension ExternalSigningRequest.Input: RedactedDescription {}
extension ExternalSignature: RedactedDescription {}
extension ExternalAgreementRequest: RedactedDescription {}
