// What a custodian is asked, and the shapes of its answers.

import JOSEBytes

/// What a custodian can do with its one key.
public struct CustodianAbilities: Sendable {
    /// The signatures that it makes.
    public var signatures: [SignatureAlgorithm]
    /// The key management algorithms of which it does its part: RSA-OAEP by itself or by the raw operation, ECDH-ES.
    public var keyManagement: [KeyManagementAlgorithm]
    /// The longest message that it takes where an algorithm signs the message itself, in bytes.
    public var mostMessageBytes: Int

    /// Abilities; none where nothing is said.
    ///
    /// - Parameters:
    ///   - signatures: The signature algorithms that it does.
    ///   - keyManagement: The key management algorithms of which it does its part.
    ///   - mostMessageBytes: The longest message that it takes where an algorithm signs the message itself, in bytes.
    public init(
        signatures: [SignatureAlgorithm] = [], keyManagement: [KeyManagementAlgorithm] = [],
        mostMessageBytes: Int = .max
    ) {
        self.signatures = signatures
        self.keyManagement = keyManagement
        self.mostMessageBytes = mostMessageBytes
    }
}

/// A signature that is asked of a custodian.
public struct CustodianSigning: Sendable {
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

/// A signature as a custodian gives it; read strictly and verified before it leaves.
public enum CustodianSignature: Sendable {
    /// As JOSE has it: RSA's bytes, ECDSA's r and s of equal length behind each other, EdDSA's bytes.
    case plain([UInt8])
    /// ECDSA's r and s in DER (RFC 3279, 2.2.3).
    case der([UInt8])
}

/// An encrypted key that a custodian shall decrypt.
public struct CustodianUnwrapping: Sendable {
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
public enum CustodianUnwrapped: Sendable {
    /// The content key: the device did OAEP.
    case contentKey(CustodianSecret)
    /// The result of the raw operation, as many bytes as the modulus has: OAEP is decoded here, in constant time.
    case block(CustodianSecret)
}

/// An agreement that is asked of a custodian.
public struct CustodianAgreement: Sendable {
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

// What is asked holds parts of tokens, and a custodian's log is no place for them.

extension CustodianSigning: RedactedDescription {
    package var shownAs: String { "CustodianSigning, \(algorithm.name)" }
}

extension CustodianSigning.Input: RedactedDescription {
    package var shownAs: String { "CustodianSigning.Input" }
}

extension CustodianSignature: RedactedDescription {
    package var shownAs: String { "CustodianSignature" }
}

extension CustodianUnwrapping: RedactedDescription {
    package var shownAs: String { "CustodianUnwrapping, \(algorithm.name)" }
}

extension CustodianAgreement: RedactedDescription {
    package var shownAs: String { "CustodianAgreement" }
}
