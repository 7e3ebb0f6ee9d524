// Decrypts compact JWE: mirrors the way of a signed token; one failure for everything behind the header.

import JOSEBytes
import JOSECrypto

/// Decrypts compact JSON Web Encryption (RFC 7516) with the keys and algorithms of its maker.
///
/// Prepared once, used from many threads. Anyone who has the public key can encrypt: a plaintext says nothing
/// about its author. Use `JWTVerifier` for tokens that must be signed too.
public struct JWEDecrypter: Sendable {
    let opening: JWEOpening

    /// A decrypter with one key.
    ///
    /// - Parameters:
    ///   - key: A private key; where it has a `kid`, a token that names another is rejected.
    ///   - algorithms: The only key management algorithms that are accepted.
    ///   - content: The only content encryption algorithms that are accepted.
    ///   - compression: The only compressions that are accepted; none where nothing is said.
    ///   - critical: The extensions in `crit` that the caller understands and checks itself, by name; read them from the
    ///     header of the decrypted token. None if left out.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without algorithms or for a registered name in `critical`, `keyUnusable` if the key is public or fits none of them.
    public init(
        key: JWK, algorithms: [KeyManagementAlgorithm], content: [ContentEncryptionAlgorithm],
        compression: [CompressionAlgorithm] = [], critical: [String] = [],
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try JWEDecrypter.check(algorithms, content)
        opening = JWEOpening(
            try DecryptionKeys(key, algorithms), algorithms, content, compression,
            try CriticalHeader.Extensions(critical), limits)
    }

    /// A decrypter with our set of private keys.
    ///
    /// - Parameters:
    ///   - keys: Our keys; the token's `kid` picks one, or rejects.
    ///   - algorithms: The only key management algorithms that are accepted.
    ///   - content: The only content encryption algorithms that are accepted.
    ///   - missingKeyID: What happens to a token without `kid`.
    ///   - compression: The only compressions that are accepted; none where nothing is said.
    ///   - critical: The extensions in `crit` that the caller understands and checks itself, by name; read them from the
    ///     header of the decrypted token. None if left out.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without algorithms or for a registered name in `critical`.
    public init(
        keys: JWKSet, algorithms: [KeyManagementAlgorithm], content: [ContentEncryptionAlgorithm],
        missingKeyID: MissingKeyIDRule = .requireUnique, compression: [CompressionAlgorithm] = [],
        critical: [String] = [], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try JWEDecrypter.check(algorithms, content)
        opening = JWEOpening(
            try DecryptionKeys(keys, missingKeyID: missingKeyID), algorithms, content, compression,
            try CriticalHeader.Extensions(critical), limits)
    }

    /// The decrypters of a tool whose default is `algorithms` and, besides, what a key's own `alg` names.
    ///
    /// - Parameter onlyByKey: Accepted only with a key whose own `alg` names it.
    package init(
        key: JWK, algorithms: [KeyManagementAlgorithm], onlyByKey: [KeyManagementAlgorithm],
        content: [ContentEncryptionAlgorithm], compression: [CompressionAlgorithm],
        critical: [String], limits: JOSELimits
    ) throws(JOSEError) {
        let all = algorithms + onlyByKey
        try JWEDecrypter.check(all, content)
        opening = JWEOpening(
            try DecryptionKeys(key, all, onlyByKey: onlyByKey), all, content, compression,
            try CriticalHeader.Extensions(critical), limits)
    }

    /// The same with a set; see the initialiser with `key`.
    package init(
        keys: JWKSet, algorithms: [KeyManagementAlgorithm], onlyByKey: [KeyManagementAlgorithm],
        content: [ContentEncryptionAlgorithm], compression: [CompressionAlgorithm],
        critical: [String], limits: JOSELimits
    ) throws(JOSEError) {
        let all = algorithms + onlyByKey
        try JWEDecrypter.check(all, content)
        opening = JWEOpening(
            try DecryptionKeys(keys, missingKeyID: .requireUnique, onlyByKey: onlyByKey), all,
            content, compression, try CriticalHeader.Extensions(critical), limits)
    }

