// What an external key is asked, and the shapes of its answers.

import JOSEBytes

/// What an external key can do with its one key.
public struct ExternalKeyCapabilities: Sendable {
    /// The signatures that it makes.
    public var signatures: [SignatureAlgorithm]
    /// The key management algorithms of which it does its part: RSA-OAEP by itself or by the raw operation, ECDH-ES.
    public var keyManagement: [KeyManagementAlgorithm]
    /// The longest message that it takes where an algorithm signs the message itself, in bytes.
    public var maxMessageBytes: Int

    /// Abilities; none where nothing is said.
    ///
    /// - Parameters:
    ///   - signatures: The signature algorithms that it does.
    ///   - keyManagement: The key management algorithms of which it does its part.
    ///   - maxMessageBytes: The longest message that it takes where an algorithm signs the message itself, in bytes.
    public init(
        signatures: [SignatureAlgorithm] = [], keyManagement: [KeyManagementAlgorithm] = [],
        maxMessageBytes: Int = .max
    ) {
        self.signatures = signatures
        self.keyManagement = keyManagement
        self.maxMessageBytes = maxMessageBytes
    }
}

/// A signature that is asked of an external key.
public struct ExternalSigningRequest: Sendable {
    /// What is signed.
    public enum Input: Sendable {
        /// The digest of the message by the algorithm's hash: RSA and ECDSA.
        case digest([UInt8])
        /// The message itself: EdDSA and ML-DSA.
        case message([UInt8])
    }
    /// The algorithm.
    public let algorithm: SignatureAlgorithm
    /// The digest or the message.
    public let input: Input
    /// When the caller stops waiting.
    public let deadline: ContinuousClock.Instant

    package init(
        algorithm: SignatureAlgorithm, input: Input, deadline: ContinuousClock.Instant
    ) {
        self.algorithm = algorithm
        self.input = input
        self.deadline = deadline
    }
}

/// A signature as an external key gives it; read strictly and verified before it leaves.
public enum ExternalSignature: Sendable {
    /// As JOSE has it: RSA's bytes, ECDSA's r and s of equal length behind each other, EdDSA's bytes.
    case plain([UInt8])
    /// ECDSA's r and s in DER (RFC 3279, 2.2.3).
    case der([UInt8])
}

/// An encrypted key that an external key shall decrypt.
public struct ExternalUnwrappingRequest: Sendable {
    /// The algorithm, which names the hash of OAEP and of its mask.
    public let algorithm: KeyManagementAlgorithm
    /// As many bytes as the modulus has.
    public let encryptedKey: [UInt8]
    /// When the caller stops waiting.
    public let deadline: ContinuousClock.Instant

    package init(
        algorithm: KeyManagementAlgorithm, encryptedKey: [UInt8],
        deadline: ContinuousClock.Instant
    ) {
        self.algorithm = algorithm
        self.encryptedKey = encryptedKey
        self.deadline = deadline
    }
}

/// What became of an encrypted key.
public enum ExternalUnwrappedKey: Sendable {
    /// The content key: the device did OAEP.
    case contentKey(ExternalKeySecret)
    /// The result of the raw operation, as many bytes as the modulus has: OAEP is decoded here, in constant time.
    case block(ExternalKeySecret)
}

/// An agreement that is asked of an external key.
public struct ExternalAgreementRequest: Sendable {
    /// The curve of both keys.
    public let curve: JWKCurve
    /// The other side's public key: the coordinates x and y behind each other, or x alone (RFC 8037).
    public let publicKey: [UInt8]
    /// When the caller stops waiting.
    public let deadline: ContinuousClock.Instant

    package init(curve: JWKCurve, publicKey: [UInt8], deadline: ContinuousClock.Instant) {
        self.curve = curve
        self.publicKey = publicKey
        self.deadline = deadline
    }
}

// What is asked holds parts of tokens, and an external key's log is no place for them.

extension ExternalSigningRequest: RedactedDescription {
    package var shownAs: String { "ExternalSigningRequest, \(algorithm.name)" }
}

extension ExternalSigningRequest.Input: RedactedDescription {
    package var shownAs: String { "ExternalSigningRequest.Input" }
}

extension ExternalSignature: RedactedDescription {
    package var shownAs: String { "ExternalSignature" }
}

extension ExternalUnwrappingRequest: RedactedDescription {
    package var shownAs: String { "ExternalUnwrappingRequest, \(algorithm.name)" }
}

extension ExternalAgreementRequest: RedactedDescription {
    package var shownAs: String { "ExternalAgreementRequest" }
}
