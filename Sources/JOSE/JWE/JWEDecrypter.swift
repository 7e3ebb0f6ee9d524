// Decrypts compact JWE. The steps of a decryption are in `JWEOpening`.

import JOSEBytes
import JOSECrypto

/// Decrypts compact JSON Web Encryption (RFC 7516) with the keys and algorithms that you allow.
///
/// Create it once and use it from any thread. Anyone with the public key can encrypt, so a
/// plaintext proves nothing about its author. Use `JWTVerifier` if tokens must also be signed.
public struct JWEDecrypter: Sendable {
    let opening: JWEOpening

    /// Creates a decrypter with one key.
    ///
    /// - Parameters:
    ///   - key: A private or shared key. If it has a `kid`, a token that names another is rejected.
    ///   - algorithms: The accepted key management algorithms.
    ///   - content: The accepted content encryption algorithms.
    ///   - compression: The accepted compressions; none by default.
    ///   - critical: The names of the extensions in `crit` that you check. Read their values from
    ///     the header of the decrypted token.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` for an empty list of algorithms, or an empty or registered name in
    ///   `critical`; `keyUnusable` if the key is public or matches none of the algorithms;
    ///   `unsupported` for an algorithm that a FIPS provider lacks.
    public init(
        key: JWK, algorithms: [KeyManagementAlgorithm], content: [ContentEncryptionAlgorithm],
        compression: [CompressionAlgorithm] = [], critical: [String] = [],
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            .one(key), algorithms: algorithms, content: content, compression: compression,
            critical: critical, limits: limits)
    }

    /// Creates a decrypter with your set of private or shared keys.
    ///
    /// - Parameters:
    ///   - keys: Your keys. The token's `kid` selects one; an unknown `kid` is rejected.
    ///   - algorithms: The accepted key management algorithms.
    ///   - content: The accepted content encryption algorithms.
    ///   - missingKeyID: The rule for tokens without `kid`.
    ///   - compression: The accepted compressions; none by default.
    ///   - critical: The names of the extensions in `crit` that you check.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` for an empty list of algorithms, an empty or registered name in
    ///   `critical`, or a `tryEligible` outside 2 to 8; `unsupported` as the other initialiser.
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

    /// - Parameter ifNamedByKey: Further algorithms, each only with a key whose `alg` names it.
    package init(
        _ keys: DecrypterKeys, algorithms: [KeyManagementAlgorithm],
        ifNamedByKey: [KeyManagementAlgorithm] = [], content: [ContentEncryptionAlgorithm],
        compression: [CompressionAlgorithm], critical: [String], limits: JOSELimits
    ) throws(JOSEError) {
        let all = algorithms + ifNamedByKey
        try JWEDecrypter.check(all, content)
        opening = JWEOpening(
            try DecryptionKeys(keys, all, ifNamedByKey: ifNamedByKey), all, content, compression,
            try CriticalHeader.Extensions(critical), limits)
    }

    private static func check(
        _ algorithms: [KeyManagementAlgorithm], _ content: [ContentEncryptionAlgorithm]
    ) throws(JOSEError) {
        // Integrated encryption (`ContentKeySource.integrated`) needs no `content`.
        let needsContent = algorithms.contains { $0.integratedContent == nil }
        guard !algorithms.isEmpty else {
            throw .misuse("'algorithms' is empty: name the key management algorithms to accept")
        }
        guard !content.isEmpty || !needsContent else {
            throw .misuse("'content' is empty: name the content encryption algorithms to accept")
        }
        try FIPSProvider.check(algorithms, \.staticName, \.isAvailable)
        try FIPSProvider.check(content, \.staticName, \.isAvailable)
    }

    /// Decrypts a compact JWE.
    ///
    /// - Parameter token: The compact serialisation.
    /// - Throws: `malformed`, `limitExceeded`, `unsupported`, `algorithmNotAllowed`, `keyNotFound`,
    ///   `keyUnusable`; `misuse` for an external key: use `decrypt(_:timeout:)`. Every failure to
    ///   unwrap, decrypt or authenticate is the same `decryptionFailed`. A part that is not
    ///   base64url is `malformed`, as is a plaintext that cannot be decompressed. A plaintext that
    ///   would be too large is `limitExceeded`.
    /// - Returns: The plaintext and header.
    ///
    /// Costs the raw decryption and one allocation, the plaintext. Source: RFC 7516, 5.2 and 11.5.
    public func decrypt(_ token: String) throws(JOSEError) -> DecryptedJWE {
        decrypted(try opening.open(token.utf8.span), HeaderSource(token))
    }

    /// Decrypts the UTF-8 bytes of a compact JWE; see `decrypt(_:)` over a string.
    public func decrypt(_ token: [UInt8]) throws(JOSEError) -> DecryptedJWE {
        decrypted(try opening.open(token.span), HeaderSource(token))
    }

    func decrypted(_ opened: JWEOpening.Opened, _ source: HeaderSource) -> DecryptedJWE {
        DecryptedJWE(
            unauthenticatedPlaintext: opened.plaintext, opening: opening,
            keyIndex: opened.keyIndex, source: source.withHeader(count: opened.headerCount))
    }

    /// As `decrypt(_:)`, but returns what happened at each step instead of throwing.
    ///
    /// - Parameter token: The compact serialisation.
    /// - Returns: The steps, and for a rejected token the cause and a remedy. The text may show the
    ///   header, never the plaintext; do not send it to a peer. Every failure from encrypted key to
    ///   tag is the same line (RFC 7516, 11.5). With an external key the result is `misuse`.
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

/// A JWE whose tag was accepted. Only a decrypter creates one.
public struct DecryptedJWE: Sendable {
    /// The plaintext. It is confidential, but anyone with the public key may have written it.
    public let unauthenticatedPlaintext: [UInt8]
    let opening: JWEOpening
    let keyIndex: Int
    let source: HeaderSource

    /// Returns the protected header. Each call parses it from the token again.
    public func header() throws(JOSEError) -> ProtectedHeader { try source.read() }

    /// The `kid` of the key that decrypted the token; nil if the key has none.
    public var keyID: String? { opening.keys.keyID(keyIndex) }
}

extension DecryptedJWE: RedactedDescription {}
extension JWEDecrypter: RedactedDescription {}