    private static func check(
        _ algorithms: [KeyManagementAlgorithm], _ content: [ContentEncryptionAlgorithm]
    ) throws(JOSEError) {
        let needsContent = algorithms.contains { $0.integratedContent == nil }
        guard !algorithms.isEmpty else {
            throw .misuse("algorithms: is empty: name the key management algorithms to accept")
        }
        guard !content.isEmpty || !needsContent else {
            throw .misuse("content: is empty: name the content encryption algorithms to accept")
        }
    }

    /// Decrypts a compact JWE.
    ///
    /// - Parameter token: The compact serialisation.
    /// - Throws: `malformed`, `limitExceeded`, `unsupported`, `algorithmNotAllowed`, `keyNotFound`, `keyUnusable`;
    ///   every failure of the encrypted key, IV, ciphertext or tag is the same `decryptionFailed`. `misuse` where the key is
    ///   held elsewhere: `decrypt(_:timeout:)` is for such keys too.
    /// - Returns: The plaintext and header.
    ///
    /// Costs the raw decryption and one allocation, the plaintext. Source: RFC 7516, 5.2 and 11.5.
    public func decrypt(_ token: String) throws(JOSEError) -> DecryptedJWE {
        let opened = try opening.open(token.utf8.span)
        return DecryptedJWE(
            unauthenticatedPlaintext: opened.plaintext, opening: opening,
            keyIndex: opened.keyIndex,
            source: HeaderSource(token, count: opened.headerCount))
    }

    /// Decrypts the bytes of a compact JWE; see `decrypt(_:)` over a string.
    public func decrypt(_ token: [UInt8]) throws(JOSEError) -> DecryptedJWE {
        let opened = try opening.open(token.span)
        return DecryptedJWE(
            unauthenticatedPlaintext: opened.plaintext, opening: opening,
            keyIndex: opened.keyIndex,
            source: HeaderSource(token, count: opened.headerCount))
    }

    /// Does what `decrypt(_:)` does and returns step by step what happened, instead of throwing.
    ///
    /// - Parameter token: The compact serialisation.
    /// - Returns: The steps, and the cause and a remedy where the token is rejected. For logs and
    ///   people, never for a peer. It shows what the header holds and nothing of the plaintext;
    ///   every failure from the encrypted key to the tag is the same line (RFC 7516, 11.5). With an
    ///   external key it is `misuse`.
    public func explain(_ token: String) -> TokenExplanation {
        let text = token.utf8.span
        let trace = Trace()
        trace.form(text)
        do throws(JOSEError) {
            var opened = try opening.open(text, trace: trace)
            opened.wipe(after: 0)
        } catch {
            trace.rejected(error)
        }
        return trace.explanation
    }
}

/// A JWE that was decrypted and whose tag was accepted; only a decrypter makes one.
public struct DecryptedJWE: Sendable {
    /// The plaintext: confidential, but anyone with the public key may have written it.
    public let unauthenticatedPlaintext: [UInt8]
    private let opening: JWEOpening
    private let keyIndex: Int
    private let source: HeaderSource

    init(
        unauthenticatedPlaintext: [UInt8], opening: JWEOpening, keyIndex: Int,
        source: HeaderSource
    ) {
        self.unauthenticatedPlaintext = unauthenticatedPlaintext
        self.opening = opening
        self.keyIndex = keyIndex
        self.source = source
    }

    /// The protected header, read again from the token at each call.
    public func header() throws(JOSEError) -> ProtectedHeader { try source.read() }

    /// The `kid` of the key that decrypted; nil where the key has none.
    public var keyID: String? { opening.keys.keyID(keyIndex) }
}

extension DecryptedJWE: RedactedDescription {
    package var shownAs: String { "decrypted JWE" }
}

extension JWEDecrypter: RedactedDescription {
    package var shownAs: String { "JWE decrypter" }
}
