// A recipient of a JWE in a JSON serialisation, and the checks of every recipient's key.

import JOSEBytes
import JOSECrypto

/// A recipient of a JWE in a JSON serialisation: key, algorithm and unprotected header.
public struct JWERecipient: Sendable {
    let key: JWK
    let operation: KeyManagementOperation
    let algorithm: KeyManagementAlgorithm
    let layout: RecipientHeaderLayout
    let options: RecipientOptions
    private let chosen: ChosenParameters
    let keyID: String?
    let header: [String: JSONValue]
    private let validatedChain: ValidatedChain?
    /// The recipient's unprotected header, used if the token has several recipients.
    private let template: HeaderTemplate

    /// Creates a recipient.
    ///
    /// - Parameters:
    ///   - key: The recipient's public key or the shared symmetric key; the header gets its `kid`.
    ///   - algorithm: The key management algorithm.
    ///   - header: Members without integrity protection, for this recipient only.
    ///   - options: Parameters of some algorithms: `apu`, `apv`, iterations.
    ///   - limits: The bounds on PBES2 iterations.
    /// - Throws: `keyUnusable` if the key is for another use; `misuse` for a private key, a name
    ///   that `HeaderParameters.additional` rejects, or iterations outside the limits.
    public init(
        key: JWK, algorithm: KeyManagementAlgorithm, header: [String: JSONValue] = [:],
        options: RecipientOptions = RecipientOptions(), limits: JOSELimits = .standard
    ) throws(JOSEError) {
        operation = try key.keyWrapping(algorithm, options: options, limits)
        layout = RecipientHeaderLayout(algorithm, key.prepared)
        keyID = key.keyID
        validatedChain = key.validatedChain
        self.key = key
        self.algorithm = algorithm
        self.header = header
        self.options = options
        chosen = ChosenParameters(options)
        var json = try HeaderParameters().json(algorithm: algorithm.staticName, keyID: key.keyID)
        if !header.isEmpty {
            let own = try UnprotectedHeader.text(header, others: [])
            json = json.dropLast() + [UInt8(ascii: ",")] + own.dropFirst()
        }
        template = HeaderTemplate(json: json, layout, options)
    }

    /// The PBES2 iterations; 0 for any other algorithm.
    var iterations: Int {
        guard layout.iterations != nil else { return 0 }
        return Int(UInt32(clamping: options.passwordIterations))
    }

    func checkCertificates() throws(JOSEError) {
        if let validatedChain { try validatedChain.check(at: .now) }
    }

    func wrappedKeyBuffers(_ content: ContentAlgorithm) -> WrappedKey {
        WrappedKey(
            encryptedKey: [UInt8](repeating: 0, count: operation.encryptedKeyBytes(for: content)),
            parameters: [UInt8](repeating: 0, count: operation.parameterBytes))
    }

    /// Generates the content encryption key of a message and wraps it for this recipient. `dir` and
    /// `ECDH-ES` generate none: they use the shared or agreed key.
    func begin(
        _ content: ContentAlgorithm, _ wrapped: inout WrappedKey
    ) throws(JOSEError) -> ContentKey {
        let parties = chosen.parties
        var (encryptedKey, parameters) = (wrapped.encryptedKey, wrapped.parameters)
        var keySpan = encryptedKey.mutableSpan
        var parameterSpan = parameters.mutableSpan
        do throws(CryptoError) {
            let key = try operation.begin(
                content, chosen.parameters, in: parties.span, encryptedKey: &keySpan,
                parameters: &parameterSpan)
            wrapped = WrappedKey(encryptedKey: encryptedKey, parameters: parameters)
            return key
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    func wrap(
        _ key: borrowing ContentKey, _ wrapped: inout WrappedKey
    ) throws(JOSEError) {
        let parties = chosen.parties
        var (encryptedKey, parameters) = (wrapped.encryptedKey, wrapped.parameters)
        var keySpan = encryptedKey.mutableSpan
        var parameterSpan = parameters.mutableSpan
        do throws(CryptoError) {
            try key.wrapAgain(
                for: operation, chosen.parameters, in: parties.span, encryptedKey: &keySpan,
                parameters: &parameterSpan)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
        wrapped = WrappedKey(encryptedKey: encryptedKey, parameters: parameters)
    }

    /// Writes the recipient's members. If `isAlone`, the algorithm and its parameters are not among
    /// them: they are in the protected header.
    func write(_ wrapped: WrappedKey, isAlone: Bool, to writer: inout JSONWriter) {
        if !isAlone {
            let text = template.text(wrapped.parameters)
            writer.name("header")
            writer.raw(text.span)
        } else if !header.isEmpty, let text = try? UnprotectedHeader.text(header, others: []) {
            writer.name("header")
            writer.raw(text.span)
        }
        guard !wrapped.encryptedKey.isEmpty else { return }
        writer.name("encrypted_key")
        writer.string(base64URL: wrapped.encryptedKey.span)
    }
}

struct WrappedKey {
    var encryptedKey: [UInt8]
    /// The bytes of the header parameters: an ephemeral key, an IV and a tag, or a salt.
    var parameters: [UInt8]
}

extension JWK {
    /// Checks the recipient's key and the sender's options. Returns the operation that wraps keys.
    func keyWrapping(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm? = nil,
        options: RecipientOptions, _ limits: JOSELimits
    ) throws(JOSEError) -> KeyManagementOperation {
        guard !isPrivate || keyType == .oct else {
            throw .misuse("the recipient's key is private: encrypt to its publicKey")
        }
        let match = match(.encrypting(algorithm, content))
        guard match == .matches else { throw match.error(.encrypting(algorithm, content), names) }
        guard options.passwordIterations >= limits.minIterations,
            options.passwordIterations <= limits.maxIterations
        else {
            throw .misuse(
                """
                passwordIterations is {}; {} to {} are accepted (JOSELimits.minIterations, \
                maxIterations)
                """,
                .number(options.passwordIterations), .number(limits.minIterations),
                .number(limits.maxIterations))
        }
        return try prepared.keyManagement(algorithm, wrapping: true)
    }
}

extension HeaderTemplate {
    func text(_ parameters: [UInt8]) -> [UInt8] {
        [UInt8](byteCapacity: count) { append(parameters.span, to: &$0) }
    }

    func encoded(_ parameters: [UInt8]) -> [UInt8] {
        let text = text(parameters)
        return Base64URL.encode(text.span)
    }
}

extension JWERecipient: RedactedDescription {}
